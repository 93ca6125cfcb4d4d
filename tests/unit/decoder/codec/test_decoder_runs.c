/* Runs of ordinary records, where what comes before or after them decides what they are: the same
 * stream decoded with runs and without.
 */
#include "check.h"

#include <earshot/error.h>

#include "decoder/codec/decoder.h"
#include "predict_stream.h"
#include "sample_stream.h"

#define RECORDS_MAX 4096
#define ROUND       6 /* records of the sample loop */

/* What is compared of a record. */
struct seen {
	uint8_t kind;
	bool timed, count_known;
	uint64_t index, ticks, count;
};

static struct seen alone[RECORDS_MAX], runs[RECORDS_MAX];

/* One hart of the sample loop in predict mode, encoded by hand. */
struct maker {
	struct byte_buffer bytes;
	struct predict_encoder encoder;
	uint64_t order, clock;
};

static void begin(struct maker *maker, unsigned control)
{
	struct ear_geometry geometry;

	assert_int_equal(ear_geometry_find(&geometry, "small"), 0);
	struct ear_unit unit = predict_unit(&geometry, 64, 0, false);
	unit.control = (uint8_t)control;
	*maker = (struct maker){.clock = 7};
	predict_encoder_init(&maker->encoder, &unit, &maker->bytes);
}

static void end(struct maker *maker)
{
	predict_encoder_fini(&maker->encoder);
	byte_buffer_free(&maker->bytes);
}

static void add(struct maker *maker, unsigned count)
{
	struct ear_retire entry;

	for (; count > 0; count--) {
		sample_entry(&entry, maker->order, 64);
		entry.order = maker->order++;
		ear_encoder_push(&maker->encoder.encoder, &entry, maker->clock);
	}
}

static size_t decode(struct seen *seen, const struct byte_buffer *bytes, bool one_by_one)
{
	static struct ear_decoder decoder;
	const struct ear_record *record;
	size_t count = 0, at = 0, used;

	ear_decoder_init(&decoder, NULL, NULL);
	decoder.one_by_one = one_by_one;
	while (ear_decoder_next(
		       &decoder, &record, &used, bytes->bytes + at, bytes->size - at, true) == 1) {
		bool gap = record->kind == EAR_RECORD_GAP;
		at += used;
		assert_below(count, RECORDS_MAX);
		seen[count++] = (struct seen){.kind = record->kind,
			.timed = record->flags & EAR_RECORD_HAS_TIME,
			.count_known = gap && record->u.gap.count_known,
			.index = record->index,
			.ticks = record->ticks,
			.count = gap ? record->u.gap.count : 0};
	}
	ear_decoder_fini(&decoder);
	return count;
}

/* Returns how many records there are. */
static size_t compare(const struct byte_buffer *bytes)
{
	size_t count = decode(alone, bytes, true);

	assert_int_equal(decode(runs, bytes, false), count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(runs[i].kind, alone[i].kind);
		assert_int_equal(runs[i].index, alone[i].index);
		assert_int_equal(runs[i].timed, alone[i].timed);
		assert_int_equal(runs[i].ticks, alone[i].ticks);
		assert_int_equal(runs[i].count_known, alone[i].count_known);
		assert_int_equal(runs[i].count, alone[i].count);
	}
	return count;
}

/* The first record of a frame has an index that the filter let jump, and the time of the last one.
 */
static void a_jump_that_begins_a_frame_keeps_the_time(void **state)
{
	struct maker maker;

	(void)state;
	begin(&maker, EAR_UNIT_CONTROL_FILTER | SAMPLE_CONTROL(EAR_TIME_MODE_RECORD));
	add(&maker, 600);
	ear_encoder_flush(&maker.encoder.encoder);
	maker.order += ROUND;
	add(&maker, 600);
	ear_encoder_flush(&maker.encoder.encoder);
	assert_int_equal(compare(&maker.bytes), 1200 + 1);
	assert_true(alone[600].timed);
	end(&maker);
}

/* A gap without a count leaves open which index comes next. Once a run has said it, a jump is one.
 */
