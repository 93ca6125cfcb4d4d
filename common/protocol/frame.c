/* Frames: the unit of loss on a link. docs/protocol.md, section 2.
 *
 * The parser needs no state: magic, length and CRC decide whether a frame begins at a byte, so that
 * after damage a caller finds the next frame by trying from byte to byte. The version is checked
 * after the CRC, because only a valid frame can say that it has another version.
 */
#include "common/protocol/frame.h"

#include <assert.h>
#include <earshot/error.h>
#include <string.h>
#include <zlib.h>

#include "common/protocol/bytes.h"

_Static_assert(EAR_FRAME_SIZE_MAX == 512, "a frame fills at most one high-speed USB packet");
_Static_assert(EAR_FRAME_PAYLOAD_MAX % EAR_FRAME_ALIGN == 0, "the longest payload is aligned");

static uint32_t frame_crc(const uint8_t *bytes, size_t size)
{
	return (uint32_t)crc32(0, bytes, (uInt)size);
}

int ear_frame_parse(struct ear_frame *frame, const uint8_t *bytes, size_t size)
{
	if (size >= 1 && bytes[0] != EAR_FRAME_MAGIC0)
		return EAR_E_BAD_FRAME;
	if (size >= 2 && bytes[1] != EAR_FRAME_MAGIC1)
		return EAR_E_BAD_FRAME;
	if (size < EAR_FRAME_HEADER_SIZE)
		return EAR_E_MORE;

	size_t payload_size = ear_load_le16(bytes + 6);
	if (payload_size == 0 || payload_size > EAR_FRAME_PAYLOAD_MAX ||
		payload_size % EAR_FRAME_ALIGN != 0)
		return EAR_E_BAD_FRAME;

	size_t crc_offset = EAR_FRAME_HEADER_SIZE + payload_size;
	if (size < crc_offset + EAR_FRAME_CRC_SIZE)
		return EAR_E_MORE;
	if (ear_load_le32(bytes + crc_offset) != frame_crc(bytes, crc_offset))
		return EAR_E_BAD_FRAME;
	if (bytes[2] != EAR_PROTOCOL_MAJOR)
		return EAR_E_VERSION;

	frame->stream_id = bytes[3];
	frame->sequence = ear_load_le16(bytes + 4);
	frame->payload = bytes + EAR_FRAME_HEADER_SIZE;
	frame->payload_size = payload_size;
	return (int)(crc_offset + EAR_FRAME_CRC_SIZE);
}

size_t ear_frame_find(const uint8_t *bytes, size_t size)
{
	size_t offset = 0;

	while (offset < size) {
		const uint8_t *found = memchr(bytes + offset, EAR_FRAME_MAGIC0, size - offset);
		if (!found)
			return size;
		offset = (size_t)(found - bytes);
		if (offset + 1 == size || bytes[offset + 1] == EAR_FRAME_MAGIC1)
			return offset;
		offset++;
	}
	return size;
}

size_t ear_frame_finish(uint8_t *bytes, size_t payload_size, uint8_t stream_id, uint16_t sequence)
{
	assert(payload_size >= 1 && payload_size <= EAR_FRAME_PAYLOAD_MAX);

	while (payload_size % EAR_FRAME_ALIGN != 0)
		bytes[EAR_FRAME_HEADER_SIZE + payload_size++] = EAR_MSG_PAD;

	bytes[0] = EAR_FRAME_MAGIC0;
	bytes[1] = EAR_FRAME_MAGIC1;
	bytes[2] = EAR_PROTOCOL_MAJOR;
	bytes[3] = stream_id;
	ear_store_le16(bytes + 4, sequence);
	ear_store_le16(bytes + 6, (uint16_t)payload_size);

	size_t crc_offset = EAR_FRAME_HEADER_SIZE + payload_size;
	ear_store_le32(bytes + crc_offset, frame_crc(bytes, crc_offset));
	return crc_offset + EAR_FRAME_CRC_SIZE;
}
