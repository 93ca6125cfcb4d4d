/* Ends that have a name of their own, written record by record, and what else a run says about its
 * cause: what a handler changed, and where one came between.
 */
#include "check.h"

#include "why_trace.h"

#define WFI          0x10500073
#define MRET         0x30200073
#define NEXT(pc)     ",\"next_pc\":\"" #pc "\""
#define TIMER        ",\"interrupt\":true,\"cause\":\"0x80000007\",\"next_pc\":\"0x80000800\""
#define HANDLER      ",\"handler\":true"
#define FAULT        ",\"trap\":true,\"cause\":\"0x5\",\"next_pc\":\"0x80000900\""
#define END_GAP      "{\"kind\":\"gap\",\"schema\":2,\"hart\":0,\"index\":5000,\"reason\":\"no-end\"}"
#define C_EBREAK     0x9002
#define BNE_BACK     0xFE029CE3 /* bne x5, x0, . - 8 */
#define BNE_AHEAD    0x00031863 /* bne x6, x0, . + 16 */
#define BNE_X10_BACK 0xFE051EE3 /* bne x10, x0, . - 4 */

static const struct ear_why *cause(struct why_trace *made)
{
	struct ear_trace *trace = why_trace_open(made, NULL);
	const struct ear_why *why;

	if (ear_trace_why(trace, NULL, &why, NULL))
		fail_msg("%s", ear_trace_error(trace));
	ear_trace_close(trace);
	return why;
}

static void check_kind(struct why_trace *made, unsigned kind, const char *text)
{
	const struct ear_why *why = cause(made);

	assert_string_equal(ear_why_kind_name(why->kind), ear_why_kind_name(kind));
	assert_contains(why->text, text);
	ear_why_free(why);
}

/* The next instruction is a wfi, which a store wrote there. */
static void add_sleep(struct why_trace *made)
{
	why_trace_begin(made);
	why_trace_add(made, OP_CSRRW(0, 0x304, 5), CSR(772, 0x880));
	why_trace_add(made, OP_SW(5, 6), STORED(0x8000000c, 4, 0x10500073));
	why_trace_add(made, OP_ADDI(7, 0, 1), REG(7, 0x1) NEXT(0x8000000c));
}

static void a_wfi_that_does_not_retire_says_what_it_waits_for(void **state)
{
	struct why_trace made;

	(void)state;
	add_sleep(&made);
	const struct ear_why *why = cause(&made);
	assert_same(why->kind, EAR_WHY_HANG);
	assert_string_equal(why->text,
		"endless wfi, which did not retire: the hart waits for an interrupt, and none comes; "
		"mie enables: timer or external");
	assert_same(why->place.pc, 0x8000000c);
	assert_same(why->place.opcode, WFI);
	assert_same(why->values[0].role, EAR_WHY_ENABLED);
	assert_same(why->values[0].chain->nodes[0].position, 0);
	ear_why_free(why);

	/* It may have retired in what is missing. */
	add_sleep(&made);
	why_trace_line(&made, END_GAP);
	check_kind(&made, EAR_WHY_UNKNOWN, "so far: the next instruction is a wfi");
}

/* Interrupts, between which the program executes so many instructions. */
static void add_interrupts(struct why_trace *made, unsigned count, unsigned between)
{
	why_trace_begin(made);
	for (unsigned i = 0; i < count; i++) {
		made->pc = 0x80000000;
		for (unsigned k = 0; k < between; k++)
			why_trace_add(made, OP_ADDI(7, 7, 1), REG(7, 0x1));
		const unsigned long long pc = made->pc;
		why_trace_add(made, OP_ADDI(7, 7, 1), TIMER);
		made->pc = 0x80000800;
		why_trace_add(made, OP_SW(5, 6), STORED(0x80001000, 4, 0x1) HANDLER);
		why_trace_add(made, OP_SW(5, 2), STORED(0x80002000, 4, 0x1));
		why_trace_add(made, MRET, ",\"next_pc\":\"0x%llx\"", pc);
	}
}

static void a_wfi_names_an_interrupt_that_came_and_is_masked(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned all = 0; all < 2; all++) {
		add_interrupts(&made, 2, 1);
		made.pc = 0x80000004;
		why_trace_add(&made, OP_CSRRW(0, 0x304, 5),
			",\"registers\":[{\"class\":\"csr\",\"number\":772,\"value\":\"0x%x\"}]",
			all ? 0x880 : 0x800);
		why_trace_add(&made, WFI, " ");
		const struct ear_why *why = cause(&made);
		assert_string_equal(why->text,
			all ? "endless wfi: the hart waits for an interrupt, and none comes; mie enables: "
			      "timer or external"
			    : "endless wfi: the hart waits for an interrupt, and none comes; mie enables: "
			      "external; masked: timer, which came last at #6");
		ear_why_free(why);
	}
}

