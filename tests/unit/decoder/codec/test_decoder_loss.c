/* What the decoder reports when something is missing, beyond what a stream of bytes can show:
 * losses of the host, ends, several captures, several harts.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "decoder/codec/decoder.h"
#include "sample_stream.h"

#define TOLD_MAX 64

/* Gaps and the instructions around them, as the sink saw them. */
struct output {
	struct ear_decoder decoder;
	struct ear_record gaps[TOLD_MAX];
	size_t gap_count;
	uint64_t instruction_count, timed_count;
	uint64_t last_ticks;
	uint64_t stop_after; /* instructions; 0 never */
};

static int take_record(void *context, const struct ear_record *record)
{
	struct output *output = context;

	if (record->kind == EAR_RECORD_GAP) {
		assert_below(output->gap_count, TOLD_MAX);
		output->gaps[output->gap_count++] = *record;
	}
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return 0;
	if (record->flags & EAR_RECORD_HAS_TIME) {
		output->timed_count++;
		output->last_ticks = record->ticks;
	}
	return ++output->instruction_count == output->stop_after ? 77 : 0;
}

static struct output *new_output(void)
{
	struct output *output = calloc(1, sizeof(*output));

	assert_non_null(output);
	ear_decoder_init(&output->decoder, take_record, output);
	return output;
}

static void free_output(struct output *output)
{
	ear_decoder_fini(&output->decoder);
	free(output);
}

static void push(struct output *output, const struct byte_buffer *bytes, bool final)
{
	size_t used;

	assert_int_equal(
		ear_decoder_push(&output->decoder, &used, bytes->bytes, bytes->size, final), 0);
	assert_int_equal(used, bytes->size);
}

/* Frames of four records each, from a stream with time, one buffer a frame. */
static void make_frames(struct byte_buffer *frames, size_t count, unsigned hart)
{
	struct ear_unit unit = sample_unit(32, hart, SAMPLE_CONTROL(EAR_TIME_MODE_RECORD));
	struct ear_encoder encoder;

	ear_encoder_init(&encoder, &unit, byte_buffer_sink, &frames[0]);
	for (size_t i = 0; i < count; i++) {
		frames[i] = (struct byte_buffer){0};
		encoder.context = &frames[i];
		for (uint64_t order = 4 * i; order < 4 * i + 4; order++) {
			struct ear_retire entry;
			sample_entry(&entry, order, 32);
			ear_encoder_push(&encoder, &entry, 1000 + 7 * order);
		}
		ear_encoder_flush(&encoder);
	}
}

static void free_frames(struct byte_buffer *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		byte_buffer_free(&frames[i]);
}

static void check_gap(const struct output *output, size_t index, enum ear_gap_reason reason,
	uint64_t first, uint64_t count)
{
	assert_below(index, output->gap_count);
	const struct ear_gap *gap = &output->gaps[index].u.gap;
	assert_int_equal(gap->reason, reason);
	assert_true(gap->count_known);
	assert_false(gap->upper_bound);
	assert_int_equal(gap->count, count);
	if (count > 0) {
		assert_int_equal(gap->first, first);
		assert_int_equal(gap->last, first + count - 1);
	}
}

static void a_loss_of_the_host_is_reported_with_its_exact_count(void **state)
{
	struct byte_buffer frames[3];
	struct output *output = new_output();

	(void)state;
	make_frames(frames, 3, 0);
	push(output, &frames[0], false);
	ear_decoder_host_loss(&output->decoder, frames[1].size);
	push(output, &frames[2], false);
	assert_int_equal(output->gap_count, 1);
	check_gap(output, 0, EAR_GAP_HOST_RING, 4, 4);
	assert_int_equal(output->gaps[0].u.gap.missing_frames, 1);
	assert_int_equal(output->decoder.statistics.host_lost_bytes, frames[1].size);
	assert_int_equal(output->decoder.statistics.missing, 4);
	free_frames(frames, 3);
	free_output(output);
}

