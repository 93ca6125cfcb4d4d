/* Any bit of a capture file may flip: the records that come out are the true ones without those
 * that gaps name, and these are no more than lie between two states. docs/file-format.md,
 * section 7.
 *
 *     test_shot_states [TRIALS [SEED]]
 */
#define _GNU_SOURCE /* memfd_create */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "common/protocol/bytes.h"
#include "decoder/codec/encoder.h"
#include "library/shot/shot_format.h"
#include "library/shot/shot_states.h"
#include "library/shot/window.h"
#include "library/source/source.h"
#include "random.h"
#include "retire_random.h"
#include "sample_stream.h"
#include "shot_files.h"

static uint64_t trials = 40 / EAR_TEST_LESS, seed = 1;

/* A run, as a capture file. */
struct subject {
	const char *name;
	bool predict;
	uint64_t entries, wrong_in;            /* one in so many is not as predicted */
	struct byte_buffer stream, file, bare; /* bare: the file without states */
	uint64_t *truth;                       /* a digest of each record */
	uint64_t distance_max;                 /* between states */
	size_t deltas[64], delta_count;        /* offsets of EDLT frames in the file */
};

static struct subject subjects[] = {
	{.name = "predict", .predict = true, .entries = 600000, .wrong_in = 200},
	{.name = "predict, long runs", .predict = true, .entries = 600000, .wrong_in = 1500},
	{.name = "raw", .predict = false, .entries = 150000, .wrong_in = 20},
};

static uint64_t digest(const struct ear_record *record)
{
	uint64_t value = record->index;
	const uint64_t parts[] = {record->pc, record->next_pc, record->opcode, record->cause,
		record->frm, record->privilege, record->flags & ~(uint64_t)EAR_RECORD_HAS_TIME};

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		value = (value ^ parts[i]) * 0x9E3779B97F4A7C15u;
	for (size_t i = 0; i < record->register_count; i++)
		value = (value ^ record->registers[i].value ^ record->registers[i].number) *
			0x9E3779B97F4A7C15u;
	for (size_t i = 0; i < record->memory_count; i++)
		value = (value ^ record->memory[i].address ^ record->memory[i].value << 1) *
			0x9E3779B97F4A7C15u;
	return value ^ value >> 29;
}

/* Making ------------------------------------------------------------------------------------ */

/* A loop that counts in x5 and stores it: all as predicted. */
static void loop_entry(struct ear_retire *entry, uint64_t order)
{
	uint32_t pc = 0x80000000u + (uint32_t)(order % 3) * 4, count = (uint32_t)(order / 3);

	*entry = (struct ear_retire){.order = order, .xlen = 32, .mode = 3, .ixl = 1};
	entry->pc_rdata = pc;
	entry->pc_wdata = order % 3 == 2 ? 0x80000000u : pc + 4;
	if (order % 3 == 0) { /* addi x5, x5, 1 */
		entry->insn = 0x00128293;
		entry->rs1_addr = entry->rd_addr = 5;
		entry->rs1_rdata = count;
		entry->rd_wdata = count + 1;
	} else if (order % 3 == 1) { /* sw x5, 0x7fc(x6) */
		entry->insn = 0x7E532E23;
		entry->rs1_addr = 6;
		entry->rs1_rdata = 0x80000000u;
		entry->rs2_addr = 5;
		entry->rs2_rdata = entry->mem_wdata = count + 1;
		entry->mem_addr = 0x800007FC;
		entry->mem_wmask = 0xF;
	} else { /* jal x0, -8 */
		entry->insn = 0xFF9FF06F;
	}
}

static void make_stream(struct subject *subject)
{
	static struct ear_encoder encoder;
	static struct ear_predictor predictor;
	struct ear_unit unit = sample_unit(32, 0, SAMPLE_CONTROL(EAR_TIME_MODE_OFF));
	struct random random = {7};

	if (subject->predict) {
		unit.mode = EAR_UNIT_MODE_PREDICT;
		ear_geometry_build(unit.geometry, ear_geometry_get(EAR_GEOMETRY_SMALL));
	}
	ear_encoder_init(&encoder, &unit, byte_buffer_sink, &subject->stream);
	if (subject->predict) {
		assert_int_equal(
			ear_predictor_init(&predictor, &unit, ear_geometry_get(EAR_GEOMETRY_SMALL)),
			0);
		ear_encoder_predict(&encoder, &predictor);
	}
	for (uint64_t order = 0; order < subject->entries; order++) {
		struct ear_retire entry;
		if (subject->predict)
			loop_entry(&entry, order);
		else
			sample_entry(&entry, order, 32);
		if (random_once_in(&random, subject->wrong_in)) {
			if (!subject->predict)
				retire_random(&entry, &random, 32);
			else if (entry.rd_addr)
				entry.rd_wdata = (uint32_t)random_next(&random);
			entry.order = order;
			entry.csr_count = 0;
		}
		ear_encoder_push(&encoder, &entry, 0);
	}
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					  .u.stop = {.reason = EAR_STOP_ENDED,
						  .retired = subject->entries,
						  .delivered = subject->entries}});
	if (subject->predict)
		ear_predictor_fini(&predictor);
}

