/* C interface to toml++ (header-only C++17): a document as a flat list of items, each with its line and column.
 *
 * Why a shim: toml++ is C++ templates, Swift wants plain structs; and toml++ alone can be made to overflow the stack (see ctoml.cpp).
 * Nothing here throws. One thread per document at a time. */
#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ctoml_kind {
    CTOML_TABLE,
    CTOML_ARRAY,
    CTOML_STRING,
    CTOML_INTEGER,
    CTOML_FLOAT,
    CTOML_BOOLEAN,
    CTOML_DATE,
    CTOML_TIME,
    CTOML_DATE_TIME,
} ctoml_kind;

/* Bytes that the document owns, UTF-8, not terminated; they may hold NUL. */
typedef struct ctoml_text {
    const char *bytes;
    size_t count;
} ctoml_text;

/* A place in the text; both count from 1, columns in code points. */
typedef struct ctoml_place {
    uint32_t line;
    uint32_t column;
} ctoml_place;

/* One value. A table or array is followed by its children, each with its own children: depth first. */
typedef struct ctoml_item {
    ctoml_kind kind;
    ctoml_place place;
    /* Name and place of the key; set for the children of tables. */
    ctoml_text key;
    ctoml_place key_place;
    /* Tables and arrays: the number of direct children. */
    size_t child_count;
    /* The value of a string, integer, float or boolean. */
    ctoml_text text;
    int64_t integer;
    double real;
    bool boolean;
} ctoml_item;

typedef struct ctoml_document ctoml_document;

/* Reads a TOML 1.0 document; never NULL. Free the result with ctoml_free. */
ctoml_document *ctoml_parse(const char *bytes, size_t count);
void ctoml_free(ctoml_document *document);

/* The items, the root table first; none (count 0) when the text is not TOML. Valid until ctoml_free. */
const ctoml_item *ctoml_items(const ctoml_document *document, size_t *count);

/* What is wrong when there are no items, and where. Valid until ctoml_free. */
ctoml_text ctoml_error_message(const ctoml_document *document);
ctoml_place ctoml_error_place(const ctoml_document *document);

#endif
