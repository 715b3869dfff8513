/* Thin shim over libmosquitto: MQTT 3.1.1.

   The library is opened with dlopen at the first use: linked, it would cost every tracker memory, used or not, and trackers that send nothing
   over MQTT would need it. Its header is not needed: the functions, numbers and the message below are its binary interface since
   libmosquitto.so.1 (1.0, and 1.6 for the flags of a connection). libmosquitto keeps messages of its own and sends them again by itself; here a
   connection is made once, and with it everything is gone: what was not acknowledged is its caller's to know. One thread at a time uses a
   connection. */
#ifndef CMOSQUITTO_H
#define CMOSQUITTO_H

#include <stdbool.h>
#include <stddef.h>

/* So much of what the library says is kept, with the terminating zero. */
#define CMOSQUITTO_TEXT_SIZE 256
/* A longer message ends the connection, bytes: 50 000 receipts in one. */
#define CMOSQUITTO_LONGEST_MESSAGE (2 << 20)

typedef struct cmosquitto cmosquitto;

/* Who we are, whom we trust, and what is told of what comes; text that is not wanted is NULL. All of it is copied, but for the context. */
typedef struct {
    const char *client_id;
    const char *user;
    const char *password;
    /* The broker forgets us when we are gone. */
    bool is_forgotten;
    bool is_encrypted;
    /* Certificates that are trusted instead of the system's, a certificate of our own and its key: paths of PEM files. */
    const char *ca_file;
    const char *client_certificate;
    const char *client_key;
    /* What the broker says for us when we are gone. */
    const char *will_topic;
    const void *will_payload;
    int will_count;
    bool is_will_retained;
    /* So many messages may wait for their acknowledgement. */
    int window;
    void *context;
    /* The broker has answered: 0, or why not (CMOSQUITTO_REFUSED_...), and whether it knew us. */
    void (*connected)(void *context, int code, bool is_session_present);
    /* It has a message; it takes a subscription (128: it does not). */
    void (*acknowledged)(void *context, int message);
    void (*subscribed)(void *context, int message, int granted);
    /* Somebody's message has come. */
    void (*received)(void *context, const char *topic, const void *payload, int count, bool is_retained);
} cmosquitto_settings;

/* What libmosquitto returns. */
enum {
    CMOSQUITTO_SUCCESS = 0,
    CMOSQUITTO_NO_MEMORY = 1,
    CMOSQUITTO_PROTOCOL = 2,
    CMOSQUITTO_INVALID = 3,
    CMOSQUITTO_NO_CONNECTION = 4,
    CMOSQUITTO_CONNECTION_LOST = 7,
    CMOSQUITTO_TLS = 8,
    /* The system says why: see system_code. */
    CMOSQUITTO_SYSTEM = 14,
    CMOSQUITTO_NO_NAME = 15,
    CMOSQUITTO_KEEPALIVE = 19,
    CMOSQUITTO_LOOKUP = 20,
    /* Ours: the broker sends what nobody asked for. */
    CMOSQUITTO_OFFENCE = 1000,
    /* Ours: it sends a message that is longer than we take, or so many bytes that are no message yet. */
    CMOSQUITTO_TOO_LONG = 1001,
};

/* What a broker answers to a connection (MQTT 3.1.1, 3.2.2.3). */
enum {
    CMOSQUITTO_REFUSED_VERSION = 1,
    CMOSQUITTO_REFUSED_CLIENT_ID = 2,
    CMOSQUITTO_REFUSED_BUSY = 3,
    CMOSQUITTO_REFUSED_PASSWORD = 4,
    CMOSQUITTO_REFUSED_CLIENT = 5,
};

/* Opens the library once; NULL, or why it cannot be opened. Any thread. */
const char *cmosquitto_load(void);

/* A connection that is not open yet; 0, or the code: then it is good for cmosquitto_words alone (NULL when there is no memory).
   cmosquitto_load comes first. */
int cmosquitto_make(const cmosquitto_settings *settings, cmosquitto **connection);
/* Closes it without a word, if it is open: the broker says the will. */
void cmosquitto_free(cmosquitto *connection);

/* Looks the name up, connects, and sends who we are; blocks as long as the system does. */
int cmosquitto_connect(cmosquitto *connection, const char *host, int port, int keep_alive_seconds);
/* Says goodbye, so that the broker does not say the will, and closes. */
int cmosquitto_disconnect(cmosquitto *connection);

/* Takes, and gives, what the socket has and can take; does what is due (at least once in a keep-alive). What is taken is weighed: a broker that
   sends messages of QoS 2, longer ones than we take, or more than we asked for is left. */
int cmosquitto_read(cmosquitto *connection);
int cmosquitto_write(cmosquitto *connection);
int cmosquitto_look(cmosquitto *connection);
/* Its socket, or -1; whether it wants to write. */
int cmosquitto_socket(cmosquitto *connection);
bool cmosquitto_wants_to_write(cmosquitto *connection);

/* QoS 1. Never while there is no connection: libmosquitto would keep the message and send it one day. */
int cmosquitto_publish(cmosquitto *connection, int *message, const char *topic, const void *payload, int count, bool is_retained);
int cmosquitto_subscribe(cmosquitto *connection, int *message, const char *topic);

/* Whether messages of a topic are what a subscription asks for. */
bool cmosquitto_matches(const char *subscription, const char *topic);

/* After a code: the system's number, and words, the TLS library's own where there are. They live as long as the connection. */
int cmosquitto_system_code(const cmosquitto *connection);
const char *cmosquitto_words(cmosquitto *connection, int code);

#endif
