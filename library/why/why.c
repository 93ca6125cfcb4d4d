/* Why a run ended as it did: asks the parts of a diagnosis, in the order of what explains more. A
 * core that is wrong explains everything after that. A trap explains the exit code that its handler
 * gave and the loop that it ended in, and a program that says it ended well did not hang.
 */
#include <earshot/why.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/versioned.h"
#include "library/api/trace_internal.h"
#include "library/why/chain.h"
#include "library/why/diagnosis.h"

#define CAUSE_BREAKPOINT 3
#define HARTS_MAX        64
#define NESTED_STUCK     16 /* traps in a handler, of which none returned: none will */

/* ---- One hart. ---- */

/* The unit says so: also where the board ended it, by a limit of its own. */
static bool is_program_end(const char *reason)
{
	return strncmp(reason, "program ended", 13) == 0;
}

/* Was the capture ended wherever the program was just then? */
static bool is_cut(const char *reason)
{
	static const char *const reasons[] = {"limit", "interrupted", "stopped by the host",
		"end of part", "failed", "reader left", "output failed", "no answer to the stop"};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(reason, reasons[i]) == 0)
			return true;
	return is_program_end(reason);
}

/* The handler neither ended the program nor got stuck: it may have returned later. */
static void say_unfinished(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	char text[EAR_WHY_TEXT_MAX - 128];

	memcpy(text, why->text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	why->kind = EAR_WHY_UNKNOWN;
	ear_diagnosis_say(diagnosis,
		"cause unknown: the capture ended (%s) in a handler that may have returned, of: %s",
		why->end_reason, text);
}

/* Are there stores at the end, and do their records list no access? */
static bool has_no_accesses(const struct ear_diagnosis *diagnosis)
{
	const struct ear_past *past = diagnosis->past;
	size_t stores = 0;

	for (uint64_t i = past->end; i > past->first; i--) {
		const struct ear_record *record = ear_past_in_window(past, i - 1);
		if (record->memory_count > 0)
			return false;
		stores += record->kind == EAR_RECORD_INSTRUCTION &&
			  !(record->flags & EAR_RECORD_TRAP) &&
			  ear_diagnosis_decode(diagnosis, record).instruction_class ==
				  EAR_CLASS_STORE;
	}
	return stores > 0;
}

static void say_other(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	const char *reason = why->end_reason;

	why->place = ear_diagnosis_place(diagnosis->past, diagnosis->last);
	if (is_program_end(reason)) {
		ear_diagnosis_say(diagnosis,
			"cause unknown: no trap, no exit and no loop without progress at the end; "
			"the board ended the program (max-cycles, for instance), or an exit that "
			"is not known");
		return;
	}
	ear_diagnosis_say(diagnosis,
		"cause unknown: no trap, no exit and no loop without progress at the end%s%s%s",
		reason[0] ? "; the capture ended by: " : "", reason,
		has_no_accesses(diagnosis)
			? "; the trace lists no accesses, so an exit does not show"
			: "");
}

/* Are the instructions of the hart those of RISC-V? Others are not known here, nor their
 * exceptions.
 */
static bool is_riscv(const struct ear_diagnosis *diagnosis)
{
	const struct ear_record *record = ear_past_in_window(diagnosis->past, diagnosis->last);

	return !record || record->isa == EAR_ISA_RISCV;
}

/* Is the trap an ebreak, and did the handler of an earlier one return? Then it is a request, as a
 * system call is, and the handler decided what came of it. Returns 1, 0 or an error. */
static int is_served_break(struct ear_diagnosis *diagnosis)
{
	const struct ear_why *why = &diagnosis->why;
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position;

	if (!why->cause_known || why->cause != CAUSE_BREAKPOINT)
		return 0;
	query.hart = why->hart;
	query.traps = EAR_QUERY_EXCEPTION;
	query.has_cause = true;
	query.cause = CAUSE_BREAKPOINT;
	return ear_trace_find(diagnosis->past->trace, &query, why->place.position, EAR_BACKWARD,
		&position, diagnosis->past->progress);
}

/* ---- The end was not seen. ---- */

/* May the hart have had this gap, behind its last instruction? */
static bool is_missing(const struct ear_record *record, uint16_t hart)
{
	const struct ear_gap *gap = &record->u.gap;

	return record->kind == EAR_RECORD_GAP && !(gap->count_known && gap->count == 0) &&
	       gap->reason != EAR_GAP_REPEATED && (record->hart == hart || !gap->count_known);
}

/* Are records missing behind the hart's last instruction? The window is that of the end. */
static void look_at_end(struct ear_diagnosis *diagnosis)
{
	const struct ear_past *past = diagnosis->past;
	struct ear_why *why = &diagnosis->why;

	for (uint64_t i = diagnosis->last + 1; i < past->end; i++) {
		const struct ear_record *record = ear_past_in_window(past, i);
		if (!is_missing(record, why->hart))
			continue;
		why->missing_known =
			record->u.gap.count_known && (!why->end_missing || why->missing_known);
		why->missing += record->u.gap.count_known ? record->u.gap.count : 0;
		why->end_missing = true;
	}
	why->end_after = ear_past_number(past, diagnosis->last);
}

/* What looks like a cause may have been none. */
static int say_unseen(struct ear_diagnosis *diagnosis)
{
	static const char *const prefixes[] = {
		"cause unknown: ", "hang: ", "endless wfi: ", "interrupt storm: ", "boot loop: "};
	const struct ear_why found = diagnosis->why;
	struct ear_why *why = &diagnosis->why;
	const char *text = found.text;
	const struct ear_record *record;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
			text += strlen(prefixes[i]);
	*why = (struct ear_why){.hart = found.hart,
		.end_missing = true,
		.missing_known = found.missing_known,
		.end_after = found.end_after,
		.missing = found.missing};
	memcpy(why->end_reason, found.end_reason, sizeof(why->end_reason));
	if (found.kind == EAR_WHY_EXIT || found.kind == EAR_WHY_ENDED)
		text = "the last instruction is the system call exit";
	ear_diagnosis_say(diagnosis, "cause unknown: the end was not seen; so far: %.*s%s",
		EAR_WHY_TEXT_MAX - 96, text,
		found.kind == EAR_WHY_TRAP ? ", and its handler had not returned" : "");
	int result = ear_past_at(diagnosis->past, diagnosis->last, &record);
	if (result == 1)
		why->place = ear_diagnosis_place(diagnosis->past, diagnosis->last);
	return result < 0 ? result : 0;
}

static int find_cause(struct ear_diagnosis *diagnosis)
{
	const struct ear_record *record;

	int result = ear_diagnose_violation(diagnosis);
	if (result != 0)
		return result < 0 ? result : 0;
	result = ear_past_at(diagnosis->past, diagnosis->end - 1, &record);
	if (result != 1)
		return result;
	if (!is_riscv(diagnosis)) {
		diagnosis->why.place = ear_diagnosis_place(diagnosis->past, diagnosis->last);
		ear_diagnosis_say(diagnosis,
			"cause unknown: causes are known for RISC-V, and this trace is of another "
			"instruction set");
		return 0;
	}
	result = ear_diagnose_exit(diagnosis);
	if (result < 0)
		return result;
	if (diagnosis->why.kind == EAR_WHY_ENDED) {
		result = ear_diagnose_event(diagnosis);
		return result < 0 ? result : 0;
	}
	const struct ear_why exit_why = diagnosis->why;
	const bool exited = result == 1;
	diagnosis->why.value_count = 0;
	diagnosis->why.kind = EAR_WHY_UNKNOWN;
	diagnosis->why.branch = (struct ear_why_place){.known = false};
	static int (*const repeated[])(struct ear_diagnosis *) = {
		ear_diagnose_boot, ear_diagnose_storm, ear_diagnose_interrupts};
	for (size_t i = 0; !exited && i < sizeof(repeated) / sizeof(repeated[0]); i++) {
		result = repeated[i](diagnosis);
		if (result != 0)
			return result < 0 ? result : 0;
	}
	result = ear_diagnose_trap(diagnosis);
	if (result < 0)
		return result;
	const bool trapped = result == 1;
	int is_request = exited && trapped ? is_served_break(diagnosis) : 0;
	if (is_request < 0)
		return is_request;
	if (exited && (!trapped || is_request)) {
		diagnosis->why = exit_why;
		return 0;
	}
	if (exited) {
		diagnosis->why.has_code = true;
		diagnosis->why.code = exit_why.code;
		return 0;
	}
	struct ear_why before = diagnosis->why;
	result = ear_diagnose_hang(diagnosis);
	if (result < 0)
		return result;
	if (trapped) {
		const bool stuck =
			diagnosis->why.kind == EAR_WHY_HANG || before.nested >= NESTED_STUCK;
		before.rounds = diagnosis->why.rounds;
		before.period = diagnosis->why.period;
		before.loop = diagnosis->why.loop;
		before.earlier = diagnosis->why.earlier;
		diagnosis->why = before;
		if (!stuck && is_cut(before.end_reason))
			say_unfinished(diagnosis);
		return 0;
	}
	if (result == 1)
		return 0;
	result = ear_diagnose_event(diagnosis);
	if (result != 0)
		return result < 0 ? result : 0;
	result = ear_past_at(diagnosis->past, diagnosis->end - 1, &record);
	if (result < 0)
		return result;
	say_other(diagnosis);
	return 0;
}

/* The values of a cause, where the record itself shows them, and where they came from. */
static int follow_values(
	struct ear_diagnosis *diagnosis, const struct ear_value_chain_options *options)
{
	struct ear_why *why = &diagnosis->why;

	for (size_t i = 0; i < why->value_count; i++) {
		int result = why->values[i].chain
				     ? 0
				     : ear_chain_of(diagnosis->past, &why->values[i].source,
					       options, &why->values[i].chain);
		if (result)
			return result;
	}
	return 0;
}

static void free_values(struct ear_why *why)
{
	for (size_t i = 0; i < why->value_count; i++) {
		ear_value_chain_free(why->values[i].chain);
		why->values[i].chain = NULL;
	}
}

/* ---- Which hart. ---- */

struct harts {
	uint16_t of[HARTS_MAX];
	uint64_t last[HARTS_MAX];
	size_t count;
};

/* Harts with instructions in the window, the one of the last instruction first. */
static void find_harts(const struct ear_past *past, int wanted, struct harts *harts)
{
	harts->count = 0;
	for (uint64_t i = past->end; i > past->first && harts->count < HARTS_MAX; i--) {
		const struct ear_record *record = ear_past_in_window(past, i - 1);
		bool known = record->kind != EAR_RECORD_INSTRUCTION ||
			     (wanted >= 0 && record->hart != wanted);
		for (size_t k = 0; k < harts->count; k++)
			known = known || harts->of[k] == record->hart;
		if (known)
			continue;
		harts->of[harts->count] = record->hart;
		harts->last[harts->count++] = i - 1;
	}
}

/* How much a kind explains. */
static int weight(unsigned kind)
{
	static const int weights[EAR_WHY_KINDS] = {
		[EAR_WHY_TRAP] = 5,
		[EAR_WHY_EXIT] = 4,
		[EAR_WHY_HANG] = 3,
		[EAR_WHY_EVENT] = 2,
		[EAR_WHY_ENDED] = 6,
	};

	return weights[kind];
}

/* Harts that wait for work, which another one gives them, are no hang. */
static void say_parked(struct ear_diagnosis *diagnosis, int going_on)
{
	struct ear_why *why = &diagnosis->why;

	why->kind = EAR_WHY_UNKNOWN;
	ear_diagnosis_say(diagnosis,
		"cause unknown: hart %u is in a loop or sleeps, and hart %d continues; --hart %u "
		"says more",
		why->hart, going_on, why->hart);
}

static int diagnose(struct ear_diagnosis *diagnosis)
{
	const struct ear_record *record;
	struct ear_why empty = diagnosis->why, best;
	struct harts harts;
	uint64_t best_last = 0;
	int going_on = -1; /* a hart that is in no loop and does not sleep */

	diagnosis->end = UINT64_MAX;
	int result = ear_past_load(diagnosis->past, &diagnosis->end);
	if (result)
		return result;
	ear_past_end_fact(
		diagnosis->past, "end_reason", empty.end_reason, sizeof(empty.end_reason));
	best = empty;
	find_harts(diagnosis->past, diagnosis->options->hart, &harts);
	for (size_t i = 0; i < harts.count; i++) {
		diagnosis->why = empty;
		diagnosis->why.hart = harts.of[i];
		diagnosis->last = harts.last[i];
		diagnosis->certain = false;
		result = ear_past_at(diagnosis->past, diagnosis->end - 1, &record);
		if (result == 1) {
			look_at_end(diagnosis);
			result = find_cause(diagnosis);
		}
		if (result == 0 && diagnosis->why.end_missing && !diagnosis->certain)
			result = say_unseen(diagnosis);
		if (result)
			return result;
		if (diagnosis->why.kind == EAR_WHY_UNKNOWN)
			going_on = harts.of[i];
		if (i == 0 || weight(diagnosis->why.kind) > weight(best.kind)) {
			best = diagnosis->why;
			best_last = diagnosis->last;
		}
	}
	diagnosis->why = best;
	diagnosis->last = best_last;
	if (best.kind == EAR_WHY_HANG && going_on >= 0)
		say_parked(diagnosis, going_on);
	if (harts.count == 0 && diagnosis->options->hart >= 0)
		ear_diagnosis_say(diagnosis,
			"cause unknown: hart %d has no instructions among the last %" PRIu64
			" records",
			diagnosis->options->hart, diagnosis->past->end - diagnosis->past->first);
	else if (harts.count == 0)
		ear_diagnosis_say(diagnosis, "cause unknown: there are no instructions at the end");
	return 0;
}

static int read_options(
	struct ear_trace *trace, struct ear_why_options *own, const struct ear_why_options *options)
{
	const struct ear_why_options defaults = EAR_WHY_DEFAULTS;

	if (ear_versioned_read(own, sizeof(*own), options ? options : &defaults))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the size of the options is none, or they are of a newer version");
	if (own->hart < -1 || own->hart > UINT16_MAX)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "a hart is 0 to 65535");
	return 0;
}

