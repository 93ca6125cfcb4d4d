/* Causes of runs that are written here record by record.
 */
#include "check.h"

#include "why_trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "library/api/trace_internal.h"

/* The cause of a trace, which is closed. */
static const struct ear_why *cause_with(
	struct why_trace *made, const struct ear_why_options *options)
{
	struct ear_trace *trace = why_trace_open(made, NULL);
	const struct ear_why *why;

	if (ear_trace_why(trace, options, &why, NULL))
		fail_msg("%s", ear_trace_error(trace));
	ear_trace_close(trace);
	return why;
}

static void check_kind(struct why_trace *made, unsigned kind, const char *text)
{
	const struct ear_why *why = cause_with(made, NULL);

	assert_string_equal(ear_why_kind_name(why->kind), ear_why_kind_name(kind));
	assert_contains(why->text, text);
	ear_why_free(why);
}

#define TRAP(cause, value) \
	",\"trap\":true,\"cause\":\"" #cause "\",\"next_pc\":\"0x80000800\"," \
	"\"registers\":[{\"class\":\"csr\",\"number\":834,\"value\":\"" #cause "\"}," \
	"{\"class\":\"csr\",\"number\":835,\"value\":\"" #value "\"}]"
#define HANDLER ",\"handler\":true"
#define MRET    0x30200073
#define ECALL   0x73
#define EBREAK  0x00100073
#define WFI     0x10500073

/* j . */
static void add_endless_loop(struct why_trace *made)
{
	for (unsigned i = 0; i < 40; i++) {
		why_trace_add(made, OP_SELF, ",\"next_pc\":\"0x%llx\"", (long long)made->pc);
		made->pc -= 4;
	}
}

static void add_fault(struct why_trace *made)
{
	why_trace_add(made, OP_LUI(5, 0x10), REG(5, 0x10000));
	why_trace_add(made, OP_LW(6, 5),
		TRAP(0x5,
			0x10000) ",\"memory\":[{\"write\":false,\"address\":\"0x10000\",\"size\":4}]");
	made->pc = 0x80000800;
	why_trace_add(made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
}

static void a_trap_whose_handler_does_not_return_is_the_cause(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_fault(&made);
	add_endless_loop(&made);
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_TRAP);
	assert_string_equal(why->text, "load access fault at address 0x00010000");
	assert_same(why->place.position, 1);
	assert_same(why->place.pc, 0x80000004);
	assert_true(why->cause_known && why->trap_value_known);
	assert_same(why->cause, 5);
	assert_same(why->trap_value, 0x10000);
	assert_same(why->nested, 0);
	assert_same(why->period, 1);
	assert_same(why->loop.pc, 0x80000804);
	assert_same(why->value_count, 1);
	assert_same(why->values[0].role, EAR_WHY_ADDRESS);
	assert_same(why->values[0].source.place.number, 5);
	assert_same(why->values[0].chain->value, 0x10000);
	assert_same(why->values[0].chain->nodes[0].position, 0);
	assert_true(why->difference.searched);
	assert_false(why->difference.before.known);
	ear_why_free(why);
}

static void a_base_that_does_not_lead_to_the_address_is_not_the_cause(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
	why_trace_add(&made, OP_LW(6, 5), TRAP(0x5, 0x30000));
	made.pc = 0x80000800;
	why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_TRAP);
	assert_string_equal(why->text, "load access fault at address 0x00030000");
	assert_same(why->value_count, 0);
	ear_why_free(why);
}

static void traps_in_the_handler_come_after_the_cause(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_fault(&made);
	for (unsigned i = 0; i < 3; i++) {
		why_trace_add(&made, OP_LW(6, 5), TRAP(0x7, 0x0));
		made.pc = 0x80000800;
		why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
	}
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_TRAP);
	assert_same(why->place.position, 1);
	assert_same(why->nested, 3);
	ear_why_free(why);
}

static void traps_that_return_and_system_calls_are_no_cause(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_fault(&made);
	why_trace_add(&made, MRET, ",\"next_pc\":\"0x80000008\"");
	made.pc = 0x80000008;
	why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x2));
	why_trace_add(&made, ECALL, TRAP(0xb, 0x0));
	made.pc = 0x80000800;
	why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x3) HANDLER);
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: ");
}

/* The handler counts, and returns to the instruction that trapped; between: instructions that come
 * after it, so that it went on. */
static void add_storm(struct why_trace *made, bool goes_on)
{
	why_trace_add(made, OP_LUI(5, 0x10), REG(5, 0x10000));
	for (unsigned i = 0; i < 20; i++) {
		made->pc = 0x80000004;
		why_trace_add(made, OP_LW(6, 5), TRAP(0x5, 0x10000));
		made->pc = 0x80000800;
		why_trace_add(made, OP_ADDI(7, 7, 1),
			",\"registers\":[{\"class\":\"x\",\"number\":7,\"value\":\"0x%x\"}]" HANDLER,
			i);
		why_trace_add(made, MRET, ",\"next_pc\":\"0x8000000%u\"", goes_on ? 8 : 4);
		if (goes_on) {
			made->pc = 0x80000008;
			why_trace_add(made, 0xffdff06f, ",\"next_pc\":\"0x80000004\"");
		}
	}
}

static void a_trap_that_comes_again_and_again_is_the_cause(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_storm(&made, false);
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_TRAP);
	assert_string_equal(why->text,
		"load access fault at address 0x00010000, 20 times or more: its handler returns to "
		"the instruction that traps");
	assert_same(why->place.position, 1);
	assert_same(why->value_count, 1);
	ear_why_free(why);

	why_trace_begin(&made);
	add_storm(&made, true);
	why = cause_with(&made, NULL);
	assert_true(why->kind != EAR_WHY_TRAP);
	ear_why_free(why);
}

