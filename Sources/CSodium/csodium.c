#include "csodium.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct {
    int (*init)(void);
    void (*random)(void *, size_t);
    int (*seal)(unsigned char *, const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
} sodium;

static const char *problem = "not loaded";
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libsodium.so.23", "libsodium.so.26"};
    void *library = NULL;
    for (int i = 0; i < 2 && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        problem = "libsodium.so.23 is missing; install libsodium23";
        return;
    }
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"sodium_init", &sodium.init},
        {"randombytes_buf", &sodium.random},
        {"crypto_secretbox_easy", &sodium.seal},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = dlsym(library, functions[i].name);
        if (!symbol) {
            problem = "libsodium lacks a function";
            return;
        }
        memcpy(functions[i].place, &symbol, sizeof symbol);
    }
    /* 1: somebody else in this process has started it already. */
    problem = sodium.init() >= 0 ? NULL : "libsodium does not start";
}

const char *csodium_load(void) {
    pthread_once(&loaded, load);
    return problem;
}

void csodium_random(unsigned char *place, size_t count) { sodium.random(place, count); }

bool csodium_seal(unsigned char *sealed, const unsigned char *message, size_t count, const unsigned char *nonce, const unsigned char *key) {
    return sodium.seal(sealed, message, count, nonce, key) == 0;
}