static void interrupts_one_after_the_other_are_a_storm(void **state)
{
	struct why_trace made;

	(void)state;
	add_interrupts(&made, 20, 0);
	const struct ear_why *why = cause(&made);
	assert_same(why->kind, EAR_WHY_HANG);
	assert_string_equal(why->text,
		"interrupt storm: interrupt 7 (timer), 20 times or more, each at once after the one "
		"before: its handler did not end it");
	assert_same(why->rounds, 20);
	assert_same(why->loop.position, 0);
	assert_same(why->place.pc, 0x80000800); /* the store that is not by sp */
	assert_same(why->place.position, 77);
	ear_why_free(why);

	add_interrupts(&made, 20, 1);
	check_kind(&made, EAR_WHY_HANG, "interrupt storm: ");
	add_interrupts(&made, 20, 2);
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown");
	add_interrupts(&made, 15, 0);
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown");
	add_interrupts(&made, 20, 0);
	why_trace_line(&made, END_GAP);
	check_kind(&made, EAR_WHY_UNKNOWN, "so far: interrupt 7 (timer), 20 times");
}

/* The handler of a fault begins the program again; or a loop does. */
static void add_starts(struct why_trace *made, unsigned count, bool faults)
{
	why_trace_begin(made);
	for (unsigned i = 0; i < count; i++) {
		made->pc = 0x80000000;
		why_trace_add(made, OP_LUI(5, 0x10), REG(5, 0x10000));
		why_trace_add(made, OP_LW(6, 5), faults ? FAULT : REG(6, 0x1));
		made->pc = 0x80000900;
		why_trace_add(made, OP_JALR(0, 7), NEXT(0x80000000));
	}
}

static void a_program_that_faults_and_begins_again_is_a_boot_loop(void **state)
{
	struct why_trace made;

	(void)state;
	add_starts(&made, 5, true);
	const struct ear_why *why = cause(&made);
	assert_same(why->kind, EAR_WHY_TRAP);
	assert_contains(why->text,
		"boot loop: the program began 5 times; before the last begin: load access fault");
	assert_same(why->place.position, 10);
	ear_why_free(why);

	add_starts(&made, 70, true);
	check_kind(&made, EAR_WHY_TRAP, "the program began 70 times; ");
	add_starts(&made, 2000, true); /* more than traces have room for calls */
	check_kind(&made, EAR_WHY_TRAP, "the program began 2000 times; ");
	add_starts(&made, 2, true);
	check_kind(&made, EAR_WHY_TRAP, "load access fault");
	add_starts(&made, 40, false);
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: at the end is a loop");
}

/* A loop of a load, a branch out of it and one back, which read what never changes. */
static void all_branches_that_would_leave_a_loop_are_shown(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(5, 0, 1), REG(5, 0x1));
	why_trace_add(&made, OP_ADDI(6, 0, 0), REG(6, 0x0));
	for (unsigned i = 0; i < 30; i++) {
		made.pc = 0x80000008;
		why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x1));
		why_trace_add(&made, BNE_AHEAD, NEXT(0x80000010));
		why_trace_add(&made, BNE_BACK, NEXT(0x80000008));
	}
	const struct ear_why *why = cause(&made);
	assert_same(why->kind, EAR_WHY_HANG);
	assert_contains(why->text, "each round compares the same values");
	assert_same(why->place.pc, 0x80000010);
	assert_same(why->exit_count, 1);
	assert_same(why->exits[0].pc, 0x8000000c);
	assert_same(why->value_count, 2);
	assert_same(why->values[1].source.place.number, 6);
	assert_same(why->values[1].source.before, why->exits[0].position);
	ear_why_free(why);
}

/* x5 is a base; a handler writes x5, and perhaps sp. */
static void add_handler(struct why_trace *made, const char *x5, const char *sp, bool copied)
{
	why_trace_begin(made);
	why_trace_add(made, OP_LUI(2, 0x80002), REG(2, 0x80002000));
	why_trace_add(made, OP_LUI(5, 0x10), REG(5, 0x10000));
	why_trace_add(made, OP_LW(6, 5), TIMER);
	made->pc = 0x80000800;
	why_trace_add(made, OP_ADDI(5, 0, 1),
		",\"registers\":[{\"class\":\"x\",\"number\":5,\"value\":\"%s\"}]" HANDLER, x5);
	why_trace_add(made, OP_ADDI(2, 0, 1),
		",\"registers\":[{\"class\":\"x\",\"number\":2,\"value\":\"%s\"}]", sp);
	why_trace_add(made, MRET, NEXT(0x80000008));
	made->pc = 0x80000008;
	if (copied)
		why_trace_add(made, OP_ADDI(7, 5, 0), REG(7, 0x20000));
	why_trace_add(made, OP_LW(6, copied ? 7u : 5u), FAULT);
	made->pc = 0x80000900;
	why_trace_add(made, OP_SELF, NEXT(0x80000900));
}

