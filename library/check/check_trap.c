/* Traps, interrupts and returns from them. RISC-V Instruction Set Manual, volume II, chapters
 * "Machine-Level ISA" and "Supervisor-Level ISA".
 */
#include "library/check/check_trap.h"

#include <inttypes.h>
#include <stdio.h>

#include "decoder/isa/csr.h"
#include "library/check/check_csr.h"
#include "library/check/check_operand.h"
#include "library/check/check_status.h"

enum csr {
	STVEC = 0x105,
	MEDELEG = 0x302,
	MTVEC = 0x305,
	MVIEN = 0x308,
};

#define DOUBLE_TRAP 16u

/* Which kinds of instructions can have a cause: bits of causes. */
#define ANY_INSTRUCTION \
	(1u << 0 | 1u << 1 | 1u << 2 | 1u << 3 | 1u << 12 | 1u << 18 | 1u << 19 | 1u << 20 | \
		1u << 22)
#define LOADS  (1u << 4 | 1u << 5 | 1u << 13 | 1u << 21)
#define STORES (1u << 6 | 1u << 7 | 1u << 15 | 1u << 23)

/* Causes that the instruction can have; 0: not known. */
static uint32_t possible_causes(const struct check_hart *hart, const struct ear_record *record)
{
	struct check_value mode = check_privilege(hart, record);
	struct ear_semantics op;

	if (record->flags & EAR_RECORD_NO_OPCODE)
		return 0;
	ear_semantics_decode(&op, (uint32_t)record->opcode, record->xlen, EAR_SEMANTICS_ALL);
	switch (op.kind) {
	case EAR_SEM_ILLEGAL: return 0;
	case EAR_SEM_ECALL:
		if (mode.known)
			return ANY_INSTRUCTION | 1u << (8 + mode.value);
		return check_is_virtual(record) ? 0
						: ANY_INSTRUCTION | 1u << 8 | 1u << 9 | 1u << 11;
	case EAR_SEM_LB:
	case EAR_SEM_LH:
	case EAR_SEM_LW:
	case EAR_SEM_LD:
	case EAR_SEM_LBU:
	case EAR_SEM_LHU:
	case EAR_SEM_LWU:
	case EAR_SEM_FLOAD:
	case EAR_SEM_LR: return ANY_INSTRUCTION | LOADS;
	case EAR_SEM_SB:
	case EAR_SEM_SH:
	case EAR_SEM_SW:
	case EAR_SEM_SD:
	case EAR_SEM_FSTORE:
	case EAR_SEM_SC:
	case EAR_SEM_AMO: return ANY_INSTRUCTION | STORES;
	default: return ANY_INSTRUCTION;
	}
}

/* A CSR that the trap writes. */
static void check_trap_csr(struct ear_checker *checker, struct check_hart *hart, unsigned number,
	uint64_t expected, const char *name)
{
	const struct ear_record_register *shown =
		check_written(checker->record, EAR_REGISTER_CSR, (int)number);

	if (!shown) {
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_ABSENT);
		check_csr_learn(hart, number, expected);
		return;
	}
	uint64_t value = check_word(hart, shown->value);
	if (value == expected)
		check_pass(checker, EAR_CHECK_TRAP);
	else
		check_violate(checker, EAR_CHECK_TRAP, expected, value,
			"%s is 0x%" PRIx64 " after the trap, not 0x%" PRIx64, name, value,
			expected);
}

/* Where the handler is, by xtvec. */
static void check_handler(
	struct ear_checker *checker, struct check_hart *hart, bool supervisor, bool interrupt)
{
	const struct ear_record *record = checker->record;
	const struct check_value *vector = &hart->csrs[supervisor ? STVEC : MTVEC];

	bool shown = !(record->flags & EAR_RECORD_NO_NEXT_PC);
	if (!vector->known || (interrupt && record->flags & EAR_RECORD_NO_CAUSE) ||
		(vector->value & 3) > 1) {
		check_skip(checker, EAR_CHECK_TRAP, shown ? EAR_CHECK_UNKNOWN : EAR_CHECK_ABSENT);
		return;
	}
	uint64_t handler = vector->value & ~(uint64_t)3;
	if (interrupt && vector->value & 1)
		handler += 4 * (record->cause & 0x3ff);
	handler = check_word(hart, handler);
	if (!shown) {
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_ABSENT);
		hart->goes = (struct check_value){handler, true};
		return;
	}
	uint64_t next = check_word(hart, record->next_pc);
	if (next == handler)
		check_pass(checker, EAR_CHECK_TRAP);
	else
		check_violate(checker, EAR_CHECK_TRAP, handler, next,
			"the trap goes to 0x%" PRIx64 ", but the handler is at 0x%" PRIx64, next,
			handler);
}

