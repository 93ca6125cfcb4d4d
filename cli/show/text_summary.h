#ifndef EAR_TEXT_SUMMARY_H
#define EAR_TEXT_SUMMARY_H

#include <stdint.h>

#include "cli/show/key_lines.h"
#include "decoder/formats/base/reader.h"

/* What a text trace holds, from its records: what 'earshot info' can say of one. A text has no
 * account of a unit, so whether its end is missing nobody knows.
 */
struct text_summary;

/* Returns NULL if memory is short. */
struct text_summary *text_summary_new(void);

/* The next record. Returns 0 or EAR_E_NO_MEMORY. */
int text_summary_add(struct text_summary *summary, const struct ear_record *record);

/* What the reader and its reports say. */
struct text_account {
	const char *format; /* its name */
	uint64_t lines;     /* all; 0: it has none */
	uint64_t bad_lines, other_lines;
	const char *word; /* the first one that was not understood; NULL: there is none */
	uint64_t words, word_line;
	uint64_t unpaired, unpaired_line; /* lines without a partner, and the first one */
};

/* Print its keys. */
void text_summary_print(struct key_lines *keys, const struct text_summary *summary,
	const struct text_account *account);

/* Records whose opcode is an instruction of the other XLEN only. */
uint64_t text_summary_other_xlen(const struct text_summary *summary);

void text_summary_free(struct text_summary *summary);

#endif
