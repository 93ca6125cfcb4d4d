/* XLEN by what the beginning of a text shows. decoder/formats/base/xlen.h, spike_xlen.h */
#include "check.h"

#include <string.h>

#include "decoder/formats/base/xlen.h"
#include "decoder/formats/spike/spike_xlen.h"

static void opcodes_of_one_xlen_are_known(void **state)
{
	(void)state;
	assert_int_equal(ear_xlen_of_opcode(0x00000013), 0);            /* addi */
	assert_int_equal(ear_xlen_of_opcode(0x0000001B), 64);           /* addiw */
	assert_int_equal(ear_xlen_of_opcode(0x0000003B), 64);           /* addw */
	assert_int_equal(ear_xlen_of_opcode(0x0000000B), 0);            /* of no XLEN */
	assert_int_equal(ear_xlen_of_opcode(0x08F01013 | 1 << 15), 32); /* zip */
}

#define PC32 "core   0: 3 0xffffffff80000000 (0x00000013)"
#define PC64 "core   0: 3 0x0000000080000000 (0x00000013)"

/* 0: the digits of the pcs decide. */
static void wide_pcs_are_of_rv32_where_registers_or_opcodes_say_so(void **state)
{
	static const struct {
		const char *text;
		unsigned xlen;
	} rows[] = {
		{"", 0}, {"core   0: 3 0x80000000 (0x00000013) x5  0x00000001\n", 0},
		{PC64 "\n", 0}, {PC64 " x5  0x0000000000000001\n", 0},
		{PC64 " x5  0x00000001\n", 32},
		{"3 0x0000000080000000 (0x4515) x10 0x00000005\n", 32},
		{"console\n" PC64 " x 5 0x00000001\n", 32}, {PC32 "\n", 32},
		{PC32 " x5  0xffffffff80000000\n", 0}, {PC32 " x5  0x80000000\n", 32},
		{PC32 "\ncore   0: 3 0xffffffff80000000 (0x0000001b)\n", 0},
		{PC64 "\ncore   0: 0x0000000080000004 (0x2505) c.jal\n" PC64 "\n", 0},
		{"core   0: 0x0000000080000004 (0x2011) c.jal pc + 4\n"
		 "core   0: 0x0000000080000008 (0x0001) c.nop\n",
			32},
		{"core   0: 0x0000000080000004 (0x2505) c.addiw a0, 1\n"
		 "core   0: 0x0000000080000006 (0x0001) c.nop\n",
			0},
		{PC32 "\n" PC64 "\n", 0}, {PC64 " x5  0x0000", 0}, /* cut off */
	};

	bool guessed;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			ear_spike_xlen(rows[i].text, strlen(rows[i].text), &guessed), rows[i].xlen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opcodes_of_one_xlen_are_known),
		cmocka_unit_test(wide_pcs_are_of_rv32_where_registers_or_opcodes_say_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
