/* strerror_r of POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "cmosquitto.h"

#include <clibrary.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of mosquitto.h. */
enum { OPTION_TCP_NODELAY = 11, QOS = 1, VERIFY_PEER = 1, LOG_WARNING = 4, LOG_ERROR = 8, LOG_DEBUG = 16, FLAG_SESSION_PRESENT = 1 };

/* libmosquitto takes whatever a broker sends: it keeps every message of QoS 2 until the broker lets go of it, and reads one of 256 MB at
   once. So we stand between: in place of the connection's socket the library has one end of a pair, and gets through it what has come, a
   piece at a time, weighed. Every byte is explained by something that we asked for, but for so many: a message that is not whole yet, and
   the handshake of TLS. */
enum {
    MOST_UNEXPLAINED = CMOSQUITTO_LONGEST_MESSAGE + (128 << 10),
    /* What an acknowledgement is worth, TLS included; and what may come between two looks, as the answer to a ping. */
    ACKNOWLEDGEMENT = 64,
    LOOK = 128,
    /* So much is passed on at a time. */
    PIECE = 16 << 10,
    /* So many acknowledgements of ours may wait for a broker that does not read them. */
    MOST_UNSENT = 10000,
};
struct mosquitto_message {
    int mid;
    char *topic;
    void *payload;
    int payloadlen;
    int qos;
    bool retain;
};

static struct {
    int (*lib_init)(void);
    void *(*make)(const char *id, bool clean_session, void *context);
    void (*destroy)(void *);
    int (*username_pw_set)(void *, const char *, const char *);
    int (*will_set)(void *, const char *, int, const void *, int, bool);
    int (*tls_set)(void *, const char *ca_file, const char *ca_path, const char *certificate, const char *key,
                   int (*password)(char *, int, int, void *));
    int (*tls_opts_set)(void *, int, const char *, const char *);
    int (*int_option)(void *, int, int);
    int (*max_inflight_messages_set)(void *, unsigned int);
    int (*connect)(void *, const char *, int, int);
    int (*disconnect)(void *);
    int (*publish)(void *, int *, const char *, int, const void *, int, bool);
    int (*subscribe)(void *, int *, const char *, int);
    int (*loop_read)(void *, int);
    int (*loop_write)(void *, int);
    int (*loop_misc)(void *);
    int (*socket)(void *);
    bool (*want_write)(void *);
    int (*topic_matches_sub)(const char *subscription, const char *topic, bool *matches);
    const char *(*strerror)(int);
    void (*connect_callback_set)(void *, void (*)(void *, void *, int, int));
    void (*publish_callback_set)(void *, void (*)(void *, void *, int));
    void (*subscribe_callback_set)(void *, void (*)(void *, void *, int, int, const int *));
    void (*message_callback_set)(void *, void (*)(void *, void *, const struct mosquitto_message *));
    void (*log_callback_set)(void *, void (*)(void *, void *, int, const char *));
} library;

struct cmosquitto {
    void *client;
    cmosquitto_settings settings;
    int system_code;
    bool is_open;
    /* What the library said of its own accord until then: the words of TLS are told nowhere else. */
    char said[CMOSQUITTO_TEXT_SIZE];
    char words[CMOSQUITTO_TEXT_SIZE];
    /* The connection's socket, and our end of the pair; -1 before there is a connection. */
    int socket;
    int inner;
    /* What goes out and is on its way from one to the other. */
    char out[PIECE];
    size_t out_start;
    size_t out_end;
    /* Bytes that came, and those among them that came for what we asked for. */
    unsigned long long taken;
    unsigned long long explained;
    int unsent;
    /* What the broker may not do and did; NULL for nothing. */
    const char *offence;
    /* Whether that is a message that is too long, which the broker keeps for us. */
    bool is_too_long;
};

