/* Agent expressions, row by row in the order of the opcodes. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/gdb/wire/expression.h"
#include "random.h"

#define MEMORY 0x1000u /* 16 bytes 01, 02, .., known but for the last */

static bool read_register(void *context, unsigned number, uint64_t *value)
{
	(void)context;
	*value = 0x100 + number;
	return number < 0x500;
}

static bool read_memory(void *context, uint64_t address, uint8_t *bytes, size_t size)
{
	(void)context;
	if (address < MEMORY || address + size > MEMORY + 15)
		return false;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(address - MEMORY + i + 1);
	return true;
}

static const struct ear_gdb_readers readers = {read_register, read_memory, NULL};

/* In a block of its size, so that a read behind it is seen. */
static enum ear_gdb_value evaluate(const char *code, size_t size, uint64_t *value)
{
	uint8_t *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, code, size);
	enum ear_gdb_value result = ear_gdb_evaluate(copy, size, &readers, value);
	free(copy);
	return result;
}

#define ROW(code, result, value) \
	{ \
		code, sizeof(code) - 1, result, value \
	}
#define A   "\x25\xff\xff\xff\xff\xff\xff\xff\xf8" /* const64 -8 */
#define B   "\x22\x03"                             /* const8 3 */
#define END "\x27"

static void each_opcode(void **state)
{
	static const struct {
		const char *code;
		size_t size;
		enum ear_gdb_value result;
		uint64_t value;
	} rows[] = {
		ROW(A B "\x02" END, EAR_GDB_VALUE, (uint64_t)-5),
		ROW(A B "\x03" END, EAR_GDB_VALUE, (uint64_t)-11),
		ROW(A B "\x04" END, EAR_GDB_VALUE, (uint64_t)-24),
		ROW(A B "\x05" END, EAR_GDB_VALUE, (uint64_t)-2),
		ROW(A B "\x06" END, EAR_GDB_VALUE, (UINT64_MAX - 7) / 3),
		ROW(A B "\x07" END, EAR_GDB_VALUE, (uint64_t)-2),
		ROW(A B "\x08" END, EAR_GDB_VALUE, (UINT64_MAX - 7) % 3),
		ROW(B "\x22\x00\x05" END, EAR_GDB_DIVIDED_BY_0, 5),
		ROW("\x25\x80\0\0\0\0\0\0\0"
		    "\x25\xff\xff\xff\xff\xff\xff\xff\xff\x05" END,
			EAR_GDB_VALUE, (uint64_t)1 << 63),
		ROW(A B "\x09" END, EAR_GDB_VALUE, (uint64_t)-64),
		ROW(A B "\x0a" END, EAR_GDB_VALUE, (uint64_t)-1),
		ROW(A B "\x0b" END, EAR_GDB_VALUE, UINT64_MAX >> 3),
		ROW(A "\x22\xff\x0a" END, EAR_GDB_VALUE, UINT64_MAX),
		ROW(A "\x22\x40\x09" END, EAR_GDB_VALUE, 0),
		ROW(A "\x0e" END, EAR_GDB_VALUE, 0),
		ROW(A "\x0e\x0e" END, EAR_GDB_VALUE, 1),
		ROW(A B "\x0f" END, EAR_GDB_VALUE, 0),
		ROW(A B "\x10" END, EAR_GDB_VALUE, (uint64_t)-5),
		ROW(A B "\x11" END, EAR_GDB_VALUE, (uint64_t)-5),
		ROW(A "\x12" END, EAR_GDB_VALUE, 7),
		ROW(A B "\x13" END, EAR_GDB_VALUE, 0),
		ROW(B B "\x13" END, EAR_GDB_VALUE, 1),
		ROW(A B "\x14" END, EAR_GDB_VALUE, 1),
		ROW(A B "\x15" END, EAR_GDB_VALUE, 0),
		ROW("\x22\xf8\x16\x08" END, EAR_GDB_VALUE, (uint64_t)-8),
		ROW("\x22\xf8\x16\x40" END, EAR_GDB_VALUE, 0xf8),
		ROW("\x23\x10\x01\x17" END, EAR_GDB_VALUE, 0x02),
		ROW("\x23\x10\x01\x18" END, EAR_GDB_VALUE, 0x0302),
		ROW("\x23\x10\x01\x19" END, EAR_GDB_VALUE, 0x05040302),
		ROW("\x23\x10\x01\x1a" END, EAR_GDB_VALUE, 0x0908070605040302),
		ROW("\x23\x10\x0f\x17" END, EAR_GDB_NO_MEMORY, 0x100f),
		ROW("\x22\x01\x20\x00\x08\x22\x05\x27\x22\x06\x27", EAR_GDB_VALUE, 6),
		ROW("\x22\x00\x20\x00\x08\x22\x05\x27\x22\x06\x27", EAR_GDB_VALUE, 5),
		ROW("\x21\x00\x05\x22\x05\x22\x06\x27", EAR_GDB_VALUE, 6),
		ROW("\x21\x00\x03", EAR_GDB_BAD_CODE, 3),
		ROW("\x24\x01\x02\x03\x04" END, EAR_GDB_VALUE, 0x01020304),
		ROW("\x26\x00\x0a" END, EAR_GDB_VALUE, 0x10a),
		ROW("\x26\x05\x00" END, EAR_GDB_NO_REGISTER, 0x500),
		ROW(B "\x28\x04" END, EAR_GDB_VALUE, 9),
		ROW(B "\x22\x05\x29" END, EAR_GDB_VALUE, 3),
		ROW(A "\x2a\x08" END, EAR_GDB_VALUE, 0xf8),
		ROW(B "\x22\x05\x2b\x03" END, EAR_GDB_VALUE, 2),
		ROW(B "\x22\x05\x32\x01" END, EAR_GDB_VALUE, 3),
		ROW(B "\x22\x05\x32\x02" END, EAR_GDB_BAD_CODE, 6),
		ROW("\x22\x01\x22\x02\x22\x03\x33" END, EAR_GDB_VALUE, 2),
		ROW("\x22\x01\x22\x02\x22\x03\x33\x29" END, EAR_GDB_VALUE, 1),
		ROW("\x22\x01\x22\x02\x22\x03\x33\x29\x29" END, EAR_GDB_VALUE, 3),
		ROW("\x01" END, EAR_GDB_BAD_CODE, 0),         /* floating point */
		ROW("\x2c\x00\x01" END, EAR_GDB_BAD_CODE, 0), /* trace variables */
		ROW(END, EAR_GDB_BAD_CODE, 0),                /* nothing on the stack */
		ROW("", EAR_GDB_BAD_CODE, 0),
		ROW("\x22\x01\x02" END, EAR_GDB_BAD_CODE, 3),
		ROW("\x21\x00\x00", EAR_GDB_TOO_LONG, 0),
		ROW("\x22\x01\x21\x00\x00", EAR_GDB_TOO_LONG, 2),
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t value = 99;
		enum ear_gdb_value result = evaluate(rows[i].code, rows[i].size, &value);
		if (result != rows[i].result || value != rows[i].value)
			fail_msg("row %zu: %d, 0x%llx", i, (int)result, (unsigned long long)value);
	}
}

static void code_that_is_cut_is_bad(void **state)
{
	static const char code[] = "\x25\0\0\0\0\0\0\0\x01\x26\x00\x0a\x02\x20\x00\x10";
	uint64_t value;

	(void)state;
	for (size_t size = 0; size < sizeof(code) - 1; size++)
		if (size != 9 && size != 12 && size != 13)
			assert_int_equal(evaluate(code, size, &value), EAR_GDB_BAD_CODE);
}

static void any_bytes_come_to_an_end(void **state)
{
	struct random random = {.state = 5};
	char code[64];
	uint64_t value;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		size_t size = (size_t)random_below(&random, sizeof(code) + 1);
		for (size_t i = 0; i < size; i++)
			code[i] = (char)random_below(&random, 0x36);
		assert_in_range(evaluate(code, size, &value), EAR_GDB_VALUE, EAR_GDB_TOO_LONG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_opcode),
		cmocka_unit_test(code_that_is_cut_is_bad),
		cmocka_unit_test(any_bytes_come_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
