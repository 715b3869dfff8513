/* Thin shim over libsodium's box with a secret key (XSalsa20 and Poly1305).

   The library is opened with dlopen at the first use: few trackers encrypt what they send, and none needs its headers. The functions and
   sizes below are part of its binary interface. Any thread, once it is loaded. */
#ifndef CSODIUM_H
#define CSODIUM_H

#include <stdbool.h>
#include <stddef.h>

enum { CSODIUM_KEY_SIZE = 32, CSODIUM_NONCE_SIZE = 24, CSODIUM_MAC_SIZE = 16 };

/* Opens the library once; NULL, or why it cannot be opened. Any thread. */
const char *csodium_load(void);

/* Fills a place with random bytes. csodium_load comes first. */
void csodium_random(unsigned char *place, size_t count);

/* Seals a message: the code that proves it whole, then as many bytes as it has. csodium_load comes first. */
bool csodium_seal(unsigned char *sealed, const unsigned char *message, size_t count, const unsigned char *nonce, const unsigned char *key);

#endif
