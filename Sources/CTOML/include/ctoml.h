/* C interface to toml++ (header-only C++17): every node has its line and column. */
#ifndef CTOML_H
#define CTOML_H

/* The version of toml++ compiled in, as major * 10000 + minor * 100 + patch. */
int ctoml_library_version(void);

#endif
