#ifndef EAR_CONTROL_WORD_H
#define EAR_CONTROL_WORD_H

#include <stdint.h>

#include "common/protocol/ear_protocol.h"

/* A word from host to unit. docs/protocol.md, section 7. */
struct ear_control_word {
	uint8_t operation; /* EAR_CONTROL_WORD_READ or _WRITE */
	uint8_t tag;       /* comes back in the reply */
	uint16_t address;  /* EAR_REG_* */
	uint32_t value;    /* 0 for a read */
};

/* Write *word to bytes[0 .. EAR_CONTROL_WORD_SIZE-1]. */
void ear_control_word_build(uint8_t *bytes, const struct ear_control_word *word);

/* Parse bytes[0 .. EAR_CONTROL_WORD_SIZE-1].
 * Returns EAR_CONTROL_WORD_SIZE and fills *word, or EAR_E_BAD_MESSAGE if magic or CRC is wrong.
 */
int ear_control_word_parse(struct ear_control_word *word, const uint8_t *bytes);

#endif
