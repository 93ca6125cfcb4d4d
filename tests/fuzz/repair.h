#ifndef EAR_FUZZ_REPAIR_H
#define EAR_FUZZ_REPAIR_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "common/protocol/bytes.h"
#include "common/protocol/frame.h"

/* Make every frame good whose length may be true: what is after the CRC wants trying too. */
static inline void repair_frames(uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while ((at += ear_frame_find(bytes + at, size - at)) + EAR_FRAME_SIZE_MIN <= size) {
		size_t end = at + EAR_FRAME_HEADER_SIZE + ear_load_le16(bytes + at + 6);
		if (end + EAR_FRAME_CRC_SIZE > size) {
			at++;
			continue;
		}
		bytes[at + 2] = EAR_PROTOCOL_MAJOR;
		ear_store_le32(bytes + end, (uint32_t)crc32(0, bytes + at, (uInt)(end - at)));
		at = end + EAR_FRAME_CRC_SIZE;
	}
}

#endif
