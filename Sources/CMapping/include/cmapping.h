/* Memory and files. Maps files that somebody else may cut while they are read: what is gone reads as zeros, instead of ending the process with SIGBUS. */
#ifndef CMAPPING_H
#define CMAPPING_H

#include <stdbool.h>
#include <stddef.h>

/* A file in memory. */
typedef struct cmapping cmapping;

/* Maps so many bytes of an open file, read-only; NULL and errno when that fails, EMFILE when too many are mapped. */
cmapping *cmapping_open(int descriptor, size_t size);

/* Where the bytes are. */
const void *cmapping_start(const cmapping *mapping);

/* Whether a part of the file was gone when it was read. */
bool cmapping_is_cut(const cmapping *mapping);

/* Unmaps it. */
void cmapping_close(cmapping *mapping);

/* An empty file in memory that no folder has and that closes on exec; -1 and errno when there is none. */
int cmapping_memory_file(void);

#endif
