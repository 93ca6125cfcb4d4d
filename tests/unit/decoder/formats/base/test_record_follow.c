/* Where an instruction went, by the record after it: what that does not show stays unknown. */
#include "check.h"

#include "decoder/formats/base/record_builder.h"

#define PC           0x80000000u
#define BEQ_TO_AFTER 0x00628263u /* beq x5, x6, . + 4 */
#define BLTU_TO_8    0x0062E463u /* bltu x5, x6, . + 8 */
#define BGE_TO_AFTER 0x0062D263u /* bge x5, x6, . + 4 */
#define BEQ_ZERO     0x00000263u /* beq x0, x0, . + 4 */
#define C_BNEZ_AFTER 0xE089u     /* c.bnez x9, . + 2 */

static struct ear_record follow(
	uint32_t opcode, unsigned xlen, uint64_t successor, const uint64_t *read)
{
	const struct ear_record_register reads[] = {
		{.reg_class = EAR_REGISTER_X, .number = 5, .value = read ? read[0] : 0},
		{.reg_class = EAR_REGISTER_X, .number = 6, .value = read ? read[1] : 0},
		{.reg_class = EAR_REGISTER_X, .number = 9, .value = read ? read[0] : 0}};
	const struct ear_record_extra extra = {.read_count = read ? 3 : 0, .reads = reads};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = (uint8_t)xlen,
		.opcode = opcode,
		.opcode_size = (opcode & 3) == 3 ? 4 : 2,
		.pc = PC,
		.extra = &extra};

	ear_record_follow(&record, true, successor, true);
	record.extra = NULL;
	return record;
}

static void a_branch_to_the_next_instruction_is_unknown(void **state)
{
	(void)state;
	assert_true(follow(BEQ_TO_AFTER, 64, PC + 4, NULL).flags & EAR_RECORD_NO_NEXT_PC);
	assert_true(follow(C_BNEZ_AFTER, 64, PC + 2, NULL).flags & EAR_RECORD_NO_NEXT_PC);
	assert_int_equal(follow(BLTU_TO_8, 64, PC + 4, NULL).flags, 0);
	assert_int_equal(follow(BLTU_TO_8, 64, PC + 8, NULL).flags, EAR_RECORD_TAKEN);
}

static void registers_that_were_read_decide_it(void **state)
{
	static const struct {
		uint32_t opcode;
		unsigned xlen;
		uint64_t read[2];
		bool taken;
	} rows[] = {
		{BEQ_TO_AFTER, 64, {7, 7}, true},
		{BEQ_TO_AFTER, 64, {7, 8}, false},
		{BEQ_TO_AFTER, 32, {UINT64_MAX, UINT32_MAX}, true},
		{BGE_TO_AFTER, 64, {1, UINT64_MAX}, true},
		{BGE_TO_AFTER, 32, {0x80000000, 0}, false},
		{C_BNEZ_AFTER, 64, {0, 0}, false},
		{C_BNEZ_AFTER, 64, {1, 0}, true},
		{BEQ_ZERO, 64, {0, 0}, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t after = PC + ((rows[i].opcode & 3) == 3 ? 4 : 2);
		struct ear_record record =
			follow(rows[i].opcode, rows[i].xlen, after, rows[i].read);
		assert_int_equal(record.flags, rows[i].taken ? EAR_RECORD_TAKEN : 0);
		assert_int_equal(record.next_pc, after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_to_the_next_instruction_is_unknown),
		cmocka_unit_test(registers_that_were_read_decide_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
