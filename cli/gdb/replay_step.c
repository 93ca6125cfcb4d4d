/* Steps: see replay.h. Forward, the record that the hart executes next is looked for, then the one
 * after it, over handlers; backward likewise. On the way other harts may come to breakpoints.
 */
#include "cli/gdb/replay_step.h"

#include <stdio.h>

#include "cli/gdb/replay_search.h"

#define FAR ((uint64_t)1 << 20) /* records that are looked at for the next one of a hart */

#define TRAPPED (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)

/* ---- The record of a hart before or after. ---- */

enum near_result { NEAR_FOUND, NEAR_GAP, NEAR_NONE, NEAR_FAR };

struct near_record {
	enum near_result result;
	uint64_t position;        /* of the record, or of the gap */
	struct ear_record record; /* FOUND, GAP: without what it points to */
};

/* The first record of the hart at from or after it. Returns 0 or an error of the trace. */
static int next_near(
	struct ear_gdb_replay *replay, uint16_t hart, uint64_t from, struct near_record *near)
{
	struct ear_history *history = replay->history;

	*near = (struct near_record){.result = NEAR_FAR};
	for (uint64_t at = from; at - from < FAR; at++) {
		const struct ear_record *record = ear_history_record(history, at);
		if (!record) {
			int result = ear_history_move(history, at, &replay->progress);
			if (result)
				return result;
			record = ear_history_record(history, at);
		}
		near->position = at;
		if (!record) {
			near->result = NEAR_NONE;
			return 0;
		}
		if (record->kind != EAR_RECORD_GAP &&
			(record->kind != EAR_RECORD_INSTRUCTION || record->hart != hart))
			continue;
		near->record = *record;
		near->result = record->kind == EAR_RECORD_GAP ? NEAR_GAP : NEAR_FOUND;
		return 0;
	}
	return 0;
}

/* The last one before from. */
static int previous_near(
	struct ear_gdb_replay *replay, uint16_t hart, uint64_t from, struct near_record *near)
{
	struct ear_history *history = replay->history;

	*near = (struct near_record){.result = NEAR_NONE};
	for (uint64_t at = from; at > 0 && from - at < FAR; at--) {
		const struct ear_record *record = ear_history_record(history, at - 1);
		if (!record) {
			int result = ear_history_move(history, at - 1, &replay->progress);
			if (result)
				return result;
			record = ear_history_record(history, at - 1);
		}
		if (!record ||
			(record->kind != EAR_RECORD_GAP &&
				(record->kind != EAR_RECORD_INSTRUCTION || record->hart != hart)))
			continue;
		near->position = at - 1;
		near->record = *record;
		near->result = record->kind == EAR_RECORD_GAP ? NEAR_GAP : NEAR_FOUND;
		return 0;
	}
	return 0;
}

/* ---- Handlers. ---- */

static bool on_trail(const struct ear_gdb_replay *replay, uint64_t position)
{
	for (size_t i = 0; i < replay->trail_count && i < EAR_GDB_TRAIL; i++)
		if (replay->trail[i] == position)
			return true;
	return false;
}

static void leave_trail(struct ear_gdb_replay *replay, uint64_t position)
{
	if (!on_trail(replay, position))
		replay->trail[replay->trail_count++ % EAR_GDB_TRAIL] = position;
}

/* What stops a step on its way. */
static struct ear_gdb_goal way(void)
{
	struct ear_gdb_goal goal = EAR_GDB_GOAL;

	goal.points = goal.traps = goal.gaps = true;
	return goal;
}

/* The stack pointer of the hart before the record at position: whose trap it is. Returns 1, 0: it
 * is not known, or an error. */
static int read_sp(struct ear_gdb_replay *replay, uint16_t hart, uint64_t position, uint64_t *sp)
{
	int result = ear_history_move(replay->history, position, &replay->progress);

	return result ? result : ear_history_register(replay->history, hart, EAR_REGISTER_X, 2, sp);
}

/* What a search over a handler has as its result: 1 and *hit, where arrived says if the handler was
 * passed; 0: it did not come back; or an error. */
static int pass_handler(
	struct ear_gdb_replay *replay, const struct near_record *trap, struct ear_gdb_hit *hit)
{
	struct ear_gdb_goal goal = way();
	const struct ear_record *record = &trap->record;