static void a_trap_that_nothing_comes_after_is_the_cause(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
	why_trace_add(&made, OP_LW(6, 5), TRAP(0x5, 0x10000));
	check_kind(&made, EAR_WHY_TRAP, "load access fault at address 0x00010000");

	why_trace_begin(&made);
	why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
	why_trace_add(&made, ECALL, TRAP(0xb, 0x0));
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: ");
}

/* A breakpoint is a fault, or a request to the handler if one returned before. */
static void a_breakpoint_that_is_served_is_no_fault(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned served = 0; served < 2; served++) {
		why_trace_begin(&made);
		if (served) {
			why_trace_add(&made, EBREAK, TRAP(0x3, 0x0));
			made.pc = 0x80000800;
			why_trace_add(&made, MRET, ",\"next_pc\":\"0x80000004\"");
			made.pc = 0x80000004;
		}
		why_trace_add(&made, EBREAK, TRAP(0x3, 0x0));
		made.pc = 0x80000800;
		why_trace_add(&made, OP_ADDI(10, 0, 7), REG(10, 0x7) HANDLER);
		why_trace_add(&made, OP_LUI(11, 0x73), REG(11, 0x73333));
		why_trace_add(&made, OP_SW(11, 12), STORED(0x100000, 4, 0x73333));
		check_kind(&made, served ? EAR_WHY_EXIT : EAR_WHY_TRAP,
			served ? "exit code 7" : "breakpoint (ebreak)");
	}
}

/* A line of another instruction set, whose opcode could be one of RISC-V. */
static void add_arm(struct why_trace *made, const char *more)
{
	char line[512];

	snprintf(line, sizeof(line),
		"{\"kind\":\"instruction\",\"schema\":2,\"hart\":0,\"index\":%" PRIu64
		",\"isa\":\"arm\",\"xlen\":32,\"pc\":\"0x%" PRIx64
		"\",\"opcode\":\"0x6f\",\"opcode_size\":4%s}",
		made->index++, made->pc, more);
	why_trace_line(made, line);
}

static void of_other_instruction_sets_no_cause_is_known(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	for (unsigned i = 0; i < 40; i++)
		add_arm(&made, STORED(0x100000, 4, 0x5555));
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_UNKNOWN);
	assert_contains(why->text, "another instruction set");
	assert_same(why->place.opcode_size, 0);
	ear_why_free(why);

	why_trace_begin(&made);
	add_arm(&made, ",\"trap\":true,\"cause\":\"0x5\"");
	check_kind(&made, EAR_WHY_UNKNOWN, "another instruction set");
}

static void a_loop_with_unknown_instructions_is_no_hang(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	for (unsigned i = 0; i < 40; i++) {
		made.pc = 0x80000000;
		why_trace_add(&made, 0x0000000b, ",\"next_pc\":\"0x80000004\""); /* custom */
		why_trace_add(&made, 0xffdff06f, ",\"next_pc\":\"0x80000000\"");
	}
	check_kind(&made, EAR_WHY_UNKNOWN, "a loop of 2 instructions, which are not all that it");

	/* What led back is not in the trace. */
	why_trace_begin(&made);
	for (unsigned i = 0; i < 40; i++) {
		made.pc = 0x80000000;
		why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
		why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
	}
	check_kind(&made, EAR_WHY_UNKNOWN, "a loop of 2 instructions, which are not all that it");
}

/* A function with an illegal instruction, called for the first or for the second time. */
static void a_jump_to_where_all_went_well_before_is_not_named(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned calls = 1; calls <= 2; calls++) {
		why_trace_begin(&made);
		for (unsigned i = 1; i <= calls; i++) {
			made.pc = 0x80000000;
			why_trace_add(&made, OP_LUI(5, 0x80001), REG(5, 0x80001000));
			why_trace_add(&made, OP_JALR(1, 5),
				REG(1, 0x80000008) ",\"next_pc\":\"0x80001000\"");
			made.pc = 0x80001000;
			why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
			if (i < calls)
				why_trace_add(&made, OP_JALR(0, 1), ",\"next_pc\":\"0x80000000\"");
		}
		why_trace_add(&made, 0, TRAP(0x2, 0x0));
		const struct ear_why *why = cause_with(&made, NULL);

		assert_string_equal(why->text, "illegal instruction 0x00000000");
		assert_same(why->jump.known, calls == 1);
		assert_same(why->value_count, calls == 1);
		ear_why_free(why);
	}
}

/* What is an exit register on one machine is memory on another. */
static void a_program_that_goes_on_after_the_store_has_not_ended(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned more = 8; more <= 80; more += 72) {
		why_trace_begin(&made);
		why_trace_add(&made, OP_LUI(5, 5), REG(5, 0x5555));
		why_trace_add(&made, OP_SW(5, 6), STORED(0x100000, 4, 0x5555));
		for (unsigned i = 0; i < more; i++)
			why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
		check_kind(&made, more == 8 ? EAR_WHY_ENDED : EAR_WHY_UNKNOWN, "");
	}
}

/* Some simulators leave returns out, and handlers. */
static void a_return_that_is_not_in_the_trace_is_noticed(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_fault(&made);
	made.pc = 0x80000008; /* behind the instruction that trapped */
	why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x2));
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: ");

	why_trace_begin(&made);
	why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
	why_trace_add(&made, OP_LW(6, 5), TRAP(0x5, 0x10000));
	why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x2));
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: ");
}

static void a_wild_jump_has_the_register_of_its_target(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
	why_trace_add(&made, OP_JALR(1, 5), REG(1, 0x80000008) ",\"next_pc\":\"0x10000\"");
	made.pc = 0x10000;
	why_trace_add(&made, 0, TRAP(0x1, 0x10000));
	made.pc = 0x80000800;
	why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_TRAP);
	assert_string_equal(why->text, "wild jump to 0x00010000: instruction access fault");
	assert_same(why->place.position, 2);
	assert_same(why->jump.position, 1);
	assert_same(why->value_count, 1);
	assert_same(why->values[0].role, EAR_WHY_TARGET);
	assert_same(why->values[0].source.place.number, 5);
	assert_same(why->values[0].chain->value, 0x10000);
	ear_why_free(why);
}