static int ignore_record(void *context, const struct ear_record *record)
{
	(void)context;
	(void)record;
	return 0;
}

static void read_fd(struct byte_buffer *bytes, int fd)
{
	uint8_t part[65536];
	ssize_t got;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	while ((got = read(fd, part, sizeof(part))) > 0)
		byte_buffer_append(bytes, part, (size_t)got);
}

/* As a capture writes it. */
static void make_file(struct byte_buffer *file, const struct subject *subject, uint64_t interval)
{
	const struct byte_buffer *stream = &subject->stream;
	int fd = memfd_create("shot", MFD_CLOEXEC);
	struct ear_shot_writer *writer;
	struct ear_shot_states states;
	struct ear_decoder decoder;
	size_t at = 0, used;

	ear_shot_states_init(&states, interval);
	assert_int_equal(ear_shot_writer_new(&writer, fd, "device: test\n", 3), 0);
	ear_decoder_init(&decoder, ignore_record, NULL);
	while (at < stream->size) {
		size_t rest = stream->size - at;
		size_t size = rest < EAR_SHOT_STATES_STEP ? rest : EAR_SHOT_STATES_STEP;
		assert_int_equal(
			ear_decoder_push(&decoder, &used, stream->bytes + at, size, false), 0);
		assert_int_equal(ear_shot_writer_push(writer, stream->bytes + at, used), 0);
		assert_int_equal(ear_shot_states_write(&states, writer, &decoder), 0);
		at += used;
	}
	assert_int_equal(ear_shot_writer_finish(writer, "ended: now\n"), 0);
	ear_shot_writer_free(writer);
	ear_decoder_fini(&decoder);
	read_fd(file, fd);
	close(fd);
}

/* Where the deltas are, and the largest distance between states. */
static void note_states(struct subject *subject)
{
	const struct byte_buffer *file = &subject->file;
	uint64_t last = 0;

	for (size_t at = 0; at + 40 < file->size; at++) {
		const uint8_t *bytes = file->bytes + at;
		bool delta = memcmp(bytes + 8, EAR_SHOT_TAG_DELTA, EAR_SHOT_TAG_SIZE) == 0;
		if (ear_load_le32(bytes) != EAR_SHOT_MAGIC ||
			(!delta && memcmp(bytes + 8, EAR_SHOT_TAG_STATE, EAR_SHOT_TAG_SIZE) != 0))
			continue;
		uint64_t instructions = ear_load_le64(bytes + (delta ? 24 : 20));
		if (instructions - last > subject->distance_max)
			subject->distance_max = instructions - last;
		last = instructions;
		if (delta && subject->delta_count < COUNT_OF(subject->deltas))
			subject->deltas[subject->delta_count++] = at;
	}
	if (subject->entries - last > subject->distance_max)
		subject->distance_max = subject->entries - last;
}

/* Reading ----------------------------------------------------------------------------------- */

