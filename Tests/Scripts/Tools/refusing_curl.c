/* libcurl, but that it refuses an option: a library that does not know the version of TLS that we ask for.

   cc -shared -fPIC -DREAL='"/usr/lib/x86_64-linux-gnu/libcurl.so.4"' -DREFUSED=32 -o libcurl.so.4 refusing_curl.c */
#include <dlfcn.h>
#include <stdarg.h>

static void *real(const char *name) {
    static void *library;
    if (!library) library = dlopen(REAL, RTLD_NOW);
    return dlsym(library, name);
}

int curl_easy_setopt(void *handle, int option, ...) {
    va_list values;
    va_start(values, option);
    /* A long, a long long or a pointer: of the same size where this is tried. */
    void *value = va_arg(values, void *);
    va_end(values);
    const int unknown_option = 48;
    return option == REFUSED ? unknown_option : ((int (*)(void *, int, ...))real("curl_easy_setopt"))(handle, option, value);
}

int curl_easy_getinfo(void *handle, int info, ...) {
    va_list values;
    va_start(values, info);
    void *value = va_arg(values, void *);
    va_end(values);
    return ((int (*)(void *, int, ...))real("curl_easy_getinfo"))(handle, info, value);
}

int curl_global_init(long flags) { return ((int (*)(long))real("curl_global_init"))(flags); }
void *curl_easy_init(void) { return ((void *(*)(void))real("curl_easy_init"))(); }
void curl_easy_cleanup(void *handle) { ((void (*)(void *))real("curl_easy_cleanup"))(handle); }
void curl_easy_reset(void *handle) { ((void (*)(void *))real("curl_easy_reset"))(handle); }
int curl_easy_perform(void *handle) { return ((int (*)(void *))real("curl_easy_perform"))(handle); }
const char *curl_easy_strerror(int code) { return ((const char *(*)(int))real("curl_easy_strerror"))(code); }
void *curl_slist_append(void *list, const char *text) { return ((void *(*)(void *, const char *))real("curl_slist_append"))(list, text); }
void curl_slist_free_all(void *list) { ((void (*)(void *))real("curl_slist_free_all"))(list); }
