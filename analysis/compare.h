#ifndef EAR_COMPARE_H
#define EAR_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/record/field.h"
#include "decoder/record/record.h"
#include "decoder/record/record_copy.h"

/* Two traces, record by record: where they differ, and where they meet again.
 *
 * Instruction records are compared; everything else between them is passed over, except gaps: over
 * a gap both sides go to the same index, and what one of them has there is counted and not
 * compared. Memory is bounded by the window, however long the traces are.
 */

/* What is compared, a set. */
enum ear_compare_field {
	EAR_COMPARE_HART = 1 << 0,
	EAR_COMPARE_PC = 1 << 1,
	EAR_COMPARE_OPCODE = 1 << 2,
	EAR_COMPARE_PRIVILEGE = 1 << 3,
	EAR_COMPARE_TRAP = 1 << 4,   /* trap or interrupt, and its cause */
	EAR_COMPARE_TARGET = 1 << 5, /* where a taken branch went */
	EAR_COMPARE_X = 1 << 6,
	EAR_COMPARE_F = 1 << 7,
	EAR_COMPARE_FFLAGS = 1 << 8,
	EAR_COMPARE_CSR = 1 << 9,
	EAR_COMPARE_V = 1 << 10,
	EAR_COMPARE_NAMED = 1 << 11,
	EAR_COMPARE_ADDRESS = 1 << 12, /* of memory accesses, and how many */
	EAR_COMPARE_VALUE = 1 << 13,   /* of memory accesses */
	EAR_COMPARE_PHYSICAL = 1 << 14,
	EAR_COMPARE_TIME = 1 << 15,
	EAR_COMPARE_MASKED = 1 << 16, /* vector elements that the mask switched off */
};
#define EAR_COMPARE_ALL 0x1FFFFu

/* Name of one field as users write it, "csr"; the field of a name, 0 if there is none. */
const char *ear_compare_field_name(unsigned field);
unsigned ear_compare_field_find(const char *name, size_t size);

/* What can be compared of a format that carries this set of EAR_FIELD_BIT (decoder/record/field.h).
 */
unsigned ear_compare_fields_of(uint64_t carried);

/* Which of these fields a record has something of: those that a side may lack (NAMED and what is
 * always there are left out). */
unsigned ear_compare_fields_in(const struct ear_record *record);

/* How two records differ, in the first field that does, in the order of the enum. */
struct ear_record_difference {
	unsigned field;    /* enum ear_compare_field; 0: they do not differ */
	bool has_a, has_b; /* the side has such a register write, access, trap... */
	uint64_t value_a, value_b;
	uint8_t reg_class;    /* registers: enum ear_register_class */
	uint16_t number;      /* registers */
	struct ear_text name; /* registers: NAMED */
	uint64_t address;     /* VALUE, MASKED: of the access */

	/* V, and NAMED of more than 8 bytes: the whole value, lowest byte first, instead of value_.
	 * Valid as long as the records; NULL if the side has none. */
	const uint8_t *bytes_a, *bytes_b;
	size_t size_a, size_b;
};

/* Compare two instruction records in the fields of the set. unknown_equal: a value that one
 * side does not know is no difference. Returns true if they are the same.
 */
bool ear_record_compare(struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, unsigned fields, bool unknown_equal);

enum ear_compare_event_kind {
	EAR_COMPARE_DIFFERENT, /* the same instruction, with another outcome: difference */
	EAR_COMPARE_INSERTED,  /* count[0] records are only in A, count[1] only in B */
	EAR_COMPARE_ENDED,     /* side has ended, the other continues */
	EAR_COMPARE_PARTED,    /* no common instruction within the window: comparing ends */
	/* side has a gap, over which count[] records were not compared: those of the other side
	 * that lie in it; of this side only where the search for the end of the gap passed some. */
	EAR_COMPARE_GAP,
};

struct ear_compare_event {
	enum ear_compare_event_kind kind;
	unsigned side; /* 0 A, 1 B */
	bool again;    /* GAP: it was reported before, more records of the other side lie in it */
	uint64_t count[2];
	struct ear_record_difference difference;
};

struct ear_compare;

struct ear_compare_options {
	unsigned fields; /* set of enum ear_compare_field */
	bool unknown_equal;
	size_t window;     /* records to look ahead on each side, 0: no resynchronising */
	unsigned run;      /* instructions in a row that must match to meet again, >= 1 */
	unsigned context;  /* records kept before and shown after */
	int hart;          /* only this hart; -1 all */
	bool first_common; /* begin at the first instruction that both have */
	bool counted[2];   /* the side's indexes are counted by its reader (Whisper CSV) */
	bool has_start;    /* begin at this pc on both sides */
	uint64_t start_pc;
	/* The next record of side 0 or 1; results as ear_source_next. EAR_E_MORE: there is none
	 * yet; ear_compare_next returns it then, and can be called again. */
	int (*next)(void *context, unsigned side, const struct ear_record **record);
	void *next_context;
};

/* Returns 0 and *compare, to be freed, or EAR_E_NO_MEMORY. */
int ear_compare_new(struct ear_compare **compare, const struct ear_compare_options *options);
void ear_compare_free(struct ear_compare *compare);

/* Continue to the next event. Until the next call the sides stay at it: ear_compare_record
 * gives the records around it.
 *
 * Returns 1 and *event; 0 when both sides are at their end, or one is treated as ended, or they
 * parted; a negative value from next or EAR_E_NO_MEMORY.
 */
int ear_compare_next(struct ear_compare *compare, struct ear_compare_event *event);

/* Were the last pairs of both sides the same, with nothing read ahead? Then the caller may leave
 * out count pairs that it knows to be equal, which are counted here.
 */
bool ear_compare_idle(const struct ear_compare *compare);
void ear_compare_pass_equal(struct ear_compare *compare, uint64_t count);

/* The record at position of a side: 0 is the one that the event is about, negative ones are
 * before it (at most options.context), positive ones after it. NULL if it is not there.
 */
const struct ear_record *ear_compare_record(
	struct ear_compare *compare, unsigned side, int position);

/* Instruction records of a side that were passed so far; pairs that were compared. */
uint64_t ear_compare_count(const struct ear_compare *compare, unsigned side);
uint64_t ear_compare_pairs(const struct ear_compare *compare);

#endif