static void an_instruction_that_was_written_over_has_its_writer(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_SW(0, 6), STORED(0x80000008, 4, 0x0));
	why_trace_add(&made, OP_ADDI(5, 0, 1), REG(5, 0x1));
	why_trace_add(&made, 0, TRAP(0x2, 0x0));
	made.pc = 0x80000800;
	why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_TRAP);
	assert_string_equal(why->text, "illegal instruction 0x00000000");
	assert_same(why->value_count, 1);
	assert_same(why->values[0].role, EAR_WHY_INSTRUCTION);
	assert_same(why->values[0].chain->nodes[0].position, 0);
	ear_why_free(why);
}

/* if (a != b) exit(7), as a compiler writes it. */
static void add_exit(struct why_trace *made, bool good)
{
	why_trace_add(made, OP_ADDI(5, 0, 3), REG(5, 0x3));
	why_trace_add(made, OP_ADDI(6, 0, 4), REG(6, 0x4));
	why_trace_add(made, OP_BEQ(5, 6), NOTHING);
	why_trace_add(made, OP_ADDI(10, 0, 7), REG(10, 0x7));
	why_trace_add(made, OP_LUI(11, 0x73), REG(11, 0x73333));
	if (good)
		why_trace_add(made, OP_SW(11, 12), STORED(0x100000, 4, 0x5555));
	else
		why_trace_add(made, OP_SW(11, 12), STORED(0x100000, 4, 0x73333));
}

static void an_exit_code_has_the_branch_before_it_was_chosen(void **state)
{
	struct ear_why_options options = EAR_WHY_DEFAULTS;
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_exit(&made, false);
	const struct ear_why *why = cause_with(&made, NULL);
	assert_same(why->kind, EAR_WHY_EXIT);
	assert_string_equal(why->text, "the program ended with exit code 7");
	assert_true(why->has_code);
	assert_same(why->code, 7);
	assert_same(why->place.position, 5);
	assert_same(why->branch.position, 2);
	assert_same(why->value_count, 3);
	assert_same(why->values[0].role, EAR_WHY_CODE);
	assert_same(why->values[1].role, EAR_WHY_OPERAND);
	assert_same(why->values[1].chain->value, 3);
	assert_same(why->values[2].chain->value, 4);
	ear_why_free(why);

	why_trace_begin(&made);
	add_exit(&made, true);
	check_kind(&made, EAR_WHY_ENDED, "nothing is wrong");

	/* A fault whose handler ends the program is the cause of the code. */
	why_trace_begin(&made);
	add_fault(&made);
	add_exit(&made, false);
	why = cause_with(&made, NULL);
	assert_same(why->kind, EAR_WHY_TRAP);
	assert_true(why->has_code);
	assert_same(why->code, 7);
	assert_false(why->branch.known);
	ear_why_free(why);

	/* A system call, and a return from its handler, are between the branch and the choice. */
	why_trace_begin(&made);
	why_trace_add(&made, OP_BEQ(5, 6), NOTHING);
	why_trace_add(&made, ECALL, TRAP(0xb, 0x0));
	made.pc = 0x80000800;
	add_exit(&made, false);
	why = cause_with(&made, NULL);
	assert_same(why->branch.position, 4); /* that of add_exit */
	ear_why_free(why);
	for (unsigned returns = 0; returns < 2; returns++) {
		why_trace_begin(&made);
		why_trace_add(&made, OP_BEQ(5, 6), NOTHING);
		if (returns)
			why_trace_add(&made, MRET, ",\"next_pc\":\"0x80000800\"");
		else
			why_trace_add(&made, ECALL, TRAP(0xb, 0x0));
		made.pc = 0x80000800;
		why_trace_add(&made, OP_ADDI(10, 0, 7), REG(10, 0x7));
		why_trace_add(&made, OP_LUI(11, 0x73), REG(11, 0x73333));
		why_trace_add(&made, OP_SW(11, 12), STORED(0x100000, 4, 0x73333));
		why = cause_with(&made, NULL);
		assert_same(why->kind, EAR_WHY_EXIT);
		assert_false(why->branch.known);
		ear_why_free(why);
	}

	options.has_tohost = true;
	options.tohost = 0x80001000;
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(5, 0, 11), REG(5, 0xb));
	why_trace_add(&made, OP_SW(5, 6), STORED(0x80001000, 4, 0xb));
	why = cause_with(&made, &options);
	assert_same(why->kind, EAR_WHY_EXIT);
	assert_same(why->code, 5);
	ear_why_free(why);

	/* exit(2) of a proxy kernel */
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(17, 0, 93), REG(17, 0x5d));
	why_trace_add(&made, OP_ADDI(10, 0, 2), REG(10, 0x2));
	why_trace_add(&made, ECALL, NOTHING);
	check_kind(&made, EAR_WHY_EXIT, "exit code 2");
}

/* The check passes in two rounds, by another way than in the third: x7 chooses it, x6 is compared.
 */
static void add_checks(struct why_trace *made)
{
	why_trace_add(made, OP_ADDI(5, 0, 3), REG(5, 0x3));
	for (unsigned i = 0; i < 3; i++) {
		const char *way = i < 2 ? "0x8000000c" : "0x80000008";
		made->pc = 0x80000004;
		why_trace_add(made, OP_BEQ(7, 0), ",\"next_pc\":\"%s\"", way);
		made->pc = i < 2 ? 0x8000000c : 0x80000008;
		why_trace_add(made, OP_ADDI(6, 0, 4),
			",\"registers\":[{\"class\":\"x\",\"number\":6,\"value\":\"%s\"}]",
			i < 2 ? "0x3" : "0x4");
		made->pc = 0x80000010;
		why_trace_add(made, OP_BEQ(6, 5),
			",\"next_pc\":\"%s\",\"reads\":[{\"class\":\"x\",\"number\":6,"
			"\"value\":\"%s\"}]",
			i < 2 ? "0x80000004" : "0x80000014", i < 2 ? "0x3" : "0x4");
	}
	made->pc = 0x80000014;
	why_trace_add(made, OP_ADDI(10, 0, 7), REG(10, 0x7));
	why_trace_add(made, OP_LUI(11, 0x73), REG(11, 0x73333));
	why_trace_add(made, OP_SW(11, 12), STORED(0x100000, 4, 0x73333));
}

