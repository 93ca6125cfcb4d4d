#ifndef EAR_TARMAC_VALUE_H
#define EAR_TARMAC_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/text/text_cursor.h"

/* Values of Tarmac in any of their spellings: "0000ab34", "00000000_0000ca68", "01234567 89abcdef",
 * "20000000 __C_", "-------- 3ff6a09e", "xxxxxxxx" (docs/text-formats.md, "Tarmac").
 */
#define EAR_TARMAC_DIGITS_MAX 8192
#define EAR_TARMAC_NOTE_MAX   1024

struct ear_tarmac_value {
	size_t count;                       /* of digits */
	bool unknown;                       /* some are not known */
	bool any;                           /* some are known */
	struct ear_text note;               /* what follows the value; size 0: nothing */
	char digits[EAR_TARMAC_DIGITS_MAX]; /* the highest first: 0-9, a-f, A-F, or x for unknown */
};

/* The value of a register, which ends with the line. Returns NULL, or in a few words why it is not
 * understood: a value is never guessed.
 */
const char *ear_tarmac_register_value(
	struct ear_tarmac_value *value, struct ear_text name, struct ear_text_cursor *cursor);

/* The data of an access of size bytes, in the same way; there is no note. None at all is NULL, too.
 */
const char *ear_tarmac_access_value(
	struct ear_tarmac_value *value, size_t size, struct ear_text_cursor *cursor);

/* Byte number index, the lowest is 0, and which of its bits are unknown; they are 0 in the byte. */
uint8_t ear_tarmac_value_byte(const struct ear_tarmac_value *value, size_t index, uint8_t *unknown);

#endif
