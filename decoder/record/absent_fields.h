#ifndef EAR_ABSENT_FIELDS_H
#define EAR_ABSENT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/record/field.h"

/* Fields that the source of a capture file did not have: the key "not_told" of
 * docs/file-format.md, section 3. The wire format has no "absent", so the capture carries some
 * value for such a field and a decoder must remove it again.
 */

/* Format a set of EAR_FIELD_BIT as the value of that key. Returns what snprintf returns. */
int ear_absent_fields_text(char *text, size_t size, uint64_t fields);

/* Parse the value of that key. Unknown phrases are ignored. */
uint64_t ear_absent_fields_parse(const char *text);

/* Removes the fields from records. */
struct ear_absent_fields {
	uint64_t fields; /* EAR_FIELD_BIT; 0: records pass unchanged */
	struct ear_record record;
	struct ear_record_access memory[2];
};

/* Remove the fields from a decoded record. Returns the record itself if it has none of them, else
 * a copy that is valid until the next call.
 */
const struct ear_record *ear_absent_fields_remove(
	struct ear_absent_fields *absent, const struct ear_record *record);

#endif