static int find(struct ear_diagnosis *diagnosis, const struct ear_value_chain_options *chain)
{
	int result = ear_instructions_new(&diagnosis->instructions, NULL, NULL);

	if (result)
		return ear_trace_fail(diagnosis->past->trace, result, "out of memory");
	result = diagnose(diagnosis);
	const unsigned kind = diagnosis->why.kind;
	if (result == 0 && (kind == EAR_WHY_TRAP || kind == EAR_WHY_EVENT || kind == EAR_WHY_EXIT))
		result = ear_diagnose_round(diagnosis);
	if (result == 0)
		result = ear_diagnose_skip(diagnosis);
	if (result == 0)
		result = follow_values(diagnosis, chain);
	if (result == 0) {
		ear_diagnose_check(diagnosis);
		result = ear_diagnose_choice(diagnosis);
	}
	if (result == 0)
		result = follow_values(diagnosis, chain);
	if (result == 0)
		result = ear_diagnose_after(diagnosis);
	if (result == 0)
		result = ear_diagnose_stack(diagnosis);
	if (result == 0)
		result = ear_diagnose_handler(diagnosis);
	if (result == 0)
		result = ear_diagnose_lost(diagnosis);
	if (result == 0)
		result = ear_diagnose_memory(diagnosis);
	if (result == 0)
		result = ear_diagnose_core(diagnosis);
	ear_instructions_free(diagnosis->instructions);
	return result;
}

