#include "cgpsd.h"

#include <gps.h>

#if GPSD_API_MAJOR_VERSION < 6
#error "libgps 3.14 or later is needed (GPSD_API_MAJOR_VERSION 6)"
#endif

int cgpsd_api_major_version(void) { return GPSD_API_MAJOR_VERSION; }