static void the_branch_before_an_exit_is_compared_with_the_round_before(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_checks(&made);
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_EXIT);
	assert_same(why->branch.position, 9);
	assert_true(why->difference.searched);
	assert_same(why->difference.before.position, 6);
	assert_same(why->difference.count, 1);
	assert_same(why->difference.registers[0].then, 3);
	assert_same(why->difference.registers[0].now, 4);
	assert_same(why->difference.branch_then.position, 4);
	assert_same(why->difference.branch_now.position, 7);
	ear_why_free(why);
}

/* lw x5, (x6); counter x7; bne x5 to the begin: waits until the word is not 0. */
static void add_poll(struct why_trace *made, unsigned rounds, bool progress)
{
	const uint64_t begin = made->pc;

	for (unsigned i = 1; i <= rounds; i++) {
		made->pc = begin;
		why_trace_add(made, OP_LW(5, 6), REG(5, 0x0) LOADED(0x80001000, 4, 0x0));
		why_trace_add(made, OP_ADDI(7, 7, 1),
			",\"registers\":[{\"class\":\"x\",\"number\":7,\"value\":\"0x%x\"}]", i);
		why_trace_add(made, 0xFE028CE3, /* beq x5, x0, . - 8 */
			",\"next_pc\":\"0x%llx\",\"taken\":true,\"reads\":[{\"class\":\"x\","
			"\"number\":5,\"value\":\"0x%x\"}]",
			(long long)begin, progress ? i : 0);
	}
}

static void a_loop_in_which_no_branch_reads_anything_new_is_a_hang(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_SW(0, 6), STORED(0x80001000, 4, 0x0));
	/* Once the loop was left. */
	made.pc = 0x80000100;
	why_trace_add(&made, OP_LW(5, 6), REG(5, 0x1));
	why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x1));
	why_trace_add(&made, 0xFE028CE3,
		",\"next_pc\":\"0x8000010c\",\"reads\":[{\"class\":\"x\",\"number\":5,\"value\":\"0x1\"}]");
	why_trace_add(&made, 0xFF5FF06F, ",\"next_pc\":\"0x80000100\""); /* j . - 12 */
	made.pc = 0x80000100;
	add_poll(&made, 30, false);
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_HANG);
	assert_same(why->period, 3);
	assert_same(why->rounds, 30);
	assert_same(why->place.pc, 0x80000108);
	assert_same(why->place.number, 94);
	assert_same(why->loop.position, 5);
	assert_same(why->value_count, 1);
	assert_same(why->values[0].role, EAR_WHY_OPERAND);
	assert_same(why->values[0].chain->node_count, 2);
	assert_same(why->values[0].chain->nodes[1].position, 0);
	assert_true(why->difference.before.known);
	assert_same(why->difference.before.position, 3);
	assert_same(why->difference.count, 1);
	assert_same(why->difference.registers[0].then, 1);
	assert_same(why->difference.registers[0].now, 0);
	ear_why_free(why);
}

static void a_loop_with_progress_is_no_hang(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_poll(&made, 30, true);
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: ");

	/* Too few rounds say nothing. */
	why_trace_begin(&made);
	add_poll(&made, 10, false);
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: ");

	/* An address that changes is progress. */
	why_trace_begin(&made);
	for (unsigned i = 0; i < 40; i++) {
		made.pc = 0x80000000;
		why_trace_add(&made, OP_SW(0, 6),
			",\"memory\":[{\"write\":true,\"address\":\"0x%x\",\"size\":4,\"value\":\"0x0\"}]",
			0x80001000 + 4 * i);
		why_trace_add(&made, 0xFFDFF06F, ",\"next_pc\":\"0x80000000\""); /* j . - 4 */
	}
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: ");
}

/* An outer loop whose inner one counts: the outer one is the hang. */
static void the_loop_that_makes_no_progress_is_found_around_one_that_does(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	for (unsigned round = 0; round < 20; round++) {
		made.pc = 0x80000000;
		why_trace_add(&made, OP_ADDI(5, 0, 20), REG(5, 0x14));
		for (unsigned i = 20; i > 0; i--) {
			made.pc = 0x80000004;
			why_trace_add(&made, OP_ADDI(5, 5, 0xFFF),
				",\"registers\":[{\"class\":\"x\",\"number\":5,\"value\":\"0x%x\"}]",
				i - 1);
			why_trace_add(&made, 0xFE029EE3, /* bne x5, x0, . - 4 */
				",\"next_pc\":\"0x%x\",\"reads\":[{\"class\":\"x\",\"number\":5,"
				"\"value\":\"0x%x\"}]",
				i > 1 ? 0x80000004 : 0x8000000c, i - 1);
		}
		why_trace_add(&made, 0xFF5FF06F, ",\"next_pc\":\"0x80000000\""); /* j . - 12 */
	}
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_HANG);
	assert_same(why->period, 42);
	assert_same(why->rounds, 20);
	assert_contains(why->text, "an endless loop of 42 instructions that no branch leaves");
	assert_same(why->value_count, 0);
	ear_why_free(why);
}

/* bne x5, x0, . - 8 at the end of a poll goes on once. */
static void add_left_poll(struct why_trace *made, unsigned rounds)
{
	add_poll(made, rounds, false);
	made->pc -= 12;
	why_trace_add(made, OP_LW(5, 6), REG(5, 0x1) LOADED(0x80001000, 4, 0x1));
	why_trace_add(made, OP_ADDI(7, 7, 1), REG(7, 0x1));
	why_trace_add(made, 0xFE028CE3, ",\"next_pc\":\"0x%llx\"", (long long)made->pc + 4);
	why_trace_add(made, 0xFF5FF06F, ",\"next_pc\":\"0x80000000\""); /* j . - 12 */
	made->pc = 0x80000000;
}