static void a_loss_of_the_host_at_the_end_is_reported(void **state)
{
	const struct byte_buffer nothing = {0};
	struct byte_buffer frames[1];
	struct output *output = new_output();

	(void)state;
	make_frames(frames, 1, 0);
	push(output, &frames[0], false);
	ear_decoder_host_loss(&output->decoder, 1000);
	push(output, &nothing, true);
	assert_int_equal(output->gap_count, 2);
	assert_int_equal(output->gaps[0].u.gap.reason, EAR_GAP_HOST_RING);
	assert_false(output->gaps[0].u.gap.count_known);
	assert_int_equal(output->gaps[0].stream_offset, frames[0].size);
	assert_int_equal(output->gaps[1].u.gap.reason, EAR_GAP_NO_END);
	assert_int_equal(output->decoder.statistics.unknown_gaps, 2);
	free_frames(frames, 1);
	free_output(output);
}

static void a_loss_of_the_host_at_the_beginning_is_reported(void **state)
{
	struct byte_buffer frames[2];
	struct output *output = new_output();

	(void)state;
	make_frames(frames, 2, 0);
	ear_decoder_host_loss(&output->decoder, 1000);
	push(output, &frames[1], false);
	assert_int_equal(output->gap_count, 1);
	assert_int_equal(output->gaps[0].u.gap.reason, EAR_GAP_HOST_RING);
	assert_true(output->gaps[0].u.gap.at_start);
	assert_false(output->gaps[0].u.gap.count_known);
	assert_int_equal(output->gaps[0].index, 4);
	free_frames(frames, 2);
	free_output(output);
}

static void a_part_of_a_frame_after_a_loss_is_part_of_it(void **state)
{
	(void)state;
	for (unsigned begin = 0; begin < 2; begin++) {
		struct byte_buffer frames[3], piece;
		struct output *output = new_output();

		make_frames(frames, 3, 0);
		if (!begin)
			push(output, &frames[0], false);
		ear_decoder_host_loss(&output->decoder, 100);
		piece = (struct byte_buffer){frames[1].bytes + 100, frames[1].size - 100, 0};
		push(output, &piece, false);
		push(output, &frames[2], false);
		assert_int_equal(output->gap_count, 1);
		assert_int_equal(output->gaps[0].u.gap.reason, EAR_GAP_HOST_RING);
		assert_int_equal(output->gaps[0].u.gap.skipped_bytes, piece.size);
		assert_int_equal(output->gaps[0].u.gap.at_start, begin);
		free_frames(frames, 3);
		free_output(output);
	}
}

static void damage_in_the_file_is_not_blamed_on_the_host(void **state)
{
	struct byte_buffer frames[2];
	struct output *output = new_output();

	(void)state;
	make_frames(frames, 2, 0);
	push(output, &frames[0], false);
	ear_decoder_host_loss(&output->decoder, 0);
	push(output, &frames[1], false);
	assert_int_equal(output->gap_count, 1);
	check_gap(output, 0, EAR_GAP_DAMAGE, 0, 0);
	free_frames(frames, 2);
	free_output(output);
}

static void time_is_right_again_after_a_lost_frame(void **state)
{
	struct byte_buffer frames[3];
	struct output *output = new_output();

	(void)state;
	make_frames(frames, 3, 0);
	push(output, &frames[0], false);
	assert_int_equal(output->timed_count, 4);
	assert_int_equal(output->last_ticks, 1000 + 7 * 3);
	push(output, &frames[2], false);
	check_gap(output, 0, EAR_GAP_MISSING_FRAME, 4, 4);
	/* The unit's time mode is still known from the first frame. */
	assert_int_equal(output->timed_count, 8);
	assert_int_equal(output->last_ticks, 1000 + 7 * 11);
	free_frames(frames, 3);
	free_output(output);
}

static void damage_is_reported_to_every_hart_that_was_seen(void **state)
{
	struct byte_buffer frames[2], other[2];
	struct output *output = new_output();

	(void)state;
	make_frames(frames, 2, 0);
	make_frames(other, 2, 5);
	push(output, &frames[0], false);
	push(output, &other[0], false);
	frames[1].bytes[20] ^= 1;
	push(output, &frames[1], false);
	push(output, &other[1], true);
	assert_int_equal(output->gap_count, 3);
	assert_int_equal(output->gaps[0].hart, 5);
	check_gap(output, 0, EAR_GAP_DAMAGE, 0, 0); /* hart 5 lost nothing */
	assert_int_equal(output->gaps[1].hart, 0);
	assert_false(output->gaps[1].u.gap.count_known); /* hart 0 never came back */
	for (size_t i = 1; i < 3; i++)
		assert_int_equal(output->gaps[i].u.gap.reason, EAR_GAP_NO_END);
	assert_at_least(output->gaps[1].u.gap.skipped_bytes, 1);
	assert_int_equal(output->gaps[2].hart, 5);
	assert_int_equal(output->decoder.statistics.unended, 2);
	assert_int_equal(output->decoder.statistics.hart_count, 2);
	free_frames(frames, 2);
	free_frames(other, 2);
	free_output(output);
}

