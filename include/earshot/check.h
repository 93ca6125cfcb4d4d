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

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