/* Where the target of a jump is; the instruction is one. */
static struct check_value jump_target(const struct ear_record *record,
	const struct check_hart *hart, const struct ear_semantics *op)
{
	if (op->kind == EAR_SEM_JALR)
		return (struct check_value){
			check_word(hart, hart->x[op->rs1] + (uint64_t)(int64_t)op->imm) &
				~(uint64_t)1,
			hart->x_known >> op->rs1 & 1};
	return (struct check_value){
		check_word(hart, record->pc + (uint64_t)(int64_t)op->imm), true};
}

static bool is_within(uint64_t value, uint64_t first, unsigned size)
{
	return value - first < size;
}

enum verdict { RIGHT, WRONG, UNKNOWN, EXTENSION };

/* xTVAL of an instruction that jumps to an address where none can be. */
static enum verdict judge_target(const struct check_hart *hart, const struct ear_record *record,
	const struct ear_semantics *op, uint64_t value, uint64_t *expected)
{
	if (op->kind < EAR_SEM_JAL || op->kind > EAR_SEM_BGEU || op->kind == EAR_SEM_AUIPC)
		return EXTENSION;
	struct check_value target = jump_target(record, hart, op);
	*expected = target.value;
	if (!target.known)
		return UNKNOWN;
	return value == target.value ? RIGHT : WRONG;
}

/* xTVAL of a load or store that failed at one of its bytes. */
static enum verdict judge_address(const struct check_hart *hart, const struct ear_semantics *op,
	uint64_t value, uint64_t *expected)
{
	if (op->kind < EAR_SEM_LB ||
		(op->kind > EAR_SEM_SD && (op->kind < EAR_SEM_LR || op->kind > EAR_SEM_FSTORE)))
		return EXTENSION;
	if (!(hart->x_known >> op->rs1 & 1))
		return UNKNOWN;
	*expected = check_word(hart, hart->x[op->rs1] + (uint64_t)(int64_t)op->imm);
	if (is_within(value, *expected, 1u << (ear_semantics_bits(op->wide, 12, 3) & 3)))
		return RIGHT;
	/* Pointer masking changes the upper bits. */
	return hart->xlen == 64 && (value ^ *expected) << 16 == 0 ? EXTENSION : WRONG;
}

static enum verdict judge_equal(uint64_t value, uint64_t expected)
{
	return value == expected ? RIGHT : WRONG;
}

/* xTVAL by the cause: 0 is right always. Section "Machine Trap Value Register". */
static enum verdict judge_value(const struct ear_checker *checker, const struct check_hart *hart,
	bool interrupt, uint64_t value, uint64_t *expected)
{
	const struct ear_record *record = checker->record;
	struct ear_semantics op;

	*expected = interrupt ? 0 : check_word(hart, record->pc);
	if (value == 0)
		return RIGHT;
	if (interrupt)
		return (record->cause & 63) < 16 ? WRONG : EXTENSION;
	if (record->cause == 1 || record->cause == 12) /* pc, or the instruction's other half */
		return is_within(value, *expected, 4) ? RIGHT : WRONG;
	if (record->flags & EAR_RECORD_NO_OPCODE)
		return EXTENSION;
	ear_semantics_decode(&op, (uint32_t)record->opcode, record->xlen, EAR_SEMANTICS_ALL);
	switch (record->cause) {
	case 0: return judge_target(hart, record, &op, value, expected);
	case 2:
		*expected = record->opcode & (record->opcode_size == 2 ? 0xffff : UINT32_MAX);
		return judge_equal(value, *expected);
	case 3: /* that of a trigger is an address of its own */
		return op.kind == EAR_SEM_EBREAK ? judge_equal(value, *expected) : EXTENSION;
	case 4:
	case 5:
	case 6:
	case 7:
	case 13:
	case 15: return judge_address(hart, &op, value, expected);
	case 8:
	case 9:
	case 11: *expected = 0; return WRONG;
	default: return EXTENSION;
	}
}

