/* The state of a decoder: another one continues from it. docs/file-format.md, section 7. */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "decoder/codec/decoder_state.h"
#include "decoder/codec/encoder.h"
#include "decoder/isa/csr.h"
#include "random.h"
#include "retire_random.h"
#include "sample_stream.h"

#define ENTRIES 3000

/* What a run of a decoder gave. */
struct run {
	struct ear_decoder decoder;
	uint64_t digest, records, gaps, missing, last_index;
};

static void mix(struct run *run, uint64_t value)
{
	run->digest = (run->digest ^ value) * 0x9E3779B97F4A7C15u;
	run->digest ^= run->digest >> 29;
}

static int take_record(void *context, const struct ear_record *record)
{
	struct run *run = context;

	if (record->kind == EAR_RECORD_GAP) {
		run->gaps++;
		run->missing += record->u.gap.count_known ? record->u.gap.count : 0;
		return 0;
	}
	run->records++;
	run->last_index = record->index;
	mix(run, record->index);
	mix(run, record->pc);
	mix(run, record->next_pc);
	mix(run, record->opcode);
	mix(run, record->flags);
	mix(run, record->cause);
	mix(run, record->ticks);
	mix(run, record->frm);
	mix(run, record->vtype);
	for (size_t i = 0; i < record->register_count; i++)
		mix(run, record->registers[i].value + record->registers[i].number);
	for (size_t i = 0; i < record->memory_count; i++)
		mix(run, record->memory[i].address ^ record->memory[i].value << 1);
	return 0;
}

static void begin(struct run *run)
{
	*run = (struct run){.records = 0};
	ear_decoder_init(&run->decoder, take_record, run);
}

static size_t decode(struct run *run, const uint8_t *bytes, size_t size, bool final)
{
	size_t used;

	assert_int_equal(ear_decoder_push(&run->decoder, &used, bytes, size, final), 0);
	return used;
}

static bool with_vtype; /* some entries write vtype */

/* A stream of one unit or two whose entries are mostly as predicted. */
static void make_stream(struct byte_buffer *bytes, unsigned xlen, unsigned harts, bool predict,
	struct random *random)
{
	struct ear_geometry geometry = *ear_geometry_get(EAR_GEOMETRY_SMALL);
	struct ear_encoder encoders[2];
	struct ear_predictor predictors[2];

	for (unsigned i = 0; i < harts; i++) {
		struct ear_unit unit = sample_unit(xlen, i, SAMPLE_CONTROL(EAR_TIME_MODE_SYNC));
		unit.flen = 64;
		unit.csr_slots = EAR_RETIRE_CSRS_MAX;
		unit.features |= EAR_REG_FEATURES_PADDR_MASK;
		if (xlen == 32)
			unit.features |= EAR_REG_FEATURES_NO_CAUSES_MASK;
		if (predict) {
			unit.mode = EAR_UNIT_MODE_PREDICT;
			ear_geometry_build(unit.geometry, &geometry);
		}
		ear_encoder_init(&encoders[i], &unit, byte_buffer_sink, bytes);
		if (predict) {
			assert_int_equal(ear_predictor_init(&predictors[i], &unit, &geometry), 0);
			ear_encoder_predict(&encoders[i], &predictors[i]);
		}
	}
	for (uint64_t order = 0; order < ENTRIES; order++) {
		struct ear_retire entry;
		sample_entry(&entry, order, xlen);
		if (with_vtype && order % 50 == 0) {
			entry.csr_count = 1;
			entry.csrs[0].number = EAR_CSR_VTYPE;
			entry.csrs[0].value = order / 50 % 64;
		}
		if (random_once_in(random, 20)) {
			retire_random(&entry, random, xlen);
			entry.order = order;
		}
		for (unsigned i = 0; i < harts; i++) {
			ear_encoder_push(&encoders[i], &entry, 3 * order);
			if (random_once_in(random, 30))
				ear_encoder_flush(&encoders[i]);
		}
	}
	for (unsigned i = 0; i < harts; i++) {
		ear_encoder_put(&encoders[i],
			&(struct ear_message){.kind = EAR_MSG_STOP,
				.u.stop = {.retired = ENTRIES, .delivered = ENTRIES}});
		if (predict)
			ear_predictor_fini(&predictors[i]);
	}
}

