/* A unit whose retire port has no causes (FEATURES.NO_CAUSES): its traps have none, and nothing
 * says that it was 0.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "decode_run.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/encoder.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "decoder/record/field.h"
#include "sample_stream.h"

enum { PLAIN, ECALL, INTERRUPT, WRITES_MCAUSE, COUNT };

/* An instruction, and three that trapped. The port gives 0 for a cause that it does not have. */
static void make_stream(struct byte_buffer *bytes, uint16_t features)
{
	struct ear_unit unit = sample_unit(32, 0, 0);
	struct ear_encoder encoder;

	unit.features |= features;
	unit.csr_slots = 1;
	ear_encoder_init(&encoder, &unit, byte_buffer_sink, bytes);
	for (unsigned i = 0; i < COUNT; i++) {
		struct ear_retire entry = {.order = i,
			.xlen = 32,
			.insn = i == PLAIN ? 0x00000013 : 0x00000073,
			.pc_rdata = 0x80000000 + 4 * i,
			.pc_wdata = 0x80000004 + 4 * i,
			.mode = 3,
			.ixl = 1,
			.trap = i != PLAIN,
			.irq = i == INTERRUPT};
		if (i == WRITES_MCAUSE) {
			entry.csr_count = 1;
			entry.csrs[0] = (struct ear_retire_csr){.number = 0x342, .value = 11};
		}
		ear_encoder_push(&encoder, &entry, 0);
	}
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					  .u.stop = {.retired = COUNT, .delivered = COUNT}});
}

struct seen {
	struct ear_writer *writer;
	struct ear_text_output output;
	const struct ear_writer_format *format;
	uint64_t lost;
	unsigned count;
	uint32_t flags[COUNT];
	uint64_t cause[COUNT];
};

static int take(void *context, const struct ear_record *record)
{
	struct seen *seen = context;

	assert_in_range(seen->count, 0, COUNT - 1);
	seen->flags[seen->count] = record->flags;
	seen->cause[seen->count] = record->cause;
	seen->count++;
	if (!seen->writer)
		return 0;
	seen->lost |= ear_writer_lost(seen->format, record);
	return ear_writer_push(seen->writer, record);
}

static void decode(struct seen *seen, uint16_t features)
{
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	struct byte_buffer bytes = {0};
	size_t used;

	assert_non_null(decoder);
	make_stream(&bytes, features);
	ear_decoder_init(decoder, take, seen);
	assert_int_equal(ear_decoder_push(decoder, &used, bytes.bytes, bytes.size, true), 0);
	assert_int_equal(seen->count, COUNT);
	ear_decoder_fini(decoder);
	free(decoder);
	byte_buffer_free(&bytes);
}

/* The text of a format, and the fields that it leaves out. */
static uint64_t write_text(struct byte_buffer *text, const char *format, uint16_t features)
{
	struct seen seen = {.format = ear_writer_find(format)};
	int fd = memory_file();

	assert_non_null(seen.format);
	assert_int_equal(ear_text_output_init(&seen.output, fd, EAR_TEXT_PLAIN), 0);
	seen.writer = seen.format->make(&seen.output, NULL);
	assert_non_null(seen.writer);
	decode(&seen, features);
	ear_text_output_flush(&seen.output);
	read_back_text(text, fd);
	ear_writer_free(seen.writer);
	ear_text_output_fini(&seen.output);
	close(fd);
	return seen.lost;
}

static void a_trap_has_no_cause_unless_a_csr_has_it(void **state)
{
	struct seen seen = {.count = 0};

	(void)state;
	decode(&seen, EAR_REG_FEATURES_NO_CAUSES_MASK);
	assert_false(seen.flags[PLAIN] & EAR_RECORD_NO_CAUSE);
	assert_true(seen.flags[ECALL] & EAR_RECORD_TRAP);
	assert_true(seen.flags[ECALL] & EAR_RECORD_NO_CAUSE);
	assert_true(seen.flags[INTERRUPT] & EAR_RECORD_INTERRUPT);
	assert_true(seen.flags[INTERRUPT] & EAR_RECORD_NO_CAUSE);
	assert_true(seen.flags[WRITES_MCAUSE] & EAR_RECORD_TRAP);
	assert_false(seen.flags[WRITES_MCAUSE] & EAR_RECORD_NO_CAUSE);
	assert_int_equal(seen.cause[WRITES_MCAUSE], 11);
}

/* A unit with causes, and every unit before protocol 1.3: the port's word counts. */
static void cause_0_of_a_unit_with_causes_is_a_cause(void **state)
{
	struct seen seen = {.count = 0};

	(void)state;
	decode(&seen, 0);
	for (unsigned i = 0; i < COUNT; i++) {
		assert_false(seen.flags[i] & EAR_RECORD_NO_CAUSE);
		assert_int_equal(seen.cause[i], 0);
	}
}

static void no_writer_says_cause_0(void **state)
{
	static const struct {
		const char *format, *with, *without; /* part of the text for a cause of 0 */
		bool carries;
	} rows[] = {
		{"whisper", ",m,0,ecall", ",m,?,ecall", true},
		{"json", "\"cause\":\"0x0\"", "\"trap\":true", true},
		{"spike", "trap_instruction_address_misaligned", "trap_unknown", true},
		{"tarmac", "RiscvException\n2 clk", "RiscvExceptionUnknown\n2 clk", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct byte_buffer with = {0}, without = {0};
		write_text(&with, rows[i].format, 0);
		uint64_t lost =
			write_text(&without, rows[i].format, EAR_REG_FEATURES_NO_CAUSES_MASK);
		if (!strstr((const char *)with.bytes, rows[i].with) ||
			strstr((const char *)without.bytes, rows[i].with) ||
			!strstr((const char *)without.bytes, rows[i].without))
			fail_msg("%s: with causes\n%s\nwithout\n%s", rows[i].format,
				(const char *)with.bytes, (const char *)without.bytes);
		assert_int_equal(lost >> EAR_FIELD_CAUSELESS & 1, !rows[i].carries);
		byte_buffer_free(&with);
		byte_buffer_free(&without);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trap_has_no_cause_unless_a_csr_has_it),
		cmocka_unit_test(cause_0_of_a_unit_with_causes_is_a_cause),
		cmocka_unit_test(no_writer_says_cause_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
