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

/* What one call of czlib_inflate or czlib_deflate has done. */
typedef struct {
    size_t taken;
    size_t written;
    enum { CZLIB_GOES_ON, CZLIB_ENDED, CZLIB_DAMAGED, CZLIB_NO_MEMORY } state;
} czlib_step;

/* Begins to write one gzip file piece by piece; NULL when there is no memory. czlib_load comes first. One thread at a time. */
void *czlib_deflating(void);

/* Takes some of these bytes and writes what it has, as much as there is room for. With is_end no bytes follow: call it until it has ended. */
czlib_step czlib_deflate(void *state, const void *bytes, size_t count, int is_end, void *place, size_t room);

/* Gives back what czlib_deflating has taken. */
void czlib_end_deflating(void *state);

/* Begins to read gzip files; NULL when there is no memory. czlib_load comes first. One thread at a time. */
void *czlib_inflating(void);

/* Takes some of these bytes and writes some of what they say, as much as there is room for. It goes on until the file has ended, its check sum
   and length included; then another file may follow. */
czlib_step czlib_inflate(void *state, const void *bytes, size_t count, void *place, size_t room);

/* Gives back what czlib_inflating has taken. */
void czlib_end_inflating(void *state);

#endif