static void a_gap_after_a_run_after_a_gap_without_a_count_has_its_count(void **state)
{
	struct ear_message lost = {.kind = EAR_MSG_LOST,
		.u.lost = {.reason = (EAR_LOST_ON_THE_WAY + EAR_GAP_DAMAGE) | EAR_LOST_UNCOUNTED}};
	struct maker maker;

	(void)state;
	begin(&maker, SAMPLE_CONTROL(EAR_TIME_MODE_OFF));
	add(&maker, 600);
	lost.u.lost.first = maker.order;
	lost.u.lost.last = maker.order - 1;
	ear_encoder_put(&maker.encoder.encoder, &lost);
	add(&maker, 2 * ROUND);
	ear_encoder_check(&maker.encoder.encoder);
	ear_encoder_flush(&maker.encoder.encoder);
	size_t kept = maker.bytes.size;
	add(&maker, 100);
	ear_encoder_check(&maker.encoder.encoder);
	ear_encoder_flush(&maker.encoder.encoder);
	maker.bytes.size = kept; /* the frame is lost */
	ear_encoder_sync(&maker.encoder.encoder);
	add(&maker, 600);
	ear_encoder_flush(&maker.encoder.encoder);
	assert_int_equal(compare(&maker.bytes), 600 + 1 + 2 * ROUND + 1 + 600 + 1);
	assert_int_equal(alone[600 + 1 + 2 * ROUND].kind, EAR_RECORD_GAP);
	assert_true(alone[600 + 1 + 2 * ROUND].count_known);
	assert_int_equal(alone[600 + 1 + 2 * ROUND].count, 100);
	end(&maker);
}

/* Of the clocks between two records, whatever message holds them, none is lost in a run. */
static void records_of_a_run_have_times_of_their_own(void **state)
{
	static const uint64_t steps[] = {1, 0, 2, 255, 256, 1, 65535, 65536, 0, UINT32_MAX, 1, 1,
		(uint64_t)UINT32_MAX + 1, 3, UINT64_MAX / 2, 1, 1 /* and again */};
	const size_t count = sizeof(steps) / sizeof(*steps);
	struct maker maker;
	uint64_t clock;

	(void)state;
	begin(&maker, SAMPLE_CONTROL(EAR_TIME_MODE_RECORD));
	for (size_t i = 0; i < 600; i++) {
		if (i > 0)
			maker.clock += steps[i % count];
		add(&maker, 1);
	}
	ear_encoder_check(&maker.encoder.encoder);
	ear_encoder_flush(&maker.encoder.encoder);
	assert_int_equal(compare(&maker.bytes), 600 + 1);
	clock = 7;
	for (size_t i = 0; i < 600; i++) {
		clock += i > 0 ? steps[i % count] : 0;
		assert_true(runs[i].timed);
		assert_true(runs[i].ticks == clock);
	}
	end(&maker);
}

/* Ordinary steps, so that the runs are long: they are handed over as a whole, too. */
static void a_run_is_not_ended_by_the_clock(void **state)
{
	static struct ear_decoder decoder;
	const struct ear_compact_record *compacts;
	const struct ear_compact_run *run;
	const struct ear_record *record;
	uint64_t expected = 0;
	size_t at = 0, used, longest = 0;
	struct maker maker;

	(void)state;
	begin(&maker, SAMPLE_CONTROL(EAR_TIME_MODE_RECORD));
	for (size_t i = 0; i < 600; i++) {
		add(&maker, 1);
		maker.clock += 2;
	}
	ear_encoder_flush(&maker.encoder.encoder);
	ear_decoder_init(&decoder, NULL, NULL);
	while (ear_decoder_next_run(&decoder, &run, &compacts, &record, &used,
		       maker.bytes.bytes + at, maker.bytes.size - at, true) == 1) {
		at += used;
		for (size_t i = 0; run && i < run->count; i++)
			assert_int_equal(run->ticks + compacts[i].ticks, 7 + 2 * (expected + i));
		if (!run && record->kind == EAR_RECORD_GAP)
			continue; /* there is no STOP */
		expected += run ? run->count : 1;
		longest = run && run->count > longest ? run->count : longest;
		assert_int_equal(decoder.statistics.last_ticks, 7 + 2 * (expected - 1));
	}
	assert_int_equal(expected, 600);
	assert_int_equal(longest, EAR_COMPACT_RUN_MAX);
	ear_decoder_fini(&decoder);
	end(&maker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jump_that_begins_a_frame_keeps_the_time),
		cmocka_unit_test(a_gap_after_a_run_after_a_gap_without_a_count_has_its_count),
		cmocka_unit_test(records_of_a_run_have_times_of_their_own),
		cmocka_unit_test(a_run_is_not_ended_by_the_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