int ear_trace_why(struct ear_trace *trace, const struct ear_why_options *options,
	const struct ear_why **why, const struct ear_progress *progress)
{
	struct ear_value_chain_options chain;
	struct ear_why_options own;
	struct ear_past past;

	int result = read_options(trace, &own, options);
	if (result == 0)
		result = ear_chain_options(trace, &chain, own.chain);
	if (result == 0)
		result = ear_past_init(&past, trace, progress);
	if (result)
		return result;
	struct ear_diagnosis diagnosis = {.past = &past, .options = &own};
	struct ear_why *made = malloc(sizeof(*made));
	result = made ? find(&diagnosis, &chain)
		      : ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	ear_past_fini(&past);
	if (result) {
		free_values(&diagnosis.why);
		free(made);
		return result;
	}
	*made = diagnosis.why;
	*why = made;
	return 0;
}

void ear_why_free(const struct ear_why *why)
{
	struct ear_why *made = (struct ear_why *)(uintptr_t)why;

	if (!made)
		return;
	free_values(made);
	free(made);
}

const char *ear_why_kind_name(unsigned kind)
{
	static const char *const names[EAR_WHY_KINDS] = {
		[EAR_WHY_UNKNOWN] = "unknown",
		[EAR_WHY_ENDED] = "ended",
		[EAR_WHY_TRAP] = "trap",
		[EAR_WHY_EXIT] = "exit",
		[EAR_WHY_HANG] = "hang",
		[EAR_WHY_EVENT] = "event",
	};

	return kind < EAR_WHY_KINDS ? names[kind] : NULL;
}

const char *ear_why_role_name(unsigned role)
{
	static const char *const names[EAR_WHY_ROLES] = {
		[EAR_WHY_ADDRESS] = "address",
		[EAR_WHY_TARGET] = "target",
		[EAR_WHY_INSTRUCTION] = "instruction",
		[EAR_WHY_CODE] = "code",
		[EAR_WHY_OPERAND] = "operand",
		[EAR_WHY_STATUS] = "status",
		[EAR_WHY_INPUT] = "input",
		[EAR_WHY_ENABLED] = "enabled",
		[EAR_WHY_CHOICE] = "choice",
		[EAR_WHY_RESUMED] = "resumed",
	};

	return role < EAR_WHY_ROLES ? names[role] : NULL;
}
