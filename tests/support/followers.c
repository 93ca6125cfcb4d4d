/* The three followers with the same calls, and what they hold compared byte by byte. */
#include "followers.h"

#include "check.h"

#include "library/memory/memory_internal.h"
#include "library/memory/memory_line.h"
#include "library/memory/memory_volatile.h"
#include "library/state/run_summary.h"

void followers_begin(struct followers *followers, const struct followers_options *options)
{
	const struct ear_state_source about = {
		.captured = options->captured, .shows_fflags = options->captured};
	const struct ear_memory_options memory = {.key = options->key,
		.captured = options->captured,
		.absent_is_same = !options->captured,
		.part = options->part};

	*followers = (struct followers){.part = options->part};
	assert_int_equal(options->part ? ear_state_new_part(&followers->state)
				       : ear_state_new(&followers->state),
		0);
	ear_state_set_source(followers->state, &about);
	assert_int_equal(ear_memory_new(&followers->memory, &memory), 0);
	ear_flow_begin(&followers->flow);
}

void followers_end(struct followers *followers)
{
	ear_state_free(followers->state);
	ear_memory_free(followers->memory);
	ear_flow_fini(&followers->flow);
}

void followers_push(struct followers *followers, uint64_t position, const struct ear_record *record)
{
	assert_int_equal(ear_state_push(followers->state, record), 0);
	assert_int_equal(ear_memory_push(followers->memory, record), 0);
	assert_int_equal(ear_flow_push(&followers->flow, position, record), 0);
}

void followers_push_run(struct followers *followers, uint64_t position,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	assert_int_equal(ear_state_push_run(followers->state, run, compacts), 0);
	assert_int_equal(ear_memory_push_run(followers->memory, run, compacts), 0);
	assert_int_equal(
		ear_flow_push_run(&followers->flow, position, run, compacts, 0, run->count), 0);
}

void followers_push_summary(struct followers *followers, uint64_t position,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	struct ear_run_summary summary;
	struct ear_run_summary_room room;

	ear_run_summary_make(&summary, &room, run, compacts);
	assert_int_equal(ear_state_push_summary(followers->state, &summary), 0);
	assert_int_equal(ear_memory_push_summary(followers->memory, &summary), 0);
	assert_int_equal(ear_flow_push_summary(&followers->flow, position, &summary), 0);
}

static void assert_same_states(const struct ear_state *left, const struct ear_state *right)
{
	size_t size = ear_state_save(left, NULL, 0);
	uint8_t *one = malloc(size), *other = malloc(size);

	assert_true(one && other);
	assert_true(ear_state_save(right, NULL, 0) == size);
	ear_state_save(left, one, size);
	ear_state_save(right, other, size);
	assert_memory_equal(one, other, size);
	free(one);
	free(other);
}

/* After something of which all x registers are known. */
static struct ear_state *after_others(const struct ear_state *part)
{
	struct ear_record_register registers[31];
	struct ear_record record = {
		.kind = EAR_RECORD_REGISTERS, .registers = registers, .register_count = 31};
	struct ear_state *whole;

	for (unsigned i = 0; i < 31; i++)
		registers[i] = (struct ear_record_register){
			.reg_class = EAR_REGISTER_X, .number = (uint16_t)(i + 1), .value = ~i};
	assert_int_equal(ear_state_new(&whole), 0);
	for (record.hart = 0; record.hart < 4; record.hart++)
		assert_int_equal(ear_state_push(whole, &record), 0);
	assert_int_equal(ear_state_merge(whole, part), 0);
	return whole;
}

static void assert_same_parts(const struct ear_state *left, const struct ear_state *right)
{
	struct ear_state *one = after_others(left), *other = after_others(right);

	assert_same_states(one, other);
	ear_state_free(one);
	ear_state_free(other);
}

static void assert_same_memories(struct ear_memory *left, struct ear_memory *right)
{
	struct ear_memory_changes one, other;

	assert_int_equal(ear_memory_changes(left, &one), 0);
	assert_int_equal(ear_memory_changes(right, &other), 0);
	assert_int_equal(one.forgotten, other.forgotten);
	assert_true(one.count == other.count);
	for (size_t i = 0; i < one.count; i++) {
		assert_true(one.lines[i].address == other.lines[i].address);
		assert_true(one.lines[i].known == other.lines[i].known);
		assert_true(one.lines[i].settled == other.lines[i].settled);
		for (unsigned k = 0; k < EAR_MEMORY_LINE; k++)
			if (one.lines[i].known >> k & 1)
				assert_int_equal(one.lines[i].bytes[k], other.lines[i].bytes[k]);
	}
	assert_true(ear_memory_volatile(left)->count == ear_memory_volatile(right)->count);
	assert_int_equal(ear_memory_better_key(left), ear_memory_better_key(right));
}

static void assert_same_flows(struct ear_flow *left, struct ear_flow *right, uint64_t count)
{
	assert_int_equal(ear_flow_sync(left, count), 0);
	assert_int_equal(ear_flow_sync(right, count), 0);
	assert_true(left->count == right->count);
	for (size_t i = 0; i < left->count; i++) {
		const struct ear_flow_event *one = &left->events[i], *other = &right->events[i];
		assert_true(one->position == other->position && one->pc == other->pc &&
			    one->target == other->target && one->sp == other->sp);
		assert_int_equal(one->kind, other->kind);
		assert_int_equal(one->flags, other->flags);
		assert_int_equal(one->hart, other->hart);
	}
}

void followers_assert_same(struct followers *left, struct followers *right, uint64_t count)
{
	assert_same_states(left->state, right->state);
	if (left->part)
		assert_same_parts(left->state, right->state);
	assert_same_memories(left->memory, right->memory);
	assert_same_flows(&left->flow, &right->flow, count);
}
