/* Every hex example of docs/predict.md is what the text says, and what our encoder makes. */
#include "check.h"

#include <string.h>

#include "decode_run.h"
#include "describe.h"
#include "document.h"
#include "iss_bare.h"
#include "predict_stream.h"

/* In the order of the document; the messages are of a unit with XLEN 32 and FLEN 64. */
static const struct example {
	const char *name, *meaning;
} messages[] = {
	{"run", "RUN run 300"},
	{"insn", "INSN run 0 insn 100002b7"},
	{"insn24", "INSN24 run 2 insn a2a023"},
	{"number", "NUMBER run 20 number 93"},
	{"number_high", "NUMBER_HIGH run 0 number 346"},
	{"group2", "GROUP2 run 0 insn 4515 number 93"},
	{"group3", "GROUP3 run 7 insn a2a023 insn 157d insn fd6d"},
	{"group4", "GROUP4 run 0 number 93 number 346 insn 4515 insn 2a303"},
	{"rdata1", "RDATA1 run 5 rdata -1"},
	{"rdata2", "RDATA2 run 0 rdata +1234"},
	{"rdata4", "RDATA4 run 0 rdata +12345678"},
	{"value", "VALUE run 1 insn 2a303 rdata +123456"},
	{"value_rd", "VALUE run 0 rd -2"},
	{"irq", "IRQ run 11"},
	{"fvalue", "FVALUE run 0 frd 3fd5555555555555"},
	{"general",
		"GENERAL run 3 halt 1 intr 0 mode 3 ixl 1 debug 0 virt 0 insn a001 next 80000020"},
	{"general_trap", "GENERAL run 0 insn 0 trap 1 cause 2 rd x0 csrs 1 c833=80000010"},
};

static struct byte_buffer document;

static int read_document(void **state)
{
	(void)state;
	if (byte_buffer_read_file(&document, EAR_PREDICT_DOCUMENT) != 0)
		return -1;
	byte_buffer_append(&document, "", 1);
	return 0;
}

static int free_document(void **state)
{
	(void)state;
	byte_buffer_free(&document);
	return 0;
}

/* What the encoder makes of a message that was parsed: differences are to a prediction of 0. */
static size_t build_again(uint8_t *bytes, const struct ear_record_message *message)
{
	struct ear_retire entry = message->entry;

	if (message->count == 0)
		return ear_run_build(bytes, message->run);
	if (message->grouped)
		return ear_group_build(
			bytes, message->run, message->count, message->insns, message->differences);
	entry.xlen = 32;
	entry.mem_rmask = 0xF;
	if (message->differences[0].relative) {
		entry.mem_rdata = (uint32_t)entry.mem_rdata;
		entry.rd_wdata = (uint32_t)entry.rd_wdata;
	}
	return ear_record_message_build(bytes, message->run, &entry, &message->differences[0], 64);
}

static void every_message_is_what_the_document_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(messages); i++) {
		struct byte_buffer bytes = {0};
		struct ear_record_message message;
		uint8_t built[EAR_DIFFERENCE_SIZE_MAX];
		char text[DESCRIBE_SIZE];

		document_example(&bytes, &document, messages[i].name);
		memset(&message, 0, sizeof(message));
		if (ear_record_message_parse(&message, bytes.bytes, bytes.size, 32, 64) !=
			(int)bytes.size)
			fail_msg("example %s is not one message", messages[i].name);
		describe_record_message(text, bytes.bytes[0], &message);
		assert_string_equal(text, messages[i].meaning);
		assert_int_equal(build_again(built, &message), bytes.size);
		assert_memory_equal(built, bytes.bytes, bytes.size);
		byte_buffer_free(&bytes);
	}
}

static void every_kind_of_message_has_an_example(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(messages); i++) {
		struct byte_buffer bytes = {0};
		document_example(&bytes, &document, messages[i].name);
		seen |= 1u << (bytes.bytes[0] >> 4);
		byte_buffer_free(&bytes);
	}
	assert_int_equal(seen, 0xFFFF & ~(1u << 8)); /* 8 is for messages that are no records */
}

/* The capture of section 9, through the reference encoder. The program runs on the
 * simulator. */
