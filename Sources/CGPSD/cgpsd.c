#include "cgpsd.h"

#include <errno.h>
#include <gps.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if GPSD_API_MAJOR_VERSION < 6
#error "libgps 3.14 or later is needed (GPSD_API_MAJOR_VERSION 6)"
#endif

_Static_assert(CGPSD_UNKNOWN_HOST == NL_NOHOST, "libgps has another code");

/* The longest line gpsd sends is GPS_JSON_RESPONSE_MAX, 10240 in all releases; libgps keeps two. */
#define MESSAGE_SIZE 10240

struct cgpsd_handle {
    struct gps_data_t data;
    enum cgpsd_class message_class;
    /* gpsd gives a number here when it is 0 and a time otherwise: libgps' parser for times refuses the number. */
    int is_activated;
    char message[MESSAGE_SIZE];
};

int cgpsd_api_major_version(void) { return GPSD_API_MAJOR_VERSION; }

cgpsd_handle *cgpsd_open(const char *host, const char *port, int *error) {
    cgpsd_handle *handle = calloc(1, sizeof *handle);
    if (handle == NULL) {
        *error = 0;
        return NULL;
    }
    errno = 0;
    int status = gps_open(host, port, &handle->data);
    if (status == 0) return handle;
    /* Older releases return -1 with the (negative) code in errno, newer ones return the code. */
    *error = status == -1 && errno < 0 ? errno : status;
    free(handle);
    return NULL;
}

void cgpsd_close(cgpsd_handle *handle) {
    gps_close(&handle->data);
    free(handle);
}

const char *cgpsd_error_text(int error) { return gps_errstr(error); }

int cgpsd_watch(cgpsd_handle *handle, const char *device) {
    unsigned int flags = WATCH_ENABLE | WATCH_JSON | (device == NULL ? 0u : WATCH_DEVICE);
    return gps_stream(&handle->data, flags, (void *)device) < 0 ? -1 : 0;
}

int cgpsd_request_version(cgpsd_handle *handle) { return gps_send(&handle->data, "?VERSION;\n") < 0 ? -1 : 0; }

int cgpsd_descriptor(const cgpsd_handle *handle) { return (int)handle->data.gps_fd; }

#if GPSD_API_MAJOR_VERSION >= 7

static enum cgpsd_class class_of(const char *message) {
    static const struct {
        const char *start;
        enum cgpsd_class message_class;
    } starts[] = {
        {"{\"class\":\"TPV\"", CGPSD_TPV},         {"{\"class\":\"SKY\"", CGPSD_SKY},
        {"{\"class\":\"DEVICE\"", CGPSD_DEVICE},   {"{\"class\":\"DEVICES\"", CGPSD_DEVICES},
        {"{\"class\":\"VERSION\"", CGPSD_VERSION}, {"{\"class\":\"ERROR\"", CGPSD_ERROR},
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (strncmp(message, starts[i].start, strlen(starts[i].start)) == 0) return starts[i].message_class;
    }
    return CGPSD_OTHER;
}

#else

/* gps_read gives no message before API 7, but a bit per class, once they are cleared beforehand. */
static enum cgpsd_class class_of_bits(gps_mask_t set) {
    if (set & VERSION_SET) return CGPSD_VERSION;
    if (set & ERROR_SET) return CGPSD_ERROR;
    if (set & DEVICELIST_SET) return CGPSD_DEVICES;
    if (set & DEVICE_SET) return CGPSD_DEVICE;
    if (set & SATELLITE_SET) return CGPSD_SKY;
    if (set & (STATUS_SET | MODE_SET)) return CGPSD_TPV;
    return CGPSD_OTHER;
}

#endif

int cgpsd_read(cgpsd_handle *handle) {
    handle->message_class = CGPSD_OTHER;
    handle->data.set = 0;
    /* A message may leave out its device; the one before must not stand in for it. */
    handle->data.dev.path[0] = '\0';
#if GPSD_API_MAJOR_VERSION >= 7
    handle->message[0] = '\0';
    int length = gps_read(&handle->data, handle->message, sizeof handle->message);
#else
    int length = gps_read(&handle->data);
#endif
    if (length <= 0) return length < 0 ? -1 : 0;
#if GPSD_API_MAJOR_VERSION >= 7
    handle->message_class = class_of(handle->message);
    handle->is_activated = strstr(handle->message, "\"activated\":0") == NULL;
#else
    handle->message_class = class_of_bits(handle->data.set);
    handle->is_activated = handle->data.dev.activated > 0;
#endif
    return 1;
}

