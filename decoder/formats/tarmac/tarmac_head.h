#ifndef EAR_TARMAC_HEAD_H
#define EAR_TARMAC_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/state_walk.h"
#include "decoder/text/text_cursor.h"

/* The beginning of a line of QEMU4V and Tarmac (docs/text-formats.md): when, where, and of which
 * kind. */
enum ear_tarmac_kind {
	EAR_TARMAC_BLANK,
	EAR_TARMAC_INSTRUCTION, /* IT, IS, IF */
	EAR_TARMAC_STATE,       /* ES: the instruction is in the brackets */
	EAR_TARMAC_ACCESS,      /* MR4, MW8X, R01 */
	EAR_TARMAC_DIAGRAM,     /* LD, ST: 16 bytes of memory, highest first */
	EAR_TARMAC_REGISTER,    /* R */
	EAR_TARMAC_EVENT,       /* E, EXC, CADI, ...: everything else */
	EAR_TARMAC_HEADER,      /* "Tarmac Text Rev 1" */
};

/* What lasts from line to line. All zero at the start. */
struct ear_tarmac_state {
	/* The stamp of the last line that had one, to be known again by its characters: most
	 * lines have the stamp of the line before. It points into that line: the caller sets
	 * stamp_size to 0 before the line becomes invalid. */
	const char *stamp;
	size_t stamp_size;
	char unit[8];
	size_t unit_size;
	uint64_t time;
	bool has_time;
	bool foreign_unit; /* the stamp has a unit that tarmac-trace-utilities do not know */
	bool cut_time;     /* a fraction of a time was cut off; the caller reports and clears it */
	/* CPUs that have no number, in the order of their first line. */
	char names[64][48];
	size_t name_count;
};

struct ear_tarmac_head {
	enum ear_tarmac_kind kind;
	struct ear_text word;        /* which kind it is, "IT" */
	struct ear_text_cursor rest; /* the line after the word */
	bool stamped;                /* the line has a time of its own */
	bool has_cpu, decimal_cpu;
	bool foreign_cpu; /* not a word that begins with "cpu" */
	bool continued;   /* DIAGRAM: the line begins with the address, word is not in it */
	uint16_t cpu;
};

/* The stamp, the cpu and the kind of a line, which ends at end. The time goes to the state. Returns
 * NULL, or in a few words why the line is bad; then *head means nothing.
 */
const char *ear_tarmac_head(struct ear_tarmac_head *head, struct ear_tarmac_state *state,
	const char *line, const char *end);

/* Measure, save or load the state, without the stamp, which only makes it faster. */
void ear_tarmac_state_walk(struct ear_state_walk *walk, struct ear_tarmac_state *state);

/* True for a unit of times that tarmac-trace-utilities know. */
bool ear_tarmac_is_unit(struct ear_text unit);

/* True for the first word of an event that tarmac-trace-utilities takes without a warning. */
bool ear_tarmac_is_event_word(struct ear_text word);

/* 'T' if none of the first instructions has an instruction set, as Cortex-M0 RTL writes them, and
 * one has an opcode of 16 bits, which only Thumb has; else 0. */
char ear_tarmac_implicit_set(const char *bytes, size_t size);

#endif
