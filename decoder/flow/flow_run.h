#ifndef EAR_FLOW_RUN_H
#define EAR_FLOW_RUN_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/flow/flow_code.h"

/* What a decoder of a branch trace makes: the instructions that it walks over, as a run of compact
 * records, and then at most one other record, a trap, a gap or an event.
 *
 *     while (there is something to walk over) {
 *             if (!ear_flow_run_open(run, hart, offset))
 *                     return;                           the run has to be handed out first
 *             ear_flow_run_retire(run, hart, instruction, pc, next_pc, taken);
 *     }
 *
 * An instruction of a branch trace has pc, opcode and next_pc, and no registers and no memory.
 */

/* A hart, as far as its records show it. */
struct ear_flow_hart {
	uint16_t hart;
	uint8_t xlen;
	uint8_t privilege; /* enum ear_privilege, if privilege_known */
	bool privilege_known;
	bool timed;     /* time is the time of the next record */
	uint64_t index; /* of the next instruction */
	uint64_t time;
};

#define EAR_FLOW_TEXT_SIZE 96u

struct ear_flow_run {
	struct ear_compact_run run;
	struct ear_compact_record compacts[EAR_COMPACT_RUN_MAX];
	uint32_t offset; /* of the message of the next instruction, from run.stream_offset */
	bool has_record;
	struct ear_record record;
	struct ear_record_extra extra;
	char text[EAR_FLOW_TEXT_SIZE]; /* of an event */

	size_t given; /* records of the run that were handed out one by one */
	struct ear_expanded_record expanded;
};

/* Make an empty run. */
void ear_flow_run_init(struct ear_flow_run *run);

/* Is there nothing to hand out? */
static inline bool ear_flow_run_is_empty(const struct ear_flow_run *run)
{
	return run->run.count == 0 && !run->has_record;
}

/* Was all handed out, by ear_flow_run_next? */
static inline bool ear_flow_run_is_given(const struct ear_flow_run *run)
{
	return run->given == run->run.count && !run->has_record;
}

/* May an instruction of this hart be added, of a message at offset of the stream? If not, what the
 * run has must be handed out first. */
bool ear_flow_run_open(struct ear_flow_run *run, struct ear_flow_hart *hart, uint64_t offset);

/* After ear_flow_run_open: how many more instructions fit without asking again. */
static inline size_t ear_flow_run_room(const struct ear_flow_run *run)
{
	return EAR_COMPACT_RUN_MAX - run->run.count;
}

static inline void ear_flow_fill(struct ear_compact_record *to,
	const struct ear_flow_instruction *instruction, uint64_t pc, uint64_t next_pc, bool taken,
	uint32_t offset)
{
	to->pc = pc;
	to->next_pc = next_pc;
	to->opcode = instruction->opcode;
	to->offset = offset;
	to->opcode_size = instruction->size;
	/* A return from a trap is no branch. */
	to->flags = taken && instruction->kind != EAR_FLOW_TRAP_RETURN ? EAR_COMPACT_TAKEN : 0;
}

/* An instruction retired. There is room. */
static inline void ear_flow_run_retire(struct ear_flow_run *run, struct ear_flow_hart *hart,
	const struct ear_flow_instruction *instruction, uint64_t pc, uint64_t next_pc, bool taken)
{
	ear_flow_fill(
		&run->compacts[run->run.count++], instruction, pc, next_pc, taken, run->offset);
	hart->index++;
}

/* Instructions that follow each other retired, none of which jumps: as many as fit, of so many
 * half-words. The first one is *instruction, and all are OTHER or UPPER. Returns how many
 * half-words they have. mask: of XLEN bits. */
static inline uint64_t ear_flow_run_retire_straight(struct ear_flow_run *run,
	struct ear_flow_hart *hart, const struct ear_flow_instruction *instruction, uint64_t pc,
	uint64_t mask, uint64_t half_words)
{
	const struct ear_flow_instruction *end = instruction + half_words, *at = instruction;
	struct ear_compact_record *to = &run->compacts[run->run.count];
	struct ear_compact_record *last = &run->compacts[EAR_COMPACT_RUN_MAX];
	struct ear_compact_record *first = to;
	uint32_t offset = run->offset;

	while (at < end && to < last) {
		uint64_t next_pc = (pc + at->size) & mask;
		ear_flow_fill(to++, at, pc, next_pc, false, offset);
		pc = next_pc;
		at += at->size >> 1;
	}
	run->run.count += (size_t)(to - first);
	hart->index += (uint64_t)(to - first);
	return (uint64_t)(at - instruction);
}

/* The other records. There must be none yet (has_record), and they come after the run. The caller
 * adds nothing before the run was handed out. */

/* The instruction at epc did not retire: flags has EAR_RECORD_TRAP or EAR_RECORD_INTERRUPT, and
 * EAR_RECORD_NO_CAUSE or NO_NEXT_PC. instruction NULL: there is no code; else its bits
 * (ear_flow_code_bits_at). The caller may set cause
 * and extra. */
struct ear_record *ear_flow_run_trap(struct ear_flow_run *run, struct ear_flow_hart *hart,
	const struct ear_flow_instruction *instruction, uint64_t epc, uint64_t next_pc,
	uint32_t flags, uint64_t offset);

/* Records are missing. bytes: how many of the stream could not be used. */
struct ear_record *ear_flow_run_gap(struct ear_flow_run *run, const struct ear_flow_hart *hart,
	enum ear_gap_reason reason, uint64_t bytes, uint64_t offset);

/* The same where no code is known at address. */
void ear_flow_run_no_code(struct ear_flow_run *run, const struct ear_flow_hart *hart,
	uint64_t address, uint64_t offset);

/* An event of a text (enum ear_record_kind), named by a format of printf. */
__attribute__((format(printf, 4, 5))) void ear_flow_run_event(struct ear_flow_run *run,
	struct ear_flow_hart *hart, uint64_t offset, const char *format, ...);

/* Hand out one record, valid until the next call. Returns 1; 0 if the run is empty. */
int ear_flow_run_next(struct ear_flow_run *run, const struct ear_record **record);

/* As ear_flow_run_next; *compacts is not NULL if it is not one record but all that are in
 * run->run, valid until the next call. */
int ear_flow_run_take(struct ear_flow_run *run, const struct ear_compact_run **compacts,
	const struct ear_record **record);

/* All was handed out by the caller itself: begin again. */
void ear_flow_run_clear(struct ear_flow_run *run);

#endif
