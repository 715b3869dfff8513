#include "clibrary.h"

#include <dlfcn.h>
#include <string.h>

const char *clibrary_open(const char *const *names, const clibrary_function *functions, size_t count, clibrary_words words) {
    void *library = NULL;
    for (; *names && !library; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (!library) return words.missing;
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, functions[i].name);
        if (!symbol) return words.lacking;
        /* ISO C has no conversion from an object's pointer to a function's. */
        memcpy(functions[i].place, &symbol, sizeof symbol);
    }
    return NULL;
}
