/* Both sides are decoded and kept; then the comparison of diff goes over them, hart by hart. What
 * it must find follows from the indexes that each side has: no more, no less.
 */
#include "against.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/codec/decoder.h"
#include "decoder/record/record_copy.h"
#include "library/compare/compare.h"

/* The options of diff when none are given. */
#define WINDOW   1000
#define TOGETHER 4
#define CONTEXT  3

struct side {
	struct ear_record_copy *copies;
	size_t count, capacity;
	size_t next; /* to be compared */
};

struct against {
	struct side sides[2];
	uint64_t changed; /* index of the record that was changed in B */
	bool has_change;
};

static int keep(void *context, const struct ear_record *record)
{
	struct side *side = context;

	if (side->count == side->capacity) {
		size_t capacity = side->capacity ? 2 * side->capacity : 256;
		side->copies = realloc(side->copies, capacity * sizeof(*side->copies));
		if (!side->copies)
			abort();
		memset(side->copies + side->capacity, 0,
			(capacity - side->capacity) * sizeof(*side->copies));
		side->capacity = capacity;
	}
	if (ear_record_copy_set(&side->copies[side->count++], record) != 0)
		abort();
	return 0;
}

static void side_init(struct side *side, const struct byte_buffer *bytes)
{
	static struct ear_decoder decoder;
	size_t used;

	memset(side, 0, sizeof(*side));
	ear_decoder_init(&decoder, keep, side);
	if (ear_decoder_push(&decoder, &used, bytes->bytes, bytes->size, true) != 0)
		abort();
	ear_decoder_fini(&decoder);
}

static void side_fini(struct side *side)
{
	for (size_t i = 0; i < side->count; i++)
		ear_record_copy_fini(&side->copies[i]);
	free(side->copies);
}

static int next_record(void *context, unsigned which, const struct ear_record **record)
{
	struct side *side = &((struct against *)context)->sides[which];

	if (side->next == side->count)
		return 0;
	*record = &side->copies[side->next++].record;
	return 1;
}

/* The place of an instruction record in a side, or NULL. */
static struct ear_record *find(struct side *side, unsigned hart, uint64_t index)
{
	for (size_t i = 0; i < side->count; i++) {
		struct ear_record *record = &side->copies[i].record;
		if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == hart &&
			record->index == index)
			return record;
	}
	return NULL;
}

/* Change a register's value in B, of a record that A may have or not. */
static void change(struct against *against, unsigned hart, struct random *random)
{
	struct side *side = &against->sides[1];

	against->has_change = false;
	if (side->count == 0 || random_once_in(random, 3))
		return;
	struct ear_record *record = &side->copies[random_below(random, side->count)].record;
	if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != hart ||
		record->register_count == 0 || record->registers[0].reg_class != EAR_REGISTER_X)
		return;
	((struct ear_record_register *)record->registers)[0].value ^= 1;
	against->changed = record->index;
	against->has_change = true;
}

/* What both sides have, by index. */
static uint64_t count_common(struct against *against, const struct run_hart *hart)
{
	bool *seen = calloc(hart->count + 1, sizeof(*seen));
	uint64_t common = 0;

	if (!seen)
		abort();
	for (unsigned i = 0; i < 2; i++) {
		for (size_t at = 0; at < against->sides[i].count; at++) {
			const struct ear_record *record = &against->sides[i].copies[at].record;
			uint64_t number = record->index - hart->base;
			if (record->kind != EAR_RECORD_INSTRUCTION ||
				record->hart != hart->stream_id || number >= hart->count)
				continue;
			common += i == 1 && seen[number];
			seen[number] |= i == 0;
		}
	}
	free(seen);
	return common;
}

/* One event of the comparison. Returns false, with text, if it is not so. */
static bool judge_event(const struct against *against, struct ear_compare *compare,
	const struct ear_compare_event *event, char *text, size_t size)
{
	const struct ear_record *record;

	switch (event->kind) {
	case EAR_COMPARE_GAP:
	case EAR_COMPARE_ENDED: return true;
	case EAR_COMPARE_DIFFERENT:
		record = ear_compare_record(compare, 1, 0);
		if (against->has_change && record && record->index == against->changed)
			return true;
		snprintf(text, size,
			"different at index %" PRIu64 " in field %x, which is the same",
			record ? record->index : 0, event->difference.field);
		return false;
	case EAR_COMPARE_INSERTED:
		snprintf(text, size, "%" PRIu64 " only in A, %" PRIu64 " only in B",
			event->count[0], event->count[1]);
		return false;
	default: snprintf(text, size, "no common instruction"); return false;
	}
}

/* Units before 1.3 show only with STOP that records are missing at the start: until then nothing
 * says that what the other side has more there is no difference.
 */
static bool begins_late(struct against *against, const struct run_hart *hart)
{
	bool late = false;

	for (unsigned i = 0; hart->old && i < 2; i++) {
		const struct side *side = &against->sides[i];
		size_t at = 0;
		while (at < side->count &&
			(side->copies[at].record.kind != EAR_RECORD_INSTRUCTION ||
				side->copies[at].record.hart != hart->stream_id))
			at++;
		late |= at < side->count && side->copies[at].record.index > hart->base;
	}
	return late;
}

static bool compare_hart(
	struct against *against, const struct run_hart *hart, char *text, size_t size)
{
	struct ear_compare_options options = {
		.fields = EAR_COMPARE_ALL & ~(unsigned)EAR_COMPARE_TIME,
		.window = WINDOW,
		.run = TOGETHER,
		.context = CONTEXT,
		.hart = hart->stream_id,
		.next = next_record,
		.next_context = against};
	struct ear_compare *compare;
	struct ear_compare_event event;
	uint64_t common = count_common(against, hart), found = 0;
	bool good = true;
	int result;

	against->sides[0].next = against->sides[1].next = 0;
	if (ear_compare_new(&compare, &options) != 0)
		abort();
	while (good && (result = ear_compare_next(compare, &event)) > 0) {
		found += event.kind == EAR_COMPARE_DIFFERENT;
		good = judge_event(against, compare, &event, text, size);
	}
	bool wanted = against->has_change &&
		      find(&against->sides[0], hart->stream_id, against->changed) != NULL;
	/* Around a gap of unknown size a few records may be skipped as not compared, which is
	 * reported: at most as many as a run of equal ones. */
	uint64_t pairs = ear_compare_pairs(compare);
	bool all = pairs == common;
	if (good && (pairs > common || common - pairs > TOGETHER)) {
		snprintf(text, size, "%" PRIu64 " pairs compared, both have %" PRIu64, pairs,
			common);
		good = false;
	} else if (good && (found > wanted || (found < wanted && all))) {
		snprintf(text, size, "the record that differs was not found");
		good = false;
	}
	ear_compare_free(compare);
	return good;
}

bool against_trial(const struct run *run, const struct damaged damaged[2], struct random *random,
	char *text, size_t size)
{
	struct against against;
	bool good = true;

	for (unsigned i = 0; i < 2; i++)
		side_init(&against.sides[i], &damaged[i].bytes);
	for (unsigned i = 0; good && i < run->hart_count; i++) {
		change(&against, run->harts[i].stream_id, random);
		good = begins_late(&against, &run->harts[i]) ||
		       compare_hart(&against, &run->harts[i], text, size);
	}
	for (unsigned i = 0; i < 2; i++)
		side_fini(&against.sides[i]);
	return good;
}
