#include "csodium.h"

#include <clibrary.h>
#include <pthread.h>

static struct {
    int (*init)(void);
    void (*random)(void *, size_t);
    int (*seal)(unsigned char *, const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
} sodium;

static const char *problem = "not loaded";
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libsodium.so.23", "libsodium.so.26", NULL};
    const clibrary_function functions[] = {
        {"sodium_init", &sodium.init},
        {"randombytes_buf", &sodium.random},
        {"crypto_secretbox_easy", &sodium.seal},
    };
    const clibrary_words words = {"libsodium.so.23 is missing; install libsodium23", "libsodium lacks a function"};
    problem = clibrary_open(names, functions, sizeof functions / sizeof functions[0], words);
    if (problem) return;
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