static void a_wait_that_took_as_long_before_is_no_hang(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_left_poll(&made, 30);
	add_left_poll(&made, 20);
	add_poll(&made, 25, false);
	check_kind(&made, EAR_WHY_UNKNOWN,
		"cause unknown: at the end is a loop, at least 25 rounds so far, "
		"that was left before after at least 31");

	why_trace_begin(&made);
	add_left_poll(&made, 30);
	add_poll(&made, 40, false);
	check_kind(&made, EAR_WHY_HANG, "hang: a loop of 3 instructions, 40 rounds or more");
}

static void a_loop_that_works_is_no_hang(void **state)
{
	struct why_trace made;

	(void)state;
	/* Interrupts are handled in it. */
	why_trace_begin(&made);
	add_endless_loop(&made);
	why_trace_add(&made, OP_SELF, ",\"interrupt\":true,\"cause\":\"0x80000007\"");
	made.pc = 0x80000800;
	why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
	why_trace_add(&made, MRET, ",\"next_pc\":\"0x80000000\"");
	made.pc = 0x80000000;
	add_endless_loop(&made);
	check_kind(&made, EAR_WHY_UNKNOWN,
		"cause unknown: an endless loop of 1 instruction, in which interrupts are handled");

	/* It stores new values. */
	why_trace_begin(&made);
	for (unsigned i = 0; i < 40; i++) {
		made.pc = 0x80000000;
		why_trace_add(&made, OP_SW(7, 6),
			",\"memory\":[{\"write\":true,\"address\":\"0x80001000\",\"size\":4,"
			"\"value\":\"0x%x\"}]",
			i);
		why_trace_add(&made, 0xFFDFF06F, ",\"next_pc\":\"0x80000000\""); /* j . - 4 */
	}
	check_kind(&made, EAR_WHY_UNKNOWN,
		"cause unknown: an endless loop of 2 instructions, which stores new values");
}

static void a_sleep_at_the_end_is_a_hang_and_says_if_interrupts_are_off(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_CSRRW(0, 0x300, 5), CSR(768, 0x1880));
	why_trace_add(&made, WFI, NOTHING);
	const struct ear_why *why = cause_with(&made, NULL);
	assert_same(why->kind, EAR_WHY_HANG);
	assert_contains(why->text, "waits for an interrupt");
	assert_true(why->interrupts_off);
	assert_same(why->value_count, 1);
	assert_same(why->values[0].role, EAR_WHY_STATUS);
	assert_same(why->values[0].chain->nodes[0].position, 0);
	ear_why_free(why);

	why_trace_begin(&made);
	why_trace_add(&made, OP_CSRRW(0, 0x300, 5), CSR(768, 0x1888));
	why_trace_add(&made, WFI, NOTHING);
	why = cause_with(&made, NULL);
	assert_same(why->kind, EAR_WHY_HANG);
	assert_false(why->interrupts_off);
	ear_why_free(why);
}

static void a_sleep_that_ended_before_is_none_unless_nothing_is_enabled(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned off = 0; off < 2; off++) {
		why_trace_begin(&made);
		why_trace_add(&made, OP_CSRRW(0, 0x304, 5), CSR(772, 0x80));
		why_trace_add(&made, WFI, NOTHING);
		if (off)
			why_trace_add(&made, OP_CSRRW(0, 0x304, 0), CSR(772, 0x0));
		else
			why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
		made.pc = 0x80000004;
		why_trace_add(&made, WFI, NOTHING);
		const struct ear_why *why = cause_with(&made, NULL);

		assert_same(why->kind, off ? EAR_WHY_HANG : EAR_WHY_UNKNOWN);
		assert_string_equal(why->text,
			off ? "endless wfi: the hart waits for an interrupt, and none is enabled (mie is 0)"
			    : "cause unknown: the hart waits for an interrupt, as it did before");
		assert_same(why->value_count, off);
		if (off)
			assert_same(why->values[0].chain->nodes[0].position, 2);
		ear_why_free(why);
	}
}

/* Hart 1 waits in a loop; hart 0 works, or waits, too. */
static void a_hart_that_waits_for_another_is_no_hang(void **state)
{
	struct ear_why_options options = EAR_WHY_DEFAULTS;
	struct why_trace made;

	(void)state;
	for (unsigned test = 0; test < 3; test++) {
		why_trace_begin(&made);
		made.hart = 1;
		add_endless_loop(&made);
		made.hart = 0;
		made.index = 0;
		if (test == 1)
			add_endless_loop(&made);
		else
			why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
		options.hart = test == 2 ? 1 : -1;
		const struct ear_why *why = cause_with(&made, &options);

		assert_same(why->kind, test == 0 ? EAR_WHY_UNKNOWN : EAR_WHY_HANG);
		if (test == 0)
			assert_contains(why->text, "and hart 0 continues; --hart 1 says more");
		ear_why_free(why);
	}
}

static void behind_a_gap_nothing_is_guessed(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	add_fault(&made);
	made.index += 100;
	why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
	check_kind(&made, EAR_WHY_UNKNOWN, "cause unknown: ");

	/* What came before the gap made no value behind it. */
	why_trace_begin(&made);
	why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
	made.index += 100;
	why_trace_add(&made, OP_LW(6, 5), TRAP(0x5, 0x10000));
	made.pc = 0x80000800;
	why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
	const struct ear_why *why = cause_with(&made, NULL);
	assert_same(why->kind, EAR_WHY_TRAP);
	assert_same(why->value_count, 1);
	assert_same(why->values[0].chain->node_count, 0);
	assert_same(why->values[0].chain->sources[0].end, EAR_VALUE_GAP);
	ear_why_free(why);
}

