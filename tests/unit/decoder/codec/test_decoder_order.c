/* Indexes that are not the expected ones: starts and ends that are missing, holes that the frame
 * numbers do not show, frames that come twice. Each test is a way in which a stream said something
 * untrue once. tests/trials does the same at random.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/verdict.h"
#include "predict_stream.h"
#include "sample_stream.h"

#define FRAMES_MAX 140000
#define GAPS_MAX   8

/* A capture in frames of some records each. */
struct capture {
	struct byte_buffer bytes;
	size_t *offsets; /* of the frames, and after the last */
	size_t count;
};

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct capture *capture = context;

	assert_below(capture->count, FRAMES_MAX);
	byte_buffer_append(&capture->bytes, bytes, size);
	capture->offsets[++capture->count] = capture->bytes.size;
}

struct wish {
	unsigned minor;
	uint64_t first; /* index */
	uint64_t records;
	unsigned per_frame;
	uint64_t skip_at, skip; /* held back by a filter */
	uint64_t sync_at;       /* a hard SYNC before this record; 0: none but the first */
	bool filter, predict;
	uint16_t sequence;
};

static void make(struct capture *capture, const struct wish *wish)
{
	struct ear_geometry geometry = {.operands = true, .code = {10, 0, 0}, .data = {9, 0, 0}};
	struct ear_unit unit = predict_unit(&geometry, 32, 0, false);
	struct predict_encoder predicting;
	struct ear_encoder raw, *encoder = wish->predict ? &predicting.encoder : &raw;

	*capture = (struct capture){.offsets = calloc(FRAMES_MAX + 1, sizeof(size_t))};
	assert_non_null(capture->offsets);
	unit.protocol_minor = (uint8_t)wish->minor;
	unit.control = wish->filter ? EAR_UNIT_CONTROL_FILTER : 0;
	if (wish->predict) {
		predict_encoder_init_sink(&predicting, &unit, take_frame, capture);
	} else {
		unit.mode = EAR_UNIT_MODE_RAW;
		ear_encoder_init(&raw, &unit, take_frame, capture);
	}
	encoder->sequence = wish->sequence;
	for (uint64_t i = 0; i < wish->records; i++) {
		struct ear_retire entry;
		if (wish->skip && i >= wish->skip_at && i < wish->skip_at + wish->skip)
			continue;
		if (wish->sync_at > 0 && i == wish->sync_at)
			ear_encoder_sync(encoder);
		sample_entry(&entry, wish->first + i, 32);
		ear_encoder_push(encoder, &entry, 0);
		if ((i + 1) % wish->per_frame == 0)
			ear_encoder_flush(encoder);
	}
	ear_encoder_put(encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					 .u.stop = {.reason = EAR_STOP_ENDED,
						 .retired = wish->records,
						 .delivered = wish->records - wish->skip,
						 .filtered = wish->skip}});
	if (wish->predict)
		predict_encoder_fini(&predicting);
}

static void fini(struct capture *capture)
{
	byte_buffer_free(&capture->bytes);
	free(capture->offsets);
}

/* What came out. */
struct output {
	struct ear_decoder decoder;
	struct ear_record gaps[GAPS_MAX];
	size_t gap_count;
	uint64_t last;
	bool any, backwards;
};

static int take_record(void *context, const struct ear_record *record)
{
	struct output *output = context;

	if (record->kind == EAR_RECORD_GAP) {
		assert_below(output->gap_count, GAPS_MAX);
		output->gaps[output->gap_count++] = *record;
	}
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return 0;
	output->backwards |= output->any && record->index <= output->last;
	output->last = record->index;
	output->any = true;
	return 0;
}

static struct output *begin(void)
{
	struct output *output = calloc(1, sizeof(*output));

	assert_non_null(output);
	ear_decoder_init(&output->decoder, take_record, output);
	return output;
}

