/* The stack of a moment, as 'earshot state' prints it. */
#include "cli/commands/state/state_stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/show/fold.h"

#define FRAMES_MAX 1024 /* lines of a stack for people */

static const char *frame_kind(const struct ear_call_frame *frame)
{
	static const char *const kinds[] = {"base", "call", "trap", "interrupt"};

	return frame->kind < 4 ? kinds[frame->kind] : "?";
}

/* The functions that are inlined at a pc, the innermost first, without the one that has the code.
 */
static size_t find_inlined(
	struct state_shown *show, uint64_t pc, struct ear_inlined *chain, size_t max)
{
	if (!show->input->names || show->request->no_inline)
		return 0;
	size_t count = ear_names_inlined_at(show->input->names, pc, chain, sizeof(*chain), max);
	return count > 1 ? count - 1 : 0;
}

static void line_of(const struct ear_inlined *step, char *line)
{
	line[0] = '\0';
	if (step->path[0])
		snprintf(line, STATE_TEXT_MAX, "%s:%" PRIu32, ear_names_base(step->path),
			step->line);
}

/* A line for each, and the line of the call in the function that has the code. */
static void print_inlined(
	struct state_shown *show, size_t number, uint64_t pc, char *text, size_t size)
{
	struct ear_inlined chain[EAR_INLINED_MAX];
	const size_t count = find_inlined(show, pc, chain, EAR_INLINED_MAX);
	char line[STATE_TEXT_MAX], symbol[STATE_TEXT_MAX / 2];

	for (size_t i = 0; i < count; i++) {
		line_of(&chain[i], line);
		printf("#%-3zu 0x%0*" PRIx64 "  %s  %s  <inlined>\n", number, (int)show->digits, pc,
			chain[i].function, line);
	}
	if (count == 0 || !chain[count].path[0])
		return;
	line_of(&chain[count], line);
	ear_names_text(show->input->names, pc, symbol, sizeof(symbol));
	snprintf(text, size, "%s%s%.*s", symbol, symbol[0] ? "  " : "", (int)(size / 2) - 3, line);
}

static void print_inlined_members(struct state_shown *show, uint64_t pc)
{
	struct ear_inlined chain[EAR_INLINED_MAX];
	const size_t count = find_inlined(show, pc, chain, EAR_INLINED_MAX);
	char line[STATE_TEXT_MAX];

	if (count == 0)
		return;
	json_open(&show->json, "inlined", '[');
	for (size_t i = 0; i < count; i++) {
		line_of(&chain[i], line);
		json_open(&show->json, NULL, '{');
		json_text(&show->json, "function", chain[i].function);
		if (line[0])
			json_text(&show->json, "line", line);
		json_close(&show->json, '}');
	}
	json_close(&show->json, ']');
}

static void print_frame(struct state_shown *show, size_t number, const struct ear_call_frame *frame,
	bool pc_known, uint64_t pc)
{
	char text[STATE_TEXT_MAX];

	if (show->request->json) {
		json_open(&show->json, NULL, '{');
		json_hex(&show->json, "pc", pc_known, pc);
		if (pc_known)
			state_address_members(show, pc);
		if (pc_known)
			print_inlined_members(show, pc);
		json_text(&show->json, "kind", frame_kind(frame));
		json_hex(&show->json, "entry", true, frame->entry);
		json_hex(&show->json, "sp", frame->sp_known, frame->sp);
		if (show->input->inferring && frame->sp_known)
			json_bool(&show->json, "sp_inferred", true);
		json_number(&show->json, "since", frame->position);
		json_close(&show->json, '}');
		return;
	}
	if (pc_known) {
		state_place_text(show, pc, text, sizeof(text));
		print_inlined(show, number, pc, text, sizeof(text));
	}
	printf("#%-3zu ", number);
	if (pc_known) {
		printf("0x%0*" PRIx64 "%s%s", (int)show->digits, pc, text[0] ? "  " : "", text);
	} else {
		printf("?");
	}
	if (frame->kind == EAR_FRAME_TRAP || frame->kind == EAR_FRAME_INTERRUPT)
		printf("  <%s>", frame_kind(frame));
	putchar('\n');
}

/* All frames, and how many they are in *count. Returns NULL after printing why not. */
static struct ear_call_frame *read_frames(struct state_shown *show, size_t *count)
{
	struct ear_call_frame *frames = NULL;
	int64_t found = FRAMES_MAX;

	for (*count = 0; (int64_t)*count < found;) {
		struct ear_call_frame *more = realloc(frames, (size_t)found * sizeof(*frames));
		if (!more) {
			cli_error("out of memory");
			free(frames);
			return NULL;
		}
		frames = more;
		*count = (size_t)found;
		found = ear_moment_stack(show->moment, show->hart, frames, sizeof(*frames), *count,
			&show->input->progress);
	}
	cli_progress_clear();
	if (found < 0) {
		trace_input_fail(show->input);
		free(frames);
		return NULL;
	}
	*count = (size_t)found;
	return frames;
}

/* "... 4000 more of fact ..." */
static void print_fold(
	struct state_shown *show, const struct ear_call_frame *frames, const struct fold *fold)
{
	printf("... %zu more of ", fold->left_out);
	for (size_t i = 0; i < fold->period; i++) {
		char text[STATE_TEXT_MAX] = "";
		if (show->input->names)
			ear_names_text(show->input->names, frames[i].entry, text, sizeof(text));
		printf("%s", i ? ", " : "");
		if (text[0])
			printf("%s", text);
		else
			printf("0x%" PRIx64, frames[i].entry);
	}
	printf(" ...\n");
}

/* Frames are of one kind if they began at the same place, in the same way. */
static uint64_t *keys_of(const struct ear_call_frame *frames, size_t count)
{
	uint64_t *keys = malloc((count ? count : 1) * sizeof(*keys));

	for (size_t i = 0; keys && i < count; i++)
		keys[i] = frames[i].entry * 4 + frames[i].kind % 4u;
	return keys;
}

static void print_frames(struct state_shown *show, const struct ear_call_frame *frames,
	const uint64_t *keys, size_t count)
{
	struct fold fold = {0};
	uint64_t pc = 0;
	bool known = ear_moment_next_pc(show->moment, show->hart, &pc);
	size_t lines = 0, fold_at = 0;

	for (size_t i = 0; i < count; i++) {
		if (keys && i >= fold_at + fold.count) {
			fold = fold_find(keys, count, i);
			fold_at = i;
		}
		bool in_fold = keys && fold.period && i >= fold_at + fold.head &&
			       i < fold_at + fold.head + fold.left_out;
		if (in_fold && i == fold_at + fold.head)
			print_fold(show, &frames[fold_at], &fold);
		if (keys && lines == FRAMES_MAX) {
			printf("... and %zu more\n", count - i);
			return;
		}
		if (!in_fold) {
			print_frame(show, i, &frames[i], known, pc);
			lines++;
		}
		known = frames[i].kind != EAR_FRAME_BASE;
		pc = frames[i].call_pc;
	}
}

bool state_show_stack(struct state_shown *show)
{
	size_t count;
	struct ear_call_frame *frames = read_frames(show, &count);
	uint64_t *keys = NULL;

	if (!frames)
		return false;
	if (!show->request->json && !(keys = keys_of(frames, count))) {
		cli_error("out of memory");
		free(frames);
		return false;
	}
	print_frames(show, frames, keys, count);
	free(keys);
	free(frames);
	return true;
}