/* Three rounds of a loop: in the last one a branch goes another way, and x5 is not set. */
static void the_round_before_is_compared(void **state)
{
	static const char *const reads =
		",\"reads\":[{\"class\":\"x\",\"number\":8,\"value\":\"0x%x\"}],\"next_pc\":\"0x%x\"";
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	for (unsigned round = 0; round < 3; round++) {
		made.pc = 0x80000000;
		why_trace_add(&made, OP_BEQ(8, 0), reads, round == 2 ? 0 : 1,
			round == 2 ? 0x80000008 : 0x80000004);
		if (round < 2)
			why_trace_add(&made, OP_LUI(5, 0x80001), REG(5, 0x80001000));
		made.pc = 0x80000008;
		if (round < 2) {
			why_trace_add(&made, OP_LW(6, 5),
				REG(6, 0x0) LOADED(0x80001000, 4,
					0x0) ",\"reads\":[{\"class\":\"x\",\"number\":5,\"value\":\"0x80001000\"}]");
			why_trace_add(&made, OP_ADDI(5, 0, 16), REG(5, 0x10));
			why_trace_add(&made, OP_JALR(0, 9), ",\"next_pc\":\"0x80000000\"");
		} else {
			why_trace_add(&made, OP_LW(6, 5),
				TRAP(0x5,
					0x10) ",\"reads\":[{\"class\":\"x\",\"number\":5,\"value\":\"0x10\"}]");
		}
	}
	made.pc = 0x80000800;
	why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
	const struct ear_why *why = cause_with(&made, NULL);

	assert_same(why->kind, EAR_WHY_TRAP);
	assert_same(why->place.position, 11);
	assert_true(why->difference.before.known);
	assert_same(why->difference.before.position, 7);
	assert_same(why->difference.count, 1);
	assert_same(why->difference.registers[0].then, 0x80001000);
	assert_same(why->difference.registers[0].now, 0x10);
	assert_true(why->difference.branch_now.known);
	assert_same(why->difference.branch_then.position, 5);
	assert_same(why->difference.branch_now.position, 10);
	assert_same(why->difference.branch_now.next_pc, 0x80000008);
	ear_why_free(why);
}

/* lw; bne; and each 17 rounds an interrupt, in whose handler is a system call. bare: a trace
 * without a record of the interrupt. */
static void add_interrupted_wait(struct why_trace *made, bool bare, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		made->pc = 0x80000100;
		why_trace_add(made, OP_LW(5, 6), REG(5, 0x0) LOADED(0x80001000, 4, 0x0));
		if (i % 17 == 9) {
			if (!bare)
				why_trace_add(made, 0xFE028EE3,
					",\"interrupt\":true,\"cause\":\"0x80000007\"");
			made->pc = 0x80000800;
			why_trace_add(made, OP_ADDI(7, 0, 1), REG(7, 0x1) HANDLER);
			why_trace_add(made, ECALL, TRAP(0xb, 0x0));
			made->pc = 0x80000900;
			why_trace_add(made, MRET, ",\"next_pc\":\"0x80000808\"");
			made->pc = 0x80000808;
			why_trace_add(made, MRET, ",\"next_pc\":\"0x80000104\"");
			made->pc = 0x80000104;
		}
		why_trace_add(made, 0xFE028EE3, /* beq x5, x0, . - 4 */
			",\"next_pc\":\"0x80000100\",\"taken\":true,\"reads\":[{\"class\":\"x\","
			"\"number\":5,\"value\":\"0x0\"}]");
	}
}

/* However few records are in memory. */
static void a_loop_begins_where_it_begins(void **state)
{
	static const unsigned windows[] = {0, 61, 64, 100, 157, 301};

	(void)state;
	for (unsigned test = 0; test < 8; test++) {
		const bool bare = test % 2, missing = test / 2 % 2, part = test / 4;
		struct why_trace made;

		why_trace_begin(&made);
		made.index = part ? 1000 : 0;
		for (unsigned i = 0; i < 40 && !part; i++)
			why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x1));
		add_interrupted_wait(&made, bare, 100);
		made.index += missing;
		add_interrupted_wait(&made, bare, 100);
		/* 6 interrupts in 100 rounds, of 5 records, or 4 without the first. */
		const uint64_t begin = (part ? 0u : 40u) + (missing ? bare ? 224u : 230u : 0u);
		struct ear_trace *trace = why_trace_open(&made, NULL);
		for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
			const struct ear_why *why;

			trace->past_window = windows[i];
			assert_same(ear_trace_why(trace, NULL, &why, NULL), 0);
			if (why->kind != EAR_WHY_HANG)
				fail_msg("%u %u: %s", test, windows[i], why->text);
			assert_true(why->earlier == (missing || part));
			assert_same(why->loop.number, begin);
			ear_why_free(why);
		}
		ear_trace_close(trace);
	}
}

static void the_first_of_many_traps_is_the_place(void **state)
{
	static const unsigned windows[] = {0, 20, 33, 50};

	(void)state;
	for (unsigned missing = 0; missing < 2; missing++) {
		struct why_trace made;

		why_trace_begin(&made);
		why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x1));
		add_storm(&made, false);
		made.index += missing;
		add_storm(&made, false);
		struct ear_trace *trace = why_trace_open(&made, NULL);
		for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
			const struct ear_why *why;

			trace->past_window = windows[i];
			assert_same(ear_trace_why(trace, NULL, &why, NULL), 0);
			assert_contains(why->text, ", 20 times or more: its handler");
			assert_same(why->place.number, 63);
			assert_false(why->earlier);
			ear_why_free(why);
		}
		ear_trace_close(trace);
	}
}

