/* The calls at a moment: which function gave up, and which branch led to a call. Functions by which
 * programs give up are known by name: those of C libraries, and usual ones.
 */
#include "library/why/diagnosis.h"

#include <earshot/moment.h>
#include <stdlib.h>
#include <string.h>

#include "library/api/trace_internal.h"

#define FRAMES_FIRST  256
#define FRAMES_LOOKED 16 /* the newest ones, for one that gives up */
#define CALLS_SKIPPED 32 /* calls in each other that ended before */

int ear_diagnosis_frames(struct ear_diagnosis *diagnosis, uint64_t position,
	struct ear_call_frame **frames, size_t *count)
{
	struct ear_trace *trace = diagnosis->past->trace;
	const struct ear_progress *progress = diagnosis->past->progress;
	struct ear_moment *moment;
	int64_t found = FRAMES_FIRST;

	*frames = NULL;
	*count = 0;
	int result = ear_moment_new(&moment, trace, position, progress);
	if (result)
		return result;
	while (found > 0 && *count < (size_t)found) {
		struct ear_call_frame *more =
			realloc(*frames, (size_t)found * sizeof(struct ear_call_frame));
		if (!more) {
			found = ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
			break;
		}
		*frames = more;
		*count = (size_t)found;
		found = ear_moment_stack(
			moment, diagnosis->why.hart, *frames, sizeof(**frames), *count, progress);
	}
	ear_moment_free(moment);
	if (found == EAR_E_UNSUPPORTED)
		found = 0;
	*count = found > 0 ? (size_t)found : 0;
	if (found >= 0)
		return 0;
	free(*frames);
	*frames = NULL;
	return (int)found;
}

/* What it means that a function was called; NULL: nothing. */
static const char *giving_up(const struct ear_diagnosis *diagnosis, uint64_t pc)
{
	static const struct {
		const char *name, *text;
	} known[] = {
		{"__assert", "failed assertion"},
		{"__assert_fail", "failed assertion"},
		{"__assert_func", "failed assertion"},
		{"__assert_no_args", "failed assertion"},
		{"__chk_fail", "buffer overflow, found by the program"},
		{"__stack_chk_fail", "stack protector: a local array was overrun"},
		{"abort", "abort"},
		{"assert_failed", "failed assertion"},
		{"panic", "panic"},
		{"vAssertCalled", "failed assertion"},
	};
	struct ear_function function = {.size = sizeof(function)};

	if (!ear_names_function_at(diagnosis->options->names, pc, &function))
		return NULL;
	const size_t length = strcspn(function.name, "."); /* without ".constprop.0" */
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == length &&
			memcmp(function.name, known[i].name, length) == 0)
			return known[i].text;
	return NULL;
}

int ear_diagnosis_gave_up(struct ear_diagnosis *diagnosis, uint64_t position, const char **text,
	uint64_t *call, uint64_t *pc)
{
	struct ear_call_frame *frames;
	size_t count, found = SIZE_MAX;

	if (!diagnosis->options->names)
		return 0;
	int result = ear_diagnosis_frames(diagnosis, position, &frames, &count);
	if (result)
		return result;
	for (size_t i = 0; i < count && i < FRAMES_LOOKED && frames[i].kind == EAR_FRAME_CALL;
		i++) {
		const char *at = giving_up(diagnosis, frames[i].entry);
		if (!at && i > 0)
			at = giving_up(diagnosis, frames[i - 1].call_pc);
		if (!at)
			continue;
		*text = at;
		found = i;
	}
	if (found != SIZE_MAX) {
		*call = frames[found].position;
		*pc = frames[found].call_pc;
	}
	free(frames);
	return found != SIZE_MAX;
}

/* Did the hart get from a record to pc by a trap, a return from one, or in a way that the trace
 * does not show? */
static bool is_torn(
	const struct ear_record *record, const struct ear_instruction *instruction, uint64_t pc)
{
	return record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) ||
	       (record->pc + record->opcode_size != pc &&
		       instruction->instruction_class != EAR_CLASS_JUMP &&
		       instruction->instruction_class != EAR_CLASS_BRANCH);
}

bool ear_diagnosis_branch_before(
	const struct ear_diagnosis *diagnosis, uint64_t before, uint64_t *position)
{
	const struct ear_past *past = diagnosis->past;
	uint64_t at = before, pc = ear_past_in_window(past, before)->pc;
	uint64_t returned[CALLS_SKIPPED]; /* where the calls returned to that are gone back through
					   */
	size_t depth = 0;

	while (ear_diagnosis_previous(past, diagnosis->why.hart, at, &at)) {
		const struct ear_record *record = ear_past_in_window(past, at);
		const struct ear_instruction instruction = ear_diagnosis_decode(diagnosis, record);
		if (record->flags & EAR_RECORD_HANDLER || is_torn(record, &instruction, pc))
			return false;
		if (instruction.instruction_class == EAR_CLASS_BRANCH && depth == 0) {
			*position = at;
			return true;
		}
		if (instruction.instruction_class == EAR_CLASS_JUMP &&
			instruction.flags & EAR_INSTRUCTION_RETURN) {
			if (depth == CALLS_SKIPPED)
				return false;
			returned[depth++] = pc;
		} else if (instruction.instruction_class == EAR_CLASS_JUMP &&
			   instruction.flags & EAR_INSTRUCTION_CALL) {
			if (depth == 0 || returned[--depth] != record->pc + record->opcode_size)
				return false;
		}
		pc = record->pc;
	}
	return false;
}
