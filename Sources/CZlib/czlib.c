#include "czlib.h"

#include <clibrary.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
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
enum { NO_FLUSH = 0, FINISH = 4, OK = 0, STREAM_END = 1, NO_MEMORY = -4, NO_PROGRESS = -5 };
enum { LEVEL = 6, DEFLATED = 8, GZIP_OF_32_KIB = 16 + 15, MEMORY = 8 };

static struct {
    int (*init)(stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(stream *, int);
    int (*end)(stream *);
    int (*init_inflating)(stream *, int, const char *, int);
    int (*inflate)(stream *, int);
    int (*reset_inflating)(stream *);
    int (*end_inflating)(stream *);
} zlib;

static const char *problem = "not loaded";
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libz.so.1", NULL};
    const clibrary_function functions[] = {
        {"deflateInit2_", &zlib.init},
        {"deflate", &zlib.deflate},
        {"deflateEnd", &zlib.end},
        {"inflateInit2_", &zlib.init_inflating},
        {"inflate", &zlib.inflate},
        {"inflateReset", &zlib.reset_inflating},
        {"inflateEnd", &zlib.end_inflating},
    };
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

void *czlib_deflating(void) {
    stream *self = calloc(1, sizeof *self);
    if (self != NULL && zlib.init(self, LEVEL, DEFLATED, GZIP_OF_32_KIB, MEMORY, 0, "1.2", sizeof *self) != OK) {
        free(self);
        self = NULL;
    }
    return self;
}

/* Lends the stream some bytes and some room, each as much as it can take at once. */
static void lend(stream *self, const void *bytes, size_t count, void *place, size_t room) {
    self->next_in = bytes;
    self->avail_in = count > UINT_MAX ? UINT_MAX : (unsigned)count;
    self->next_out = place;
    self->avail_out = room > UINT_MAX ? UINT_MAX : (unsigned)room;
}

czlib_step czlib_deflate(void *state, const void *bytes, size_t count, int is_end, void *place, size_t room) {
    stream *self = state;
    lend(self, bytes, count, place, room);
    const unsigned given = self->avail_in, offered = self->avail_out;
    int ending = zlib.deflate(self, is_end && given == count ? FINISH : NO_FLUSH);
    czlib_step step = {.taken = given - self->avail_in, .written = offered - self->avail_out, .state = CZLIB_DAMAGED};
    if (ending == OK || ending == NO_PROGRESS) step.state = CZLIB_GOES_ON;
    if (ending == STREAM_END) step.state = CZLIB_ENDED;
    return step;
}

void czlib_end_deflating(void *state) {
    zlib.end(state);
    free(state);
}

void *czlib_inflating(void) {
    stream *self = calloc(1, sizeof *self);
    if (self != NULL && zlib.init_inflating(self, GZIP_OF_32_KIB, "1.2", sizeof *self) != OK) {
        free(self);
        self = NULL;
    }
    return self;
}

czlib_step czlib_inflate(void *state, const void *bytes, size_t count, void *place, size_t room) {
    stream *self = state;
    lend(self, bytes, count, place, room);
    const unsigned given = self->avail_in, offered = self->avail_out;
    int ending = zlib.inflate(self, NO_FLUSH);
    czlib_step step = {.taken = given - self->avail_in, .written = offered - self->avail_out, .state = CZLIB_DAMAGED};
    if (ending == OK || ending == NO_PROGRESS) step.state = CZLIB_GOES_ON;
    if (ending == STREAM_END) step.state = CZLIB_ENDED;
    if (ending == NO_MEMORY) step.state = CZLIB_NO_MEMORY;
    /* The next one begins as the first did. */
    if (ending == STREAM_END && zlib.reset_inflating(self) != OK) step.state = CZLIB_DAMAGED;
    return step;
}

void czlib_end_inflating(void *state) {
    zlib.end_inflating(state);
    free(state);
}
