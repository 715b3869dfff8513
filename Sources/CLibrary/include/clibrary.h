/* Opens libraries of the system when they are first needed, so that a box without them runs all the same. */
#ifndef CLIBRARY_H
#define CLIBRARY_H

#include <stddef.h>

/* A function by its name, and the pointer that is to point to it. */
typedef struct {
    const char *name;
    void *place;
} clibrary_function;

/* What is told when there is no such library, and when it is another one than expected; texts that live for ever. */
typedef struct {
    const char *missing;
    const char *lacking;
} clibrary_words;

/* Opens the first of the libraries (the list ends with NULL) that is there and finds all the functions in it. NULL, or what is wrong. The library
 * stays open for good. */
const char *clibrary_open(const char *const *names, const clibrary_function *functions, size_t count, clibrary_words words);

#endif
