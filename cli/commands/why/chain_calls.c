/* By which calls a record of a chain came about. A chain leads through library functions and
 * helpers that are called from many places, so the call says more than their lines. Each call is
 * shown once, and none that is on the stack of the cause. Asking for a stack may cost a part of the
 * trace's decoding, so it is done for the first records only.
 */
#include "cli/commands/why/chain_calls.h"

#include <earshot/moment.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"

#define FRAMES_FIRST 256 /* that are asked for at first */
#define STACKS_MAX   12  /* that are asked for */
#define FRAMES_KEPT  64
#define CALLERS      3 /* that are shown of each */

struct chain_calls {
	struct trace_input *input;
	uint64_t active[FRAMES_KEPT]; /* positions of calls that were shown */
	size_t active_count;
	/* Functions that are active at the cause, and since when. */
	struct {
		uint64_t position, entry;
	} base[FRAMES_KEPT];
	size_t base_count;
	unsigned stacks;
};

bool chain_read_frames(struct trace_input *input, uint16_t hart, uint64_t position,
	struct ear_call_frame **frames, size_t *count)
{
	struct ear_moment *moment;
	int64_t found = FRAMES_FIRST;

	*frames = NULL;
	*count = 0;
	if (ear_moment_new(&moment, input->trace, position, &input->progress)) {
		trace_input_fail(input);
		return false;
	}
	while (found > 0 && *count < (size_t)found) {
		struct ear_call_frame *more = realloc(*frames, (size_t)found * sizeof(**frames));
		if (!more) {
			cli_error("out of memory");
			ear_moment_free(moment);
			return false;
		}
		*frames = more;
		*count = (size_t)found;
		found = ear_moment_stack(
			moment, hart, *frames, sizeof(**frames), *count, &input->progress);
	}
	ear_moment_free(moment);
	cli_progress_clear();
	*count = found > 0 ? (size_t)found : 0;
	if (found >= 0 || found == EAR_E_UNSUPPORTED)
		return true;
	trace_input_fail(input);
	return false;
}

static void add(struct chain_calls *calls, const struct ear_call_frame *frame)
{
	if (calls->active_count < FRAMES_KEPT)
		calls->active[calls->active_count++] = frame->position;
}

static bool is_active(const struct chain_calls *calls, const struct ear_call_frame *frame)
{
	for (size_t i = 0; i < calls->active_count; i++)
		if (calls->active[i] == frame->position)
			return true;
	return false;
}

static void print_call(struct chain_show *show, uint64_t pc, int indent)
{
	char text[CHAIN_TEXT_MAX];

	chain_place_text(show, pc, text, sizeof(text));
	if (text[0])
		printf("%*s%s %s\n", indent, "", "called by", text);
	else
		printf("%*s%s 0x%0*" PRIx64 "\n", indent, "", "called by", (int)show->digits, pc);
}

/* The jump that led from the function that was called to the one of the node, if that is another:
 * compilers make one of a call at the end. Returns whether it was found. */
static bool find_tail(const struct chain_show *show, const struct ear_value_node *node,
	const struct ear_call_frame *frame, uint64_t *pc)
{
	struct trace_input *input = show->calls->input;
	struct ear_function function = {.size = sizeof(function)}, other = function;
	struct ear_query query = EAR_QUERY_ANY;
	struct ear_moment *moment;
	uint64_t position;

	if (!show->names || !ear_names_function_at(show->names, node->pc, &function) ||
		!ear_names_function_at(show->names, frame->entry, &other) ||
		other.entry == function.entry)
		return false;
	const struct ear_span span = {function.entry, function.entry};
	query.hart = node->hart;
	query.pcs = &span;
	query.pc_count = 1;
	if (ear_trace_find(input->trace, &query, node->position + 1, EAR_BACKWARD, &position,
		    &input->progress) != 1 ||
		position <= frame->position + 1 ||
		ear_moment_new(&moment, input->trace, position, &input->progress))
		return false;
	const struct ear_record *record = ear_moment_record(moment);
	const bool found = record && record->kind == EAR_RECORD_INSTRUCTION &&
			   record->hart == node->hart &&
			   ear_names_function_at(show->names, record->pc, &other) &&
			   other.entry != function.entry;
	if (found)
		*pc = record->pc;
	ear_moment_free(moment);
	return found;
}

/* Is it in a function that is active at the cause? Then its stack was printed, and need not be
 * asked for. A deeper call of the same function may be missed. */
static bool is_in_base(const struct chain_show *show, const struct ear_value_node *node)
{
	const struct chain_calls *calls = show->calls;
	struct ear_function function = {.size = sizeof(function)};

	if (!show->names || !ear_names_function_at(show->names, node->pc, &function))
		return false;
	for (size_t i = 0; i < calls->base_count; i++)
		if (calls->base[i].entry == function.entry &&
			calls->base[i].position < node->position)
			return true;
	return false;
}

static void print_calls(struct chain_show *show, const struct ear_value_node *node, int indent)
{
	struct chain_calls *calls = show->calls;
	struct ear_call_frame *frames;
	uint64_t pc;
	size_t count;

	if (calls->stacks == STACKS_MAX || is_in_base(show, node))
		return;
	calls->stacks++;
	if (!chain_read_frames(calls->input, node->hart, node->position, &frames, &count))
		return;
	for (size_t i = 0; i < count && i < CALLERS && frames[i].kind == EAR_FRAME_CALL &&
			   !is_active(calls, &frames[i]);
		i++) {
		add(calls, &frames[i]);
		if (i == 0 && find_tail(show, node, &frames[0], &pc))
			print_call(show, pc, indent + 2);
		if (i == 0 || frames[i].call_pc != frames[i - 1].call_pc)
			print_call(show, frames[i].call_pc, indent + 2);
	}
	free(frames);
}

void chain_calls_begin(struct chain_show *show, struct trace_input *input,
	const struct ear_call_frame *frames, size_t count)
{
	struct chain_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return;
	calls->input = input;
	for (size_t i = 0; i < count; i++)
		if (frames[i].kind != EAR_FRAME_BASE)
			add(calls, &frames[i]);
	for (size_t i = 0; i < count && i < FRAMES_KEPT; i++)
		if (frames[i].kind == EAR_FRAME_CALL) {
			calls->base[calls->base_count].position = frames[i].position;
			calls->base[calls->base_count++].entry = frames[i].entry;
		}
	show->calls = calls;
	show->after = print_calls;
}
