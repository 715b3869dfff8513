/* Thin shim over zlib's gzip.

   The library is opened with dlopen at the first use, as libcurl is, which brings it: no headers are needed to build, and nothing of it is in
   the memory of a tracker that sends as it is. Its stream has had the layout below since 1995. Any thread. */
#ifndef CZLIB_H
#define CZLIB_H

#include <stddef.h>

/* Opens the library once; NULL, or why it cannot be opened. */
const char *czlib_load(void);

/* Writes one gzip file of these bytes; how long it is, 0 when there is no memory or not room enough. czlib_load comes first. */
size_t czlib_gzip(void *place, size_t room, const void *bytes, size_t count);

#endif