static void check_trap_value(
	struct ear_checker *checker, struct check_hart *hart, unsigned number, bool interrupt)
{
	const struct ear_record *record = checker->record;
	const struct ear_record_register *shown =
		check_written(record, EAR_REGISTER_CSR, (int)number);
	const char *name;
	uint64_t expected;

	check_csr_forget(hart, number);
	if (!shown || record->flags & EAR_RECORD_NO_CAUSE) {
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_ABSENT);
		return;
	}
	uint64_t value = check_word(hart, shown->value);
	switch (judge_value(checker, hart, interrupt, value, &expected)) {
	case RIGHT: check_pass(checker, EAR_CHECK_TRAP); break;
	case UNKNOWN: check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_UNKNOWN); break;
	case EXTENSION: check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_EXTENSION); break;
	case WRONG:
		name = number == EAR_CSR_MTVAL ? "mtval" : "stval";
		if (expected == 0)
			check_violate(checker, EAR_CHECK_TRAP, 0, value,
				"%s is 0x%" PRIx64 " after the trap, not 0", name, value);
		else
			check_violate(checker, EAR_CHECK_TRAP, expected, value,
				"%s is 0x%" PRIx64 " after the trap, and neither 0 nor 0x%" PRIx64,
				name, value, expected);
		break;
	}
}

/* Is the cause delegated to supervisor mode? */
static struct check_value is_delegated(
	const struct check_hart *hart, const struct ear_record *record, bool interrupt)
{
	const struct check_value *delegated = &hart->csrs[interrupt ? EAR_CSR_MIDELEG : MEDELEG];
	uint64_t cause = interrupt ? record->cause & 63 : record->cause;
	bool known = delegated->known && !(record->flags & EAR_RECORD_NO_CAUSE) &&
		     cause < hart->xlen && cause != DOUBLE_TRAP &&
		     !(interrupt && hart->csrs[MVIEN].value);

	return (struct check_value){known && delegated->value >> cause & 1, known};
}

enum target { NOWHERE, MACHINE, SUPERVISOR };

static const char *name_mode(enum target target)
{
	return target == SUPERVISOR ? "supervisor" : "machine";
}

/* The mode that the trap goes to, as the record shows it; NOWHERE: it does not. */
static enum target shown_target(const struct ear_record *record)
{
	if (check_written(record, EAR_REGISTER_CSR, EAR_CSR_MEPC))
		return MACHINE;
	if (check_written(record, EAR_REGISTER_CSR, EAR_CSR_SEPC) && !check_is_virtual(record))
		return SUPERVISOR;
	return NOWHERE;
}

/* Where it must go; NOWHERE: nothing says it. */
static enum target right_target(
	const struct check_hart *hart, const struct ear_record *record, bool interrupt)
{
	struct check_value mode = check_privilege(hart, record);
	struct check_value delegated = is_delegated(hart, record, interrupt);

	if (mode.known && mode.value == EAR_PRIVILEGE_M)
		return MACHINE;
	if (!mode.known || !delegated.known)
		return NOWHERE;
	return delegated.value ? SUPERVISOR : MACHINE;
}

static enum target find_target(
	const struct check_hart *hart, const struct ear_record *record, bool interrupt)
{
	enum target target = shown_target(record);

	if (target != NOWHERE)
		return target;
	target = right_target(hart, record, interrupt);
	if (target != NOWHERE || check_is_virtual(record))
		return target;
	/* Without supervisor mode there is one way only. */
	return !hart->csrs[STVEC].known && hart->csrs[MTVEC].known &&
			       !(record->flags & EAR_RECORD_NO_NEXT_PC) &&
			       (check_word(hart, record->next_pc) ^ hart->csrs[MTVEC].value) < 1024
		       ? MACHINE
		       : NOWHERE;
}

/* Delegation of what is no interrupt. */
static void check_delegation(struct ear_checker *checker, const struct check_hart *hart)
{
	enum target shown = shown_target(checker->record);
	enum target right = right_target(hart, checker->record, false);

	if (shown == NOWHERE)
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_ABSENT);
	else if (right == NOWHERE)
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_UNKNOWN);
	else if (right == shown)
		check_pass(checker, EAR_CHECK_TRAP);
	else
		check_violate(checker, EAR_CHECK_TRAP, right == SUPERVISOR, shown == SUPERVISOR,
			"the trap with cause 0x%" PRIx64 " goes to %s mode, not to %s mode",
			checker->record->cause, name_mode(shown), name_mode(right));
}