/* Two captures of one unit, the second one without its last frame of records. */
static void every_capture_has_its_own_account(void **state)
{
	struct ear_unit unit = sample_unit(32, 0, 0);
	struct byte_buffer frames[5] = {{0}};
	struct output *output = new_output();
	struct ear_encoder encoder;

	(void)state;
	ear_encoder_init(&encoder, &unit, byte_buffer_sink, &frames[0]);
	for (size_t i = 0; i < 5; i++) {
		struct ear_retire entry;
		encoder.context = &frames[i];
		for (unsigned j = 0; j < 3 && i != 4; j++) {
			sample_entry(&entry, (i < 2 ? 0 : 194) + 3 * i + j, 32);
			ear_encoder_push(&encoder, &entry, 0);
		}
		if (i == 1 || i == 4) {
			const struct ear_message stop = {.kind = EAR_MSG_STOP,
				.u.stop = {.reason = EAR_STOP_HOST, .retired = 6, .delivered = 6}};
			ear_encoder_put(&encoder, &stop);
			ear_encoder_start(&encoder);
		}
		ear_encoder_flush(&encoder);
	}
	for (size_t i = 0; i < 5; i++)
		if (i != 3)
			push(output, &frames[i], i == 4);
	assert_int_equal(output->instruction_count, 9);
	assert_int_equal(output->gap_count, 1);
	check_gap(output, 0, EAR_GAP_MISSING_FRAME, 203, 3);
	free_frames(frames, 5);
	free_output(output);
}

static void a_sink_that_has_enough_ends_the_decoding_at_once(void **state)
{
	struct byte_buffer frames[2];
	struct output *output = new_output();
	size_t used;

	(void)state;
	make_frames(frames, 2, 0);
	output->stop_after = 2;
	assert_int_equal(
		ear_decoder_push(&output->decoder, &used, frames[0].bytes, frames[0].size, false),
		77);
	assert_int_equal(output->instruction_count, 2);
	assert_int_equal(output->decoder.statistics.records, 2);
	assert_at_most(used, frames[0].size);
	free_frames(frames, 2);
	free_output(output);
}

static void nothing_at_all_is_no_gap(void **state)
{
	const struct byte_buffer nothing = {0};
	struct output *output = new_output();

	(void)state;
	push(output, &nothing, false);
	push(output, &nothing, true);
	assert_int_equal(output->gap_count, 0);
	assert_int_equal(output->decoder.statistics.bytes, 0);
	assert_false(output->decoder.statistics.unit_known);
	free_output(output);
}

static void noise_alone_is_skipped_and_counted(void **state)
{
	struct byte_buffer noise = {0};
	struct output *output = new_output();

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		byte_buffer_append(&noise, &"\xE5\xA1\x01\x00\xFF"[i * i % 5], 1);
	push(output, &noise, true);
	assert_int_equal(output->decoder.statistics.skipped_bytes, 5000);
	assert_int_equal(output->decoder.statistics.frames, 0);
	assert_int_equal(output->gap_count, 0); /* no hart was ever seen */
	byte_buffer_free(&noise);
	free_output(output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_of_the_host_is_reported_with_its_exact_count),
		cmocka_unit_test(a_loss_of_the_host_at_the_end_is_reported),
		cmocka_unit_test(a_loss_of_the_host_at_the_beginning_is_reported),
		cmocka_unit_test(a_part_of_a_frame_after_a_loss_is_part_of_it),
		cmocka_unit_test(damage_in_the_file_is_not_blamed_on_the_host),
		cmocka_unit_test(time_is_right_again_after_a_lost_frame),
		cmocka_unit_test(damage_is_reported_to_every_hart_that_was_seen),
		cmocka_unit_test(every_capture_has_its_own_account),
		cmocka_unit_test(a_sink_that_has_enough_ends_the_decoding_at_once),
		cmocka_unit_test(nothing_at_all_is_no_gap),
		cmocka_unit_test(noise_alone_is_skipped_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
