#ifndef EAR_CHECK_H
#define EAR_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/record.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The self-check: where a trace of a RISC-V core is wrong, by what its instructions must do. No
 * reference model. docs/check.md has the rules and what they rest on (RISC-V Instruction Set
 * Manual, volumes I and II).
 */
struct ear_trace;
struct ear_progress;

enum ear_check_rule {
	EAR_CHECK_ORDER,
	EAR_CHECK_FLOW,
	EAR_CHECK_OPERAND,
	EAR_CHECK_RESULT,
	EAR_CHECK_NEXT_PC,
	EAR_CHECK_ACCESS,
	EAR_CHECK_STORED,
	EAR_CHECK_LOADED,
	EAR_CHECK_TRAP,
	EAR_CHECK_RETURN,
	EAR_CHECK_CSR,
	EAR_CHECK_INTERRUPT,
	EAR_CHECK_PMP,
	EAR_CHECK_RULES
};

/* Why a rule could not be checked. */
enum ear_check_reason {
	EAR_CHECK_ABSENT,    /* the trace does not show it */
	EAR_CHECK_UNKNOWN,   /* a value that the trace has not shown yet */
	EAR_CHECK_EXTENSION, /* an instruction whose semantics are not known */
	EAR_CHECK_CHANGES,   /* memory that changes by itself */
	EAR_CHECK_REASONS
};

/* "operand"; "absent". NULL for a number that is none. Static. */
const char *ear_check_rule_name(unsigned rule);
const char *ear_check_reason_name(unsigned reason);

/* The rule with a name, or EAR_E_BAD_ARGUMENT. */
int ear_check_rule_find(const char *name);

#define EAR_VIOLATION_TEXT_MAX 256

/* A record that breaks a rule. */
struct ear_violation {
	uint64_t position, number; /* of the record (trace.h) */
	const struct ear_record *record;
	unsigned rule;                     /* enum ear_check_rule */
	uint64_t expected, actual;         /* 0 where the rule compares no numbers */
	char text[EAR_VIOLATION_TEXT_MAX]; /* a sentence without a full stop */
};

/* Valid until the function returns. Returns 0 to go on; any other value ends the check, which
 * returns it. It must not use the trace. */
typedef int ear_violation_found(void *context, const struct ear_violation *violation);

struct ear_check_counts {
	size_t size; /* sizeof(struct ear_check_counts), filled in by the caller */
	uint64_t records, instructions;
	struct {
		uint64_t checked, violations;
		uint64_t unchecked[EAR_CHECK_REASONS];
	} rules[EAR_CHECK_RULES];
};

struct ear_check_options {
	size_t size;    /* sizeof(struct ear_check_options) */
	uint32_t rules; /* only violations of these are found: set of 1 << rule; 0: all */
	bool reset;     /* each hart begins at a reset: mstatus.MIE, MPRV and pmpcfg are 0 */
	/* What x, f and CSR registers hold where each hart begins. */
	const struct ear_record_register *assumed;
	size_t assumed_count;
};

#define EAR_CHECK_DEFAULTS \
	{ \
		.size = sizeof(struct ear_check_options) \
	}

/* Check the whole trace. options NULL: defaults; found NULL: count only. Operands are checked if
 * the trace was opened with ear_trace_options.reads, and opcodes and first loads if it has the
 * image of its program (ear_trace_set_program, moment.h). The place at which ear_trace_next reads
 * does not change.
 *
 * Returns 0 and *counts; what found returned if that is not 0; EAR_E_BAD_ARGUMENT if a size is 0,
 * EAR_E_UNSUPPORTED (a pipe), EAR_E_CANCELLED, EAR_E_NO_MEMORY, or an error as ear_trace_next.
 */
int ear_trace_check(struct ear_trace *trace, const struct ear_check_options *options,
	ear_violation_found *found, void *context, struct ear_check_counts *counts,
	const struct ear_progress *progress);

/* A capture in parts, each checked by itself, in any order, anywhere; joined in their order they
 * are the whole, whatever was cut. A part is rows of numbers, which only the join understands.
 *
 *     ear_trace_check_part(trace, &options, begin, end, row, context, &pages, NULL);
 *
 *     ear_check_join_new(&join, trace, &options, found, context);
 *     for each part, in order:
 *             ear_check_join_begin(join, begin, end, pages, NULL);
 *             for each of its rows: ear_check_join_row(join, kind, numbers, count, NULL);
 *             ear_check_join_end(join);
 *     ear_check_join_counts(join, &counts);
 *     ear_check_join_free(join);
 *
 * Where the join sees that a part supposed something that is not so, it reads the records of that
 * part in the trace. So the trace must be there.
 */

/* A row: count numbers, up to EAR_CHECK_ROW_MAX, kind below EAR_CHECK_ROW_KINDS. Returns 0; any
 * other value ends the part, which returns it. */
#define EAR_CHECK_ROW_MAX   31
#define EAR_CHECK_ROW_KINDS 32
typedef int ear_check_row(void *context, unsigned kind, const uint64_t *numbers, unsigned count);

/* The records at positions begin .. end - 1. A place of the index is read from, if there is one;
 * else what is before. *pages is for ear_check_join_begin. Returns as ear_trace_check; what row
 * returned; EAR_E_UNSUPPORTED if the trace is no capture that shows all that an instruction did. */
int ear_trace_check_part(struct ear_trace *trace, const struct ear_check_options *options,
	uint64_t begin, uint64_t end, ear_check_row *row, void *context, uint64_t *pages,
	const struct ear_progress *progress);

struct ear_check_join;

/* The first part begins at 0. options: as those of the parts. The trace and what options point to
 * must stay. Returns 0 and the join, EAR_E_NO_MEMORY, EAR_E_BAD_ARGUMENT, EAR_E_UNSUPPORTED. */
int ear_check_join_new(struct ear_check_join **join, struct ear_trace *trace,
	const struct ear_check_options *options, ear_violation_found *found, void *context);
void ear_check_join_free(struct ear_check_join *join); /* NULL is fine */

/* Each returns 0; what found returned; EAR_E_BAD_FILE: no part is so; or as ear_trace_check. */
int ear_check_join_begin(struct ear_check_join *join, uint64_t begin, uint64_t end, uint64_t pages,
	const struct ear_progress *progress);
int ear_check_join_row(struct ear_check_join *join, unsigned kind, const uint64_t *numbers,
	unsigned count, const struct ear_progress *progress);
int ear_check_join_end(struct ear_check_join *join);

/* What was counted so far, as ear_trace_check fills it in. */
int ear_check_join_counts(const struct ear_check_join *join, struct ear_check_counts *counts);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
