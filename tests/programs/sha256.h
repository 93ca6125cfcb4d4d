/* SHA-256 (FIPS 180-4) of a whole message. */
#ifndef EAR_PROGRAM_SHA256_H
#define EAR_PROGRAM_SHA256_H

#include <stdint.h>

void sha256(uint32_t digest[8], const uint8_t *message, uint32_t size);

#endif
