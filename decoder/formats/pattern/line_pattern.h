#ifndef EAR_LINE_PATTERN_H
#define EAR_LINE_PATTERN_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small language for the lines of a log (docs/text-formats.md, "Logs of your own"):
 *
 *     {time}: PC={pc} I={opcode} {? x{n}<={v}}
 *
 * It is matched from left to right. A part that may be missing is tried once where it may be, and
 * parts are not nested, so that a line takes a time that is linear in its length. Nothing here
 * knows what a record is.
 */
struct ear_line_pattern;

/* What a line can say once. */
enum ear_line_value {
	EAR_LINE_PC,
	EAR_LINE_OPCODE,
	EAR_LINE_CYCLE,
	EAR_LINE_TIME, /* text: its unit, or nothing */
	EAR_LINE_HART,
	EAR_LINE_INDEX,
	EAR_LINE_MODE, /* text: a word, or nothing and a number */
	EAR_LINE_TRAP,
	EAR_LINE_INTERRUPT,
	EAR_LINE_CAUSE,
	EAR_LINE_TVAL,
	EAR_LINE_RD,     /* value of the register that the opcode writes */
	EAR_LINE_DISASM, /* text */
	EAR_LINE_VALUES
};

#define EAR_LINE_BIT(value) (1u << (value))

/* What it can say several times. */
enum ear_line_part_kind {
	EAR_LINE_WRITE,  /* a register */
	EAR_LINE_READ,   /* an integer register that was read */
	EAR_LINE_ACCESS, /* to memory; the opcode says which way */
	EAR_LINE_LOAD,
	EAR_LINE_STORE,
};

struct ear_line_part {
	uint8_t kind;      /* enum ear_line_part_kind */
	uint8_t reg_class; /* enum ear_register_class */
	uint8_t size;      /* bytes of an access; 0: unknown */
	bool known;        /* the number or the address is */
	bool has_value;
	uint16_t strobe; /* bytes of the word that are accessed, if has_strobe */
	bool has_strobe;
	uint64_t number; /* of the register, or the address */
	uint64_t value;
	bool negative;        /* the value has a minus, and XLEN bits */
	uint16_t digits;      /* of the value */
	struct ear_text text; /* the same, of a vector register; in the line */
};

/* How the patterns take the lines of a log. */
enum ear_line_role {
	EAR_LINE_BEGINS,   /* a record */
	EAR_LINE_PREVIOUS, /* adds to the record before */
	EAR_LINE_NEXT,     /* adds to the record that comes */
	EAR_LINE_NOTHING,  /* is to be passed over */
};

#define EAR_LINE_EXPECTED_SIZE 80

struct ear_line_match {
	enum ear_line_role role;
	uint32_t given, unknown; /* sets of EAR_LINE_BIT */
	uint32_t negative;       /* the same, of those given: with a minus, and XLEN bits */
	uint64_t numbers[EAR_LINE_VALUES];
	struct ear_text texts[EAR_LINE_VALUES];
	size_t pc_digits; /* hexadecimal ones */
	uint32_t pattern; /* which one fits, or came furthest, from 1 */
	/* If none fits: where that one stops, from 1; what it wants there; and whether it had taken
	 * something that belongs into a record. */
	size_t column;
	char expected[EAR_LINE_EXPECTED_SIZE];
	bool begun;
};

/* What is wrong with a text of patterns: the pattern and the column, both from 1, and a sentence.
 * pattern 0: it is none of them alone. */
struct ear_line_fault {
	uint32_t pattern;
	size_t column;
	const char *line; /* in the text */
	size_t size;
	char cause[200];
};

#define EAR_LINE_PATTERN_TEXT_MAX 16384u /* bytes of the text of all patterns */
#define EAR_LINE_PARTS_MAX        16     /* of a pattern, or of one repetition */

/* One pattern a line; empty lines do not count.
 *
 * Returns 0 and *made, to be freed; EAR_E_BAD_ARGUMENT and *fault; or EAR_E_NO_MEMORY. fault may be
 * NULL. text is not kept.
 */
int ear_line_pattern_new(
	struct ear_line_pattern **made, const char *text, struct ear_line_fault *fault);
void ear_line_pattern_free(struct ear_line_pattern *patterns); /* NULL is fine */

/* What the patterns can show: EAR_LINE_BIT, and of parts EAR_LINE_BIT(EAR_LINE_VALUES + kind). */
uint32_t ear_line_pattern_shows(const struct ear_line_pattern *patterns);

uint32_t ear_line_pattern_count(const struct ear_line_pattern *patterns);

/* Every line that begins a record has the value of a register, as in a log of writes: instructions
 * without one are not in it. */
bool ear_line_pattern_is_sparse(const struct ear_line_pattern *patterns);

/* The first pattern that fits the whole line. False: none does, and *match says where. */
bool ear_line_match(const struct ear_line_pattern *patterns, struct ear_text line,
	struct ear_line_match *match);

/* The parts of a line that fits, in their order. */
void ear_line_parts(const struct ear_line_pattern *patterns, struct ear_text line,
	const struct ear_line_match *match,
	void (*take)(void *context, const struct ear_line_part *part), void *context);

#endif
