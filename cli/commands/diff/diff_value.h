#ifndef EAR_DIFF_VALUE_H
#define EAR_DIFF_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "library/compare/compare.h"

/* The register that differs, in text[0 .. size-1], which is returned. */
const char *diff_register_name(
	const struct ear_record_difference *difference, char *text, size_t size);

/* What the difference is about: "x15", "the address accessed"; it may be in text[0 .. size-1]. */
const char *diff_subject(const struct ear_record_difference *difference, char *text, size_t size);

/* Print the number that a side has, whole, with an x for each unknown digit. */
void diff_print_number(const struct ear_record_difference *difference, unsigned side);

/* Print the value of a side: 0 is A. */
void diff_print_value(const struct ear_record_difference *difference, unsigned side);

/* The instruction of both records, as a source or the instruction table says; "" if that is
 * unknown. In text[0 .. size-1], which is returned.
 */
const char *diff_instruction(
	const struct ear_record *a, const struct ear_record *b, char *text, size_t size);

#endif