/* The state of one hart as version 1 had it: three counts instead of what is known of the capture.
 */
static void make_version_1(uint8_t *bytes, size_t *size, uint64_t records)
{
	const size_t place =
		1 + 8 + 2 + 4 + (1 + 8 + 1 + 1 + 1 + 8 + 1); /* after the rounding mode */
	const size_t capture = 1 + 4 + 10 * 8, counts = 3 * 8;

	bytes[0] = 1;
	memset(bytes + place, 0, counts);
	for (unsigned i = 0; i < 8; i++)
		bytes[place + i] = (uint8_t)(records >> 8 * i);
	memmove(bytes + place + counts, bytes + place + capture, *size - place - capture);
	*size -= capture - counts;
}

/* A file that an older Earshot wrote. */
static void check_version_1(const struct run *rest, const struct byte_buffer *stream, size_t at,
	uint8_t *bytes, size_t size, uint64_t records)
{
	struct run old;

	begin(&old);
	make_version_1(bytes, &size, records);
	assert_int_equal(ear_decoder_load(&old.decoder, bytes, size), 0);
	decode(&old, stream->bytes + at, stream->size - at, true);
	assert_int_equal(old.records, rest->records);
	assert_int_equal(old.digest, rest->digest);
	assert_int_equal(old.gaps, 0);
	assert_int_equal(old.decoder.statistics.unbalanced, 0);
	assert_int_equal(old.decoder.statistics.ended, 1);
	ear_decoder_fini(&old.decoder);
}

/* From the state at each frame to the end: the same records as without an interruption. */
static void check_everywhere(unsigned xlen, unsigned harts, bool predict, uint64_t seed)
{
	struct random random = {seed};
	struct byte_buffer stream = {0};
	struct run whole, rest;
	size_t at = 0, states = 0;

	make_stream(&stream, xlen, harts, predict, &random);
	begin(&whole);
	while (at < stream.size) {
		struct ear_frame frame;
		uint8_t *bytes = NULL;
		size_t size = 0;
		int used = ear_frame_parse(&frame, stream.bytes + at, stream.size - at);
		assert_above(used, 0);
		at += decode(&whole, stream.bytes + at, (size_t)used, false);
		if (++states % 7 != 0)
			continue;
		assert_true(ear_decoder_can_save(&whole.decoder));
		assert_int_equal(ear_decoder_save(&whole.decoder, &bytes, &size), 0);

		begin(&rest);
		assert_int_equal(ear_decoder_load(&rest.decoder, bytes, size), 0);
		uint64_t before = whole.records;
		whole.digest = 0;
		decode(&rest, stream.bytes + at, stream.size - at, true);
		assert_int_equal(rest.gaps, 0);
		assert_int_equal(rest.decoder.statistics.unbalanced, 0);
		assert_int_equal(bytes[0], with_vtype ? 3 : 2);
		if (harts == 1 && !with_vtype)
			check_version_1(&rest, &stream, at, bytes, size, before);
		struct run other;
		begin(&other);
		decode(&other, stream.bytes, at, false);
		assert_int_equal(other.records, before);
		other.digest = 0;
		decode(&other, stream.bytes + at, stream.size - at, true);
		assert_int_equal(other.records - before, rest.records);
		assert_int_equal(other.digest, rest.digest);
		ear_decoder_fini(&other.decoder);
		ear_decoder_fini(&rest.decoder);
		free(bytes);
	}
	assert_above(states, 20);
	ear_decoder_fini(&whole.decoder);
	byte_buffer_free(&stream);
}

static void a_decoder_goes_on_from_any_frame(void **state)
{
	(void)state;
	check_everywhere(32, 1, true, 1);
	check_everywhere(64, 1, true, 2);
	check_everywhere(32, 2, true, 3);
	check_everywhere(64, 1, false, 4);
}

/* Only then: a state without vtype can be read by what knows none. */
static void a_vtype_is_part_of_the_state(void **state)
{
	(void)state;
	with_vtype = true;
	check_everywhere(64, 1, true, 12);
	check_everywhere(32, 2, true, 13);
	check_everywhere(64, 1, false, 14);
	with_vtype = false;
}

