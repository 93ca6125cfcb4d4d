#ifndef EAR_LINE_PATTERN_INTERNAL_H
#define EAR_LINE_PATTERN_INTERNAL_H

#include "decoder/formats/pattern/line_pattern.h"

/* What patterns become, for line_pattern.c and line_match.c only. */

enum ear_line_element_kind {
	EAR_LINE_LITERAL,
	EAR_LINE_BLANK,
	EAR_LINE_NUMBER,
	EAR_LINE_WORD,
	EAR_LINE_ANY,
	EAR_LINE_OPTIONAL,
	EAR_LINE_REPEATED
};

/* What a number, a word or any text is for: an enum ear_line_value, or one of these. */
enum ear_line_use {
	EAR_LINE_USE_REGISTER = EAR_LINE_VALUES, /* number of one */
	EAR_LINE_USE_NAME,                       /* its name */
	EAR_LINE_USE_CSR,
	EAR_LINE_USE_READ,
	EAR_LINE_USE_ACCESS,
	EAR_LINE_USE_LOAD,
	EAR_LINE_USE_STORE,
	EAR_LINE_USE_VALUE,
	EAR_LINE_USE_SIZE,
	EAR_LINE_USE_STROBE,
	EAR_LINE_USE_NOTHING,
};

struct ear_line_element {
	uint8_t kind, use;
	char base;         /* 'x', 'd', 'b' */
	uint8_t reg_class; /* of EAR_LINE_USE_REGISTER */
	uint8_t part;      /* of the pattern or the group */
	uint8_t parts;     /* of a group */
	uint32_t end;      /* of a group: the element after it */
	const char *text;  /* a literal, or how the field is written */
	size_t size;
};

struct ear_line_form {
	uint32_t begin, end; /* of its elements */
	enum ear_line_role role;
	uint8_t parts;
};

struct ear_line_pattern {
	char *text; /* of all of them, escapes taken away from literals */
	struct ear_line_element *elements;
	struct ear_line_form *patterns;
	uint32_t element_count, count;
	uint32_t shows;
	bool sparse;
};

/* Of the names of fields and of registers. */
static inline bool ear_line_is_name(char c)
{
	return ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

#define EAR_LINE_LATER \
	(EAR_LINE_BIT(EAR_LINE_CYCLE) | EAR_LINE_BIT(EAR_LINE_TIME) | EAR_LINE_BIT(EAR_LINE_HART))

#endif