static void encode_worked_stream(struct byte_buffer *bytes)
{
	static const uint8_t program[] = {
		0xB7, 0x02, 0x00, 0x10, /* lui x5, 0x10000 */
		0x0D, 0x45,             /* c.li x10, 3 */
		0x23, 0xA0, 0xA2, 0x00, /* sw x10, 0(x5) */
		0x7D, 0x15,             /* c.addi x10, -1 */
		0x6D, 0xFD,             /* c.bnez x10, . - 6 */
		0x03, 0xA3, 0x42, 0x00, /* lw x6, 4(x5) */
	};
	static const struct ear_retire last = {.order = 19,
		.xlen = 32,
		.ixl = 1,
		.mode = 3,
		.halt = true,
		.insn = 0xA001,
		.pc_rdata = 0x80000020,
		.pc_wdata = 0x80000020};
	struct ear_unit unit = {.protocol_major = 1,
		.protocol_minor = 3,
		.version = 1,
		.xlen = 32,
		.nret = 1,
		.csr_slots = 6,
		.features = 0x6E,
		.mode = EAR_UNIT_MODE_PREDICT,
		.control = 3,
		.clock_hz = 50000000,
		.buffers = 0x100040};
	struct predict_encoder encoder;
	struct ear_iss *iss = iss_bare_new(32, 1);
	struct ear_retire entry;

	memcpy(ear_iss_memory(iss, EAR_ISS_MEMORY_BASE, sizeof(program)), program, sizeof(program));
	ear_geometry_build(unit.geometry, ear_geometry_get(EAR_GEOMETRY_SMALL));
	predict_encoder_init(&encoder, &unit, bytes);
	for (unsigned i = 0; i < 12; i++) {
		assert_true(ear_iss_step(iss, &entry));
		ear_encoder_push(&encoder.encoder, &entry, 64 + i);
	}
	ear_encoder_flush(&encoder.encoder);
	ear_encoder_put(&encoder.encoder, &(struct ear_message){.kind = EAR_MSG_LOST,
						  .u.lost = {.reason = EAR_LOST_FIFO_FULL,
							  .count = 7,
							  .first = 12,
							  .last = 18}});
	ear_encoder_push(&encoder.encoder, &last, 120);
	ear_encoder_put(&encoder.encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
						  .u.stop = {.reason = EAR_STOP_ENDED,
							  .retired = 20,
							  .delivered = 13,
							  .lost = 7}});
	ear_iss_free(iss);
	predict_encoder_fini(&encoder);
}

static void the_worked_stream_is_what_the_encoder_makes(void **state)
{
	struct byte_buffer example = {0}, encoded = {0}, lines = {0}, expected = {0};

	(void)state;
	document_example(&example, &document, "stream");
	encode_worked_stream(&encoded);
	describe_stream(&lines, example.bytes, example.size);
	describe_stream(&expected, encoded.bytes, encoded.size);
	assert_string_equal((char *)lines.bytes, (char *)expected.bytes);
	assert_int_equal(example.size, encoded.size);
	assert_memory_equal(example.bytes, encoded.bytes, encoded.size);
	byte_buffer_free(&expected);
	byte_buffer_free(&lines);
	byte_buffer_free(&encoded);
	byte_buffer_free(&example);
}

static void the_worked_stream_decodes_to_the_text_after_it(void **state)
{
	struct byte_buffer example = {0}, text = {0};
	const char *end, *begin = document_block(&document, "text", "stream", &end);

	(void)state;
	document_example(&example, &document, "stream");
	decode_to_text(&text, example.bytes, example.size);
	assert_int_equal(text.size, end - begin);
	assert_memory_equal(text.bytes, begin, text.size);
	byte_buffer_free(&text);
	byte_buffer_free(&example);
}

static bool is_known(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT_OF(messages); i++)
		if (strlen(messages[i].name) == length &&
			memcmp(messages[i].name, name, length) == 0)
			return true;
	return length == strlen("stream") && memcmp(name, "stream", length) == 0;
}

static void no_example_of_the_document_is_left_unchecked(void **state)
{
	(void)state;
	assert_int_equal(document_check_examples(&document, is_known), COUNT_OF(messages) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_is_what_the_document_says),
		cmocka_unit_test(every_kind_of_message_has_an_example),
		cmocka_unit_test(the_worked_stream_is_what_the_encoder_makes),
		cmocka_unit_test(the_worked_stream_decodes_to_the_text_after_it),
		cmocka_unit_test(no_example_of_the_document_is_left_unchecked),
	};

	return cmocka_run_group_tests(tests, read_document, free_document);
}
