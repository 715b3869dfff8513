/* Thin shim over libcurl.

   The library is opened with dlopen at the first use: linked, it would cost every tracker 8 MB of memory, used or not. Its options are set
   with a variadic function, which Swift cannot call. The header of libcurl is not needed: the numbers of options and codes are part of its
   binary interface and never change within libcurl.so.4. One thread at a time uses a handle. */
#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>

/* The words of an error, with the terminating zero; libcurl's CURL_ERROR_SIZE. */
#define CCURL_TEXT_SIZE 256

typedef struct ccurl_handle ccurl_handle;

/* What is asked, and how; text that is not wanted is NULL. */
typedef struct {
    const char *method;
    const char *url;
    /* "Name: value", the last one NULL. */
    const char *const *headers;
    const void *body;
    size_t body_count;
    /* The whole exchange, and until there is a connection. */
    long timeout_milliseconds;
    long connect_timeout_milliseconds;
    /* Certificates that are trusted instead of the system's, a certificate of our own and its key: paths of PEM files. */
    const char *ca_file;
    const char *client_certificate;
    const char *client_key;
    const char *user_agent;
    void *context;
    /* One line of the answer's head, with its line end; a piece of its body. False ends the exchange. */
    bool (*take_header)(void *context, const char *bytes, size_t count);
    bool (*take_body)(void *context, const char *bytes, size_t count);
    /* Asked at least once a second; true ends the exchange. */
    bool (*is_cancelled)(void *context);
} ccurl_request;

/* What came of it. */
typedef struct {
    /* 0, or a CURLcode. */
    int code;
    char text[CCURL_TEXT_SIZE];
    long status;
} ccurl_answer;

enum {
    CCURL_UNSUPPORTED_PROTOCOL = 1,
    CCURL_BAD_URL = 3,
    CCURL_NO_PROXY_NAME = 5,
    CCURL_NO_NAME = 6,
    CCURL_NO_CONNECTION = 7,
    CCURL_PARTIAL = 18,
    CCURL_WRITE = 23,
    CCURL_NO_MEMORY = 27,
    CCURL_TIMED_OUT = 28,
    CCURL_TLS_CONNECT = 35,
    CCURL_ABORTED = 42,
    CCURL_NOTHING = 52,
    CCURL_TLS_ENGINE = 53,
    CCURL_TLS_OWN_CERTIFICATE = 58,
    CCURL_TLS_CIPHER = 59,
    CCURL_TLS_PEER = 60,
    CCURL_TLS_CA_FILE = 77,
    CCURL_TLS_CRL = 82,
    CCURL_TLS_ISSUER = 83,
    CCURL_TLS_PINNED = 90,
    CCURL_TLS_STATUS = 91,
    CCURL_TLS_NO_CERTIFICATE = 98,
    CCURL_TOO_LARGE = 100,
    /* None of libcurl's: it refuses an option, and nothing was sent. */
    CCURL_REFUSED_OPTION = 1000,
};

/* Opens the library once; NULL, or why it cannot be opened. Any thread. */
const char *ccurl_load(void);

/* A handle, which keeps its last connection open between exchanges; NULL when there is no memory. ccurl_load comes first. */
ccurl_handle *ccurl_make(void);
void ccurl_free(ccurl_handle *handle);

/* Whether something has come on that connection since the last answer, or it was closed: libcurl would take what nobody asked for as the
   answer to the next request. */
bool ccurl_has_input(ccurl_handle *handle);

/* Sends and waits for the answer, redirects not followed. */
void ccurl_perform(ccurl_handle *handle, const ccurl_request *request, ccurl_answer *answer);

#endif