static void the_last_execution_is_found_however_old_it_is(void **state)
{
	static const unsigned windows[] = {0, 1, 20, 99};
	const struct ear_why *why;
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	for (unsigned i = 0; i < 2; i++) {
		why_trace_add(&made, OP_LW(6, 5),
			REG(6, 0x0) LOADED(
				0x80001000, 4, 0x0) ",\"reads\":[{\"class\":\"x\","
						    "\"number\":5,\"value\":\"0x8000100%u\"}]",
			i);
		made.pc = 0x80000100;
		for (unsigned k = 0; k < 100; k++)
			why_trace_add(&made, OP_ADDI(7, 7, 1), REG(7, 0x1));
		made.pc = 0x80000000;
	}
	why_trace_add(&made, OP_LW(6, 5),
		TRAP(0x5, 0x10) ",\"reads\":[{\"class\":\"x\",\"number\":5,\"value\":\"0x10\"}]");
	struct ear_trace *trace = why_trace_open(&made, NULL);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		trace->past_window = windows[i];
		assert_same(ear_trace_why(trace, NULL, &why, NULL), 0);
		assert_same(why->kind, EAR_WHY_TRAP);
		assert_true(why->difference.before.known);
		assert_same(why->difference.before.number, 101);
		assert_same(why->difference.count, 1);
		assert_same(why->difference.registers[0].then, 0x80001001);
		assert_same(why->difference.registers[0].now, 0x10);
		ear_why_free(why);
	}
	ear_trace_close(trace);
}

/* x5 was 0x80001000 the last time, if the trace shows that at all, and is 0x10. */
static const struct ear_why *cause_without_reads(struct why_trace *made, bool written)
{
	why_trace_begin(made);
	if (written)
		why_trace_add(made, OP_ADDI(5, 8, 0), REG(5, 0x80001000));
	else
		why_trace_add(made, OP_ADDI(7, 7, 1), REG(7, 0x1));
	made->pc = 0x80000040;
	why_trace_add(made, OP_LW(6, 5), REG(6, 0x0) LOADED(0x80001000, 4, 0x0));
	made->pc = 0x80000100;
	why_trace_add(made, OP_ADDI(5, 9, 0), REG(5, 0x10));
	made->pc = 0x80000040;
	why_trace_add(made, OP_LW(6, 5), TRAP(0x5, 0x10));
	return cause_with(made, NULL);
}

static void values_of_the_last_time_are_looked_for(void **state)
{
	struct why_trace made;

	(void)state;
	const struct ear_why *why = cause_without_reads(&made, true);
	assert_same(why->difference.before.position, 1);
	assert_same(why->difference.count, 1);
	assert_same(why->difference.registers[0].then, 0x80001000);
	assert_same(why->difference.registers[0].now, 0x10);
	assert_false(why->difference.same);
	ear_why_free(why);
	why = cause_without_reads(&made, false);
	assert_true(why->difference.before.known);
	assert_same(why->difference.count, 0);
	assert_false(why->difference.same);
	ear_why_free(why);
}

#define GAP(more) "{\"kind\":\"gap\",\"schema\":2,\"hart\":0,\"index\":5000" more "}"
#define NO_END    GAP(",\"reason\":\"no-end\"")

/* The cause of a run with a gap after its last record. */
static void check_unseen(struct why_trace *made, const char *gap, unsigned kind, const char *text)
{
	why_trace_line(made, gap);
	const struct ear_why *why = cause_with(made, NULL);

	assert_string_equal(ear_why_kind_name(why->kind), ear_why_kind_name(kind));
	assert_contains(why->text, text);
	assert_true(why->end_missing);
	if (kind == EAR_WHY_UNKNOWN) {
		assert_same(why->place.number, why->end_after);
		assert_same(why->value_count, 0);
		assert_false(why->jump.known);
		assert_false(why->loop.known);
	}
	ear_why_free(why);
}

static void of_an_end_that_was_not_seen_only_what_is_certain_is_a_cause(void **state)
{
	static const char *const gaps[] = {NO_END, GAP(",\"reason\":\"cut\""),
		GAP(",\"reason\":\"damage\",\"skipped_bytes\":20"),
		GAP(",\"reason\":\"unit-fifo\",\"first\":5000,\"last\":5006,\"count\":7")};
	struct why_trace made;

	(void)state;
	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		why_trace_begin(&made);
		add_fault(&made);
		check_unseen(&made, gaps[i], EAR_WHY_UNKNOWN,
			"cause unknown: the end was not seen; so far: load access fault at address "
			"0x00010000, and its handler had not returned");
		/* The last record traps. */
		why_trace_begin(&made);
		why_trace_add(&made, OP_LUI(5, 0x10), REG(5, 0x10000));
		why_trace_add(&made, OP_LW(6, 5), TRAP(0x5, 0x10000));
		check_unseen(&made, gaps[i], EAR_WHY_UNKNOWN, "so far: load access fault");
	}
	why_trace_begin(&made);
	add_storm(&made, false);
	check_unseen(&made, NO_END, EAR_WHY_UNKNOWN, ", 20 times or more");
	why_trace_begin(&made);
	add_poll(&made, 30, false);
	check_unseen(&made, NO_END, EAR_WHY_UNKNOWN,
		"cause unknown: the end was not seen; so far: a loop of 3 instructions, 30 rounds");
	why_trace_begin(&made);
	add_endless_loop(&made);
	check_unseen(&made, NO_END, EAR_WHY_UNKNOWN, "so far: an endless loop of 1 instruction");
	why_trace_begin(&made);
	why_trace_add(&made, OP_CSRRW(0, 0x300, 5), CSR(768, 0x1880));
	why_trace_add(&made, WFI, NOTHING);
	check_unseen(&made, NO_END, EAR_WHY_UNKNOWN, "so far: the hart waits for an interrupt");
	/* A system call may be another one. */
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(17, 0, 93), REG(17, 0x5d));
	why_trace_add(&made, OP_ADDI(10, 0, 2), REG(10, 0x2));
	why_trace_add(&made, ECALL, NOTHING);
	check_unseen(&made, NO_END, EAR_WHY_UNKNOWN, "so far: the last instruction is the system");

	/* The program ended itself, or nothing ends the loop. */
	why_trace_begin(&made);
	add_exit(&made, false);
	check_unseen(&made, NO_END, EAR_WHY_EXIT, "exit code 7");
	why_trace_begin(&made);
	add_exit(&made, true);
	check_unseen(&made, NO_END, EAR_WHY_ENDED, "nothing is wrong");
	why_trace_begin(&made);
	add_fault(&made);
	add_exit(&made, false);
	check_unseen(&made, NO_END, EAR_WHY_TRAP, "load access fault");
	why_trace_begin(&made);
	why_trace_add(&made, OP_CSRRW(0, 0x300, 5), CSR(768, 0x1880));
	add_endless_loop(&made);
	check_unseen(&made, NO_END, EAR_WHY_HANG, "hang: an endless loop of 1 instruction");
}