static const char *problem = "not loaded";
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libmosquitto.so.1", NULL};
    const clibrary_function functions[] = {
        {"mosquitto_lib_init", &library.lib_init},
        {"mosquitto_new", &library.make},
        {"mosquitto_destroy", &library.destroy},
        {"mosquitto_username_pw_set", &library.username_pw_set},
        {"mosquitto_will_set", &library.will_set},
        {"mosquitto_tls_set", &library.tls_set},
        {"mosquitto_tls_opts_set", &library.tls_opts_set},
        {"mosquitto_int_option", &library.int_option},
        {"mosquitto_max_inflight_messages_set", &library.max_inflight_messages_set},
        {"mosquitto_connect", &library.connect},
        {"mosquitto_disconnect", &library.disconnect},
        {"mosquitto_publish", &library.publish},
        {"mosquitto_subscribe", &library.subscribe},
        {"mosquitto_loop_read", &library.loop_read},
        {"mosquitto_loop_write", &library.loop_write},
        {"mosquitto_loop_misc", &library.loop_misc},
        {"mosquitto_socket", &library.socket},
        {"mosquitto_want_write", &library.want_write},
        {"mosquitto_topic_matches_sub", &library.topic_matches_sub},
        {"mosquitto_strerror", &library.strerror},
        {"mosquitto_connect_with_flags_callback_set", &library.connect_callback_set},
        {"mosquitto_publish_callback_set", &library.publish_callback_set},
        {"mosquitto_subscribe_callback_set", &library.subscribe_callback_set},
        {"mosquitto_message_callback_set", &library.message_callback_set},
        {"mosquitto_log_callback_set", &library.log_callback_set},
    };
    const clibrary_words words = {"libmosquitto.so.1 is missing; install libmosquitto1", "libmosquitto.so.1 is older than 1.6"};
    problem = clibrary_open(names, functions, sizeof functions / sizeof functions[0], words);
    if (problem) return;
    problem = library.lib_init() == CMOSQUITTO_SUCCESS ? NULL : "libmosquitto does not start";
}

const char *cmosquitto_load(void) {
    pthread_once(&loaded, load);
    return problem;
}

/* What comes. */

static void take_connected(void *client, void *context, int code, int flags) {
    (void)client;
    cmosquitto *self = context;
    self->is_open = true;
    self->settings.connected(self->settings.context, code, flags & FLAG_SESSION_PRESENT);
}

static void take_acknowledged(void *client, void *context, int message) {
    (void)client;
    cmosquitto *self = context;
    self->explained += ACKNOWLEDGEMENT;
    self->settings.acknowledged(self->settings.context, message);
}

static void take_subscribed(void *client, void *context, int message, int count, const int *granted) {
    (void)client;
    cmosquitto *self = context;
    self->explained += ACKNOWLEDGEMENT;
    self->settings.subscribed(self->settings.context, message, count > 0 ? granted[0] : 128);
}

static void note_too_long(cmosquitto *self) {
    self->is_too_long = true;
    self->offence = "the broker sends a message of more than 2 MB, or more than anybody asked for";
}

static void take_received(void *client, void *context, const struct mosquitto_message *message) {
    (void)client;
    cmosquitto *self = context;
    if (message->payloadlen > CMOSQUITTO_LONGEST_MESSAGE) note_too_long(self);
    if (message->qos > 0 && ++self->unsent > MOST_UNSENT) self->offence = "the broker does not read what it asks for";
    if (self->offence) return;
    /* TLS puts some tens of bytes to each piece. */
    self->explained += ACKNOWLEDGEMENT + strlen(message->topic) + (size_t)message->payloadlen / 64 * 65 + 64;
    self->settings.received(self->settings.context, message->topic, message->payload, message->payloadlen, message->retain);
}

static void take_said(void *client, void *context, int level, const char *text) {
    (void)client;
    cmosquitto *self = context;
    /* What is kept until the broker lets go of it is told nowhere else. Nothing was subscribed to with more than QoS 1. */
    const char *const message = level == LOG_DEBUG ? strstr(text, " received PUBLISH (d") : NULL;
    int duplicate, qos;
    if (message && sscanf(message, " received PUBLISH (d%d, q%d", &duplicate, &qos) == 2 && qos > QOS)
        self->offence = "the broker sends messages of QoS 2, which nobody asked for";
    if (self->is_open || (level != LOG_WARNING && level != LOG_ERROR)) return;
    const size_t length = strlen(self->said);
    snprintf(self->said + length, sizeof self->said - length, "%s%s", length > 0 ? "; " : "", text);
}

/* A key with a password: without this, OpenSSL would ask on a terminal. */
static int no_password(char *buffer, int size, int for_writing, void *context) {
    (void)buffer, (void)size, (void)for_writing, (void)context;
    return 0;
}

