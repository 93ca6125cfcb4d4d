/* Names of registers and CSRs as simulators spell them. */
#include "check.h"

#include <string.h>

#include "decoder/text/riscv_name.h"

static void csrs_are_found_by_the_names_of_both_simulators(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint16_t number;
	} rows[] = {
		{"mstatus", 0x300},
		{"c768_mstatus", 0x300},
		{"c768", 0x300},
		{"0x300", 0x300},
		{"jvt", 0x017},       /* Spike's */
		{"medelegh", 0x312},  /* Spike's */
		{"pmamask15", 0x7ff}, /* Whisper's */
		{"c23_jvt", 0x017},
		{"c1991_unknown-csr", 0x7c7},
	};
	uint16_t number;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_text name = {rows[i].name, strlen(rows[i].name)};
		number = 0xFFFF;
		assert_true(ear_riscv_find_csr(name, &number));
		assert_int_equal(number, rows[i].number);
	}
	assert_false(ear_riscv_find_csr((struct ear_text){"mstatuss", 8}, &number));
	assert_false(ear_riscv_find_csr((struct ear_text){"c4096", 5}, &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csrs_are_found_by_the_names_of_both_simulators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
