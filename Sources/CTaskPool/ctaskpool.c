#define _GNU_SOURCE
#include "ctaskpool.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SWIFTCALL __attribute__((swiftcall))

/* The hooks' last argument is what the runtime would have called itself. */
typedef SWIFTCALL void (*enqueue_original)(ctaskpool_job *);
typedef SWIFTCALL void (*enqueue_after_original)(unsigned long long, ctaskpool_job *);
typedef SWIFTCALL void (*enqueue_at_original)(long long, long long, long long, long long, int, ctaskpool_job *);

extern SWIFTCALL void (*swift_task_enqueueGlobal_hook)(ctaskpool_job *, enqueue_original);
extern SWIFTCALL void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long, ctaskpool_job *, enqueue_after_original);
extern SWIFTCALL void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long, long long, long long, long long, int, ctaskpool_job *, enqueue_at_original);

/* An executor as the runtime passes it; both words 0 are the global one. */
typedef struct {
    void *identity;
    uintptr_t implementation;
} executor_reference;
extern SWIFTCALL void swift_job_run(ctaskpool_job *, executor_reference);

static ctaskpool_callbacks callbacks;
static void *context;

void ctaskpool_enqueue(ctaskpool_job *job) { callbacks.enqueue(context, job); }

static SWIFTCALL void enqueue(ctaskpool_job *job, enqueue_original original) {
    (void)original;
    ctaskpool_enqueue(job);
}

static SWIFTCALL void enqueue_after(unsigned long long nanoseconds, ctaskpool_job *job, enqueue_after_original original) {
    (void)original;
    callbacks.enqueue_after(context, nanoseconds, job);
}

static SWIFTCALL void enqueue_at(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock,
    ctaskpool_job *job, enqueue_at_original original) {
    (void)original;
    callbacks.enqueue_at(context, clock, seconds, nanoseconds, tolerance_seconds, tolerance_nanoseconds, job);
}

void ctaskpool_install(const ctaskpool_callbacks *new_callbacks, void *new_context) {
    callbacks = *new_callbacks;
    context = new_context;
    __atomic_store_n(&swift_task_enqueueGlobalWithDeadline_hook, enqueue_at, __ATOMIC_RELEASE);
    __atomic_store_n(&swift_task_enqueueGlobalWithDelay_hook, enqueue_after, __ATOMIC_RELEASE);
    __atomic_store_n(&swift_task_enqueueGlobal_hook, enqueue, __ATOMIC_RELEASE);
}

void ctaskpool_uninstall(void) {
    __atomic_store_n(&swift_task_enqueueGlobal_hook, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&swift_task_enqueueGlobalWithDelay_hook, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&swift_task_enqueueGlobalWithDeadline_hook, NULL, __ATOMIC_RELEASE);
}

void ctaskpool_run(ctaskpool_job *job) { swift_job_run(job, (executor_reference){NULL, 0}); }

static _Thread_local bool is_worker;

void ctaskpool_become_worker(void) { is_worker = true; }

bool ctaskpool_is_worker(void) { return is_worker; }

enum { MOST_KEPT = 16 };
static _Thread_local bool is_guest;
static _Thread_local ctaskpool_job *kept[MOST_KEPT];
static _Thread_local unsigned first_kept, kept_count;

void ctaskpool_set_guest(bool value) { is_worker = is_guest = value; }

bool ctaskpool_keep(ctaskpool_job *job) {
    if (!is_guest || kept_count == MOST_KEPT) return false;
    kept[(first_kept + kept_count++) % MOST_KEPT] = job;
    return true;
}

ctaskpool_job *ctaskpool_take_kept(void) {
    if (kept_count == 0) return NULL;
    ctaskpool_job *job = kept[first_kept];
    first_kept = (first_kept + 1) % MOST_KEPT;
    kept_count--;
    return job;
}

static _Thread_local void *promise;
static _Thread_local bool is_helping;

void *ctaskpool_promise(void) { return promise; }

void ctaskpool_set_promise(void *executor) { promise = executor; }

bool ctaskpool_is_helping(void) { return is_helping; }

void ctaskpool_set_helping(bool value) { is_helping = value; }

/* The bit of a clock's alarm, its descriptor's place and its name for the kernel. */
static unsigned bit(int clock) { return clock == CTASKPOOL_SUSPENDING ? CTASKPOOL_SUSPENDING_ALARM : CTASKPOOL_CONTINUOUS_ALARM; }
static int place(int clock) { return clock == CTASKPOOL_SUSPENDING ? 1 : 0; }
static clockid_t kernel_clock(int clock) { return clock == CTASKPOOL_SUSPENDING ? CLOCK_MONOTONIC : CLOCK_BOOTTIME; }

/* Edge-triggered: an event wakes one of the threads that wait for the set, and nobody needs to read it away. */
static bool watch(int epoll, int descriptor, unsigned bits) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = bits};
    return descriptor >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

int ctaskpool_make_bed(ctaskpool_bed *bed) {
    bed->epoll = epoll_create1(EPOLL_CLOEXEC);
    bed->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool is_made = bed->epoll >= 0 && watch(bed->epoll, bed->bell, CTASKPOOL_RUNG);
    for (int clock = CTASKPOOL_CONTINUOUS; clock <= CTASKPOOL_SUSPENDING; clock++) {
        bed->alarms[place(clock)] = timerfd_create(kernel_clock(clock), TFD_CLOEXEC | TFD_NONBLOCK);
        is_made = is_made && watch(bed->epoll, bed->alarms[place(clock)], bit(clock));
    }
    if (is_made) return 0;
    int error = errno;
    ctaskpool_unmake_bed(bed);
    return error;
}

void ctaskpool_unmake_bed(const ctaskpool_bed *bed) {
    const int descriptors[] = {bed->epoll, bed->bell, bed->alarms[0], bed->alarms[1]};
    for (int i = 0; i < 4; i++) {
        if (descriptors[i] >= 0) close(descriptors[i]);
    }
}

void ctaskpool_ring(const ctaskpool_bed *bed) {
    /* Fails only when interrupted or after 2^64 rings. */
    while (eventfd_write(bed->bell, 1) < 0 && errno == EINTR) {
    }
}

void ctaskpool_set_alarm(const ctaskpool_bed *bed, int clock, int64_t nanoseconds) {
    /* All zero would switch it off. */
    if (nanoseconds < 1) nanoseconds = 1;
    const struct itimerspec time = {
        .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000},
    };
    timerfd_settime(bed->alarms[place(clock)], TFD_TIMER_ABSTIME, &time, NULL);
}

unsigned ctaskpool_sleep(const ctaskpool_bed *bed) {
    struct epoll_event events[3];
    int count;
    do {
        count = epoll_wait(bed->epoll, events, 3, -1);
    } while (count < 0 && errno == EINTR);
    unsigned bits = 0;
    for (int i = 0; i < count; i++) bits |= events[i].data.u32;
    return bits;
}

int64_t ctaskpool_now(int clock) {
    struct timespec now;
    clock_gettime(kernel_clock(clock), &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