static void a_state_is_a_restart_point_after_damage(void **state)
{
	struct random random = {5};
	struct byte_buffer stream = {0};
	struct run whole, damaged;
	uint8_t *bytes;
	size_t size, half, at = 0;

	(void)state;
	make_stream(&stream, 32, 1, true, &random);
	begin(&whole);
	while (at < stream.size / 2) {
		struct ear_frame frame;
		int used = ear_frame_parse(&frame, stream.bytes + at, stream.size - at);
		at += decode(&whole, stream.bytes + at, (size_t)used, false);
	}
	assert_int_equal(ear_decoder_save(&whole.decoder, &bytes, &size), 0);
	half = at;
	uint64_t known = whole.records;

	/* Everything between a quarter and the half is lost, and the host says so. */
	begin(&damaged);
	at = decode(&damaged, stream.bytes, half / 2, false);
	uint64_t before = damaged.records;
	assert_false(ear_decoder_is_lost(&damaged.decoder));
	ear_decoder_host_loss(&damaged.decoder, half - at);
	assert_true(ear_decoder_is_lost(&damaged.decoder));
	assert_false(ear_decoder_can_save(&damaged.decoder));
	assert_int_equal(ear_decoder_load(&damaged.decoder, bytes, size), 0);
	decode(&damaged, stream.bytes + half, stream.size - half, true);
	assert_int_equal(damaged.gaps, 1);
	assert_int_equal(damaged.missing, known - before);
	assert_int_equal(damaged.records, ENTRIES - damaged.missing);
	assert_int_equal(damaged.last_index, ENTRIES - 1);

	/* Or the beginning is. */
	ear_decoder_fini(&damaged.decoder);
	begin(&damaged);
	ear_decoder_host_loss(&damaged.decoder, half);
	assert_int_equal(ear_decoder_load(&damaged.decoder, bytes, size), 0);
	decode(&damaged, stream.bytes + half, stream.size - half, true);
	assert_int_equal(damaged.gaps, 1);
	assert_int_equal(damaged.records, ENTRIES - known);
	ear_decoder_fini(&damaged.decoder);
	ear_decoder_fini(&whole.decoder);
	byte_buffer_free(&stream);
	free(bytes);
}

static void a_hostile_state_is_refused_or_harmless(void **state)
{
	struct random random = {6};
	struct byte_buffer stream = {0};
	struct run run;
	uint8_t *bytes;
	size_t size, at = 0, refused = 0;

	(void)state;
	make_stream(&stream, 32, 1, true, &random);
	begin(&run);
	while (at < stream.size / 2) {
		struct ear_frame frame;
		int used = ear_frame_parse(&frame, stream.bytes + at, stream.size - at);
		at += decode(&run, stream.bytes + at, (size_t)used, false);
	}
	assert_int_equal(ear_decoder_save(&run.decoder, &bytes, &size), 0);
	ear_decoder_fini(&run.decoder);

	for (size_t prefix = 0; prefix < size; prefix += prefix < 1500 ? 1 : 97) {
		uint8_t *exact = malloc(prefix ? prefix : 1);
		memcpy(exact, bytes, prefix);
		begin(&run);
		assert_int_equal(ear_decoder_load(&run.decoder, exact, prefix), EAR_E_BAD_FILE);
		assert_int_equal(run.decoder.statistics.hart_count, 0);
		ear_decoder_fini(&run.decoder);
		free(exact);
	}
	for (unsigned i = 0; i < 3000; i++) {
		uint8_t *copy = malloc(size);
		memcpy(copy, bytes, size);
		for (uint64_t n = 1 + random_below(&random, 4); n > 0; n--)
			copy[random_below(&random, random_once_in(&random, 2) ? 1000 : size)] =
				(uint8_t)random_next(&random);
		begin(&run);
		int result = ear_decoder_load(&run.decoder, copy, size);
		if (result != 0 && result != EAR_E_BAD_FILE)
			fail_msg("trial %u: load returned %d", i, result);
		refused += result != 0;
		if (result == 0)
			decode(&run, stream.bytes + at, stream.size - at, true);
		ear_decoder_fini(&run.decoder);
		free(copy);
	}
	assert_in_range(refused, 100, 2900);
	byte_buffer_free(&stream);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_decoder_goes_on_from_any_frame),
		cmocka_unit_test(a_vtype_is_part_of_the_state),
		cmocka_unit_test(a_state_is_a_restart_point_after_damage),
		cmocka_unit_test(a_hostile_state_is_refused_or_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