/* The frames first .. last - 1. */
static void push(struct output *output, const struct capture *capture, size_t first, size_t last)
{
	size_t used, from = capture->offsets[first], size = capture->offsets[last] - from;

	assert_int_equal(
		ear_decoder_push(&output->decoder, &used, capture->bytes.bytes + from, size, false),
		0);
	assert_int_equal(used, size);
}

static const struct ear_decoder_statistics *end(struct output *output)
{
	size_t used;

	assert_int_equal(ear_decoder_push(&output->decoder, &used, NULL, 0, true), 0);
	assert_int_equal(output->decoder.statistics.gaps, output->gap_count);
	return &output->decoder.statistics;
}

static void done(struct output *output)
{
	ear_decoder_fini(&output->decoder);
	free(output);
}

static void expect(struct output *output, size_t i, enum ear_gap_reason reason, bool known,
	uint64_t first, uint64_t count)
{
	assert_below(i, output->gap_count);
	const struct ear_gap *gap = &output->gaps[i].u.gap;
	assert_int_equal(gap->reason, reason);
	assert_int_equal(gap->count_known, known);
	if (!known) {
		assert_int_equal(output->gaps[i].index, first);
		return;
	}
	assert_int_equal(gap->count, count);
	if (count > 0)
		assert_int_equal(gap->first, first);
}

static void expect_verdict(
	const struct ear_decoder_statistics *statistics, bool complete, bool accounted)
{
	struct ear_verdict verdict = ear_verdict_of(statistics);

	if (verdict.complete != complete || verdict.accounted != accounted)
		fail_msg("complete %d, accounted %d: %s", verdict.complete, verdict.accounted,
			verdict.why ? verdict.why : "-");
}

static const struct wish raw = {.minor = 3, .records = 100, .per_frame = 5};

static void a_whole_capture_is_complete_wherever_its_index_begins(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		struct wish wish = raw;
		struct capture capture;
		struct output *output = begin();
		wish.minor = i & 1 ? 3 : 2;
		wish.first = i & 2 ? 578555 : 0;
		wish.predict = i & 4;
		wish.filter = i & 8;
		wish.skip_at = 33;
		wish.skip = wish.filter ? 20 : 0;
		make(&capture, &wish);
		push(output, &capture, 0, capture.count);
		const struct ear_decoder_statistics *statistics = end(output);
		assert_int_equal(output->gap_count, 0);
		assert_int_equal(statistics->stop_filtered, wish.skip);
		expect_verdict(statistics, true, true);
		done(output);
		fini(&capture);
	}
}

static void a_late_start_is_reported_at_the_start(void **state)
{
	(void)state;
	for (unsigned minor = 2; minor <= 3; minor++) {
		struct wish wish = raw;
		struct capture capture;
		struct output *output = begin();
		wish.minor = minor;
		wish.first = 1000;
		make(&capture, &wish);
		push(output, &capture, 4, capture.count);
		const struct ear_decoder_statistics *statistics = end(output);
		assert_int_equal(output->gap_count, 1);
		expect(output, 0, EAR_GAP_NO_START, false, 1020, 0);
		assert_true(output->gaps[0].u.gap.at_start);
		assert_int_equal(statistics->records, 80);
		assert_int_equal(statistics->missing, 20); /* STOP says it */
		assert_int_equal(statistics->unknown_gaps, 0);
		expect_verdict(statistics, false, true);
		done(output);
		fini(&capture);
	}
}

/* At a SYNC that is not the first: a unit of 1.3 says that, an older one only at STOP. */
static void a_start_at_a_sync_is_reported(void **state)
{
	(void)state;
	for (unsigned minor = 2; minor <= 3; minor++) {
		const struct wish wish = {
			.minor = minor, .first = 65516, .records = 40, .per_frame = 5};
		struct capture capture;
		struct output *output = begin();
		make(&capture, &wish);
		push(output, &capture, 4, capture.count); /* from index 65536 on */
		const struct ear_decoder_statistics *statistics = end(output);
		assert_int_equal(output->gap_count, 1);
		assert_true(output->gaps[0].u.gap.at_start);
		if (minor == 3)
			expect(output, 0, EAR_GAP_NO_START, false, 65536, 0);
		else
			expect(output, 0, EAR_GAP_NO_START, true, 65516, 20);
		assert_int_equal(statistics->missing, 20);
		expect_verdict(statistics, false, true);
		done(output);
		fini(&capture);
	}
}

