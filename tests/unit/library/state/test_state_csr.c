/* CSRs and other registers that change although no record lists them: what they held is unknown
 * then, and only then.
 */
#include "check.h"

#include "library/state/state.h"

#define MSTATUS 0x300
#define SSTATUS 0x100
#define MEPC    0x341
#define SEPC    0x141
#define VSEPC   0x241
#define MCAUSE  0x342
#define PMPADDR 0x3b0
#define VENDOR  0x7c0
#define VL      0xc20
#define FFLAGS  0x001

#define ADDI      0x00150513u
#define FADD      0x00c5f553u /* fadd.s fa0, fa1, fa2 */
#define ECALL     0x00000073u
#define MRET      0x30200073u
#define CSRW(csr) (0x00051073u | (uint32_t)(csr) << 20)
#define CSRR(csr) (0x00002573u | (uint32_t)(csr) << 20) /* into a0 */
#define VSETVLI   0x0c0572d7u
#define DRET      0x7b200073u

struct hart {
	struct ear_state *state;
	uint64_t index;
};

static struct hart new_hart(void)
{
	const struct ear_state_source source = {.captured = true, .shows_fflags = true};
	struct hart hart = {0};

	assert_int_equal(ear_state_new(&hart.state), 0);
	ear_state_set_source(hart.state, &source);
	return hart;
}

static void push_record(struct hart *hart, struct ear_record record,
	const struct ear_record_register *registers, size_t count)
{
	record.index = hart->index++;
	record.registers = registers;
	record.register_count = count;
	assert_int_equal(ear_state_push(hart->state, &record), 0);
}

static struct ear_record instruction(uint32_t opcode)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 64,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = opcode,
		.pc = 0x80000000,
		.next_pc = 0x80000004,
		.flags = EAR_RECORD_NO_NEXT_PC};
}

static void execute(struct hart *hart, uint32_t opcode)
{
	push_record(hart, instruction(opcode), NULL, 0);
}

static void write_csr(struct hart *hart, unsigned csr, uint64_t value)
{
	const struct ear_record_register reg = {
		.reg_class = EAR_REGISTER_CSR, .number = (uint16_t)csr, .value = value};

	push_record(hart, instruction(CSRW(csr)), &reg, 1);
}

static bool is_known(const struct hart *hart, enum ear_register_class reg_class, unsigned number)
{
	uint64_t value;

	return ear_state_register(hart->state, 0, reg_class, number, &value);
}

static bool knows(const struct hart *hart, unsigned csr)
{
	return is_known(hart, EAR_REGISTER_CSR, csr);
}

static void floating_point_makes_mstatus_unknown_unless_it_is_dirty(void **state)
{
	(void)state;
	for (unsigned fs = 1; fs < 4; fs++) {
		struct hart hart = new_hart();
		write_csr(&hart, MSTATUS, fs << 13);
		execute(&hart, ADDI);
		assert_true(knows(&hart, MSTATUS));
		execute(&hart, FADD);
		assert_int_equal(knows(&hart, MSTATUS), fs == 3);
		ear_state_free(hart.state);
	}
}

static void a_result_that_is_not_listed_is_unknown(void **state)
{
	(void)state;
	struct hart hart = new_hart();
	const struct ear_record_register a0 = {
		.reg_class = EAR_REGISTER_X, .number = 10, .value = 1};

	push_record(&hart, instruction(ADDI), &a0, 1);
	assert_true(is_known(&hart, EAR_REGISTER_X, 10));
	execute(&hart, CSRW(MEPC)); /* reads it */
	assert_true(is_known(&hart, EAR_REGISTER_X, 10));
	execute(&hart, ADDI);
	assert_false(is_known(&hart, EAR_REGISTER_X, 10));
	ear_state_free(hart.state);
}

static void a_csr_is_known_when_it_is_read_and_unknown_when_it_is_written_unlisted(void **state)
{
	(void)state;
	struct hart hart = new_hart();
	const struct ear_record_register a0 = {
		.reg_class = EAR_REGISTER_X, .number = 10, .value = 8};

	push_record(&hart, instruction(CSRR(MEPC)), &a0, 1);
	assert_true(knows(&hart, MEPC));
	execute(&hart, CSRW(MEPC));
	assert_false(knows(&hart, MEPC));
	/* Those of vendors may change by themselves, so they never are. */
	push_record(&hart, instruction(CSRR(VENDOR)), &a0, 1);
	write_csr(&hart, VENDOR, 1);
	assert_false(knows(&hart, VENDOR));
	ear_state_free(hart.state);
}

static void a_trap_changes_the_csrs_of_the_mode_that_it_goes_to(void **state)
{
	(void)state;
	struct hart hart = new_hart();
	const struct ear_record_register listed[] = {
		{.reg_class = EAR_REGISTER_CSR, .number = MEPC, .value = 0x80000000},
		{.reg_class = EAR_REGISTER_CSR, .number = MCAUSE, .value = 11}};
	struct ear_record trap = instruction(ECALL);

	write_csr(&hart, SEPC, 1);
	write_csr(&hart, MSTATUS, 0x6000);
	trap.flags |= EAR_RECORD_TRAP;
	push_record(&hart, trap, listed, 2);
	assert_true(knows(&hart, MEPC));
	assert_true(knows(&hart, SEPC));
	assert_false(knows(&hart, MSTATUS)); /* it was not listed */
	/* One that lists nothing may go anywhere. */
	push_record(&hart, trap, NULL, 0);
	assert_false(knows(&hart, MEPC));
	assert_false(knows(&hart, SEPC));
	ear_state_free(hart.state);
}

