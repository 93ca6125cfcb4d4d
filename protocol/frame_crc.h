#ifndef EAR_FRAME_CRC_H
#define EAR_FRAME_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of a frame, that of zlib: docs/protocol.md, section 2. */
uint32_t ear_frame_crc(const uint8_t *bytes, size_t size);

#endif