static void of_a_stop_alone_everything_is_missing(void **state)
{
	struct capture capture;
	struct output *output = begin();

	(void)state;
	make(&capture, &raw);
	push(output, &capture, capture.count - 1, capture.count);
	const struct ear_decoder_statistics *statistics = end(output);
	assert_int_equal(output->gap_count, 1);
	assert_false(output->gaps[0].u.gap.count_known);
	assert_int_equal(statistics->missing, 100);
	expect_verdict(statistics, false, true);
	done(output);
	fini(&capture);
}

/* A limit, or a part: nothing is missing that was to come. */
static void an_end_that_was_meant_is_no_gap(void **state)
{
	struct capture capture;
	struct output *output = begin();

	(void)state;
	make(&capture, &raw);
	output->decoder.end_meant = true;
	push(output, &capture, 0, 7);
	const struct ear_decoder_statistics *statistics = end(output);
	assert_int_equal(output->gap_count, 0);
	assert_int_equal(statistics->unended, 1);
	assert_int_equal(statistics->parted, 1);
	expect_verdict(statistics, false, false);
	done(output);
	output = begin();
	output->decoder.end_meant = true;
	push(output, &capture, 0, 5);
	ear_decoder_host_loss(&output->decoder, 100);
	end(output);
	expect(output, 0, EAR_GAP_HOST_RING, false, 25, 0);
	assert_int_equal(output->gap_count, 1);
	done(output);
	fini(&capture);
}

static void without_stop_a_capture_is_not_complete(void **state)
{
	struct capture capture;
	struct output *output = begin();

	(void)state;
	make(&capture, &raw);
	push(output, &capture, 0, 7);
	const struct ear_decoder_statistics *statistics = end(output);
	expect(output, 0, EAR_GAP_NO_END, false, 35, 0);
	assert_int_equal(output->gap_count, 1);
	assert_int_equal(statistics->records, 35);
	assert_int_equal(statistics->unended, 1);
	expect_verdict(statistics, false, false);
	done(output);
	fini(&capture);
}

/* 65536 frames are missing, and the sequence numbers fit. */
static void a_hole_that_fits_the_frame_numbers_is_a_gap(void **state)
{
	struct wish wish = {.minor = 3, .records = 66000, .per_frame = 1};
	struct capture capture;

	(void)state;
	make(&capture, &wish);
	for (size_t first = 1; first < 400; first += 57) {
		struct output *output = begin();
		push(output, &capture, 0, first);
		push(output, &capture, first + 65536, capture.count);
		const struct ear_decoder_statistics *statistics = end(output);
		assert_int_equal(statistics->missing_frames, 0);
		assert_int_equal(output->gap_count, 1);
		expect(output, 0, EAR_GAP_JUMP, true, first, 65536);
		expect_verdict(statistics, false, true);
		done(output);
	}
	fini(&capture);
}

/* With a filter on a jump is nothing by itself: STOP shows the hole, and the jump that is wide
 * enough for it.
 */
static void under_a_filter_stop_shows_such_a_hole(void **state)
{
	struct wish wish = {.minor = 3,
		.records = 66000,
		.per_frame = 1,
		.filter = true,
		.skip_at = 30,
		.skip = 10};
	struct capture capture;
	struct output *output = begin();

	(void)state;
	make(&capture, &wish);
	push(output, &capture, 0, 100);
	push(output, &capture, 100 + 65536, capture.count);
	const struct ear_decoder_statistics *statistics = end(output);
	assert_int_equal(output->gap_count, 1);
	expect(output, 0, EAR_GAP_MISSING_FRAME, true, 110, 65536);
	assert_int_equal(statistics->missing, 65536);
	expect_verdict(statistics, false, true);
	done(output);
	fini(&capture);
}

