#ifndef CCLOCK_H
#define CCLOCK_H

/// The kernel's word on its clock, which only `sys/timex.h` has: that header is not in the Glibc module.
///
/// 1: something keeps the clock right (NTP, PTP). 0: nothing does, or has not for hours. -1: it does not say.
int cclock_is_synchronized(void);

#endif
