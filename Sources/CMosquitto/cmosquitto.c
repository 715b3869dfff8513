/* strerror_r of POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "cmosquitto.h"

#include <clibrary.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of mosquitto.h. */
enum { OPTION_TCP_NODELAY = 11, QOS = 1, VERIFY_PEER = 1, LOG_WARNING = 4, LOG_ERROR = 8, FLAG_SESSION_PRESENT = 1 };
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
    /* What the library said of its own accord: the words of TLS are told nowhere else. */
    char said[CMOSQUITTO_TEXT_SIZE];
    char words[CMOSQUITTO_TEXT_SIZE];
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
    cmosquitto *self = context;
    /* From here on it would only tell of every packet, at a price. */
    library.log_callback_set(client, NULL);
    self->settings.connected(self->settings.context, code, flags & FLAG_SESSION_PRESENT);
}

static void take_acknowledged(void *client, void *context, int message) {
    (void)client;
    cmosquitto *self = context;
    self->settings.acknowledged(self->settings.context, message);
}

static void take_subscribed(void *client, void *context, int message, int count, const int *granted) {
    (void)client;
    cmosquitto *self = context;
    self->settings.subscribed(self->settings.context, message, count > 0 ? granted[0] : 128);
}

static void take_received(void *client, void *context, const struct mosquitto_message *message) {
    (void)client;
    cmosquitto *self = context;
    self->settings.received(self->settings.context, message->topic, message->payload, message->payloadlen, message->retain);
}

static void take_said(void *client, void *context, int level, const char *text) {
    (void)client;
    cmosquitto *self = context;
    if (level != LOG_WARNING && level != LOG_ERROR) return;
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
    self->client = library.make(settings->client_id, false, self);
    const int code = self->client ? prepare(self) : errno == ENOMEM ? CMOSQUITTO_NO_MEMORY : CMOSQUITTO_INVALID;
    *connection = self;
    return code;
}

void cmosquitto_free(cmosquitto *self) {
    if (self->client) library.destroy(self->client);
    free(self);
}

/* Keeps why a call failed. */
static int noted(cmosquitto *self, int code) {
    self->system_code = code == CMOSQUITTO_SUCCESS ? 0 : errno;
    return code;
}

int cmosquitto_connect(cmosquitto *self, const char *host, int port, int keep_alive_seconds) {
    return noted(self, library.connect(self->client, host, port, keep_alive_seconds));
}

int cmosquitto_disconnect(cmosquitto *self) { return noted(self, library.disconnect(self->client)); }
int cmosquitto_read(cmosquitto *self) { return noted(self, library.loop_read(self->client, 1)); }
int cmosquitto_write(cmosquitto *self) { return noted(self, library.loop_write(self->client, 1)); }
int cmosquitto_look(cmosquitto *self) { return noted(self, library.loop_misc(self->client)); }
int cmosquitto_socket(cmosquitto *self) { return library.socket(self->client); }
bool cmosquitto_wants_to_write(cmosquitto *self) { return library.want_write(self->client); }

int cmosquitto_publish(cmosquitto *self, int *message, const char *topic, const void *payload, int count, bool is_retained) {
    return noted(self, library.publish(self->client, message, topic, count, payload, QOS, is_retained));
}

int cmosquitto_subscribe(cmosquitto *self, int *message, const char *topic) {
    return noted(self, library.subscribe(self->client, message, topic, QOS));
}

int cmosquitto_system_code(const cmosquitto *self) { return self->system_code; }

const char *cmosquitto_words(cmosquitto *self, int code) {
    if (self->said[0]) return self->said;
    if (code == CMOSQUITTO_NO_NAME) return gai_strerror(self->system_code);
    if (code == CMOSQUITTO_SYSTEM && strerror_r(self->system_code, self->words, sizeof self->words) == 0) return self->words;
    return library.strerror(code);
}
