/* Every hex example of docs/protocol.md is what the text says, and what our encoder makes. */
#include "check.h"

#include <ctype.h>
#include <string.h>

#include "byte_buffer.h"
#include "decode_run.h"
#include "decoder/codec/encoder.h"
#include "describe.h"
#include "document.h"

#define UNIT_TEXT \
	"UNIT protocol 1.4 version 1 xlen 32 nret 1 flen 0 csr_slots 6 features 6e mode 0 " \
	"control 5 hart 0 clock_hz 50000000 buffers 100040"

struct example {
	const char *name, *meaning;
};

/* In the order of the document. */
static const struct example messages[] = {
	{"pad", "PAD"},
	{"unit", UNIT_TEXT},
	{"sync", "SYNC flags 01 order 65536"},
	{"lost", "LOST reason 1 count 1047 first 5210 last 6256"},
	{"time", "TIME 50000000"},
	{"time_delta1", "TIME_DELTA1 +3"},
	{"time_delta2", "TIME_DELTA2 +1000"},
	{"time_delta4", "TIME_DELTA4 +100000"},
	{"event", "EVENT source 1 order 5210 value 1"},
	{"reply", "REPLY tag 2a status 0 address 0 value 31524145"},
	{"raw32_short", "RAW32 mode 3 ixl 1 insn 4515 pc 80000004 next 80000006 rd x10=5"},
	{"raw32_store",
		"RAW32 order 2 mode 3 ixl 1 insn a2a023 pc 80000006 next 8000000a rs1 x5=10000000 "
		"rs2 x10=5 mem 10000000 rmask 0 wmask f wdata 5"},
	{"raw32_trap",
		"RAW32 mode 3 ixl 1 trap insn 73 pc 800001a0 next 80000040 cause b c833=800001a0 "
		"c834=b c835=0 c768=1800 c784=0"},
	{"raw64", "RAW64 mode 1 ixl 2 insn e298 pc 4000200a next 4000200c rs1 x13=40001000 "
		  "rs2 x14=1234 mem 40001000 rmask 0 wmask ff wdata 1234 pc_paddr 8000100a "
		  "mem_paddr 80004000"},
	{"raw64_float", "RAW64 mode 3 ixl 2 insn 1af677d3 pc 800000be next 800000c2 c3=1 "
			"f15=3fd5555555555555 fflags 1"},
	{"stop", "STOP reason 3 retired 9000 delivered 7943 lost 1047 filtered 10"},
	{"check", "CHECK pc 8000000a digest deadbeef"},
	{"test", "TEST number 5 words 4"},
	{"port", "PORT source 128 value 2a"},
	{"port_long", "EVENT source 128 order 5210 value 2a"},
};

static const struct example control_words[] = {
	{"control_read", "operation 1 tag 2a address 0 value 0"},
	{"control_write", "operation 2 tag 2b address 20 value b"},
};

/* What is neither a message nor a control word. */
static const char *const others[] = {"frame", "stream"};

static struct byte_buffer document;

static int read_document(void **state)
{
	(void)state;
	if (byte_buffer_read_file(&document, EAR_PROTOCOL_DOCUMENT) != 0)
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

static void read_example(struct byte_buffer *bytes, const char *name)
{
	*bytes = (struct byte_buffer){0};
	document_example(bytes, &document, name);
}

static void every_message_is_what_the_document_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(messages); i++) {
		struct byte_buffer bytes;
		struct ear_message message;
		uint8_t built[EAR_MESSAGE_SIZE_MAX];
		char text[DESCRIBE_SIZE];

		read_example(&bytes, messages[i].name);
		if (ear_message_parse(&message, bytes.bytes, bytes.size) != (int)bytes.size)
			fail_msg("example %s is not one message", messages[i].name);
		describe_message(text, &message);
		assert_string_equal(text, messages[i].meaning);
		assert_int_equal(ear_message_build(built, &message), bytes.size);
		assert_memory_equal(built, bytes.bytes, bytes.size);
		byte_buffer_free(&bytes);
	}
}

static void every_kind_of_message_has_an_example(void **state)
{
	(void)state;
	for (unsigned kind = EAR_MSG_PAD; kind <= EAR_MSG_PORT; kind++) {
		const char *name = ear_message_name((uint8_t)kind);
		size_t length = strlen(name);
		bool found = false;
		for (size_t i = 0; i < COUNT_OF(messages); i++)
			found |= strncmp(messages[i].meaning, name, length) == 0 &&
				 !isalnum((unsigned char)messages[i].meaning[length]);
		if (!found)
			fail_msg("no example of %s", name);
	}
}

static void every_control_word_is_what_the_document_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(control_words); i++) {
		struct byte_buffer bytes;
		struct ear_control_word word;
		uint8_t built[EAR_CONTROL_WORD_SIZE];
		char text[DESCRIBE_SIZE];

		read_example(&bytes, control_words[i].name);
		assert_int_equal(bytes.size, EAR_CONTROL_WORD_SIZE);
		assert_int_equal(ear_control_word_parse(&word, bytes.bytes), EAR_CONTROL_WORD_SIZE);
		describe_control_word(text, &word);
		assert_string_equal(text, control_words[i].meaning);
		ear_control_word_build(built, &word);
		assert_memory_equal(built, bytes.bytes, sizeof(built));
		byte_buffer_free(&bytes);
	}
}

