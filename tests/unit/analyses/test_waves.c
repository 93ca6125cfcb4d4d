/* Waves of a few records: the whole text. With real runs tests/e2e/test_waves.py holds them against
 * the records.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/waves/waves.h"

struct text {
	char *bytes;
	size_t size;
	int fail;
};

static int take(void *context, const void *bytes, size_t size)
{
	struct text *text = context;

	if (text->fail)
		return text->fail;
	text->bytes = realloc(text->bytes, text->size + size + 1);
	assert_non_null(text->bytes);
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
	return 0;
}

static struct ear_waves_result dump(
	struct text *text, const struct ear_record *records, size_t count)
{
	struct ear_byte_output output = {.write = take, .context = text};
	struct ear_waves *waves;

	assert_int_equal(ear_byte_output_begin(&output), 0);
	assert_int_equal(ear_waves_new(&waves, NULL), 0);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count; i++) {
			const struct ear_batch batch = {.size = sizeof(batch),
				.count = 1,
				.position = i,
				.number = i,
				.record = &records[i]};
			int result = pass ? ear_waves_batch(waves, &batch)
					  : ear_waves_look(waves, &batch);
			assert_int_equal(result, 0);
		}
		if (pass == 0)
			ear_waves_begin(waves, &output);
	}
	assert_int_equal(ear_waves_finish(waves), text->fail);
	struct ear_waves_result result = ear_waves_result(waves);
	ear_waves_free(waves);
	ear_byte_output_end(&output);
	return result;
}

static void the_whole_text(void **state)
{
	const struct ear_record_register registers[] = {
		{.reg_class = EAR_REGISTER_X, .number = 2, .value = 0x80000010, .size = 4},
		{.reg_class = EAR_REGISTER_NAMED,
			.text = {.name = "ps w"},
			.text_size = 4,
			.size = 1,
			.value = 5}};
	const struct ear_record_access access = {.address = 0x20,
		.value = 0x0f,
		.size = 1,
		.write = true,
		.has_value = true,
		.unknown = 0xf0};
	const struct ear_record records[] = {
		{.hart = 1,
			.pc = 0x80000000,
			.opcode = 0x13,
			.xlen = 32,
			.privilege = EAR_PRIVILEGE_M,
			.register_count = 2,
			.registers = registers},
		{.hart = 1,
			.pc = 0x80000004,
			.opcode = 0x13,
			.xlen = 32,
			.privilege = EAR_PRIVILEGE_M,
			.memory_count = 1,
			.memory = &access},
		{.kind = EAR_RECORD_GAP, .hart = 1},
	};
	struct text text = {NULL, 0, 0};

	(void)state;
	dump(&text, records, 3);
	assert_string_equal(text.bytes,
		"$comment The trace has no time for its records: time here is the number of the "
		"instruction record. $end\n"
		"$timescale 1 ns $end\n"
		"$scope module hart1 $end\n"
		"$var wire 32 ! pc [31:0] $end\n"
		"$var string 1 \" function $end\n"
		"$var wire 32 # opcode [31:0] $end\n"
		"$var string 1 $ privilege $end\n"
		"$var wire 1 % trap $end\n"
		"$var wire 1 & interrupt $end\n"
		"$var wire 32 ' cause [31:0] $end\n"
		"$var string 1 ( event $end\n"
		"$scope module access0 $end\n"
		"$var wire 1 ) valid $end\n"
		"$var wire 1 * write $end\n"
		"$var wire 4 + size [3:0] $end\n"
		"$var wire 32 , address [31:0] $end\n"
		"$var wire 64 - data [63:0] $end\n"
		"$upscope $end\n"
		"$scope module x $end\n"
		"$var reg 32 . sp [31:0] $end\n"
		"$upscope $end\n"
		"$scope module registers $end\n"
		"$var reg 8 / ps_w [7:0] $end\n"
		"$upscope $end\n"
		"$upscope $end\n"
		"$enddefinitions $end\n"
		"#0\n"
		"b10000000000000000000000000000000 !\n"
		"s- \"\n"
		"b10011 #\n"
		"sM $\n"
		"0%\n0&\nbx '\n"
		"b10000000000000000000000000010000 .\n"
		"b101 /\n"
		"0)\n"
		"#1\n"
		"b10000000000000000000000000000100 !\n"
		"1)\n1*\n"
		"b1 +\n"
		"b100000 ,\n"
		"b0xxxx1111 -\n"
		"#2\n"
		"bx !\nbx #\nx%\nx&\n"
		"bx .\n"
		"bx /\n"
		"x)\n"
		"s- $\n"
		"sgap (\n"
		"#3\n");
	free(text.bytes);
}

static void time_never_goes_back(void **state)
{
	const struct ear_record records[] = {
		{.flags = EAR_RECORD_HAS_TIME, .ticks = 10, .pc = 0, .xlen = 32},
		{.flags = EAR_RECORD_HAS_TIME, .ticks = 8, .pc = 4, .xlen = 32},
		{.flags = EAR_RECORD_HAS_TIME, .ticks = 12, .pc = 8, .xlen = 32},
	};
	struct text text = {NULL, 0, 0};

	(void)state;
	struct ear_waves_result result = dump(&text, records, 3);
	assert_true(result.has_time);
	assert_int_equal(result.backwards, 1);
	assert_non_null(strstr(text.bytes, "#10\n"));
	assert_null(strstr(text.bytes, "#8\n"));
	assert_non_null(strstr(text.bytes, "#12\n"));
	free(text.bytes);
}

static void the_end_of_time(void **state)
{
	const struct ear_record record = {
		.flags = EAR_RECORD_HAS_TIME, .ticks = UINT64_MAX, .pc = 4, .xlen = 32};
	struct text text = {NULL, 0, 0};

	(void)state;
	dump(&text, &record, 1);
	assert_non_null(strstr(text.bytes, "#18446744073709551615\n"));
	assert_null(strstr(text.bytes, "#0\n"));
	free(text.bytes);
}

/* What the second reading finds and the first one did not has no wave. */
static void records_that_were_not_looked_at(void **state)
{
	const struct ear_record_register reg = {.reg_class = EAR_REGISTER_CSR, .number = 768};
	const struct ear_record record = {
		.hart = 3, .register_count = 1, .registers = &reg, .xlen = 32};
	const struct ear_record other = {.xlen = 32};
	const struct ear_record changed = {.xlen = 32, .register_count = 1, .registers = &reg};
	struct ear_byte_output output = {
		.write = take, .context = &(struct text){NULL, 0, EAR_E_IO}};
	struct ear_waves *waves;
	struct ear_batch batch = {.size = sizeof(batch), .count = 1, .record = &other};

	(void)state;
	assert_int_equal(ear_byte_output_begin(&output), 0);
	assert_int_equal(ear_waves_new(&waves, NULL), 0);
	assert_int_equal(ear_waves_look(waves, &batch), 0);
	ear_waves_begin(waves, &output);
	batch.record = &record;
	assert_int_equal(ear_waves_batch(waves, &batch), 0);
	batch.record = &changed;
	assert_int_equal(ear_waves_batch(waves, &batch), 0);
	assert_int_equal(ear_waves_result(waves).left_out, 1);
	assert_int_equal(ear_waves_finish(waves), EAR_E_IO);
	ear_waves_free(waves);
	ear_waves_free(NULL);
	ear_byte_output_end(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_text),
		cmocka_unit_test(time_never_goes_back),
		cmocka_unit_test(the_end_of_time),
		cmocka_unit_test(records_that_were_not_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
