#include "cclock.h"

#include <sys/timex.h>

int cclock_is_synchronized(void) {
    // No modes: nothing is changed, and no privilege needed.
    struct timex request = {0};
    int state = adjtimex(&request);
    return state < 0 ? -1 : state != TIME_ERROR;
}
