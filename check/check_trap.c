/* Traps, interrupts and returns from them. RISC-V Instruction Set Manual, volume II, chapters
 * "Machine-Level ISA" and "Supervisor-Level ISA".
 */
#include "check/check_trap.h"

#include <inttypes.h>
#include <stdio.h>

#include "check/check_csr.h"
#include "check/check_instruction.h"

enum csr {
	SSTATUS = 0x100,
	STVEC = 0x105,
	SEPC = 0x141,
	SCAUSE = 0x142,
	STVAL = 0x143,
	MSTATUS = 0x300,
	MIDELEG = 0x303,
	MIE = 0x304,
	MTVEC = 0x305,
	MEPC = 0x341,
	MCAUSE = 0x342,
	MTVAL = 0x343,
};

#define STATUS_MIE  (UINT64_C(1) << 3)
#define STATUS_MPIE (UINT64_C(1) << 7)

/* Which kinds of instructions can have a cause: bits of causes. */
#define ANY_INSTRUCTION \
	(1u << 0 | 1u << 1 | 1u << 2 | 1u << 3 | 1u << 12 | 1u << 18 | 1u << 19 | 1u << 20 | \
		1u << 22)
#define LOADS  (1u << 4 | 1u << 5 | 1u << 13 | 1u << 21)
#define STORES (1u << 6 | 1u << 7 | 1u << 15 | 1u << 23)

