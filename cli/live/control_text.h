#ifndef EAR_CONTROL_TEXT_H
#define EAR_CONTROL_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/protocol/control_word.h"

/* Control words (docs/protocol.md, section 7) that somebody types. */

#define CONTROL_WORDS_MAX 4096

struct control_words {
	unsigned count;
	struct ear_control_word words[CONTROL_WORDS_MAX]; /* with the tags 1, 2 and so on */
};

/* Add what a text means: a name such as "start" (one or more words), REGISTER to read it, or
 * REGISTER=VALUE to write it. REGISTER is NAME, NAME+OFFSET or an address; VALUE a number, or FIELD
 * and FIELD:N with + between them. Returns false after printing what is wrong.
 */
bool control_text_add(struct control_words *list, const char *argument);

/* What has a name, a line each. */
void control_text_names(FILE *to);

/* A word as bytes in hexadecimal, and what it does as a comment of Verilog: a line. */
void control_text_print(FILE *to, const struct ear_control_word *word);

#endif
