/* Thin shim over libgps. Its structs change layout under one soname, so they stay on this side: the handle is opaque and a fix is a
   flat struct of our own, compiled against the header of the libgps that is linked. */
#ifndef CGPSD_H
#define CGPSD_H

/* The libgps API generation that this build was compiled against (GPSD_API_MAJOR_VERSION). */
int cgpsd_api_major_version(void);

#endif
