#include "czlib.h"

#include <clibrary.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

/* Of zlib.h. */
typedef struct {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *(*allocate)(void *, unsigned, unsigned);
    void (*release)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} stream;
enum { FINISH = 4, STREAM_END = 1, LEVEL = 6, DEFLATED = 8, GZIP_OF_32_KIB = 16 + 15, MEMORY = 8 };

static struct {
    int (*init)(stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(stream *, int);
    int (*end)(stream *);
} zlib;

static const char *problem = "not loaded";
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libz.so.1", NULL};
    const clibrary_function functions[] = {{"deflateInit2_", &zlib.init}, {"deflate", &zlib.deflate}, {"deflateEnd", &zlib.end}};
    const clibrary_words words = {"libz.so.1 is missing; install zlib1g", "libz.so.1 lacks a function"};
    problem = clibrary_open(names, functions, sizeof functions / sizeof functions[0], words);
}

const char *czlib_load(void) {
    pthread_once(&loaded, load);
    return problem;
}

size_t czlib_gzip(void *place, size_t room, const void *bytes, size_t count) {
    stream self;
    memset(&self, 0, sizeof self);
    if (room > UINT_MAX || count > UINT_MAX) return 0;
    if (zlib.init(&self, LEVEL, DEFLATED, GZIP_OF_32_KIB, MEMORY, 0, "1.2", sizeof self) != 0) return 0;
    self.next_in = bytes;
    self.avail_in = (unsigned)count;
    self.next_out = place;
    self.avail_out = (unsigned)room;
    int ending = zlib.deflate(&self, FINISH);
    size_t written = self.total_out;
    zlib.end(&self);
    return ending == STREAM_END ? written : 0;
}