static void what_is_missing_at_the_end_is_counted(void **state)
{
	struct ear_why_options options = EAR_WHY_DEFAULTS;
	struct why_trace made;

	(void)state;
	for (int hart = 0; hart < 2; hart++) {
		why_trace_begin(&made);
		why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
		made.hart = 1;
		made.index = 0;
		why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
		why_trace_line(&made,
			GAP(",\"reason\":\"unit-fifo\",\"first\":5000,\"last\":5006,\"count\":7"));
		options.hart = hart;
		const struct ear_why *why = cause_with(&made, &options);
		assert_true(why->end_missing == (hart == 0)); /* the gap is of hart 0 */
		if (hart == 0) {
			assert_true(why->missing_known);
			assert_same(why->missing, 7);
			assert_same(why->end_after, 0);
		}
		ear_why_free(why);
	}
}

static void the_hart_that_explains_more_is_chosen(void **state)
{
	struct ear_why_options options = EAR_WHY_DEFAULTS;
	struct why_trace made;

	(void)state;
	for (int hart = -1; hart < 2; hart++) {
		why_trace_begin(&made);
		add_fault(&made);
		made.hart = 1;
		made.index = 0;
		made.pc = 0x80000100;
		why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
		options.hart = hart;
		const struct ear_why *why = cause_with(&made, &options);
		assert_same(why->kind, hart == 1 ? EAR_WHY_UNKNOWN : EAR_WHY_TRAP);
		assert_same(why->hart, hart == 1 ? 1 : 0);
		ear_why_free(why);
	}
}

static void what_cannot_be_is_refused(void **state)
{
	struct ear_why_options options = EAR_WHY_DEFAULTS;
	const struct ear_why *why;
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(7, 0, 1), REG(7, 0x1));
	struct ear_trace *trace = why_trace_open(&made, NULL);
	options.hart = 5;
	assert_same(ear_trace_why(trace, &options, &why, NULL), 0);
	assert_same(why->kind, EAR_WHY_UNKNOWN);
	assert_contains(why->text, "no instructions");
	ear_why_free(why);
	options.hart = 70000;
	assert_same(ear_trace_why(trace, &options, &why, NULL), EAR_E_BAD_ARGUMENT);
	options.size = 0;
	assert_same(ear_trace_why(trace, &options, &why, NULL), EAR_E_BAD_ARGUMENT);
	ear_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trap_whose_handler_does_not_return_is_the_cause),
		cmocka_unit_test(a_base_that_does_not_lead_to_the_address_is_not_the_cause),
		cmocka_unit_test(traps_in_the_handler_come_after_the_cause),
		cmocka_unit_test(traps_that_return_and_system_calls_are_no_cause),
		cmocka_unit_test(a_trap_that_comes_again_and_again_is_the_cause),
		cmocka_unit_test(a_trap_that_nothing_comes_after_is_the_cause),
		cmocka_unit_test(a_breakpoint_that_is_served_is_no_fault),
		cmocka_unit_test(of_other_instruction_sets_no_cause_is_known),
		cmocka_unit_test(a_loop_with_unknown_instructions_is_no_hang),
		cmocka_unit_test(a_program_that_goes_on_after_the_store_has_not_ended),
		cmocka_unit_test(a_jump_to_where_all_went_well_before_is_not_named),
		cmocka_unit_test(the_branch_before_an_exit_is_compared_with_the_round_before),
		cmocka_unit_test(a_return_that_is_not_in_the_trace_is_noticed),
		cmocka_unit_test(a_wild_jump_has_the_register_of_its_target),
		cmocka_unit_test(an_instruction_that_was_written_over_has_its_writer),
		cmocka_unit_test(an_exit_code_has_the_branch_before_it_was_chosen),
		cmocka_unit_test(a_loop_in_which_no_branch_reads_anything_new_is_a_hang),
		cmocka_unit_test(a_loop_with_progress_is_no_hang),
		cmocka_unit_test(the_loop_that_makes_no_progress_is_found_around_one_that_does),
		cmocka_unit_test(a_wait_that_took_as_long_before_is_no_hang),
		cmocka_unit_test(a_loop_that_works_is_no_hang),
		cmocka_unit_test(a_sleep_at_the_end_is_a_hang_and_says_if_interrupts_are_off),
		cmocka_unit_test(a_sleep_that_ended_before_is_none_unless_nothing_is_enabled),
		cmocka_unit_test(a_hart_that_waits_for_another_is_no_hang),
		cmocka_unit_test(behind_a_gap_nothing_is_guessed),
		cmocka_unit_test(the_round_before_is_compared),
		cmocka_unit_test(a_loop_begins_where_it_begins),
		cmocka_unit_test(the_first_of_many_traps_is_the_place),
		cmocka_unit_test(the_last_execution_is_found_however_old_it_is),
		cmocka_unit_test(values_of_the_last_time_are_looked_for),
		cmocka_unit_test(of_an_end_that_was_not_seen_only_what_is_certain_is_a_cause),
		cmocka_unit_test(what_is_missing_at_the_end_is_counted),
		cmocka_unit_test(the_hart_that_explains_more_is_chosen),
		cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
