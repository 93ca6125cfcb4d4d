#ifndef EAR_RUN_SUMMARY_H
#define EAR_RUN_SUMMARY_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a run of ordinary records (ear_compact_run.ordinary) leaves behind: which code it executed,
 * what its registers hold at its end, what it read and wrote, and where it went, in order. Those
 * who follow registers, memory and calls need no more. It has less than half of the size of the
 * records, and is made where they still are in the processor's cache.
 */

#define EAR_RUN_LINE 6 /* log2 of the bytes of a line of code */

/* Instructions executed in one line. */
struct ear_run_code {
	uint64_t pc;        /* of one of them */
	uint32_t halfwords; /* those where one begins, lowest address first */
};

struct ear_run_access {
	uint64_t address, data;
	uint32_t opcode;
	uint8_t size, flags; /* as in a compact record */
	uint8_t opcode_size;
};

/* A record that may mean something to call stacks: it writes sp, or a branch or jump is taken. */
struct ear_run_mark {
	uint64_t pc, next_pc;
	uint64_t result; /* of register rd */
	uint32_t opcode;
	uint8_t at; /* which record of the run */
	uint8_t rd;
	bool taken;
};

struct ear_run_summary {
	struct ear_compact_run run;
	uint64_t pc;                      /* of the first record */
	uint64_t next_pc;                 /* of the last one */
	uint32_t first_ticks, last_ticks; /* from run.ticks, of the first and the last record */
	uint32_t written;                 /* x registers, one bit each; not x0 */
	uint32_t code_count, value_count, access_count, mark_count;
	const struct ear_run_code *code;
	const uint64_t *values; /* of the registers written, in the order of their numbers */
	const struct ear_run_access *accesses;
	const struct ear_run_mark *marks;
};

#define EAR_RUN_SP 2

/* Room for the longest. */
struct ear_run_summary_room {
	struct ear_run_code code[EAR_COMPACT_RUN_MAX];
	uint64_t values[32];
	struct ear_run_access accesses[EAR_COMPACT_RUN_MAX];
	struct ear_run_mark marks[EAR_COMPACT_RUN_MAX];
};

/* Is the run one that can be summarized? */
static inline bool ear_run_summary_fits(const struct ear_compact_run *run)
{
	return run->ordinary && run->count > 0 && run->count <= EAR_COMPACT_RUN_MAX &&
	       run->privilege < EAR_PRIVILEGE_DEBUG;
}

/* Summarize a run that fits. *summary points into room. */
void ear_run_summary_make(struct ear_run_summary *summary, struct ear_run_summary_room *room,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts);

/* The record of an access, as far as following memory needs it: without pc and result. */
struct ear_compact_record ear_run_access_compact(const struct ear_run_access *access);

#endif
