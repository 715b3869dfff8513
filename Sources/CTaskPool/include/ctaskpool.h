/* Thin shim over the hooks of Swift's global executor, and over the calls that let its threads sleep.

   The hooks are variables of the runtime (swift/Runtime/Concurrency.h: ABI, also in the static library) whose functions use Swift's
   calling convention, which only C can name; sys/epoll.h, eventfd.h and timerfd.h are not in Swift's Glibc module. */
#ifndef CTASKPOOL_H
#define CTASKPOOL_H

#include <stdbool.h>
#include <stdint.h>

/* What the runtime hands over to be run once: a task, or a part of an actor's work. */
typedef struct ctaskpool_job ctaskpool_job;

/* The runtime's numbers for its clocks. */
static const int CTASKPOOL_CONTINUOUS = 1; /* CLOCK_BOOTTIME: runs on while the machine sleeps */
static const int CTASKPOOL_SUSPENDING = 2; /* CLOCK_MONOTONIC: stands still meanwhile */

/* Who takes the jobs. The functions are called from any thread, with the context of ctaskpool_install. */
typedef struct {
    /* To be run as soon as possible. */
    void (*enqueue)(void *context, ctaskpool_job *job);
    /* To be run so many nanoseconds from now on the continuous clock. */
    void (*enqueue_after)(void *context, uint64_t nanoseconds, ctaskpool_job *job);
    /* To be run at a time of a clock, at most the tolerance later; its nanoseconds are -1 when none was said. */
    void (*enqueue_at)(
        void *context, int clock, int64_t seconds, int64_t nanoseconds, int64_t tolerance_seconds, int64_t tolerance_nanoseconds,
        ctaskpool_job *job);
} ctaskpool_callbacks;

/* From now on every job of the global executor goes there; what the runtime's own executor has, it still runs. Call it once. */
void ctaskpool_install(const ctaskpool_callbacks *callbacks, void *context);

/* Gives new jobs back to the runtime's own executor; what was handed over before, the callbacks have still to run. */
void ctaskpool_uninstall(void);

/* Hands a job over as the runtime does. */
void ctaskpool_enqueue(ctaskpool_job *job);

/* Runs a job on this thread until it ends or waits for something; it must not be touched afterwards. */
void ctaskpool_run(ctaskpool_job *job);

/* Marks this thread as one of the pool's. */
void ctaskpool_become_worker(void);
/* Whether this thread is marked. */
bool ctaskpool_is_worker(void);

/* Makes a thread a guest of the pool: one of its threads for a while, which keeps for itself what it hands over. */
void ctaskpool_set_guest(bool value);
/* Keeps a job for this thread; false when it is no guest or keeps many already. */
bool ctaskpool_keep(ctaskpool_job *job);
/* The next job that this thread has kept; NULL when it keeps none. */
ctaskpool_job *ctaskpool_take_kept(void);

/* Whose jobs this thread runs when its own one is done; NULL for nobody's. */
void *ctaskpool_promise(void);
void ctaskpool_set_promise(void *executor);
/* Whether this thread is the one that may help others. */
bool ctaskpool_is_helping(void);
void ctaskpool_set_helping(bool value);

/* Where threads sleep: a bell that wakes one of them, and an alarm for each clock that does the same. */
typedef struct {
    int epoll;
    int bell;
    int alarms[2];
} ctaskpool_bed;

/* What ended a sleep, as bits. */
static const unsigned CTASKPOOL_RUNG = 1;
static const unsigned CTASKPOOL_CONTINUOUS_ALARM = 2;
static const unsigned CTASKPOOL_SUSPENDING_ALARM = 4;

/* Makes a bed; 0, or errno when the process has no descriptors left. */
int ctaskpool_make_bed(ctaskpool_bed *bed);
/* Ends a bed in which nobody sleeps any more. */
void ctaskpool_unmake_bed(const ctaskpool_bed *bed);

/* Wakes one thread, now or when it goes to sleep. Several rings that nobody heard yet are one. */
void ctaskpool_ring(const ctaskpool_bed *bed);

/* Sets the alarm of a clock to a time, in nanoseconds of that clock; one that has passed wakes at once. */
void ctaskpool_set_alarm(const ctaskpool_bed *bed, int clock, int64_t nanoseconds);

/* Sleeps until the bell or an alarm wakes this thread; one that wakes is not heard by a second thread. */
unsigned ctaskpool_sleep(const ctaskpool_bed *bed);

/* Nanoseconds of a clock. */
int64_t ctaskpool_now(int clock);

#endif