/* Read the file as it is now and compare. Returns the records that are missing. */
static uint64_t check_file(const struct subject *subject, const char *what)
{
	int fd = memfd_create("shot", MFD_CLOEXEC);
	struct ear_source_options options = {.format = NULL};
	const struct ear_record *record;
	struct ear_source *source;
	uint64_t next = 0, missing = 0;
	bool open = false; /* a gap of unknown length was reported, and nothing came after it */
	int result;

	assert_int_equal(write(fd, subject->file.bytes, subject->file.size), subject->file.size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	result = ear_source_new(&source, fd, &options);
	if (result)
		fail_msg("%s: %s: cannot be read", subject->name, what);
	while ((result = ear_source_next(source, &record)) == 1) {
		if (record->kind == EAR_RECORD_GAP) {
			const struct ear_gap *gap = &record->u.gap;
			open |= !gap->count_known;
			if (!gap->count_known || gap->count == 0)
				continue;
			if (!open && gap->first != next)
				fail_msg("%s: %s: a gap begins at %" PRIu64 ", not %" PRIu64,
					subject->name, what, gap->first, next);
			missing += gap->last + 1 - next;
			next = gap->last + 1;
			open = false;
			continue;
		}
		if (record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		if (record->index < next || (record->index > next && !open))
			fail_msg("%s: %s: record %" PRIu64 " comes after %" PRIu64, subject->name,
				what, record->index, next);
		if (record->index >= subject->entries ||
			digest(record) != subject->truth[record->index])
			fail_msg("%s: %s: record %" PRIu64 " is wrong", subject->name, what,
				record->index);
		missing += record->index - next;
		next = record->index + 1;
		open = false;
	}
	assert_int_equal(result, 0);
	if (next < subject->entries && !open)
		fail_msg("%s: %s: the end is missing, and no gap says so", subject->name, what);
	missing += subject->entries - next;
	ear_source_free(source);
	close(fd);
	return missing;
}

static int take_truth(void *context, const struct ear_record *record)
{
	struct subject *subject = context;

	assert_int_equal(record->kind, EAR_RECORD_INSTRUCTION);
	subject->truth[record->index] = digest(record);
	return 0;
}

static int make_subjects(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(subjects); i++) {
		struct subject *subject = &subjects[i];
		struct ear_decoder decoder;
		size_t used;

		make_stream(subject);
		subject->truth = calloc(subject->entries, sizeof(uint64_t));
		ear_decoder_init(&decoder, take_truth, subject);
		assert_int_equal(ear_decoder_push(&decoder, &used, subject->stream.bytes,
					 subject->stream.size, true),
			0);
		assert_int_equal(decoder.statistics.records, subject->entries);
		ear_decoder_fini(&decoder);
		make_file(&subject->file, subject, EAR_SHOT_STATES_AUTOMATIC);
		make_file(&subject->bare, subject, 0);
		shot_spoil_parities(&subject->file);
		note_states(subject);
	}
	return 0;
}

static int free_subjects(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(subjects); i++) {
		byte_buffer_free(&subjects[i].stream);
		byte_buffer_free(&subjects[i].file);
		byte_buffer_free(&subjects[i].bare);
		free(subjects[i].truth);
	}
	return 0;
}

/* Tests ------------------------------------------------------------------------------------- */

static void states_are_close_and_cost_what_they_may(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(subjects); i++) {
		const struct subject *subject = &subjects[i];
		size_t bare = subject->bare.size, room = bare / 10 > 65536 ? bare / 10 : 65536;

		assert_at_most(subject->file.size, bare + room);
		if (subject->distance_max > subject->entries * 2 / 3)
			fail_msg("%s: %" PRIu64 " records between states, %zu bytes", subject->name,
				subject->distance_max, subject->stream.size);
		assert_above(subject->delta_count, 0);
		assert_int_equal(check_file(subject, "undamaged"), 0);
	}
}

static void any_flipped_bit_costs_at_most_the_records_up_to_the_next_state(void **state)
{
	struct random random = {seed};
	uint64_t costly = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(subjects); i++) {
		struct subject *subject = &subjects[i];
		for (uint64_t trial = 0; trial < trials; trial++) {
			/* The begin of the file now and then: it is small, and special. */
			size_t size = trial % 8 == 0 ? 600 : subject->file.size;
			size_t bit = random_below(&random, 8 * size);
			char what[64];

			snprintf(what, sizeof(what), "bit %zu of byte %zu", bit % 8, bit / 8);
			subject->file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			uint64_t missing = check_file(subject, what);
			subject->file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (missing > subject->distance_max)
				fail_msg("%s: %s costs %" PRIu64 " records, more than %" PRIu64,
					subject->name, what, missing, subject->distance_max);
			costly += missing > 0;
		}
	}
	assert_above(costly, trials / 4);
}

/* The decoder itself is at the place of a delta that is damaged: those after it are of use. */
static void a_damaged_delta_costs_nothing_and_the_next_one_helps(void **state)
{
	struct subject *subject = &subjects[0];

	(void)state;
	assert_at_least(subject->delta_count, 3);
	for (size_t i = 0; i + 1 < subject->delta_count; i++) {
		uint8_t *delta = subject->file.bytes + subject->deltas[i];
		size_t size = 8 + ear_load_le32(delta + 4);
		uint8_t *content =
			delta + size - 6; /* its last bytes: of the checksum, and before */
		uint8_t *parity = delta + size;
		uint8_t *data = parity + 8 + ear_load_le32(parity + 4) + 30; /* in a zstd frame */

		*content ^= 1;
		assert_int_equal(check_file(subject, "a delta"), 0);
		*data ^= 1;
		uint64_t missing = check_file(subject, "a delta and what comes after it");
		*data ^= 1;
		*content ^= 1;
		assert_above(missing, 0);
		assert_at_most(missing, subject->distance_max);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_close_and_cost_what_they_may),
		cmocka_unit_test(any_flipped_bit_costs_at_most_the_records_up_to_the_next_state),
		cmocka_unit_test(a_damaged_delta_costs_nothing_and_the_next_one_helps),
	};

	if (argc > 1)
		trials = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, make_subjects, free_subjects);
}
