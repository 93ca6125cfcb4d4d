#ifndef EAR_TARMAC_NAME_H
#define EAR_TARMAC_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/text/text_cursor.h"

/* What tarmac-trace-utilities do with a register's value. */
enum ear_tarmac_rule {
	EAR_TARMAC_IGNORED, /* they do not know the name: any value, none of it is used */
	EAR_TARMAC_EXACT,   /* all digits; fewer only if each is 0, or each is - */
	EAR_TARMAC_UP_TO,   /* that many digits, or fewer */
	EAR_TARMAC_ANY,     /* any number of digits: the lowest 32 bits are used */
	EAR_TARMAC_STACK,   /* 8 or 16 digits; any other number is ignored */
};

struct ear_tarmac_name {
	enum ear_tarmac_rule rule;
	unsigned digits; /* of EXACT and UP_TO */
	bool cpsr;       /* "cpsr": a second word counts only if it is a number */
	/* The name is longer than the one that they see in it: "S3_0_C15_C2_0" is "S3" to them. A
	 * bank, "r13_svc", is none of it. */
	bool longer;
};

/* A register's name as lines have it, perhaps with a bank or a range of bits after it: "r13_svc",
 * "R1 (USR)", "V0<127:64>". Letters are equal in both cases to them, but for "cpsr". */
struct ear_tarmac_name ear_tarmac_name(struct ear_text name);

/* The register's name without what is in brackets after it. */
struct ear_text ear_tarmac_bare_name(struct ear_text name);

/* The number that a text begins with, and how many digits that is. */
unsigned ear_tarmac_leading_number(struct ear_text text, size_t *digits);

static inline char ear_tarmac_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

#endif
