// libFuzzer's entry for programs that have a main of their own, as SwiftPM's executables do.
#ifndef WAYPOST_LIBFUZZER_H
#define WAYPOST_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

#endif
