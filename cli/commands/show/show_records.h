#ifndef EAR_SHOW_RECORDS_H
#define EAR_SHOW_RECORDS_H

#include <earshot/instruction.h>
#include <earshot/names.h>
#include <earshot/record.h>

#include "cli/show/styled.h"

/* Records for people: lines in columns, with what changed since the record before. */
struct show_records;

struct show_options {
	bool times;     /* a column for them */
	bool opcodes;   /* likewise */
	uint64_t mark;  /* this instruction is pointed at; UINT64_MAX: none */
	bool source;    /* with the text of a line of the source */
	bool no_inline; /* the line of inlined code is the one that it was inlined into */
	unsigned xlen;  /* 32 or 64: how wide the pc is */
};

/* names may be NULL. All of them belong to the caller. Returns NULL without memory. */
struct show_records *show_records_new(struct styled *styled, struct ear_instructions *instructions,
	const struct ear_names *names, const struct show_options *options);
void show_records_free(struct show_records *show);

/* One record. number: of the next instruction, or of this one. */
void show_record(struct show_records *show, const struct ear_record *record, uint64_t number);

/* "machine timer": the name of a cause of the privileged ISA, without the interrupt bit; NULL for
 * one that has none. */
const char *show_trap_name(bool interrupt, uint64_t cause);

#endif