/* Direct mode has one handler, vectored mode one for each cause; others are not known here. */
static bool leads_to(const struct check_value *vector, uint64_t pc)
{
	uint64_t distance = pc - (vector->value & ~(uint64_t)3);
	unsigned mode = vector->value & 3;

	if (mode > 1)
		return true;
	return mode == 0 ? distance == 0 : distance < 256 && distance % 4 == 0;
}

enum check_handler check_trap_leads_to(const struct ear_checker *checker,
	const struct check_hart *hart, unsigned number, uint64_t pc)
{
	const struct check_value *vector = &hart->csrs[number];

	if (number == 0)
		return CHECK_HANDLER_NO;
	if (vector->known)
		return leads_to(vector, pc) ? CHECK_HANDLER_YES : CHECK_HANDLER_NO;
	if (hart->handler.known && hart->handler.value == pc)
		return CHECK_HANDLER_YES;
	return checker->shows_interrupts ? CHECK_HANDLER_NO : CHECK_HANDLER_UNKNOWN;
}

enum check_handler check_trap_leads(
	const struct ear_checker *checker, const struct check_hart *hart, uint64_t pc)
{
	enum check_handler machine = check_trap_leads_to(checker, hart, MTVEC, pc);
	enum check_handler supervisor = check_trap_leads_to(checker, hart, STVEC, pc);

	return machine > supervisor ? machine : supervisor;
}

bool check_trap_comes_back(const struct check_hart *hart, uint64_t pc)
{
	return hart->left.known && (pc == hart->left.value || pc == hart->left_next);
}

bool check_trap_hides(struct ear_checker *checker, struct check_hart *hart,
	enum ear_check_rule rule, uint64_t expected, uint64_t next)
{
	const struct ear_record *record = checker->record;
	struct ear_semantics op;

	/* An instruction that writes xEPC without naming it trapped itself. */
	const struct ear_record_register *epc =
		check_written(record, EAR_REGISTER_CSR, EAR_CSR_MEPC);
	if (!epc)
		epc = check_written(record, EAR_REGISTER_CSR, EAR_CSR_SEPC);
	ear_semantics_decode(&op, (uint32_t)record->opcode, record->xlen, EAR_SEMANTICS_ALL);
	if (epc && !(op.kind == EAR_SEM_CSR && op.wide >> 20 == epc->number))
		return false;
	/* Nothing traps from machine mode to another one. */
	bool machine = hart->modes_seen == 1u << EAR_PRIVILEGE_M ||
		       (!hart->returned && record->privilege == EAR_PRIVILEGE_M);
	enum check_handler handler = machine ? check_trap_leads_to(checker, hart, MTVEC, next)
					     : check_trap_leads(checker, hart, next);

	if (checker->options.captured || checker->shows_interrupts || handler == CHECK_HANDLER_NO ||
		(handler == CHECK_HANDLER_UNKNOWN && check_trap_comes_back(hart, next)))
		return false;
	check_skip(
		checker, rule, handler == CHECK_HANDLER_YES ? EAR_CHECK_ABSENT : EAR_CHECK_UNKNOWN);
	hart->hides = true;
	hart->hidden = expected;
	return true;
}

void check_trap_forget(struct check_hart *hart)
{
	static const uint16_t written[] = {EAR_CSR_MEPC, EAR_CSR_MCAUSE, EAR_CSR_MTVAL,
		EAR_CSR_SEPC, EAR_CSR_SCAUSE, EAR_CSR_STVAL};

	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		check_csr_forget(hart, written[i]);
	check_status_forget(hart);
	hart->mode.known = hart->goes_mode.known = false;
}

void check_trap_may_hide(const struct ear_checker *checker, struct check_hart *hart)
{
	if (!checker->options.captured)
		check_trap_forget(hart);
}

static void take_trap(struct ear_checker *checker, struct check_hart *hart, bool interrupt)
{
	const struct ear_record *record = checker->record;
	enum target target = find_target(hart, record, interrupt);
	bool supervisor = target == SUPERVISOR;

	if (record->privilege == EAR_PRIVILEGE_DEBUG || target == NOWHERE) {
		check_trap_forget(hart);
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_UNKNOWN);
		return;
	}
	check_trap_csr(checker, hart, supervisor ? EAR_CSR_SEPC : EAR_CSR_MEPC,
		check_word(hart, record->pc), supervisor ? "sepc" : "mepc");
	if (record->flags & EAR_RECORD_NO_CAUSE)
		check_csr_forget(hart, supervisor ? EAR_CSR_SCAUSE : EAR_CSR_MCAUSE);
	else
		check_trap_csr(checker, hart, supervisor ? EAR_CSR_SCAUSE : EAR_CSR_MCAUSE,
			check_word(hart, record->cause), supervisor ? "scause" : "mcause");
	check_trap_value(checker, hart, supervisor ? EAR_CSR_STVAL : EAR_CSR_MTVAL, interrupt);
	check_handler(checker, hart, supervisor, interrupt);
	check_status_trap(checker, hart, supervisor);
}