static void a_register_that_a_handler_changed_is_shown(void **state)
{
	static const struct {
		const char *x5, *sp;
		bool copied, shown;
	} rows[] = {
		{"0x20000", "0x80002000", true, true},
		{"0x20000", "0x80002000", false, true}, /* what trapped reads it itself */
		{"0x20000", "0x80003000", true, false}, /* another task */
		{"0x10000", "0x80002000", true, false}, /* restored */
	};
	struct why_trace made;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		add_handler(&made, rows[i].x5, rows[i].sp, rows[i].copied);
		const struct ear_why *why = cause(&made);
		assert_same(why->kind, EAR_WHY_TRAP);
		assert_same(why->changed.write.known, rows[i].shown);
		if (rows[i].shown) {
			assert_same(why->changed.write.position, 3);
			assert_same(why->changed.interrupt.position, 2);
			assert_same(why->changed.place.number, 5);
			assert_same(why->changed.then, 0x10000);
			assert_same(why->changed.now, 0x20000);
		}
		ear_why_free(why);
	}
}

/* Rounds of a loop, the last of which faults; an interrupt comes in the last one, and, if early,
 * also in an earlier one. */
static void add_rounds(struct why_trace *made, unsigned rounds, bool early)
{
	why_trace_begin(made);
	for (unsigned i = 0; i < rounds; i++) {
		made->pc = 0x80000000;
		if (i == rounds - 1 || (early && i == rounds - 3)) {
			why_trace_add(made, OP_ADDI(7, 7, 1), TIMER);
			made->pc = 0x80000800;
			why_trace_add(made, MRET, HANDLER NEXT(0x80000000));
			made->pc = 0x80000000;
		}
		why_trace_add(made, OP_ADDI(7, 7, 1), REG(7, 0x1));
		why_trace_add(made, OP_LW(6, 5), i == rounds - 1 ? FAULT : REG(6, 0x1));
		if (i < rounds - 1)
			why_trace_add(made, OP_JALR(0, 8), NEXT(0x80000000));
	}
}

static void an_interrupt_of_this_round_only_is_shown(void **state)
{
	struct why_trace made;

	(void)state;
	add_rounds(&made, 6, false);
	const struct ear_why *why = cause(&made);
	assert_same(why->kind, EAR_WHY_TRAP);
	assert_true(why->difference.interrupt.known);
	assert_same(why->difference.interrupt.position, 15);
	assert_same(why->difference.quiet_rounds, 4);
	ear_why_free(why);

	add_rounds(&made, 6, true);
	why = cause(&made);
	assert_false(why->difference.interrupt.known);
	ear_why_free(why);

	add_rounds(&made, 3, false);
	why = cause(&made);
	assert_false(why->difference.interrupt.known);
	ear_why_free(why);
}

static void a_handler_that_skips_too_much_is_shown(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned skipped = 2; skipped <= 4; skipped += 2) {
		why_trace_begin(&made);
		why_trace_add(&made, C_EBREAK,
			",\"trap\":true,\"cause\":\"0x3\",\"next_pc\":\"0x80000800\"");
		made.pc = 0x80000800;
		why_trace_add(&made, OP_CSRRW(0, 0x341, 5),
			",\"registers\":[{\"class\":\"csr\",\"number\":833,\"value\":\"0x%x\"}]",
			0x80000000 + skipped);
		why_trace_add(&made, MRET, ",\"next_pc\":\"0x%x\"", 0x80000000 + skipped);
		made.pc = 0x80000000 + skipped;
		why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
		why_trace_add(&made, OP_LW(6, 5), FAULT);
		made.pc = 0x80000900;
		why_trace_add(&made, OP_SELF, NEXT(0x80000900));
		const struct ear_why *why = cause(&made);
		assert_same(why->kind, EAR_WHY_TRAP);
		assert_same(why->skip.known, skipped == 4);
		assert_same(why->value_count, skipped == 4 ? 2 : 1);
		if (skipped == 4) {
			assert_same(why->skip.position, 0);
			assert_same(why->values[1].role, EAR_WHY_RESUMED);
			assert_same(why->values[1].chain->nodes[0].position, 1);
		}
		ear_why_free(why);
	}
}

