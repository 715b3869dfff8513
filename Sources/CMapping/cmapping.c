#define _GNU_SOURCE
#include "cmapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The handler reads entries while others are opened and closed: the start is set last and cleared first. */
struct cmapping {
    _Atomic(uintptr_t) start;
    _Atomic(size_t) size;
    atomic_bool is_taken;
    atomic_bool is_cut;
};

enum { greatest_count = 64 };
static cmapping mappings[greatest_count];
static uintptr_t page_mask;
static struct sigaction previous;

/* Puts zeros in the place of what is gone. Only mmap is called, which is a system call and nothing else. */
static void handle(int number, siginfo_t *info, void *context) {
    const int error = errno;
    const uintptr_t place = (uintptr_t)info->si_addr;
    for (int index = 0; index < greatest_count && info->si_code == BUS_ADRERR; index++) {
        cmapping *mapping = &mappings[index];
        const uintptr_t start = atomic_load(&mapping->start);
        const size_t size = atomic_load(&mapping->size);
        if (start == 0 || place < start || place - start >= size) continue;
        const uintptr_t page = place & page_mask;
        void *zeros = mmap((void *)page, start + size - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros == MAP_FAILED) break;
        atomic_store(&mapping->is_cut, true);
        errno = error;
        return;
    }
    errno = error;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else {
        /* Not ours: the same instruction ends the process now. */
        signal(SIGBUS, SIG_DFL);
    }
}

static void prepare(void) {
    page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous);
}

cmapping *cmapping_open(int descriptor, size_t size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    for (int index = 0; index < greatest_count; index++) {
        cmapping *mapping = &mappings[index];
        bool free = false;
        if (!atomic_compare_exchange_strong(&mapping->is_taken, &free, true)) continue;
        void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (start == MAP_FAILED) {
            const int error = errno;
            atomic_store(&mapping->is_taken, false);
            errno = error;
            return NULL;
        }
        atomic_store(&mapping->is_cut, false);
        atomic_store(&mapping->size, size);
        atomic_store(&mapping->start, (uintptr_t)start);
        return mapping;
    }
    errno = EMFILE;
    return NULL;
}

const void *cmapping_start(const cmapping *mapping) { return (const void *)atomic_load(&mapping->start); }

bool cmapping_is_cut(const cmapping *mapping) { return atomic_load(&mapping->is_cut); }

int cmapping_memory_file(void) { return memfd_create("waypost", MFD_CLOEXEC); }

void cmapping_close(cmapping *mapping) {
    void *start = (void *)atomic_load(&mapping->start);
    const size_t size = atomic_load(&mapping->size);
    atomic_store(&mapping->start, 0);
    munmap(start, size);
    atomic_store(&mapping->is_taken, false);
}
