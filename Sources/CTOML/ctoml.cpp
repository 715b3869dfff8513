#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

extern "C" {
#include "ctoml.h"

int ctoml_library_version(void) { return TOML_LIB_MAJOR * 10000 + TOML_LIB_MINOR * 100 + TOML_LIB_PATCH; }
}
