#include "ccurl.h"

#include <clibrary.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Of curl.h: the kinds of option, and the options. */
enum { LONG = 0, OBJECT = 10000, FUNCTION = 20000, OFFSET = 30000 };
enum {
    OPT_WRITEDATA = OBJECT + 1,
    OPT_URL = OBJECT + 2,
    OPT_ERRORBUFFER = OBJECT + 10,
    OPT_WRITEFUNCTION = FUNCTION + 11,
    OPT_POSTFIELDS = OBJECT + 15,
    OPT_USERAGENT = OBJECT + 18,
    OPT_HTTPHEADER = OBJECT + 23,
    OPT_SSLCERT = OBJECT + 25,
    OPT_HEADERDATA = OBJECT + 29,
    OPT_SSLVERSION = LONG + 32,
    OPT_CUSTOMREQUEST = OBJECT + 36,
    OPT_NOPROGRESS = LONG + 43,
    OPT_XFERINFODATA = OBJECT + 57,
    OPT_CAINFO = OBJECT + 65,
    OPT_MAXCONNECTS = LONG + 71,
    OPT_HEADERFUNCTION = FUNCTION + 79,
    OPT_HTTPGET = LONG + 80,
    OPT_SSLKEY = OBJECT + 87,
    OPT_NOSIGNAL = LONG + 99,
    OPT_POSTFIELDSIZE_LARGE = OFFSET + 120,
    OPT_TIMEOUT_MS = LONG + 155,
    OPT_CONNECTTIMEOUT_MS = LONG + 156,
    OPT_PROTOCOLS = LONG + 181,
    OPT_XFERINFOFUNCTION = FUNCTION + 219,
};
enum { INFO_STATUS = 0x200000 + 2, INFO_HTTP_VERSION = 0x200000 + 46, INFO_SOCKET = 0x500000 + 44 };
enum { PROTOCOL_HTTP = 1, PROTOCOL_HTTPS = 2, TLS_1_2_OR_LATER = 6, GLOBAL_ALL = 3, HTTP_1_1 = 2 };

static struct {
    int (*global_init)(long);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    void (*easy_reset)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_perform)(void *);
    int (*easy_getinfo)(void *, int, ...);
    const char *(*easy_strerror)(int);
    void *(*slist_append)(void *, const char *);
    void (*slist_free_all)(void *);
} curl;

static const char *problem = "not loaded";
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
    const clibrary_function functions[] = {
        {"curl_global_init", &curl.global_init},   {"curl_easy_init", &curl.easy_init},
        {"curl_easy_cleanup", &curl.easy_cleanup}, {"curl_easy_reset", &curl.easy_reset},
        {"curl_easy_setopt", &curl.easy_setopt},   {"curl_easy_perform", &curl.easy_perform},
        {"curl_easy_getinfo", &curl.easy_getinfo}, {"curl_easy_strerror", &curl.easy_strerror},
        {"curl_slist_append", &curl.slist_append}, {"curl_slist_free_all", &curl.slist_free_all},
    };
    const clibrary_words words = {"libcurl.so.4 is missing; install libcurl4", "libcurl.so.4 lacks a function"};
    problem = clibrary_open(names, functions, sizeof functions / sizeof functions[0], words);
    if (problem) return;
    problem = curl.global_init(GLOBAL_ALL) == 0 ? NULL : "libcurl does not start";
}

const char *ccurl_load(void) {
    pthread_once(&loaded, load);
    return problem;
}

ccurl_handle *ccurl_make(void) { return curl.easy_init(); }

void ccurl_free(ccurl_handle *handle) { curl.easy_cleanup(handle); }

bool ccurl_has_input(ccurl_handle *handle) {
    long version = 0;
    int socket = -1;
    /* From HTTP/2 on each answer names its request, and a server may say something of its own at any time. */
    if (curl.easy_getinfo(handle, INFO_HTTP_VERSION, &version) != 0 || version > HTTP_1_1) return false;
    if (curl.easy_getinfo(handle, INFO_SOCKET, &socket) != 0 || socket < 0) return false;
    struct pollfd descriptor = {.fd = socket, .events = POLLIN};
    return poll(&descriptor, 1, 0) > 0;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *request) {
    const ccurl_request *self = request;
    return self->take_header(self->context, bytes, size * count) ? size * count : 0;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *request) {
    const ccurl_request *self = request;
    return self->take_body(self->context, bytes, size * count) ? size * count : 0;
}