/* In predict mode nothing shows it but the next check, here the one before STOP. */
static void predicted_such_a_hole_fails_the_check(void **state)
{
	struct wish wish = {.minor = 3, .records = 66000, .per_frame = 1, .predict = true};
	struct capture capture;
	struct output *output = begin();

	(void)state;
	make(&capture, &wish);
	push(output, &capture, 0, 100);
	push(output, &capture, 100 + 65536, capture.count);
	const struct ear_decoder_statistics *statistics = end(output);
	assert_int_equal(statistics->disagreements, 1);
	expect_verdict(statistics, false, false);
	done(output);
	fini(&capture);
}

static void a_capture_before_another_has_no_end(void **state)
{
	struct wish other = raw;
	struct capture first, second;
	struct output *output = begin();

	(void)state;
	make(&first, &raw);
	other.sequence = 6; /* so that the frame numbers fit */
	other.first = 7;    /* and other bytes */
	make(&second, &other);
	push(output, &first, 0, 6);
	push(output, &second, 0, second.count);
	const struct ear_decoder_statistics *statistics = end(output);
	assert_int_equal(output->gap_count, 1);
	expect(output, 0, EAR_GAP_NO_END, false, 30, 0);
	assert_int_equal(statistics->records, 130);
	assert_int_equal(statistics->ended, 1);
	assert_int_equal(statistics->unended, 1);
	expect_verdict(statistics, false, false);
	done(output);
	fini(&first);
	fini(&second);
}

static void two_whole_captures_are_complete(void **state)
{
	(void)state;
	for (unsigned minor = 2; minor <= 3; minor++) {
		struct wish wish = raw, other = raw;
		struct capture first, second;
		struct output *output = begin();
		wish.minor = other.minor = minor;
		other.first = 50;
		other.sequence = 4711;
		make(&first, &wish);
		make(&second, &other);
		push(output, &first, 0, first.count);
		push(output, &second, 0, second.count);
		const struct ear_decoder_statistics *statistics = end(output);
		assert_int_equal(output->gap_count, 0);
		assert_int_equal(statistics->stop_retired, 200);
		expect_verdict(statistics, true, true);
		done(output);
		fini(&first);
		fini(&second);
	}
}

/* Parts of two captures whose frame numbers fit: forwards the gap is known, backwards it is not. */
static void parts_of_two_captures_never_pass_for_one(void **state)
{
	(void)state;
	for (unsigned backwards = 0; backwards < 2; backwards++) {
		struct wish wish = raw;
		struct capture first, second;
		struct output *output = begin();
		wish.first = backwards ? 5000 : 0;
		make(&first, &wish);
		wish.first = backwards ? 0 : 5000;
		make(&second, &wish);
		push(output, &first, 0, 8);
		push(output, &second, 8, second.count);
		const struct ear_decoder_statistics *statistics = end(output);
		assert_at_least(output->gap_count, 1);
		if (backwards)
			expect(output, 0, EAR_GAP_JUMP, false, 5040, 0);
		else
			expect(output, 0, EAR_GAP_JUMP, true, 40, 5000);
		assert_false(ear_verdict_of(statistics).complete);
		done(output);
		fini(&first);
		fini(&second);
	}
}

