/* Calls and loops around the cursor. The calls are those of the library (earshot/calls.h), begun
 * with the stacks of a moment at the begin of the window, so they are exact however little of the
 * trace is read. A loop is what a taken branch backward repeats: from its second round on, for as
 * long as the frame stays between the branch and its target. Both are one tree, so that to fold is
 * one rule: what does not have the cursor in it is a line.
 */
#include "cli/commands/browse/browse_calls.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/calls.h>
#include <earshot/error.h>
#include <earshot/moment.h>

#include "common/array.h"

#define NODES_MAX ((size_t)1 << 22)

struct reading {
	struct browse_calls *calls;
	struct ear_calls *followed;
	/* Of each frame: the innermost loop that is active in it, 0: none. */
	uint32_t *loops;
	size_t loop_room;
	uint32_t *roots; /* of harts without a stack: node */
	bool failed;
};

static uint32_t add_node(struct browse_calls *calls, const struct browse_node *node)
{
	if (calls->node_count == NODES_MAX ||
		!EAR_ARRAY_RESERVE(calls->nodes, &calls->node_capacity, calls->node_count + 1))
		return 0;
	calls->nodes[calls->node_count] = *node;
	return (uint32_t)calls->node_count++;
}

static uint32_t add_root(struct browse_calls *calls)
{
	return add_node(calls, &(struct browse_node){.last = BROWSE_NODE_OPEN});
}

/* ---- Frames. ---- */

/* A frame is entered in the loop that its caller is in. */
static uint32_t entered(void *context, const struct ear_call_change *change)
{
	struct reading *reading = context;
	struct browse_calls *calls = reading->calls;
	uint32_t parent = change->below < calls->node_count ? change->below : 0;

	if (parent < reading->loop_room && reading->loops[parent])
		parent = reading->loops[parent];
	uint32_t node = add_node(calls, &(struct browse_node){.kind = BROWSE_NODE_FRAME,
						.hart = change->hart,
						.parent = parent,
						.depth = calls->nodes[parent].depth + 1,
						.first = change->position + 1,
						.last = BROWSE_NODE_OPEN,
						.frame = change->frame});

	reading->failed |= node == 0;
	return node ? node : 1;
}

static void left(void *context, const struct ear_call_change *change)
{
	struct browse_calls *calls = ((struct reading *)context)->calls;

	if (change->mark > 0 && change->mark < calls->node_count)
		calls->nodes[change->mark].last = change->position;
}

/* ---- Loops. ---- */

static bool has_loops(struct reading *reading, size_t count)
{
	size_t before = reading->loop_room;

	if (!EAR_ARRAY_RESERVE(reading->loops, &reading->loop_room, count))
		return false;
	memset(reading->loops + before, 0, (reading->loop_room - before) * sizeof(uint32_t));
	return true;
}

/* The loop of the frame that the record is in, after those that it has left. */
static uint32_t stay(struct reading *reading, uint32_t frame, uint64_t pc, uint64_t position)
{
	struct browse_node *nodes = reading->calls->nodes;
	uint32_t loop = reading->loops[frame];

	while (loop && (pc < nodes[loop].low || pc > nodes[loop].high)) {
		nodes[loop].last = position - 1;
		loop = nodes[loop].kind == BROWSE_NODE_LOOP ? nodes[loop].parent : 0;
		if (loop == frame || nodes[loop].kind != BROWSE_NODE_LOOP)
			loop = 0;
	}
	reading->loops[frame] = loop;
	return loop;
}

/* A branch backward, taken in the frame: another round, or a loop begins after it. */
static void repeat(
	struct reading *reading, uint32_t frame, const struct ear_record *record, uint64_t position)
{
	struct browse_calls *calls = reading->calls;
	uint32_t loop = reading->loops[frame];

	if (loop && calls->nodes[loop].high == record->pc) {
		calls->nodes[loop].rounds++;
		return;
	}
	uint32_t parent = loop ? loop : frame;
	uint32_t node = add_node(calls, &(struct browse_node){.kind = BROWSE_NODE_LOOP,
						.hart = record->hart,
						.parent = parent,
						.depth = calls->nodes[parent].depth + 1,
						.first = position + 1,
						.last = BROWSE_NODE_OPEN,
						.low = record->next_pc,
						.high = record->pc,
						.rounds = 1});
	if (node && has_loops(reading, calls->node_count))
		reading->loops[frame] = node;
}

static bool branches_back(const struct ear_record *record)
{
	const uint32_t none = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_NEXT_PC;

	return record->kind == EAR_RECORD_INSTRUCTION && record->flags & EAR_RECORD_TAKEN &&
	       !(record->flags & none) && record->next_pc <= record->pc;
}

/* A call, or a return, is no loop: x1 or x5 are linked in, or jumped to. */
static bool links(const struct ear_record *record)
{
	const uint64_t opcode = record->opcode;

	if (record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_OPCODE)
		return false;
	if (record->opcode_size == 2) /* c.jal, c.jr, c.jalr */
		return (opcode & 0xE003) == 0x2001 || (opcode & 0xE07F) == 0x8002;
	const uint64_t rd = opcode >> 7 & 31;
	return (opcode & 0x7F) == 0x67 || ((opcode & 0x7F) == 0x6F && rd != 0);
}

