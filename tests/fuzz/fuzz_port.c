/* What a trace may say of an event port and of tasks, in steps of eight bytes: what happens, a
 * hart, a number, a size, and a value of 32 bits. A name or a text of that size follows. Wrong is:
 * a crash, a read beyond the bytes, an event made of stores that is none of tasks, a name of a task
 * that is longer than it may be.
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/event_port.h"
#include "decoder/record/task_event_internal.h"
#include "library/tasks/port_events.h"
#include "library/tasks/task_follower.h"
#include "target.h"

#define PORT      0x10020000u
#define STEP      8u
#define STEPS_MAX 4096u

enum step { STORE_TO_PORT, EVENT_OF_PORT, STORE_TEXT, NAMED_EVENT, GAP, EVENT_OF_UNIT, STEP_COUNT };

struct run {
	struct ear_port_events *port;
	struct ear_task_follower *tasks;
	uint64_t index;
};

static void check(struct run *run, int count, bool made_here)
{
	struct ear_task_event event;
	struct ear_task task;

	if (count < 0)
		abort();
	for (int i = 0; i < count; i++) {
		const struct ear_record *record = ear_port_events_get(run->port, i);
		if (made_here && record->kind == EAR_RECORD_EVENT && record->u.event.source == 0 &&
			!ear_task_event_parse(&event, record))
			abort();
		if (ear_task_follower_push(run->tasks, record) < 0)
			abort();
		if (ear_task_follower_get(run->tasks, record->hart, &task) &&
			task.name.size > EAR_TASK_NAME_MAX)
			abort();
	}
}

static void push_store(
	struct run *run, uint16_t hart, uint64_t address, uint64_t value, uint8_t size)
{
	struct ear_record_access access = {
		.address = address, .size = size, .write = true, .has_value = true, .value = value};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.hart = hart,
		.index = run->index++,
		.xlen = 32,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = 0x00a2a023,
		.pc = 0x80000000,
		.next_pc = 0x80000000,
		.memory = &access,
		.memory_count = 1};

	check(run, ear_port_events_push(run->port, &record), true);
}

static void push_event(
	struct run *run, uint16_t hart, uint8_t source, uint32_t value, struct ear_text name)
{
	struct ear_record record = {.kind = EAR_RECORD_EVENT, .hart = hart, .index = run->index};

	record.u.event = (struct ear_event){.source = source, .value = value, .name = name};
	check(run, ear_port_events_push(run->port, &record), source != 0);
}

static void push_gap(struct run *run, uint16_t hart, unsigned reason)
{
	struct ear_record record = {.kind = EAR_RECORD_GAP, .hart = hart, .index = run->index};

	record.u.gap.reason = (enum ear_gap_reason)(reason % EAR_GAP_REASONS);
	check(run, ear_port_events_push(run->port, &record), true);
}

/* Returns how many bytes after the step belong to it. */
static size_t take_step(struct run *run, const uint8_t *step, size_t rest)
{
	static const uint8_t sources[] = {EAR_EVENT_START_TRIGGER, EAR_EVENT_PORT,
		EAR_EVENT_PORT_LOST, EAR_EVENT_PORT_UNKNOWN};
	uint16_t hart = step[1] & 3;
	uint8_t number = step[2];
	size_t size = step[3] < rest ? step[3] : rest;
	uint32_t value;

	memcpy(&value, step + 4, sizeof(value));
	switch (step[0] % STEP_COUNT) {
	case STORE_TO_PORT:
		push_store(run, hart,
			PORT + (number < EAR_PORT_USER ? 4u * number
						       : 0x1000u + 4u * (number - EAR_PORT_USER)),
			value, (uint8_t)(1u << (step[3] & 3)));
		return 0;
	case EVENT_OF_PORT:
		push_event(run, hart, (uint8_t)(EAR_EVENT_REGISTER | number), value,
			(struct ear_text){size ? (const char *)step + STEP : NULL, size});
		return size;
	case STORE_TEXT:
		for (size_t i = 0; i < size; i++)
			push_store(run, hart, (uint64_t)value + i, step[STEP + i], 1);
		return size;
	case NAMED_EVENT:
		push_event(run, hart, 0, value,
			(struct ear_text){size ? (const char *)step + STEP : NULL, size});
		return size;
	case GAP: push_gap(run, hart, number); return 0;
	default:
		push_event(run, hart, sources[number & 3], value, (struct ear_text){NULL, 0});
		return 0;
	}
}

int fuzz_port(const uint8_t *bytes, size_t size)
{
	struct ear_port_options options = {.has_address = true, .address = PORT, .tasks = true};
	struct run run = {.index = 0};

	if (ear_port_events_new(&run.port, &options) != 0 || ear_task_follower_new(&run.tasks) != 0)
		abort();
	for (unsigned i = 0; i < STEPS_MAX && size >= STEP; i++) {
		size_t used = STEP + take_step(&run, bytes, size - STEP);
		bytes += used;
		size -= used;
	}
	ear_task_follower_free(run.tasks);
	ear_port_events_free(run.port);
	return 0;
}