/* Each frame twice, at once and later, also such that its number fits. */
static void a_frame_that_comes_twice_is_used_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct wish wish = raw;
		struct capture capture;
		wish.predict = i & 1;
		wish.minor = i & 2 ? 3 : 2;
		wish.first = i & 2 ? 40 : 0;
		make(&capture, &wish);
		for (size_t frame = 0; frame < capture.count; frame++) {
			for (size_t from = frame + 1; from <= capture.count; from += 4) {
				struct output *output = begin();
				push(output, &capture, 0, from);
				push(output, &capture, frame, frame + 1);
				push(output, &capture, from, capture.count);
				const struct ear_decoder_statistics *statistics = end(output);
				assert_int_equal(statistics->records, 100);
				assert_false(output->backwards);
				assert_int_equal(statistics->repeated_frames, 1);
				assert_int_equal(output->gap_count, 1);
				expect(output, 0, EAR_GAP_REPEATED, true, 0, 0);
				expect_verdict(statistics, false, true);
				done(output);
			}
		}
		fini(&capture);
	}
}

static void a_range_of_65536_frames_that_comes_twice_is_used_once(void **state)
{
	struct wish wish = {.minor = 3, .records = 66000, .per_frame = 1};
	struct capture capture;
	struct output *output = begin();

	(void)state;
	make(&capture, &wish);
	push(output, &capture, 0, 65636);
	push(output, &capture, 100, capture.count);
	const struct ear_decoder_statistics *statistics = end(output);
	assert_int_equal(statistics->records, 66000);
	assert_int_equal(statistics->repeated_frames, 65536);
	assert_int_equal(output->gap_count, 1);
	assert_false(output->backwards);
	expect_verdict(statistics, false, true);
	done(output);
	fini(&capture);
}

/* A device that went away and came back runs the same program from the same start: the host knows
 * that something was lost, so the same frames are a new capture.
 */
static void the_same_capture_after_a_loss_is_another_one(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct wish wish = raw;
		struct capture capture;
		struct output *output = begin();
		wish.predict = i & 1;
		wish.minor = i & 2 ? 3 : 2;
		make(&capture, &wish);
		push(output, &capture, 0, 12);
		ear_decoder_host_loss(&output->decoder, 1000);
		push(output, &capture, 0, capture.count);
		const struct ear_decoder_statistics *statistics = end(output);
		assert_int_equal(statistics->records, 60 + 100);
		assert_int_equal(statistics->repeated_frames, 0);
		assert_int_equal(output->gap_count, 1);
		expect(output, 0, EAR_GAP_HOST_RING, false, 60, 0);
		expect_verdict(statistics, false, false);
		done(output);
		fini(&capture);
	}
}

/* The same payload in a frame whose number is the next one. */
static void a_frame_that_is_numbered_anew_is_used_once(void **state)
{
	struct capture capture;

	(void)state;
	make(&capture, &raw);
	for (size_t frame = 1; frame < 8; frame++) {
		struct output *output = begin();
		uint8_t copy[EAR_FRAME_SIZE_MAX];
		size_t from = capture.offsets[frame], used;
		size_t size = capture.offsets[frame + 1] - from;
		memcpy(copy, capture.bytes.bytes + from, size);
		ear_frame_finish(copy, size - EAR_FRAME_HEADER_SIZE - EAR_FRAME_CRC_SIZE, 0, 8);
		push(output, &capture, 0, 8);
		assert_int_equal(ear_decoder_push(&output->decoder, &used, copy, size, false), 0);
		push(output, &capture, 8, capture.count);
		const struct ear_decoder_statistics *statistics = end(output);
		assert_int_equal(statistics->records, 100);
		assert_int_equal(statistics->repeated_frames, 1);
		expect(output, 0, EAR_GAP_REPEATED, true, 0, 0);
		done(output);
	}
	fini(&capture);
}

/* The two frames before CHECK and STOP are in the wrong order, the second of them begins with a
 * hard SYNC. The CHECK shows whether the end is that of this capture.
 */