static void a_core_that_is_wrong_is_said_first(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned sum = 2; sum <= 5; sum += 3) {
		why_trace_begin(&made);
		why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
		why_trace_add(&made, OP_ADDI(7, 7, 1),
			",\"registers\":[{\"class\":\"x\",\"number\":7,\"value\":\"0x%x\"}]", sum);
		why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
		why_trace_add(&made, OP_LW(6, 5), FAULT);
		made.pc = 0x80000900;
		why_trace_add(&made, OP_SELF, NEXT(0x80000900));
		const struct ear_why *why = cause(&made);
		assert_same(why->kind, EAR_WHY_TRAP);
		assert_same(why->core.known, sum != 2);
		if (why->core.known) {
			assert_same(why->core.number, 1);
			assert_contains(why->core_text, "result: ");
		}
		ear_why_free(why);
	}
}

/* A word is set and cleared again; the last time a branch leaves it set, and a loop waits for it.
 */
static void add_lock(struct why_trace *made, bool interrupted)
{
	why_trace_begin(made);
	why_trace_add(made, OP_ADDI(5, 0, 1), REG(5, 0x1));
	why_trace_add(made, OP_LUI(6, 0x80001), REG(6, 0x80001000));
	for (unsigned i = 0; i < 4; i++) {
		made->pc = 0x8000001c;
		why_trace_add(made, OP_SW(5, 6), STORED(0x80001000, 4, 0x1));
		if (i == 3 && interrupted) {
			why_trace_add(made, OP_BEQ(8, 9), TIMER);
			made->pc = 0x80000800;
			why_trace_add(made, MRET, HANDLER NEXT(0x80000020));
			made->pc = 0x80000020;
		}
		if (i == 3)
			why_trace_add(made, OP_BEQ(8, 9), NEXT(0x80000028));
		else
			why_trace_add(made, OP_BEQ(8, 9), NOTHING);
		if (i < 3)
			why_trace_add(made, OP_SW(0, 6), STORED(0x80001000, 4, 0x0));
		made->pc = 0x80000028;
		why_trace_add(made, OP_JALR(0, 10), ",\"next_pc\":\"0x%x\"",
			i < 3 ? 0x8000001c : 0x80000040);
	}
	for (unsigned i = 0; i < 30; i++) {
		made->pc = 0x80000040;
		why_trace_add(made, OP_LW(10, 6), REG(10, 0x1) LOADED(0x80001000, 4, 0x1));
		why_trace_add(made, BNE_X10_BACK, NEXT(0x80000040));
	}
}

static void what_differed_after_the_last_store_is_shown(void **state)
{
	struct why_trace made;

	(void)state;
	add_lock(&made, false);
	const struct ear_why *why = cause(&made);
	assert_same(why->kind, EAR_WHY_HANG);
	assert_same(why->after_write.position, 14);
	assert_same(why->after.before.position, 10);
	assert_same(why->after.branch_then.position, 11);
	assert_same(why->after.branch_now.position, 15);
	assert_same(why->after.branch_now.next_pc, 0x80000028);
	assert_false(why->after.interrupt.known);
	ear_why_free(why);

	add_lock(&made, true);
	why = cause(&made);
	assert_same(why->after.interrupt.position, 15);
	assert_same(why->after.quiet_rounds, 3);
	ear_why_free(why);
}

static void a_trap_vector_that_leads_nowhere_is_followed(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_CSRRW(0, 0x305, 5), CSR(773, 0x100));
	why_trace_add(&made, OP_ADDI(7, 7, 1),
		",\"interrupt\":true,\"cause\":\"0x80000007\"" NEXT(0x100));
	for (unsigned i = 0; i < 20; i++) {
		made.pc = 0x100;
		why_trace_add(&made, 0, HANDLER ",\"trap\":true,\"cause\":\"0x1\"" NEXT(0x100));
	}
	const struct ear_why *why = cause(&made);
	assert_same(why->kind, EAR_WHY_TRAP);
	assert_contains(why->text, "the trap vector leads nowhere: instruction access fault");
	assert_same(why->value_count, 1);
	assert_same(why->values[0].source.place.number, 0x305);
	assert_same(why->values[0].chain->nodes[0].position, 0);
	ear_why_free(why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wfi_that_does_not_retire_says_what_it_waits_for),
		cmocka_unit_test(a_wfi_names_an_interrupt_that_came_and_is_masked),
		cmocka_unit_test(interrupts_one_after_the_other_are_a_storm),
		cmocka_unit_test(a_program_that_faults_and_begins_again_is_a_boot_loop),
		cmocka_unit_test(all_branches_that_would_leave_a_loop_are_shown),
		cmocka_unit_test(a_register_that_a_handler_changed_is_shown),
		cmocka_unit_test(an_interrupt_of_this_round_only_is_shown),
		cmocka_unit_test(a_handler_that_skips_too_much_is_shown),
		cmocka_unit_test(a_core_that_is_wrong_is_said_first),
		cmocka_unit_test(what_differed_after_the_last_store_is_shown),
		cmocka_unit_test(a_trap_vector_that_leads_nowhere_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
