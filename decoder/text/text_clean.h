#ifndef EAR_TEXT_CLEAN_H
#define EAR_TEXT_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What other programs add to a text, taken away: a byte order mark, UTF-16, NUL characters, escape
 * sequences of terminals (colours), and what a simulator writes before each line ("# ").
 */
#define EAR_TEXT_PREFIX_SIZE_MAX 8

struct ear_text_clean {
	bool on;      /* bytes are changed */
	uint8_t wide; /* UTF-16: 1 with the low byte first, 2 with the high byte first; 0: it is
			 none */
	bool has_half;
	uint8_t half;   /* the first byte of a character */
	uint8_t mark;   /* bytes of the byte order mark that are still to be dropped */
	uint8_t escape; /* inside of an escape sequence: 1 after ESC, 2 after ESC [ */
	char prefix[EAR_TEXT_PREFIX_SIZE_MAX];
	size_t prefix_size;
	size_t prefix_at;  /* bytes of it that this line has had; */
	bool prefix_ended; /* and no more of it comes */
};

/* Look at the beginning of a text: what is there to be taken away? All zero before. */
void ear_text_clean_look(struct ear_text_clean *clean, const char *bytes, size_t size);

/* Take it away from the bytes that come next, in place. Returns how many are left. */
size_t ear_text_clean_bytes(struct ear_text_clean *clean, char *bytes, size_t size);

/* What most of the lines begin with that comments begin with in some language, or NULL. */
const char *ear_text_clean_prefix(const char *bytes, size_t size);

/* Take this away from the beginning of each line, from now on. */
void ear_text_clean_set_prefix(struct ear_text_clean *clean, const char *prefix);

/* The same from bytes that were cleaned of all else. */
size_t ear_text_clean_prefixes(struct ear_text_clean *clean, char *bytes, size_t size);

#endif