/* The address of an access that trapped, where the record shows it. */
static void check_trap_access(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	struct ear_semantics op;
	uint64_t expected;
	char name[32];

	if (record->memory_count == 0 || record->flags & EAR_RECORD_NO_OPCODE)
		return;
	ear_semantics_decode(&op, (uint32_t)record->opcode, record->xlen, EAR_SEMANTICS_ALL);
	uint64_t address = check_word(hart, record->memory[0].address);
	switch (judge_address(hart, &op, address, &expected)) {
	case RIGHT: check_pass(checker, EAR_CHECK_ACCESS); break;
	case UNKNOWN: check_skip(checker, EAR_CHECK_ACCESS, EAR_CHECK_UNKNOWN); break;
	case EXTENSION: check_skip(checker, EAR_CHECK_ACCESS, EAR_CHECK_EXTENSION); break;
	case WRONG:
		check_violate(checker, EAR_CHECK_ACCESS, expected, address,
			"%s traps at 0x%" PRIx64 ", not at 0x%" PRIx64,
			check_mnemonic(checker, name, sizeof(name)), address, expected);
		break;
	}
}

void check_trap(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	uint32_t causes = possible_causes(hart, record);
	const struct ear_record_register *written = check_written(record, EAR_REGISTER_X, -1);
	char name[32];

	check_shown_operands(checker, hart);
	if (record->flags & EAR_RECORD_NO_CAUSE)
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_ABSENT);
	else if (causes == 0)
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_EXTENSION);
	else if (record->cause < 32 ? causes >> record->cause & 1 : record->cause < 64)
		check_pass(checker, EAR_CHECK_TRAP);
	else
		check_violate(checker, EAR_CHECK_TRAP, 0, record->cause,
			"%s cannot trap with cause 0x%" PRIx64,
			check_mnemonic(checker, name, sizeof(name)), record->cause);
	if (written && written->number != 0)
		check_violate(checker, EAR_CHECK_RESULT, 0, written->number,
			"%s traps, and writes x%u", check_mnemonic(checker, name, sizeof(name)),
			written->number);
	check_trap_access(checker, hart);
	if (!(record->flags & EAR_RECORD_NO_CAUSE))
		check_delegation(checker, hart);
	take_trap(checker, hart, false);
}

bool check_hidden_trap(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	struct ear_record trap = *record;
	struct ear_semantics op;

	const struct ear_record_register *pc =
		check_written(record, EAR_REGISTER_CSR, EAR_CSR_MEPC);
	const struct ear_record_register *cause =
		check_written(record, EAR_REGISTER_CSR, pc ? EAR_CSR_MCAUSE : EAR_CSR_SCAUSE);
	if (!pc)
		pc = check_written(record, EAR_REGISTER_CSR, EAR_CSR_SEPC);
	if (checker->options.captured || !pc ||
		check_word(hart, pc->value) != check_word(hart, record->pc))
		return false;
	ear_semantics_decode(&op, (uint32_t)record->opcode, record->xlen, EAR_SEMANTICS_ALL);
	if (op.kind == EAR_SEM_CSR && op.wide >> 20 == pc->number)
		return false;
	hart->returned = true;
	trap.flags |= EAR_RECORD_TRAP;
	if (cause)
		trap.cause = cause->value;
	else
		trap.flags |= EAR_RECORD_NO_CAUSE;
	checker->record = &trap;
	check_trap(checker, hart);
	checker->record = record;
	return true;
}

/* Whether the global enable lets interrupts for a mode through; known false: nobody knows. */
static struct check_value is_open(
	const struct check_hart *hart, struct check_value mode, enum target target)
{
	unsigned to = target == SUPERVISOR ? EAR_PRIVILEGE_S : EAR_PRIVILEGE_M;

	if (!mode.known)
		return mode;
	if (mode.value != to)
		return (struct check_value){mode.value < to, true};
	return check_status_bit(hart, target == SUPERVISOR ? CHECK_STATUS_SIE : CHECK_STATUS_MIE);
}

