/* The target description. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/gdb/target.h"

/* Every register of the description has the number and the size that packets use. */
static void numbers_and_sizes_are_those_of_packets(void **state)
{
	static const unsigned xlens[] = {32, 64};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(xlens); i++) {
		size_t size;
		char *text = ear_gdb_target_xml(xlens[i], &size);
		unsigned count = 0, next = 0;
		assert_non_null(text);
		assert_int_equal(strlen(text), size);
		for (const char *at = text; (at = strstr(at, "<reg ")) != NULL; at++) {
			unsigned bits, number;
			const char *end = strchr(at, '>');
			const char *bit_size = strstr(at, "bitsize=\""),
				   *regnum = strstr(at, "regnum=\"");
			assert_true(end && bit_size && bit_size < end && regnum && regnum < end);
			assert_int_equal(sscanf(bit_size, "bitsize=\"%u\"", &bits), 1);
			assert_int_equal(sscanf(regnum, "regnum=\"%u\"", &number), 1);
			assert_int_equal(ear_gdb_register_size(number, xlens[i]) * 8, bits);
			assert_true(number >= next); /* GDB wants them in order */
			next = number + 1;
			count++;
		}
		assert_in_range(count, 65 + 100, EAR_GDB_COUNT);
		assert_non_null(strstr(text, xlens[i] == 32 ? "riscv:rv32" : "riscv:rv64"));
		assert_non_null(strstr(text, "<osabi>none</osabi>"));
		assert_non_null(strstr(text, "\"mcause\""));
		assert_null(strstr(text, "\"c1984\""));
		free(text);
	}
}

static void numbers_are_registers(void **state)
{
	enum ear_register_class reg_class;
	unsigned index;

	(void)state;
	assert_true(ear_gdb_register_of(2, &reg_class, &index));
	assert_int_equal(reg_class, EAR_REGISTER_X);
	assert_int_equal(index, 2);
	assert_true(ear_gdb_register_of(64, &reg_class, &index));
	assert_int_equal(reg_class, EAR_REGISTER_F);
	assert_int_equal(index, 31);
	assert_true(ear_gdb_register_of(65 + 0x342, &reg_class, &index));
	assert_int_equal(reg_class, EAR_REGISTER_CSR);
	assert_int_equal(index, 0x342);
	assert_false(ear_gdb_register_of(EAR_GDB_PC, &reg_class, &index));
	assert_false(ear_gdb_register_of(EAR_GDB_PRIV, &reg_class, &index));
	assert_int_equal(ear_gdb_register_size(EAR_GDB_COUNT, 32), 0);
}

static void traps_are_signals(void **state)
{
	(void)state;
	assert_int_equal(ear_gdb_signal(2, false), 4);
	assert_int_equal(ear_gdb_signal(3, false), 5);
	assert_int_equal(ear_gdb_signal(4, false), 10);
	assert_int_equal(ear_gdb_signal(5, false), 11);
	assert_int_equal(ear_gdb_signal(11, false), 12);
	assert_int_equal(ear_gdb_signal(15, false), 11);
	assert_int_equal(ear_gdb_signal(14, false), 5);
	assert_int_equal(ear_gdb_signal(UINT64_MAX, false), 5);
	assert_int_equal(ear_gdb_signal(7, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_sizes_are_those_of_packets),
		cmocka_unit_test(numbers_are_registers),
		cmocka_unit_test(traps_are_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