/* Connections. */

static int prepare(cmosquitto *self) {
    const cmosquitto_settings *settings = &self->settings;
    int code = library.username_pw_set(self->client, settings->user, settings->password);
    if (code == CMOSQUITTO_SUCCESS && settings->will_topic)
        code = library.will_set(self->client, settings->will_topic, settings->will_count, settings->will_payload, QOS,
                                settings->is_will_retained);
    if (code == CMOSQUITTO_SUCCESS && settings->is_encrypted) {
        const char *key = settings->client_key ? settings->client_key : settings->client_certificate;
        const char *system_path = settings->ca_file ? NULL : "/etc/ssl/certs";
        code = library.tls_set(self->client, settings->ca_file, system_path, settings->client_certificate, key, no_password);
        /* This one and later ones. */
        if (code == CMOSQUITTO_SUCCESS) code = library.tls_opts_set(self->client, VERIFY_PEER, "tlsv1.2", NULL);
    }
    if (code != CMOSQUITTO_SUCCESS) return code;
    library.max_inflight_messages_set(self->client, (unsigned int)settings->window);
    /* The last few of a window would wait for the acknowledgement of those before. An older library has no such option. */
    library.int_option(self->client, OPTION_TCP_NODELAY, 1);
    library.connect_callback_set(self->client, take_connected);
    library.publish_callback_set(self->client, take_acknowledged);
    library.subscribe_callback_set(self->client, take_subscribed);
    library.message_callback_set(self->client, take_received);
    library.log_callback_set(self->client, take_said);
    return CMOSQUITTO_SUCCESS;
}

int cmosquitto_make(const cmosquitto_settings *settings, cmosquitto **connection) {
    cmosquitto *self = calloc(1, sizeof *self);
    if (!self) return CMOSQUITTO_NO_MEMORY;
    self->settings = *settings;
    self->socket = self->inner = -1;
    self->client = library.make(settings->client_id, settings->is_forgotten, self);
    const int code = self->client ? prepare(self) : errno == ENOMEM ? CMOSQUITTO_NO_MEMORY : CMOSQUITTO_INVALID;
    *connection = self;
    return code;
}

void cmosquitto_free(cmosquitto *self) {
    if (self->client) library.destroy(self->client);
    if (self->socket >= 0) close(self->socket);
    if (self->inner >= 0) close(self->inner);
    free(self);
}

/* Keeps why a call failed. */
static int noted(cmosquitto *self, int code) {
    self->system_code = code == CMOSQUITTO_SUCCESS ? 0 : errno;
    return code;
}

/* Gives the library one end of a pair under the number of its socket. */
static bool stand_between(cmosquitto *self) {
    const int number = library.socket(self->client);
    int pair[2];
    if (number < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) return false;
    self->socket = fcntl(number, F_DUPFD_CLOEXEC, 0);
    self->inner = pair[0];
    const bool is_done = self->socket >= 0 && dup2(pair[1], number) >= 0 && fcntl(number, F_SETFD, FD_CLOEXEC) == 0;
    close(pair[1]);
    return is_done;
}

/* Passes on what the library has written, as far as the connection takes it; one that is broken is noticed by reading. */
static void pass_out(cmosquitto *self) {
    while (self->socket >= 0) {
        if (self->out_start == self->out_end) {
            const ssize_t count = recv(self->inner, self->out, sizeof self->out, MSG_DONTWAIT);
            if (count <= 0) return;
            self->out_start = 0;
            self->out_end = (size_t)count;
        }
        const ssize_t count = send(self->socket, self->out + self->out_start, self->out_end - self->out_start, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count <= 0) return;
        self->out_start += (size_t)count;
    }
}