	if (!replay->handlers_over || on_trail(replay, trap->position))
		return 0;
	goal.hart = record->hart;
	goal.pcs[goal.pc_count++] = record->pc;
	if (record->flags & EAR_RECORD_TRAP)
		goal.pcs[goal.pc_count++] =
			record->pc + (record->opcode_size ? record->opcode_size : 4);
	int result = read_sp(replay, record->hart, trap->position, &goal.sp);
	if (result != 1)
		return result;
	return ear_gdb_search(replay, &goal, trap->position + 1, UINT64_MAX, EAR_FORWARD, hit);
}

/* The same backward, from the return at position, after which the hart is at pc. */
static int pass_handler_back(struct ear_gdb_replay *replay, const struct near_record *back,
	uint64_t after, uint64_t pc, struct ear_gdb_hit *hit)
{
	struct ear_gdb_goal goal = way();

	if (!replay->handlers_over || on_trail(replay, back->position) ||
		!ear_gdb_is_return(&back->record))
		return 0;
	goal.hart = back->record.hart;
	goal.pcs[0] = pc;
	goal.pcs[1] = pc - 2;
	goal.pcs[2] = pc - 4;
	goal.pc_count = 3;
	int result = read_sp(replay, goal.hart, after, &goal.sp);
	if (result != 1)
		return result;
	return ear_gdb_search(replay, &goal, back->position, 0, EAR_BACKWARD, hit);
}

/* ---- Where a step or a search ends. ---- */

static struct ear_gdb_stop fail(
	struct ear_gdb_replay *replay, int result, uint64_t reached, uint16_t hart)
{
	struct ear_gdb_stop stop = {.reason = EAR_GDB_FAILED, .hart = hart};

	if (result == EAR_E_CANCELLED) {
		stop.reason = EAR_GDB_STOPPED;
		bool (*interrupted)(void *context) = replay->interrupted;
		replay->interrupted = NULL; /* it has been heard */
		result = ear_gdb_settle(replay, reached);
		replay->interrupted = interrupted;
		if (result)
			stop.reason = EAR_GDB_FAILED;
	}
	return stop;
}

static struct ear_gdb_stop stand(
	struct ear_gdb_replay *replay, uint64_t position, struct ear_gdb_stop stop)
{
	int result = ear_gdb_settle(replay, position);

	return result ? fail(replay, result, position, stop.hart) : stop;
}

/* At a hit, seen from where it was found. */
static struct ear_gdb_stop stand_at(
	struct ear_gdb_replay *replay, const struct ear_gdb_hit *hit, enum ear_direction direction)
{
	uint64_t position = hit->position;

	/* On this side of a gap, and of the access of a watchpoint: GDB takes the step over that
	 * itself, as for the triggers of RISC-V. */
	if (direction == EAR_BACKWARD)
		position += hit->stop.reason == EAR_GDB_GAP || hit->stop.reason == EAR_GDB_WATCH;
	return stand(replay, position, hit->stop);
}

static struct ear_gdb_stop simple(enum ear_gdb_reason reason, uint16_t hart)
{
	return (struct ear_gdb_stop){.reason = reason, .hart = hart};
}

static struct ear_gdb_stop at_gap(
	struct ear_gdb_replay *replay, const struct near_record *near, bool after, uint16_t hart)
{
	struct ear_gdb_goal goal = EAR_GDB_GOAL;
	struct ear_gdb_hit hit = {0};
	goal.gaps = true;
	int result = ear_gdb_search(
		replay, &goal, near->position, near->position + 1, EAR_FORWARD, &hit);

	if (result < 0)
		return fail(replay, result, near->position, hart);
	hit.stop.hart = hart;
	return stand(replay, near->position + after, hit.stop);
}

/* ---- Forward. ---- */

/* From record position, before which the hart has executed its own, to its next one, over the
 * handlers of interrupts. Returns 1: *hit is on the way; 0: the present is there; or an error. */
static int go_on(
	struct ear_gdb_replay *replay, uint16_t hart, uint64_t position, struct ear_gdb_hit *hit)
{
	struct ear_gdb_goal goal = way();
	struct near_record next;

	for (;;) {
		int result = next_near(replay, hart, position, &next);
		if (result)
			return result;
		/* The hart does not execute anything more, as far as can be seen. */
		if (next.result == NEAR_FAR)
			return ear_gdb_settle(replay, position);
		result = ear_gdb_search(replay, &goal, position, next.position, EAR_FORWARD, hit);
		if (result)
			return result;
		if (next.result != NEAR_FOUND || !(next.record.flags & EAR_RECORD_INTERRUPT))
			return ear_gdb_settle(replay, next.position);
		result = pass_handler(replay, &next, hit);
		if (result == 0)
			return ear_gdb_settle(replay, next.position);
		if (result < 0 || !hit->arrived)
			return result;
		position = hit->position;
	}
}

