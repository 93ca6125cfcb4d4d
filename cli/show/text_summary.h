#ifndef EAR_TEXT_SUMMARY_H
#define EAR_TEXT_SUMMARY_H

#include <stdint.h>

#include "decoder/formats/base/reader.h"

/* What a text trace holds, from its records: what 'earshot info' can say of one. A text has no
 * account of a unit, so whether its end is missing nobody knows.
 */
struct text_summary;

/* Returns NULL if memory is short. */
struct text_summary *text_summary_new(void);

/* The next record. Returns 0 or EAR_E_NO_MEMORY. */
int text_summary_add(struct text_summary *summary, const struct ear_record *record);

/* Print it as lines 'key: value'. format: its name; bad_lines: how many could not be read. */
void text_summary_print(const struct text_summary *summary, const char *format, uint64_t bad_lines);

void text_summary_free(struct text_summary *summary);

#endif