/* Causes that the instruction can have; 0: not known. */
static uint32_t possible_causes(const struct ear_record *record)
{
	struct ear_semantics op;

	if (record->flags & EAR_RECORD_NO_OPCODE)
		return 0;
	ear_semantics_decode(&op, (uint32_t)record->opcode, record->xlen, EAR_SEMANTICS_ALL);
	switch (op.kind) {
	case EAR_SEM_ILLEGAL: return 0;
	case EAR_SEM_ECALL:
		if (record->flags & EAR_RECORD_NO_PRIVILEGE)
			return ANY_INSTRUCTION | 1u << 8 | 1u << 9 | 1u << 11;
		switch (record->privilege) {
		case EAR_PRIVILEGE_M: return ANY_INSTRUCTION | 1u << 11;
		case EAR_PRIVILEGE_S: return ANY_INSTRUCTION | 1u << 9;
		case EAR_PRIVILEGE_U: return ANY_INSTRUCTION | 1u << 8;
		default: return 0;
		}
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

/* MIE goes to MPIE. */
static void enter(struct check_hart *hart)
{
	if (hart->status.known)
		hart->status.value = hart->status.value & STATUS_MIE ? STATUS_MPIE : 0;
}

/* Where the trap goes. Returns false if nothing says it. */
static bool find_target(
	const struct ear_checker *checker, const struct check_hart *hart, bool *supervisor)
{
	const struct ear_record *record = checker->record;

	*supervisor = false;
	if (check_written(record, EAR_REGISTER_CSR, MEPC) || record->privilege == EAR_PRIVILEGE_M)
		return true;
	if (check_written(record, EAR_REGISTER_CSR, SEPC)) {
		*supervisor = true;
		return true;
	}
	/* Without supervisor mode there is one way only. */
	return !hart->csrs[STVEC].known && hart->csrs[MTVEC].known &&
	       !(record->flags & EAR_RECORD_NO_NEXT_PC) &&
	       (check_word(hart, record->next_pc) ^ hart->csrs[MTVEC].value) < 1024;
}

static void take_trap(struct ear_checker *checker, struct check_hart *hart, bool interrupt)
{
	const struct ear_record *record = checker->record;
	bool supervisor;

	if (record->privilege == EAR_PRIVILEGE_DEBUG || !find_target(checker, hart, &supervisor)) {
		static const uint16_t written[] = {MEPC, MCAUSE, MTVAL, SEPC, SCAUSE, STVAL};
		for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
			check_csr_forget(hart, written[i]);
		hart->status.known = false;
		check_skip(checker, EAR_CHECK_TRAP, EAR_CHECK_UNKNOWN);
		return;
	}
	check_trap_csr(checker, hart, supervisor ? SEPC : MEPC, check_word(hart, record->pc),
		supervisor ? "sepc" : "mepc");
	if (record->flags & EAR_RECORD_NO_CAUSE)
		check_csr_forget(hart, supervisor ? SCAUSE : MCAUSE);
	else
		check_trap_csr(checker, hart, supervisor ? SCAUSE : MCAUSE,
			check_word(hart, record->cause), supervisor ? "scause" : "mcause");
	check_csr_forget(hart, supervisor ? STVAL : MTVAL);
	check_handler(checker, hart, supervisor, interrupt);
	if (!supervisor)
		enter(hart);
}

void check_trap(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	uint32_t causes = possible_causes(record);
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
			"%s cannot trap with cause %" PRIu64,
			check_mnemonic(checker, name, sizeof(name)), record->cause);
	if (written && written->number != 0)
		check_violate(checker, EAR_CHECK_RESULT, 0, written->number,
			"%s traps, and writes x%u", check_mnemonic(checker, name, sizeof(name)),
			written->number);
	take_trap(checker, hart, false);
}

bool check_hidden_trap(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	struct ear_record trap = *record;
	struct ear_semantics op;

	const struct ear_record_register *pc = check_written(record, EAR_REGISTER_CSR, MEPC);
	const struct ear_record_register *cause =
		check_written(record, EAR_REGISTER_CSR, pc ? MCAUSE : SCAUSE);
	if (!pc)
		pc = check_written(record, EAR_REGISTER_CSR, SEPC);
	if (checker->options.captured || !pc ||
		check_word(hart, pc->value) != check_word(hart, record->pc))
		return false;
	ear_semantics_decode(&op, (uint32_t)record->opcode, record->xlen, EAR_SEMANTICS_ALL);
	if (op.kind == EAR_SEM_CSR && op.wide >> 20 == pc->number)
		return false;
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

/* Was the interrupt enabled, for machine mode? */
static void check_enabled(struct ear_checker *checker, const struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	const struct check_value *enabled = &hart->csrs[MIE], *delegated = &hart->csrs[MIDELEG];
	uint64_t cause = record->cause & 63;
	bool masked = record->privilege == EAR_PRIVILEGE_M;

	if (record->flags & EAR_RECORD_NO_CAUSE) {
		check_skip(checker, EAR_CHECK_INTERRUPT, EAR_CHECK_ABSENT);
		return;
	}
	if (delegated->known && delegated->value >> cause & 1) {
		check_skip(checker, EAR_CHECK_INTERRUPT, EAR_CHECK_UNKNOWN);
		return;
	}
	if (enabled->known && cause < 16 && !(enabled->value >> cause & 1))
		check_violate(checker, EAR_CHECK_INTERRUPT, 1, 0,
			"interrupt %" PRIu64 " is taken, and mie 0x%" PRIx64 " does not enable it",
			cause, enabled->value);
	else if (masked && hart->status.known && !(hart->status.value & STATUS_MIE))
		check_violate(checker, EAR_CHECK_INTERRUPT, 1, 0,
			"interrupt %" PRIu64 " is taken in machine mode, and mstatus.MIE is 0",
			cause);
	else if (!enabled->known || (masked && !hart->status.known))
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
	const struct check_value *epc = &hart->csrs[machine ? MEPC : SEPC];

	if (machine && hart->status.known)
		hart->status.value =
			(hart->status.value & STATUS_MPIE ? STATUS_MIE : 0) | STATUS_MPIE;
	if (record->flags & EAR_RECORD_NO_NEXT_PC) {
		check_skip(checker, EAR_CHECK_RETURN, EAR_CHECK_ABSENT);
		hart->goes = (struct check_value){epc->value & ~(uint64_t)1, epc->known};
		return;
	}
	if (!epc->known) {
		check_skip(checker, EAR_CHECK_RETURN, EAR_CHECK_UNKNOWN);
		return;
	}
	uint64_t next = check_word(hart, record->next_pc);
	if (next == (epc->value & ~(uint64_t)1))
		check_pass(checker, EAR_CHECK_RETURN);
	else
		check_violate(checker, EAR_CHECK_RETURN, epc->value, next,
			"%s goes to 0x%" PRIx64 ", but %s is 0x%" PRIx64, machine ? "mret" : "sret",
			next, machine ? "mepc" : "sepc", epc->value);
}