/* The record that the hart executes next, over handlers of interrupts, and what comes before it.
 * Returns as go_on. */
static int come_to(struct ear_gdb_replay *replay, uint16_t hart, struct near_record *now,
	struct ear_gdb_hit *hit)
{
	for (;;) {
		struct ear_gdb_goal goal = way();
		uint64_t from = replay->present;
		int result = next_near(replay, hart, from, now);
		if (result || now->result != NEAR_FOUND)
			return result;
		/* Other harts come first, and the access of this one may be watched. */
		goal.gaps = false;
		goal.passed[0] = from;
		goal.passed[1] = now->position;
		result = ear_gdb_search(replay, &goal, from, now->position + 1, EAR_FORWARD, hit);
		if (result || !(now->record.flags & EAR_RECORD_INTERRUPT))
			return result;
		result = pass_handler(replay, now, hit);
		if (result <= 0 || !hit->arrived)
			return result;
		result = ear_gdb_settle(replay, hit->position);
		if (result)
			return result;
	}
}

static struct ear_gdb_stop step_forward(struct ear_gdb_replay *replay, uint16_t hart)
{
	struct ear_gdb_hit hit = {.position = replay->present};
	struct near_record now;
	uint64_t next;
	int result = come_to(replay, hart, &now, &hit);

	if (result == 0 && now.result == NEAR_GAP)
		return at_gap(replay, &now, now.position == replay->present, hart);
	if (result == 0 && now.result != NEAR_FOUND)
		return stand(replay, UINT64_MAX, simple(EAR_GDB_END, hart));
	if (result == 0) {
		next = now.position + 1;
		if (now.record.flags & EAR_RECORD_TRAP)
			result = pass_handler(replay, &now, &hit);
		else if (ear_gdb_is_return(&now.record))
			leave_trail(replay, now.position);
		if (result == 1 && hit.arrived) {
			next = hit.position;
			result = 0;
		}
		if (result == 0)
			result = go_on(replay, hart, next, &hit);
	}
	if (result < 0)
		return fail(replay, result, hit.position, hart);
	return result == 1 ? stand_at(replay, &hit, EAR_FORWARD) : simple(EAR_GDB_STEPPED, hart);
}

/* ---- Backward. ---- */

/* Where a search backward begins: before the gap, if the present is right after one. */
static uint64_t before_gap(struct ear_gdb_replay *replay)
{
	uint64_t position = replay->present;

	while (position > 0) {
		const struct ear_record *record = ear_history_record(replay->history, position - 1);
		/* The window does not begin at the present, but perhaps at what is before it. */
		if (!record &&
			ear_history_move(replay->history, position - 1, &replay->progress) == 0)
			record = ear_history_record(replay->history, position - 1);
		if (!record || record->kind == EAR_RECORD_INSTRUCTION)
			break;
		position--;
		if (record->kind == EAR_RECORD_GAP)
			return position;
	}
	return replay->present;
}

static struct ear_gdb_stop step_backward(struct ear_gdb_replay *replay, uint16_t hart)
{
	struct ear_gdb_goal goal = way();
	struct ear_gdb_hit hit = {.position = replay->present};
	struct near_record last;
	uint64_t from = replay->present, pc = 0;
	bool has_pc = ear_gdb_pc(replay, hart, &pc);
	int result;

