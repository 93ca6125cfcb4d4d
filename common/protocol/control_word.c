/* Control words, from host to unit. docs/protocol.md, section 7.
 *
 * Ten bytes with a magic and a CRC of 8 bits: the unit has no buffer to wait for more, and finds
 * the next word after a damaged one by its magic.
 */
#include "common/protocol/control_word.h"

#include <earshot/error.h>

#include "common/protocol/bytes.h"

static uint8_t crc8(const uint8_t *bytes, unsigned size)
{
	unsigned crc = 0;

	for (unsigned i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 0x80 ? (crc << 1) ^ EAR_CONTROL_WORD_CRC_POLY : crc << 1;
	}
	return (uint8_t)crc;
}

void ear_control_word_build(uint8_t *bytes, const struct ear_control_word *word)
{
	bytes[0] = EAR_CONTROL_WORD_MAGIC;
	bytes[1] = word->operation;
	bytes[2] = word->tag;
	ear_store_le16(bytes + 3, word->address);
	ear_store_le32(bytes + 5, word->value);
	bytes[9] = crc8(bytes, 9);
}

int ear_control_word_parse(struct ear_control_word *word, const uint8_t *bytes)
{
	if (bytes[0] != EAR_CONTROL_WORD_MAGIC || bytes[9] != crc8(bytes, 9))
		return EAR_E_BAD_MESSAGE;

	word->operation = bytes[1];
	word->tag = bytes[2];
	word->address = ear_load_le16(bytes + 3);
	word->value = ear_load_le32(bytes + 5);
	return (int)EAR_CONTROL_WORD_SIZE;
}