static void an_interrupt_without_a_record_shows_at_its_handler(void **state)
{
	(void)state;
	struct hart hart = new_hart();
	struct ear_record handler = instruction(ADDI);

	write_csr(&hart, MEPC, 1);
	write_csr(&hart, MSTATUS, 0x6000);
	handler.flags |= EAR_RECORD_HANDLER;
	push_record(&hart, handler, NULL, 0);
	assert_false(knows(&hart, MEPC));
	assert_false(knows(&hart, MSTATUS));
	ear_state_free(hart.state);
}

static void a_return_from_a_trap_changes_mstatus(void **state)
{
	(void)state;
	struct hart hart = new_hart();
	const struct ear_record_register listed = {
		.reg_class = EAR_REGISTER_CSR, .number = MSTATUS, .value = 0x88};

	write_csr(&hart, MSTATUS, 0x6000);
	execute(&hart, MRET);
	assert_false(knows(&hart, MSTATUS));
	push_record(&hart, instruction(MRET), &listed, 1);
	assert_true(knows(&hart, MSTATUS));
	ear_state_free(hart.state);
}

static void views_of_what_was_written_are_open(void **state)
{
	(void)state;
	struct hart hart = new_hart();

	write_csr(&hart, SSTATUS, 0x6000);
	assert_true(knows(&hart, SSTATUS));
	write_csr(&hart, MSTATUS, 0x6000);
	assert_false(knows(&hart, SSTATUS));
	write_csr(&hart, PMPADDR, 1);
	assert_true(knows(&hart, PMPADDR));
	write_csr(&hart, 0x3a0, 1);
	assert_false(knows(&hart, PMPADDR));
	write_csr(&hart, MEPC, 1);
	write_csr(&hart, 0x301, 0);
	assert_false(knows(&hart, MEPC));
	ear_state_free(hart.state);
}

static void in_a_virtual_machine_a_number_means_two_registers(void **state)
{
	(void)state;
	struct hart hart = new_hart();
	const struct ear_record_register reg = {
		.reg_class = EAR_REGISTER_CSR, .number = SEPC, .value = 7};
	struct ear_record guest = instruction(CSRW(SEPC));

	write_csr(&hart, SEPC, 1);
	write_csr(&hart, VSEPC, 2);
	guest.privilege = EAR_PRIVILEGE_VS;
	push_record(&hart, guest, &reg, 1);
	assert_false(knows(&hart, SEPC));
	assert_false(knows(&hart, VSEPC));
	ear_state_free(hart.state);
}

static void vsetvli_without_a_listed_vl_leaves_it_open(void **state)
{
	(void)state;
	struct hart hart = new_hart();
	const struct ear_record_register vl = {
		.reg_class = EAR_REGISTER_CSR, .number = VL, .value = 4};

	push_record(&hart, instruction(VSETVLI), &vl, 1);
	assert_true(knows(&hart, VL));
	execute(&hart, VSETVLI);
	assert_false(knows(&hart, VL));
	ear_state_free(hart.state);
}

static void flags_are_open_where_the_source_does_not_show_them(void **state)
{
	(void)state;
	for (unsigned shows = 0; shows < 2; shows++) {
		const struct ear_state_source source = {.captured = true, .shows_fflags = shows};
		struct hart hart = new_hart();
		ear_state_set_source(hart.state, &source);
		write_csr(&hart, FFLAGS, 1);
		execute(&hart, FADD);
		assert_int_equal(knows(&hart, FFLAGS), shows);
		ear_state_free(hart.state);
	}
}

static void a_time_in_debug_mode_or_a_jump_of_the_index_makes_all_unknown(void **state)
{
	(void)state;
	for (unsigned jumps = 0; jumps < 2; jumps++) {
		struct hart hart = new_hart();
		struct ear_record record = instruction(DRET);
		write_csr(&hart, MEPC, 1);
		if (jumps)
			hart.index += 3;
		else
			record.privilege = EAR_PRIVILEGE_DEBUG;
		push_record(&hart, jumps ? instruction(ADDI) : record, NULL, 0);
		assert_false(knows(&hart, MEPC));
		ear_state_free(hart.state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floating_point_makes_mstatus_unknown_unless_it_is_dirty),
		cmocka_unit_test(a_result_that_is_not_listed_is_unknown),
		cmocka_unit_test(
			a_csr_is_known_when_it_is_read_and_unknown_when_it_is_written_unlisted),
		cmocka_unit_test(a_trap_changes_the_csrs_of_the_mode_that_it_goes_to),
		cmocka_unit_test(an_interrupt_without_a_record_shows_at_its_handler),
		cmocka_unit_test(a_return_from_a_trap_changes_mstatus),
		cmocka_unit_test(views_of_what_was_written_are_open),
		cmocka_unit_test(in_a_virtual_machine_a_number_means_two_registers),
		cmocka_unit_test(vsetvli_without_a_listed_vl_leaves_it_open),
		cmocka_unit_test(flags_are_open_where_the_source_does_not_show_them),
		cmocka_unit_test(a_time_in_debug_mode_or_a_jump_of_the_index_makes_all_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