	for (;;) {
		result = previous_near(replay, hart, from, &last);
		if (result)
			return fail(replay, result, from, hart);
		if (last.result == NEAR_NONE)
			return stand(replay, 0, simple(EAR_GDB_BEGIN, hart));
		if (last.result == NEAR_GAP)
			/* Over the gap, if the present is right after it. */
			return at_gap(replay, &last,
				from != replay->present || before_gap(replay) != last.position,
				hart);
		result = ear_gdb_search(replay, &goal, from, last.position + 1, EAR_BACKWARD, &hit);
		if (result == 0 && has_pc)
			result = pass_handler_back(replay, &last, from, pc, &hit);
		if (result != 1 || !hit.arrived)
			break;
		from = hit.position;
		result = next_near(replay, hart, from, &last);
		if (result)
			return fail(replay, result, from, hart);
		/* An exception is a part of its own instruction. */
		if (last.record.flags & EAR_RECORD_TRAP)
			return stand(replay, from, simple(EAR_GDB_STEPPED, hart));
		hit = (struct ear_gdb_hit){.position = from};
	}
	if (result < 0)
		return fail(replay, result, hit.position, hart);
	if (result == 1)
		return stand_at(replay, &hit, EAR_BACKWARD);
	if (last.record.flags & TRAPPED)
		leave_trail(replay, last.position);
	goal.traps = goal.gaps = false;
	goal.passed[0] = last.position;
	result =
		ear_gdb_search(replay, &goal, last.position + 1, last.position, EAR_BACKWARD, &hit);
	if (result < 0)
		return fail(replay, result, last.position, hart);
	return result == 1 ? stand_at(replay, &hit, EAR_BACKWARD)
			   : stand(replay, last.position, simple(EAR_GDB_STEPPED, hart));
}

struct ear_gdb_stop ear_gdb_step(struct ear_gdb_replay *replay, uint16_t hart,
	enum ear_direction direction, uint64_t first, uint64_t last)
{
	struct ear_gdb_stop stop;
	unsigned steps = 0;
	uint64_t pc;

	if (direction == EAR_BACKWARD)
		return step_backward(replay, hart);
	do {
		stop = step_forward(replay, hart);
		if (stop.reason != EAR_GDB_STEPPED || first > last)
			return stop;
		if (replay->interrupted && (++steps & 1023) == 0 &&
			replay->interrupted(replay->context))
			return simple(EAR_GDB_STOPPED, hart);
		if (!ear_gdb_pc(replay, hart, &pc))
			return stop;
		if (ear_gdb_points_break(&replay->points, pc)) {
			struct ear_gdb_goal goal = EAR_GDB_GOAL;
			struct ear_gdb_hit hit;
			goal.points = true;
			int result = ear_gdb_search(replay, &goal, replay->present,
				replay->present + 1, EAR_FORWARD, &hit);
			if (result < 0)
				return fail(replay, result, replay->present, hart);
			if (result == 1 && hit.stop.reason == EAR_GDB_BREAK)
				return stand(replay, replay->present, hit.stop);
			result = ear_gdb_settle(replay, replay->present);
			if (result)
				return fail(replay, result, replay->present, hart);
		}
	} while (pc >= first && pc <= last);
	return stop;
}

/* ---- Running. ---- */

static struct ear_gdb_stop continue_forward(struct ear_gdb_replay *replay)
{
	struct ear_gdb_goal goal = way();
	struct ear_gdb_hit hit = {.position = replay->present};
	const struct ear_record *record = ear_gdb_record(replay);
	bool at_gap_now = !replay->arrived && record && record->kind == EAR_RECORD_GAP;
	uint16_t hart = ear_gdb_hart(replay);
	if (!replay->arrived)
		goal.passed[0] = replay->present;
	int result = ear_gdb_search(
		replay, &goal, replay->present + at_gap_now, UINT64_MAX, EAR_FORWARD, &hit);

	if (result < 0)
		return fail(replay, result, hit.position, hart);
	if (result == 1)
		return stand_at(replay, &hit, EAR_FORWARD);
	struct ear_gdb_stop stop = stand(replay, UINT64_MAX, simple(EAR_GDB_END, hart));
	if (stop.reason == EAR_GDB_END)
		stop.hart = ear_gdb_hart(replay);
	return stop;
}

static struct ear_gdb_stop continue_backward(struct ear_gdb_replay *replay)
{
	struct ear_gdb_goal goal = way();
	struct ear_gdb_hit hit = {.position = replay->present};
	uint16_t hart = ear_gdb_hart(replay);
	int result = ear_gdb_search(replay, &goal, before_gap(replay), 0, EAR_BACKWARD, &hit);

	if (result < 0)
		return fail(replay, result, hit.position, hart);
	if (result == 1)
		return stand_at(replay, &hit, EAR_BACKWARD);
	struct ear_gdb_stop stop = stand(replay, 0, simple(EAR_GDB_BEGIN, hart));
	if (stop.reason == EAR_GDB_BEGIN)
		stop.hart = ear_gdb_hart(replay);
	return stop;
}

struct ear_gdb_stop ear_gdb_continue(struct ear_gdb_replay *replay, enum ear_direction direction)
{
	replay->trail_count = 0;
	return direction == EAR_FORWARD ? continue_forward(replay) : continue_backward(replay);
}