/* Was the interrupt enabled: by mie, by mideleg for the mode that it goes to, and there by mstatus?
 */
static void check_enabled(struct ear_checker *checker, const struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	const struct check_value *enabled = &hart->csrs[EAR_CSR_MIE];
	struct check_value delegated = is_delegated(hart, record, true);
	struct check_value mode = check_privilege(hart, record);
	enum target target = find_target(hart, record, true);
	uint64_t cause = record->cause & 63;
	bool own = cause >= 16 || cause == 0; /* the core's own, of which the manual says nothing */

	if (record->flags & EAR_RECORD_NO_CAUSE) {
		check_skip(checker, EAR_CHECK_INTERRUPT, EAR_CHECK_ABSENT);
		return;
	}
	if (target == NOWHERE || check_is_virtual(record) || own) {
		check_skip(checker, EAR_CHECK_INTERRUPT,
			own ? EAR_CHECK_EXTENSION : EAR_CHECK_UNKNOWN);
		return;
	}
	struct check_value open = is_open(hart, mode, target);
	if (enabled->known && !(enabled->value >> cause & 1))
		check_violate(checker, EAR_CHECK_INTERRUPT, 1, 0,
			"interrupt %" PRIu64 " is taken, and mie 0x%" PRIx64 " does not enable it",
			cause, enabled->value);
	else if (delegated.known && delegated.value != (target == SUPERVISOR))
		check_violate(checker, EAR_CHECK_INTERRUPT, delegated.value, target == SUPERVISOR,
			"interrupt %" PRIu64 " goes to %s mode, and mideleg 0x%" PRIx64 " %s it",
			cause, name_mode(target), hart->csrs[EAR_CSR_MIDELEG].value,
			delegated.value ? "delegates" : "does not delegate");
	else if (open.known && !open.value && mode.value > EAR_PRIVILEGE_S && target == SUPERVISOR)
		check_violate(checker, EAR_CHECK_INTERRUPT, 1, 0,
			"interrupt %" PRIu64 " goes from machine to supervisor mode", cause);
	else if (open.known && !open.value)
		check_violate(checker, EAR_CHECK_INTERRUPT, 1, 0,
			"interrupt %" PRIu64 " is taken in %s mode, and mstatus.%s is 0", cause,
			name_mode(target), target == SUPERVISOR ? "SIE" : "MIE");
	else if (!enabled->known || !open.known)
		check_skip(checker, EAR_CHECK_INTERRUPT, EAR_CHECK_UNKNOWN);
	else
		check_pass(checker, EAR_CHECK_INTERRUPT);
}

void check_interrupt(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record_register *written =
		check_written(checker->record, EAR_REGISTER_X, -1);

	check_enabled(checker, hart);
	if (written && written->number != 0)
		check_violate(checker, EAR_CHECK_RESULT, 0, written->number,
			"an interrupt writes x%u", written->number);
	take_trap(checker, hart, true);
}

void check_return(struct ear_checker *checker, struct check_hart *hart, bool machine)
{
	const struct ear_record *record = checker->record;
	struct check_value epc = hart->csrs[machine ? EAR_CSR_MEPC : EAR_CSR_SEPC];

	epc.known &= !check_is_virtual(record);
	check_status_return(checker, hart, machine);
	if (record->flags & EAR_RECORD_NO_NEXT_PC) {
		check_skip(checker, EAR_CHECK_RETURN, EAR_CHECK_ABSENT);
		hart->goes = (struct check_value){epc.value & ~(uint64_t)1, epc.known};
		return;
	}
	if (!epc.known) {
		check_skip(checker, EAR_CHECK_RETURN, EAR_CHECK_UNKNOWN);
		check_trap_may_hide(checker, hart);
		return;
	}
	uint64_t next = check_word(hart, record->next_pc);
	if (next == (epc.value & ~(uint64_t)1))
		check_pass(checker, EAR_CHECK_RETURN);
	else if (!check_trap_hides(checker, hart, EAR_CHECK_RETURN, epc.value & ~(uint64_t)1, next))
		check_violate(checker, EAR_CHECK_RETURN, epc.value, next,
			"%s goes to 0x%" PRIx64 ", but %s is 0x%" PRIx64, machine ? "mret" : "sret",
			next, machine ? "mepc" : "sepc", epc.value);
}
