/* C interface to libosmium (header-only C++): the objects of an OpenStreetMap file, one after the other.
 *
 * Why a shim: libosmium is C++ templates and throws; Swift wants plain structs. Nothing here throws. One thread per reader at a time. */
#ifndef COSMIUM_H
#define COSMIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cosmium_kind {
    COSMIUM_NODE = 1,
    COSMIUM_WAY = 2,
    COSMIUM_RELATION = 4,
} cosmium_kind;

typedef struct cosmium_tag {
    const char *key;
    const char *value;
} cosmium_tag;

typedef struct cosmium_member {
    cosmium_kind kind;
    int64_t number;
    const char *role;
} cosmium_member;

/* An object; what it points to is valid until the next one. */
typedef struct cosmium_object {
    cosmium_kind kind;
    int64_t number;
    const cosmium_tag *tags;
    size_t tag_count;
    /* Nodes: the place in 1e-7 degrees, when it has one. */
    bool has_place;
    int32_t latitude;
    int32_t longitude;
    /* Ways: the numbers of its nodes. */
    const int64_t *nodes;
    size_t node_count;
    /* Relations. */
    const cosmium_member *members;
    size_t member_count;
} cosmium_object;

typedef struct cosmium_reader cosmium_reader;

/* Opens a file, whose format follows from its name; `kinds` is a sum of cosmium_kind. Never NULL; see cosmium_error. */
cosmium_reader *cosmium_open(const char *path, unsigned kinds);
void cosmium_close(cosmium_reader *reader);

/* The next object; NULL at the end and after an error. */
const cosmium_object *cosmium_next(cosmium_reader *reader);

/* What went wrong; NULL when nothing did. Valid until cosmium_close. */
const char *cosmium_error(const cosmium_reader *reader);

/* When the data were current, as the file's header has it (RFC 3339); empty when it has not. Valid until cosmium_close. */
const char *cosmium_timestamp(const cosmium_reader *reader);

/* How many bytes of the file were read, and how many it has. */
uint64_t cosmium_offset(const cosmium_reader *reader);
uint64_t cosmium_size(const cosmium_reader *reader);

#endif