static void a_check_after_a_late_frame_is_believed(void **state)
{
	(void)state;
	for (unsigned foreign = 0; foreign < 2; foreign++) {
		struct wish wish = raw;
		struct capture capture, other;
		struct output *output = begin();
		wish.predict = true;
		wish.sync_at = 95;
		make(&capture, &wish);
		wish.first = foreign ? 40 : 0;
		make(&other, &wish);
		push(output, &capture, 0, 18);
		push(output, &capture, 19, 20);
		push(output, &capture, 18, 19);
		push(output, &other, 20, 21);
		const struct ear_decoder_statistics *statistics = end(output);
		assert_int_equal(statistics->records, 95);
		expect(output, 0, EAR_GAP_MISSING_FRAME, true, 90, 5);
		expect(output, 1, EAR_GAP_REPEATED, true, 0, 0);
		assert_int_equal(statistics->disagreements, foreign);
		expect_verdict(statistics, false, !foreign);
		done(output);
		fini(&capture);
		fini(&other);
	}
}

/* A unit with ORDER_BITS 32, at the index after all ones. */
static void an_index_that_starts_again_after_all_ones_is_no_gap(void **state)
{
	(void)state;
	for (unsigned predict = 0; predict < 2; predict++) {
		struct wish wish = raw;
		struct capture low;
		struct capture capture;
		struct output *output = begin();
		wish.predict = predict;
		wish.minor = 2; /* whose later SYNCs are not FIRST, and need no CHECK before them */
		wish.first = ((uint64_t)1 << 32) - 50;
		wish.records = 50;
		wish.per_frame = 10;
		make(&capture, &wish);
		wish.first = 0;
		wish.records = 30;
		wish.sequence = 5;
		make(&low, &wish);
		push(output, &capture, 0, 5);
		push(output, &low, 0, 3);
		end(output);
		assert_int_equal(output->decoder.statistics.records, 80);
		assert_int_equal(output->gap_count, 1);
		assert_int_equal(output->gaps[0].u.gap.reason, EAR_GAP_NO_END);
		done(output);
		fini(&capture);
		fini(&low);
	}
}

static void counts_of_a_unit_that_cannot_be_do_not_pass(void **state)
{
	struct capture capture;
	struct output *output = begin();
	struct wish wish = raw;

	(void)state;
	wish.skip = 3; /* counted as filtered, though no filter is on: the index jumps */
	wish.skip_at = 50;
	make(&capture, &wish);
	push(output, &capture, 0, capture.count);
	const struct ear_decoder_statistics *statistics = end(output);
	expect(output, 0, EAR_GAP_JUMP, true, 50, 3);
	assert_int_equal(statistics->unbalanced, 1);
	expect_verdict(statistics, false, false);
	done(output);
	fini(&capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_capture_is_complete_wherever_its_index_begins),
		cmocka_unit_test(a_late_start_is_reported_at_the_start),
		cmocka_unit_test(a_start_at_a_sync_is_reported),
		cmocka_unit_test(of_a_stop_alone_everything_is_missing),
		cmocka_unit_test(an_end_that_was_meant_is_no_gap),
		cmocka_unit_test(without_stop_a_capture_is_not_complete),
		cmocka_unit_test(a_hole_that_fits_the_frame_numbers_is_a_gap),
		cmocka_unit_test(under_a_filter_stop_shows_such_a_hole),
		cmocka_unit_test(predicted_such_a_hole_fails_the_check),
		cmocka_unit_test(a_capture_before_another_has_no_end),
		cmocka_unit_test(two_whole_captures_are_complete),
		cmocka_unit_test(parts_of_two_captures_never_pass_for_one),
		cmocka_unit_test(a_frame_that_comes_twice_is_used_once),
		cmocka_unit_test(a_range_of_65536_frames_that_comes_twice_is_used_once),
		cmocka_unit_test(the_same_capture_after_a_loss_is_another_one),
		cmocka_unit_test(a_frame_that_is_numbered_anew_is_used_once),
		cmocka_unit_test(a_check_after_a_late_frame_is_believed),
		cmocka_unit_test(an_index_that_starts_again_after_all_ones_is_no_gap),
		cmocka_unit_test(counts_of_a_unit_that_cannot_be_do_not_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
