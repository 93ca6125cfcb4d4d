/* Instructions through the library: sets that are the object's, operands, texts, names of
 * registers.
 */
#include "check.h"

#include <stdio.h>

#include <earshot/earshot.h>

#include "decoder/isa/inst.h"

#define MUL  0x02b50533u /* mul a0, a0, a1 */
#define SW   0x00a2a023u /* sw a0, 0(t0) */
#define RET  0x00008067u
#define CSRR 0x30002573u /* csrr a0, mstatus */

static struct ear_instruction decode(struct ear_instructions *set, uint32_t opcode)
{
	struct ear_instruction instruction = {.size = sizeof(instruction)};

	assert_int_equal(ear_instruction_decode(set, &instruction, opcode, 32), 0);
	return instruction;
}

static void a_set_is_that_of_its_object(void **state)
{
	struct ear_instructions *all, *base;
	char error[EAR_INSTRUCTIONS_ERROR_MAX];

	(void)state;
	assert_int_equal(ear_instructions_new(&all, NULL, error), 0);
	assert_int_equal(ear_instructions_new(&base, "rv32i", error), 0);
	assert_string_equal(decode(all, MUL).mnemonic, "mul");
	assert_int_equal(decode(all, MUL).instruction_class, EAR_CLASS_MUL);
	assert_string_equal(decode(base, MUL).mnemonic, "illegal");
	assert_int_equal(decode(base, MUL).instruction_class, EAR_CLASS_ILLEGAL);
	assert_string_equal(decode(base, SW).mnemonic, "sw");

	const struct ear_record record = {
		.kind = EAR_RECORD_INSTRUCTION, .xlen = 32, .opcode = MUL, .opcode_size = 4};
	char text[64];
	ear_instruction_text(all, &record, text, sizeof(text));
	assert_string_equal(text, "mul      x10, x10, x11");
	ear_instruction_text(base, &record, text, sizeof(text));
	assert_string_equal(text, "illegal");
	ear_instructions_free(all);
	ear_instructions_free(base);
	assert_int_equal(ear_instructions_new(&all, "rv32i_zfoo", error), EAR_E_BAD_ARGUMENT);
	assert_contains(error, "zfoo");
}

static void operands_say_what_is_read_and_written(void **state)
{
	struct ear_instructions *set;

	(void)state;
	assert_int_equal(ear_instructions_new(&set, NULL, NULL), 0);
	struct ear_instruction store = decode(set, SW);
	assert_int_equal(store.instruction_class, EAR_CLASS_STORE);
	assert_int_equal(store.access_size, 4);
	assert_int_equal(store.operand_count, 3);
	assert_int_equal(store.operands[0].number, 10);
	assert_int_equal(store.operands[0].access, EAR_OPERAND_IS_READ);
	assert_int_equal(store.operands[1].number, 5);
	assert_true(store.operands[2].is_immediate);
	assert_same(store.operands[2].immediate, 0);
	struct ear_instruction csr = decode(set, CSRR);
	assert_int_equal(csr.instruction_class, EAR_CLASS_CSR);
	assert_int_equal(csr.operands[0].access, EAR_OPERAND_IS_WRITTEN);
	assert_int_equal(csr.operands[csr.operand_count - 1].reg_class, EAR_REGISTER_CSR);
	assert_int_equal(csr.operands[csr.operand_count - 1].number, 0x300);
	assert_same(decode(set, RET).flags, EAR_INSTRUCTION_RETURN | EAR_INSTRUCTION_INDIRECT);
	struct ear_instruction none = {.size = 0};
	assert_int_equal(ear_instruction_decode(set, &none, SW, 32), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_instruction_decode(set, &store, SW, 33), EAR_E_BAD_ARGUMENT);
	ear_instructions_free(set);
}

/* The public struct has what the table has, for any opcode. */
static void every_opcode_is_as_the_table_says(void **state)
{
	struct ear_instructions *set;
	struct ear_inst inst;
	size_t legal = 0;

	(void)state;
	assert_int_equal(ear_instructions_new(&set, NULL, NULL), 0);
	for (uint32_t i = 0, opcode = 1; i < 200000; i++, opcode = opcode * 1664525 + 1013904223) {
		struct ear_instruction found = decode(set, opcode);
		ear_inst_decode(&inst, opcode, 32);
		assert_string_equal(found.mnemonic, ear_inst_name(inst.id));
		assert_same(found.opcode_size, inst.size);
		assert_same(found.operand_count, inst.operand_count);
		legal += inst.id != EAR_INST_ILLEGAL;
		assert_same(
			found.instruction_class == EAR_CLASS_ILLEGAL, inst.id == EAR_INST_ILLEGAL);
		for (unsigned o = 0; o < inst.operand_count; o++) {
			assert_same(found.operands[o].is_immediate,
				inst.operands[o].kind == EAR_OPERAND_IMM);
			assert_same(found.operands[o].is_immediate ? found.operands[o].immediate
								   : found.operands[o].number,
				inst.operands[o].value);
		}
	}
	assert_above(legal, 50000);
	for (unsigned i = 0; i <= EAR_CLASS_VECTOR; i++)
		assert_non_null(ear_instruction_class_name(i));
	assert_null(ear_instruction_class_name(EAR_CLASS_VECTOR + 1));
	ear_instructions_free(set);
}

static void registers_are_found_by_every_name(void **state)
{
	static const struct {
		const char *name;
		enum ear_register_class reg_class;
		unsigned number;
	} rows[] = {
		{"x2", EAR_REGISTER_X, 2},
		{"sp", EAR_REGISTER_X, 2},
		{"zero", EAR_REGISTER_X, 0},
		{"fp", EAR_REGISTER_X, 8},
		{"s0", EAR_REGISTER_X, 8},
		{"t6", EAR_REGISTER_X, 31},
		{"f10", EAR_REGISTER_F, 10},
		{"fa0", EAR_REGISTER_F, 10},
		{"mstatus", EAR_REGISTER_CSR, 0x300},
		{"c768", EAR_REGISTER_CSR, 768},
		{"v31", EAR_REGISTER_V, 31},
	};
	enum ear_register_class reg_class;
	unsigned number;
	char name[16];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(ear_register_find(rows[i].name, &reg_class, &number), 0);
		assert_int_equal(reg_class, rows[i].reg_class);
		assert_int_equal(number, rows[i].number);
	}
	for (unsigned c = EAR_REGISTER_X; c <= EAR_REGISTER_V; c++)
		for (unsigned i = 0; i < (c == EAR_REGISTER_CSR ? 4096u : 32u); i++) {
			ear_register_name((enum ear_register_class)c, i, name, sizeof(name));
			assert_int_equal(ear_register_find(name, &reg_class, &number), 0);
			assert_int_equal(reg_class, c);
			assert_int_equal(number, i);
		}
	assert_int_equal(ear_register_find("x32", &reg_class, &number), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_register_find("", &reg_class, &number), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_register_find("c4096", &reg_class, &number), EAR_E_BAD_ARGUMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_is_that_of_its_object),
		cmocka_unit_test(operands_say_what_is_read_and_written),
		cmocka_unit_test(every_opcode_is_as_the_table_says),
		cmocka_unit_test(registers_are_found_by_every_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
