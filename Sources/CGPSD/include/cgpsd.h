/* Thin shim over libgps.

   Its structs change layout under one soname, so they stay on this side: the handle is opaque and what it read is copied to flat
   structs of our own, compiled against the header of the libgps that is linked. One thread at a time uses a handle. */
#ifndef CGPSD_H
#define CGPSD_H

#include <stdint.h>

/* A device path as gpsd gives it, with the terminating zero (GPS_PATH_MAX is 128 in all releases). */
#define CGPSD_PATH_SIZE 128
/* The words of an ERROR message or of VERSION's release, with the terminating zero. */
#define CGPSD_TEXT_SIZE 256
/* The satellites that one view holds at most; libgps keeps up to 140. */
#define CGPSD_MAX_SATELLITES 184

typedef struct cgpsd_handle cgpsd_handle;

/* What the last message was. libgps leaves the bits and the fix of earlier messages standing, so only this tells what is new. */
enum cgpsd_class {
    CGPSD_OTHER = 0,
    CGPSD_TPV,
    CGPSD_SKY,
    CGPSD_DEVICE,
    CGPSD_DEVICES,
    CGPSD_VERSION,
    CGPSD_ERROR,
};

/* A TPV report; what gpsd does not know is NaN. Errors are 95 %. */
typedef struct {
    int mode;   /* 0 not seen, 1 no fix, 2 two-dimensional, 3 three-dimensional */
    int status; /* 0 not said, 1 GPS, 2 DGPS, 3 RTK fixed, 4 RTK float, 5 DR, 6 GNSS + DR, 7 time only, 8 simulated, 9 PPS */
    int has_time;
    int64_t milliseconds_since_1970;
    double latitude_degrees;
    double longitude_degrees;
    double altitude_msl_metres;
    double altitude_hae_metres;
    double geoid_separation_metres;
    double speed_metres_per_second;
    double track_degrees;
    double climb_metres_per_second;
    double eph_metres;
    double epv_metres;
    double eps_metres_per_second;
} cgpsd_fix;

typedef struct {
    int number; /* gpsd's PRN */
    int gnssid; /* -1 when not said */
    int is_used;
    double elevation_degrees;
    double azimuth_degrees;
    double signal_decibel_hertz;
} cgpsd_satellite;

/* A SKY report; gpsd also sends some with dilutions only, and no satellite. */
typedef struct {
    int has_time;
    int64_t milliseconds_since_1970;
    double hdop;
    double vdop;
    double pdop;
    int satellites_used; /* 0 also when not said */
    int satellite_count;
    cgpsd_satellite satellites[CGPSD_MAX_SATELLITES];
} cgpsd_sky;

/* The libgps API generation that this build was compiled against (GPSD_API_MAJOR_VERSION). */
int cgpsd_api_major_version(void);

/* Connects to a daemon; blocks in getaddrinfo and connect. NULL with libgps' code in *error when that fails. */
cgpsd_handle *cgpsd_open(const char *host, const char *port, int *error);

/* The error of cgpsd_open for a host whose name has no address: libgps' NL_NOHOST. */
#define CGPSD_UNKNOWN_HOST (-2)

/* Closes the connection and frees the handle. */
void cgpsd_close(cgpsd_handle *handle);

/* libgps' words for a code that cgpsd_open gave. */
const char *cgpsd_error_text(int error);

/* Asks for JSON reports, of one device if a path is given (not NULL); -1 when it cannot be sent. */
int cgpsd_watch(cgpsd_handle *handle, const char *device);

/* Asks for a VERSION message, to see whether the daemon is still there; -1 when it cannot be sent. */
int cgpsd_request_version(cgpsd_handle *handle);

/* The socket, to poll: it does not block. */
int cgpsd_descriptor(const cgpsd_handle *handle);

/* Reads one message: 1 done, 0 no whole message there yet (poll the socket, then call again), -1 the connection is of no more use.
   libgps buffers several messages: call until 0 before polling. */
int cgpsd_read(cgpsd_handle *handle);

/* The class of the message just read. */
enum cgpsd_class cgpsd_message_class(const cgpsd_handle *handle);

/* After TPV: the report. */
void cgpsd_get_fix(const cgpsd_handle *handle, cgpsd_fix *fix);

/* After SKY: the view. */
void cgpsd_get_sky(const cgpsd_handle *handle, cgpsd_sky *sky);

/* After TPV, SKY, DEVICE: the device's path, empty when not said. */
void cgpsd_get_device(const cgpsd_handle *handle, char path[CGPSD_PATH_SIZE]);

/* After DEVICE: whether the device is in use; gpsd says 0 when it was unplugged or given up. */
int cgpsd_is_activated(const cgpsd_handle *handle);

/* After DEVICES: how many devices the daemon has. */
int cgpsd_device_count(const cgpsd_handle *handle);

/* After VERSION: the daemon's release ("3.22"); after ERROR: its words. */
void cgpsd_get_text(const cgpsd_handle *handle, char text[CGPSD_TEXT_SIZE]);

#endif
