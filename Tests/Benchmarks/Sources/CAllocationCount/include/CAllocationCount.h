// How many times this process has asked for memory.
//
// The executable's own malloc family stands before glibc's, for the Swift runtime too, and counts before it passes the call on.
// A preloaded library would do the same, but could be forgotten.
#ifndef WAYPOST_ALLOCATION_COUNT_H
#define WAYPOST_ALLOCATION_COUNT_H

#include <stdint.h>

uint64_t waypost_allocation_count(void);

#endif
