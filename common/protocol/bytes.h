#ifndef EAR_BYTES_H
#define EAR_BYTES_H

#include <stdint.h>
#include <string.h>

/* Little-endian loads and stores at any address. Compilers make single moves of them. */

static inline uint16_t ear_load_le16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t ear_load_le32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static inline uint64_t ear_load_le64(const uint8_t *bytes)
{
	return (uint64_t)ear_load_le32(bytes) | (uint64_t)ear_load_le32(bytes + 4) << 32;
}

static inline void ear_store_le16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)value;
	bytes[1] = (uint8_t)(value >> 8);
}

static inline void ear_store_le32(uint8_t *bytes, uint32_t value)
{
	ear_store_le16(bytes, (uint16_t)value);
	ear_store_le16(bytes + 2, (uint16_t)(value >> 16));
}

static inline void ear_store_le64(uint8_t *bytes, uint64_t value)
{
	ear_store_le32(bytes, (uint32_t)value);
	ear_store_le32(bytes + 4, (uint32_t)(value >> 32));
}

#endif
