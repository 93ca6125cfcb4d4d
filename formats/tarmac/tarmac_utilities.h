#ifndef EAR_TARMAC_UTILITIES_H
#define EAR_TARMAC_UTILITIES_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/tarmac/tarmac_head.h"
#include "formats/tarmac/tarmac_line.h"
#include "formats/text/text_cursor.h"

/* What tarmac-trace-utilities take, as their parser does (docs/text-formats.md, "Tarmac"). */

/* What they do with a register's value. */
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

/* Do the utilities take a line of which ear_tarmac_head made *head? A line that they refuse ends
 * their index of the file; one with a cpu that they do not know, or with another unit, means
 * something else to them. A line that they take and ignore is taken.
 */
bool ear_tarmac_taken(const struct ear_tarmac_head *head, const struct ear_tarmac_state *state);

/* The same, faster, for a line of which ear_tarmac_instruction made *instruction. */
bool ear_tarmac_takes_instruction(const struct ear_tarmac_head *head,
	const struct ear_tarmac_state *state, const struct ear_tarmac_instruction *instruction);

#endif
