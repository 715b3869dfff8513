#ifndef CSCALARNAMES_H
#define CSCALARNAMES_H

#include <stdint.h>

/// Takes the place of the standard library's table of the names of all characters ("LATIN SMALL LETTER A"), 550 kB of each program.
///
/// Only `Unicode.Scalar.Properties.name` reads that table, and nothing of ours calls it; it is nil with this. The linker puts it in place
/// (`--wrap` in the manifest, for what ships); where it does not know the symbol, the table stays, and all else is the same.
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

#endif