static void the_frame_is_what_the_document_says(void **state)
{
	struct byte_buffer bytes, lines = {0};

	(void)state;
	read_example(&bytes, "frame");
	describe_stream(&lines, bytes.bytes, bytes.size);
	assert_string_equal((char *)lines.bytes,
		"0     frame hart 0 sequence 7 payload 12\n"
		"8     REPLY tag 2a status 0 address 0 value 31524145\n"
		"17    PAD\n18    PAD\n19    PAD\n");
	byte_buffer_free(&lines);
	byte_buffer_free(&bytes);
}

/* The capture of section 8, through the reference encoder. */
static void encode_worked_stream(struct byte_buffer *bytes)
{
	static const struct ear_retire entries[] = {
		{.order = 0,
			.xlen = 32,
			.ixl = 1,
			.mode = 3,
			.insn = 0x100002B7,
			.pc_rdata = 0x80000000,
			.pc_wdata = 0x80000004,
			.rd_addr = 5,
			.rd_wdata = 0x10000000},
		{.order = 1,
			.xlen = 32,
			.ixl = 1,
			.mode = 3,
			.insn = 0x4515,
			.pc_rdata = 0x80000004,
			.pc_wdata = 0x80000006,
			.rd_addr = 10,
			.rd_wdata = 5},
		{.order = 2,
			.xlen = 32,
			.ixl = 1,
			.mode = 3,
			.insn = 0xA2A023,
			.pc_rdata = 0x80000006,
			.pc_wdata = 0x8000000A,
			.rs1_addr = 5,
			.rs1_rdata = 0x10000000,
			.rs2_addr = 10,
			.rs2_rdata = 5,
			.mem_addr = 0x10000000,
			.mem_wmask = 0xF,
			.mem_wdata = 5},
		{.order = 10,
			.xlen = 32,
			.ixl = 1,
			.mode = 3,
			.halt = true,
			.insn = 0xA001,
			.pc_rdata = 0x80000020,
			.pc_wdata = 0x80000020},
	};
	struct ear_unit unit = {.protocol_major = 1,
		.protocol_minor = 4,
		.version = 1,
		.xlen = 32,
		.nret = 1,
		.csr_slots = 6,
		.features = 0x6E,
		.control = 5,
		.clock_hz = 50000000,
		.buffers = 0x100040};
	struct ear_encoder encoder;

	ear_encoder_init(&encoder, &unit, byte_buffer_sink, bytes);
	ear_encoder_push(&encoder, &entries[0], 64);
	ear_encoder_push(&encoder, &entries[1], 65);
	ear_encoder_push(&encoder, &entries[2], 67);
	ear_encoder_flush(&encoder);
	ear_encoder_put(&encoder,
		&(struct ear_message){.kind = EAR_MSG_LOST,
			.u.lost = {
				.reason = EAR_LOST_FIFO_FULL, .count = 7, .first = 3, .last = 9}});
	ear_encoder_push(&encoder, &entries[3], 120);
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					  .u.stop = {.reason = EAR_STOP_ENDED,
						  .retired = 11,
						  .delivered = 4,
						  .lost = 7}});
}

static void the_worked_stream_is_what_the_encoder_makes(void **state)
{
	struct byte_buffer example, encoded = {0};

	(void)state;
	read_example(&example, "stream");
	encode_worked_stream(&encoded);
	assert_int_equal(example.size, encoded.size);
	assert_memory_equal(example.bytes, encoded.bytes, encoded.size);
	byte_buffer_free(&encoded);
	byte_buffer_free(&example);
}

static void the_worked_stream_decodes_to_the_text_after_it(void **state)
{
	struct byte_buffer example, text = {0};
	const char *end, *begin = document_block(&document, "text", "stream", &end);

	(void)state;
	read_example(&example, "stream");
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
	for (size_t i = 0; i < COUNT_OF(control_words); i++)
		if (strlen(control_words[i].name) == length &&
			memcmp(control_words[i].name, name, length) == 0)
			return true;
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (strlen(others[i]) == length && memcmp(others[i], name, length) == 0)
			return true;
	return false;
}

static void no_example_of_the_document_is_left_unchecked(void **state)
{
	(void)state;
	size_t examples = document_check_examples(&document, is_known);
	assert_int_equal(examples, COUNT_OF(messages) + COUNT_OF(control_words) + COUNT_OF(others));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_is_what_the_document_says),
		cmocka_unit_test(every_kind_of_message_has_an_example),
		cmocka_unit_test(every_control_word_is_what_the_document_says),
		cmocka_unit_test(the_frame_is_what_the_document_says),
		cmocka_unit_test(the_worked_stream_is_what_the_encoder_makes),
		cmocka_unit_test(the_worked_stream_decodes_to_the_text_after_it),
		cmocka_unit_test(no_example_of_the_document_is_left_unchecked),
	};

	return cmocka_run_group_tests(tests, read_document, free_document);
}