static int look(void *request, long long a, long long b, long long c, long long d) {
    (void)a, (void)b, (void)c, (void)d;
    const ccurl_request *self = request;
    return self->is_cancelled(self->context);
}

/* Sets an option unless an earlier one was refused: what holds TLS or the protocol back must not be left out in silence. */
#define SET(option, value)                                                                         \
    do {                                                                                           \
        if (code == 0 && (code = curl.easy_setopt(handle, option, value)) != 0) refused = #option; \
    } while (0)
#define SET_TEXT(option, text)       \
    do {                             \
        if (text) SET(option, text); \
    } while (0)

void ccurl_perform(ccurl_handle *handle, const ccurl_request *request, ccurl_answer *answer) {
    memset(answer, 0, sizeof *answer);
    int code = 0;
    const char *refused = NULL;
    void *headers = NULL;
    for (const char *const *header = request->headers; header && *header; header++) {
        void *longer = curl.slist_append(headers, *header);
        if (longer) headers = longer;
    }
    /* Keeps connections, sessions and names that were looked up. */
    curl.easy_reset(handle);
    SET(OPT_ERRORBUFFER, answer->text);
    SET(OPT_URL, request->url);
    SET(OPT_PROTOCOLS, (long)(PROTOCOL_HTTP | PROTOCOL_HTTPS));
    /* The connection that ccurl_has_input looks at is the only one. */
    SET(OPT_MAXCONNECTS, 1L);
    /* Whatever the system's own configuration of its TLS library allows. */
    SET(OPT_SSLVERSION, (long)TLS_1_2_OR_LATER);
    /* A time-out by SIGALRM would hit any thread. */
    SET(OPT_NOSIGNAL, 1L);
    SET(OPT_TIMEOUT_MS, request->timeout_milliseconds);
    SET(OPT_CONNECTTIMEOUT_MS, request->connect_timeout_milliseconds);
    if (request->body) {
        SET(OPT_POSTFIELDSIZE_LARGE, (long long)request->body_count);
        SET(OPT_POSTFIELDS, request->body);
    } else {
        SET(OPT_HTTPGET, 1L);
    }
    SET_TEXT(OPT_CUSTOMREQUEST, request->method);
    SET(OPT_HTTPHEADER, headers);
    SET_TEXT(OPT_USERAGENT, request->user_agent);
    SET_TEXT(OPT_CAINFO, request->ca_file);
    SET_TEXT(OPT_SSLCERT, request->client_certificate);
    SET_TEXT(OPT_SSLKEY, request->client_key);
    SET(OPT_HEADERFUNCTION, take_header);
    SET(OPT_HEADERDATA, request);
    SET(OPT_WRITEFUNCTION, take_body);
    SET(OPT_WRITEDATA, request);
    SET(OPT_XFERINFOFUNCTION, look);
    SET(OPT_XFERINFODATA, request);
    SET(OPT_NOPROGRESS, 0L);
    if (code == 0) {
        code = curl.easy_perform(handle);
        curl.easy_getinfo(handle, INFO_STATUS, &answer->status);
    } else if (code != CCURL_NO_MEMORY && code != CCURL_BAD_URL) {
        snprintf(answer->text, CCURL_TEXT_SIZE, "libcurl refuses an option (%s): %s", refused, curl.easy_strerror(code));
        code = CCURL_REFUSED_OPTION;
    }
    answer->code = code;
    if (code != 0 && answer->text[0] == 0) strncpy(answer->text, curl.easy_strerror(code), CCURL_TEXT_SIZE - 1);
    /* The buffer belongs to the caller and may be gone before the next exchange. */
    curl.easy_setopt(handle, OPT_ERRORBUFFER, NULL);
    curl.easy_setopt(handle, OPT_HTTPHEADER, NULL);
    curl.slist_free_all(headers);
}
