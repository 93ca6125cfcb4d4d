#ifndef EAR_NOT_TOLD_H
#define EAR_NOT_TOLD_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/record/field.h"

/* What the source of a capture file could not tell: the fact "not_told" of docs/file-format.md,
 * section 3. On the wire such a field is something, so whoever decodes must leave it out.
 */

/* A set of EAR_FIELD_BIT as the value of the fact; as snprintf. */
int ear_not_told_text(char *text, size_t size, uint64_t fields);

/* And back. Phrases that are not known are passed over. */
uint64_t ear_not_told_parse(const char *text);

/* Records without these fields. */
struct ear_not_told {
	uint64_t fields; /* EAR_FIELD_BIT; 0: records are as they are */
	struct ear_record record;
	struct ear_record_access memory[2];
};

/* A record of a decoder without the fields: itself, or a copy that is valid until the next call. */
const struct ear_record *ear_not_told_apply(
	struct ear_not_told *not_told, const struct ear_record *record);

#endif