static void take_one(
	struct reading *reading, const struct ear_record *record, uint64_t position, uint32_t frame)
{
	struct browse_calls *calls = reading->calls;

	if (position < calls->first || position >= calls->end)
		return;
	uint32_t *node = &calls->nodes_of[position - calls->first];
	*node = frame;
	if (record->kind != EAR_RECORD_INSTRUCTION || !has_loops(reading, calls->node_count)) {
		if (frame < reading->loop_room && reading->loops[frame])
			*node = reading->loops[frame];
		return;
	}
	const uint32_t loop = stay(reading, frame, record->pc, position);
	*node = loop ? loop : frame;
	if (branches_back(record) && !links(record))
		repeat(reading, frame, record, position);
}

static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path)
{
	struct reading *reading = context;
	(void)path;

	for (size_t i = first; i < first + count; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		uint32_t mark = ear_calls_mark(reading->followed, record->hart);
		take_one(reading, record, batch->position + i,
			mark < reading->calls->node_count ? mark : 0);
	}
	return reading->failed ? EAR_E_NO_MEMORY : 0;
}

/* ---- The window. ---- */

/* Records that no stack is known of, and those that are no instructions. */
static void take_others(struct reading *reading, const struct ear_batch *batch)
{
	if (!batch->record)
		return;
	const struct ear_record *record = batch->record;
	if (record->kind == EAR_RECORD_INSTRUCTION)
		return;
	take_one(reading, record, batch->position,
		record->kind == EAR_RECORD_GAP ? 0
					       : ear_calls_mark(reading->followed, record->hart));
}

static int follow(struct reading *reading, struct ear_history *history)
{
	struct browse_calls *calls = reading->calls;
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = 0;

	for (uint64_t at = calls->first; at < calls->end && result == 0; at += batch.count) {
		if (ear_history_batch(history, at, &batch) != 1)
			break;
		if (batch.count > calls->end - at)
			batch.count = (size_t)(calls->end - at);
		result = ear_calls_batch(reading->followed, &batch, take, reading);
		if (result == 0)
			take_others(reading, &batch);
	}
	return result;
}

/* The stacks at the begin of the window. Returns 0, also where none are known, or an error. */
static int begin(
	struct reading *reading, struct ear_history *history, const struct ear_progress *progress)
{
	const struct ear_calls_watch watch = {
		.size = sizeof(watch), .entered = entered, .left = left, .context = reading};
	struct ear_moment *moment;
	int result = ear_calls_set_watch(reading->followed, &watch);

	if (result == 0)
		result = ear_history_begin(history, &moment, progress);
	if (result == 0) {
		result = ear_calls_start(reading->followed, moment, progress);
		reading->calls->known = result == 0;
		if (result == EAR_E_UNSUPPORTED)
			result = 0;
	}
	return result;
}

static bool reserve(struct browse_calls *calls, struct ear_history *history)
{
	ear_history_window(history, &calls->first, &calls->end);
	const size_t count = (size_t)(calls->end - calls->first);

	calls->known = false;
	calls->node_count = 0;
	if (!EAR_ARRAY_RESERVE(calls->nodes_of, &calls->room, count + 1))
		return false;
	memset(calls->nodes_of, 0, (count + 1) * sizeof(*calls->nodes_of));
	add_root(calls);
	return calls->node_count == 1;
}

int browse_calls_read(struct browse_calls *calls, struct ear_history *history,
	const struct ear_progress *progress)
{
	const struct ear_calls_options options = {
		.size = sizeof(options), .interrupts_inside = true};
	struct reading reading = {.calls = calls};
	int result = reserve(calls, history) ? 0 : EAR_E_NO_MEMORY;

	if (result == 0)
		result = ear_calls_new(&reading.followed, &options);
	if (result == 0)
		result = begin(&reading, history, progress);
	if (result == 0)
		result = follow(&reading, history);
	if (result) {
		calls->known = false;
		calls->first = calls->end;
	}
	ear_calls_free(reading.followed);
	free(reading.loops);
	return result;
}

void browse_calls_free(struct browse_calls *calls)
{
	free(calls->nodes);
	free(calls->nodes_of);
	*calls = (struct browse_calls){0};
}

uint32_t browse_calls_node(const struct browse_calls *calls, uint64_t position)
{
	return position >= calls->first && position < calls->end
		       ? calls->nodes_of[position - calls->first]
		       : 0;
}

uint32_t browse_calls_frame(const struct browse_calls *calls, uint32_t node)
{
	while (node && calls->nodes[node].kind == BROWSE_NODE_LOOP)
		node = calls->nodes[node].parent;
	return node;
}

bool browse_calls_inside(const struct browse_calls *calls, uint32_t node, uint32_t other)
{
	if (calls->node_count == 0)
		return node == other;
	while (calls->nodes[node].depth > calls->nodes[other].depth)
		node = calls->nodes[node].parent;
	return node == other;
}