enum cgpsd_class cgpsd_message_class(const cgpsd_handle *handle) { return handle->message_class; }

/* The last second of the year 9999; a later one is no date, and its milliseconds may not fit. */
#define LAST_SECOND 253402300799

#if GPSD_API_MAJOR_VERSION >= 9

static int get_time(struct timespec time, int64_t *milliseconds) {
    int is_known = time.tv_sec > 0 && time.tv_sec < LAST_SECOND;
    *milliseconds = is_known ? (int64_t)time.tv_sec * 1000 + (time.tv_nsec + 500000) / 1000000 : 0;
    return is_known;
}

#else

static int get_time(double seconds, int64_t *milliseconds) {
    int is_known = seconds > 0 && seconds < LAST_SECOND;
    *milliseconds = is_known ? (int64_t)llround(seconds * 1000) : 0;
    return is_known;
}

#endif

void cgpsd_get_fix(const cgpsd_handle *handle, cgpsd_fix *fix) {
    const struct gps_fix_t *source = &handle->data.fix;
    memset(fix, 0, sizeof *fix);
    fix->mode = source->mode;
#if GPSD_API_MAJOR_VERSION >= 10
    fix->status = source->status;
#else
    fix->status = handle->data.status;
#endif
    fix->has_time = get_time(source->time, &fix->milliseconds_since_1970);
    fix->latitude_degrees = source->latitude;
    fix->longitude_degrees = source->longitude;
#if GPSD_API_MAJOR_VERSION >= 9
    fix->altitude_msl_metres = source->altMSL;
    fix->altitude_hae_metres = source->altHAE;
    fix->geoid_separation_metres = source->geoid_sep;
#else
    fix->altitude_msl_metres = source->altitude;
    fix->altitude_hae_metres = NAN;
    fix->geoid_separation_metres = NAN;
#endif
    fix->speed_metres_per_second = source->speed;
    fix->track_degrees = source->track;
    fix->climb_metres_per_second = source->climb;
#if GPSD_API_MAJOR_VERSION >= 8
    fix->eph_metres = source->eph;
#else
    /* Before 8 gpsd gives the errors along the axes only. */
    fix->eph_metres = hypot(source->epx, source->epy);
#endif
    fix->epv_metres = source->epv;
    fix->eps_metres_per_second = source->eps;
}

void cgpsd_get_sky(const cgpsd_handle *handle, cgpsd_sky *sky) {
    const struct gps_data_t *data = &handle->data;
    memset(sky, 0, sizeof *sky);
    sky->has_time = get_time(data->skyview_time, &sky->milliseconds_since_1970);
    sky->hdop = data->dop.hdop;
    sky->vdop = data->dop.vdop;
    sky->pdop = data->dop.pdop;
    sky->satellites_used = data->satellites_used;
    for (size_t i = 0; i < MAXCHANNELS && sky->satellite_count < CGPSD_MAX_SATELLITES; i++) {
        const struct satellite_t *source = &data->skyview[i];
        if (source->PRN <= 0) continue;
        cgpsd_satellite *satellite = &sky->satellites[sky->satellite_count++];
        satellite->number = source->PRN;
#if GPSD_API_MAJOR_VERSION >= 7
        /* gpsd.h: "ignore gnssid and sigid if svid is zero". */
        satellite->gnssid = source->svid == 0 ? -1 : source->gnssid;
#else
        satellite->gnssid = -1;
#endif
        satellite->is_used = source->used;
        satellite->elevation_degrees = source->elevation;
        satellite->azimuth_degrees = source->azimuth;
        satellite->signal_decibel_hertz = source->ss;
    }
}

void cgpsd_get_device(const cgpsd_handle *handle, char path[CGPSD_PATH_SIZE]) {
    strncpy(path, handle->data.dev.path, CGPSD_PATH_SIZE - 1);
    path[CGPSD_PATH_SIZE - 1] = '\0';
}

int cgpsd_is_activated(const cgpsd_handle *handle) { return handle->is_activated; }

int cgpsd_device_count(const cgpsd_handle *handle) { return handle->data.devices.ndevices; }

void cgpsd_get_text(const cgpsd_handle *handle, char text[CGPSD_TEXT_SIZE]) {
    const char *source = "";
    if (handle->message_class == CGPSD_VERSION) source = handle->data.version.release;
    if (handle->message_class == CGPSD_ERROR) source = handle->data.error;
    strncpy(text, source, CGPSD_TEXT_SIZE - 1);
    text[CGPSD_TEXT_SIZE - 1] = '\0';
}