/* Gives the library a piece of what has come, or the end; false when nothing has. */
static bool pass_in(cmosquitto *self) {
    char piece[PIECE];
    const ssize_t count = recv(self->socket, piece, sizeof piece, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    /* It reads all that it is given before the next piece comes, so there is room. */
    if (count <= 0 || send(self->inner, piece, (size_t)count, MSG_DONTWAIT | MSG_NOSIGNAL) != count) {
        shutdown(self->inner, SHUT_WR);
    } else {
        self->taken += (unsigned long long)count;
    }
    return true;
}

/* Keeps why a call failed, and passes on what it wrote. */
static int passed(cmosquitto *self, int code) {
    noted(self, code);
    pass_out(self);
    return code;
}

int cmosquitto_connect(cmosquitto *self, const char *host, int port, int keep_alive_seconds) {
    const int code = library.connect(self->client, host, port, keep_alive_seconds);
    return noted(self, code != CMOSQUITTO_SUCCESS || stand_between(self) ? code : CMOSQUITTO_SYSTEM);
}

/* Whether the library has read all that it was given; errno is that of its last call. */
static bool has_read_all(cmosquitto *self) {
    int left = 0;
    if (errno != EAGAIN) return false;
    /* It may have been an acknowledgement of its own that could not go. With TLS what is left of a piece may be in the library already. */
    if (ioctl(library.socket(self->client), FIONREAD, &left) == 0 && left > 0) return false;
    return !self->settings.is_encrypted || !library.want_write(self->client);
}

int cmosquitto_read(cmosquitto *self) {
    if (!pass_in(self)) return CMOSQUITTO_SUCCESS;
    int code = CMOSQUITTO_SUCCESS;
    /* One packet at a time until it has read all of the piece; with TLS it may have more of it already than it shows. */
    for (int count = 0; count < PIECE && code == CMOSQUITTO_SUCCESS && !self->offence && library.socket(self->client) >= 0; count++) {
        errno = 0;
        code = library.loop_read(self->client, 1);
        if (code != CMOSQUITTO_SUCCESS || has_read_all(self)) break;
        pass_out(self);
    }
    passed(self, code);
    /* The end in the middle of a packet is no error of the system to the library, nor of its own. */
    if (code == CMOSQUITTO_SYSTEM && self->system_code == 0) code = CMOSQUITTO_CONNECTION_LOST;
    if (!self->offence && self->taken > self->explained + MOST_UNEXPLAINED) note_too_long(self);
    return self->is_too_long ? CMOSQUITTO_TOO_LONG : self->offence ? CMOSQUITTO_OFFENCE : code;
}

int cmosquitto_write(cmosquitto *self) {
    pass_out(self);
    return passed(self, library.want_write(self->client) ? library.loop_write(self->client, 1) : CMOSQUITTO_SUCCESS);
}

int cmosquitto_look(cmosquitto *self) {
    self->explained += LOOK;
    return passed(self, library.loop_misc(self->client));
}

bool cmosquitto_wants_to_write(cmosquitto *self) {
    int left = 0;
    const bool is_left = self->out_start < self->out_end || (self->inner >= 0 && ioctl(self->inner, FIONREAD, &left) == 0 && left > 0);
    const bool wants = is_left || library.want_write(self->client);
    if (!wants) self->unsent = 0;
    return wants;
}

int cmosquitto_disconnect(cmosquitto *self) { return passed(self, library.disconnect(self->client)); }
int cmosquitto_socket(cmosquitto *self) { return library.socket(self->client) >= 0 ? self->socket : -1; }

int cmosquitto_publish(cmosquitto *self, int *message, const char *topic, const void *payload, int count, bool is_retained) {
    return passed(self, library.publish(self->client, message, topic, count, payload, QOS, is_retained));
}

int cmosquitto_subscribe(cmosquitto *self, int *message, const char *topic) {
    return passed(self, library.subscribe(self->client, message, topic, QOS));
}

bool cmosquitto_matches(const char *subscription, const char *topic) {
    bool matches = false;
    return library.topic_matches_sub(subscription, topic, &matches) == CMOSQUITTO_SUCCESS && matches;
}

int cmosquitto_system_code(const cmosquitto *self) { return self->system_code; }

const char *cmosquitto_words(cmosquitto *self, int code) {
    if (code == CMOSQUITTO_OFFENCE || code == CMOSQUITTO_TOO_LONG) return self->offence;
    if (self->said[0]) return self->said;
    if (code == CMOSQUITTO_NO_NAME) return gai_strerror(self->system_code);
    if (code == CMOSQUITTO_SYSTEM && strerror_r(self->system_code, self->words, sizeof self->words) == 0) return self->words;
    return library.strerror(code);
}
