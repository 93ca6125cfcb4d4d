/* The rules by which traces of different formats are the same: one table of words, one of formats.
 *
 * Nothing here compares: compare_csr.c, compare_record.c and compare.c ask which side brings a
 * rule. A rule is bound to the format that makes it necessary, so a pair of formats that needs none
 * is compared as strictly as two files of one format.
 */
#include "library/compare/equivalence.h"

#include <stddef.h>
#include <string.h>

const struct ear_rule_row ear_rules[EAR_RULE_COUNT] = {
	[EAR_RULE_CSR_PARTS] = {"csr-parts", "csr",
		"`fcsr` on one side, `fflags` or `frm` on the other; so too `vcsr` with `vxsat` "
		"and `vxrm`, `mstatus` with `sstatus`, `mie` with `sie`, `mip` with `sip`",
		"a bit that both show, in whichever CSR, or that one changes and the other does "
		"not show"},
	[EAR_RULE_CSR_UNCHANGED] = {"csr-unchanged", "csr",
		"a CSR of the row above, `mstatush`, `vsstatus`, `vl`, `vtype` or `tcontrol`, set by the "
		"way to the value that it had, which one side lists",
		"a changed value, or one not known from before that the instruction cannot write; the "
		"CSR of a CSR instruction; two values of a CSR that both list"},
	[EAR_RULE_CSR_ALIAS] = {"csr-alias", "csr",
		"`mvip` beside a write of `mip` or `sip`, of which it is a copy; its value is "
		"not compared",
		"`mvip` in other instructions"},
	[EAR_RULE_CSR_SLOTS] = {"csr-slots", "csr",
		"more CSR writes than the unit has slots, where all its slots are used",
		"a CSR that both list; one that only the unit lists; a free slot"},
	[EAR_RULE_V_UNCHANGED] = {"v-unchanged", "v",
		"a vector register of the group that an instruction writes, listed with the value "
		"that it had",
		"a changed value; two values"},
	[EAR_RULE_VSTART] = {"vstart", "csr",
		"`vstart` set to 0 by a vector instruction, listed on one side",
		"another value; `vstart` in a CSR instruction"},
	[EAR_RULE_FLAGS_AS_CSR] = {"flags-as-csr", "fflags",
		"flags that an instruction raises on one side, and the `fflags` that they add up to, "
		"written by the same instruction, on the other",
		"a raised flag that the sum lacks; a flag new in the sum that was not raised; flags "
		"without the write, the write without flags"},
	[EAR_RULE_FLAGS_CHANGED] = {"flags-changed", "fflags",
		"the same, where the other side writes `fcsr` only if it changes",
		"a raised flag that the sum lacks; a flag new in the sum that was not raised"},
	[EAR_RULE_FLAGS_WITH_F] = {"flags-with-f", "fflags",
		"flags of an instruction that writes no f register", "flags beside an f register"},
	[EAR_RULE_TRAP_CSRS] = {"trap-csrs", "csr",
		"the CSRs that a trap writes, which one side does not list",
		"an epc that is not the pc, a cause or tval other than the one of the trap; a CSR "
		"that no trap writes"},
	[EAR_RULE_TRAP_PRIVILEGE] = {"trap-privilege", "privilege",
		"the privilege of an instruction that trapped, directly after a trap or xRET",
		"elsewhere: it is that of the instruction before"},
	[EAR_RULE_TRAP_OPCODE] = {"trap-opcode", "opcode",
		"the opcode at which an interrupt was taken, or of a fetch that failed",
		"two opcodes"},
	[EAR_RULE_VIRTUAL] = {"virtual", "privilege", "VS and S, VU and U, debug mode and M",
		"any other two"},
	[EAR_RULE_SC_ADDRESS] = {"sc-address", "address",
		"the address of an sc that stored nothing", "a store by one side only"},
	[EAR_RULE_CACHE_ADDRESS] = {"cache-address", "address",
		"the address of `cbo.clean`, `cbo.flush` or `cbo.inval`",
		"two addresses; an access with data; `cbo.zero`"},
	[EAR_RULE_CACHE_BYTES] = {"cache-bytes", "address",
		"the stores of `cbo.zero` in parts of another size: of a byte, or of a word",
		"a byte that one side alone stores; two values"},
	[EAR_RULE_TRAP_ADDRESS] = {"trap-address", "address",
		"the address, and the data, of an access that trapped, where one side has none",
		"two addresses"},
	[EAR_RULE_ACCESS_DATA] = {"access-data", "address",
		"an access without data or size, where the other side shows accesses only with them",
		"an access with data; an address that both show"},
	[EAR_RULE_ONE_ACCESS] = {"one-access", "address",
		"all accesses of a vector instruction but one, of which a unit reports no more",
		"an access that the other side does not have"},
	[EAR_RULE_PHYSICAL] = {"physical", "address",
		"a virtual address whose physical address is the one that the other side shows",
		"another address"},
	[EAR_RULE_STORE_XLEN] = {"store-xlen", "value",
		"the upper half of a store of 8 bytes on RV32", "the lower half"},
	[EAR_RULE_BOOT_CODE] = {"boot-code", "records",
		"the records at 0x1000 to 0x1fff with which one side begins, if the other begins "
		"elsewhere",
		"boot code that both have"},
	[EAR_RULE_CLOSING_LOOP] = {"closing-loop", "records",
		"records after the end of the other side, while they repeat a loop of at most 8 "
		"instructions, each round the same as the one before",
		"all other records after the end"},
	[EAR_RULE_INTERRUPTS] = {"interrupts", "records",
		"the record of an interrupt, where the other format has none",
		"the instructions of the handler"},
	[EAR_RULE_TRAPS] = {"traps", "records",
		"the record of a trap or interrupt, where the log of the other side has commits alone",
		"the instructions of the handler"},
	[EAR_RULE_ROWS] = {"rows", "records",
		"instructions that trap, or write no x or f register and no CSR, if the other side leaves "
		"them all out",
		"an instruction that writes one; all, once the other side has a row that writes none"},
};

#define SIMULATOR \
	(EAR_RULE_BIT(EAR_RULE_CSR_PARTS) | EAR_RULE_BIT(EAR_RULE_CSR_UNCHANGED) | \
		EAR_RULE_BIT(EAR_RULE_VSTART) | EAR_RULE_BIT(EAR_RULE_V_UNCHANGED) | \
		EAR_RULE_BIT(EAR_RULE_TRAP_ADDRESS) | EAR_RULE_BIT(EAR_RULE_CACHE_BYTES))

#define TEXT_OF_ACCESSES (EAR_RULE_BIT(EAR_RULE_ACCESS_DATA) | EAR_RULE_BIT(EAR_RULE_TRAP_ADDRESS))

/* Logs of tracers (decoder/formats/logs/). */
#define LOG \
	(TEXT_OF_ACCESSES | EAR_RULE_BIT(EAR_RULE_INTERRUPTS) | EAR_RULE_BIT(EAR_RULE_TRAP_OPCODE))
#define QEMU \
	(EAR_RULE_BIT(EAR_RULE_BOOT_CODE) | EAR_RULE_BIT(EAR_RULE_CLOSING_LOOP) | \
		EAR_RULE_BIT(EAR_RULE_CSR_UNCHANGED) | EAR_RULE_BIT(EAR_RULE_TRAP_CSRS))

static const struct {
	const char *format;
	uint32_t rules;
} brought[] = {
	{"spike", SIMULATOR | EAR_RULE_BIT(EAR_RULE_CSR_ALIAS) |
			  EAR_RULE_BIT(EAR_RULE_FLAGS_AS_CSR) | EAR_RULE_BIT(EAR_RULE_TRAP_CSRS) |
			  EAR_RULE_BIT(EAR_RULE_TRAP_PRIVILEGE) |
			  EAR_RULE_BIT(EAR_RULE_TRAP_OPCODE) | EAR_RULE_BIT(EAR_RULE_VIRTUAL) |
			  EAR_RULE_BIT(EAR_RULE_SC_ADDRESS) | EAR_RULE_BIT(EAR_RULE_CACHE_ADDRESS) |
			  EAR_RULE_BIT(EAR_RULE_BOOT_CODE) | EAR_RULE_BIT(EAR_RULE_CLOSING_LOOP) |
			  EAR_RULE_BIT(EAR_RULE_INTERRUPTS) | EAR_RULE_BIT(EAR_RULE_TRAPS)},
	{"whisper", SIMULATOR | EAR_RULE_BIT(EAR_RULE_FLAGS_WITH_F)},
	{"whisper-log", SIMULATOR | EAR_RULE_BIT(EAR_RULE_FLAGS_CHANGED) |
				EAR_RULE_BIT(EAR_RULE_STORE_XLEN)},
	{"qemu4v", TEXT_OF_ACCESSES | EAR_RULE_BIT(EAR_RULE_INTERRUPTS)},
	{"tarmac", TEXT_OF_ACCESSES | EAR_RULE_BIT(EAR_RULE_TRAP_OPCODE) |
			   EAR_RULE_BIT(EAR_RULE_TRAP_PRIVILEGE)},
	{"armulator", TEXT_OF_ACCESSES},
	{"riscv-dv", EAR_RULE_BIT(EAR_RULE_INTERRUPTS) | EAR_RULE_BIT(EAR_RULE_CSR_PARTS) |
			     EAR_RULE_BIT(EAR_RULE_CSR_UNCHANGED) | EAR_RULE_BIT(EAR_RULE_VSTART) |
			     EAR_RULE_BIT(EAR_RULE_VIRTUAL) | EAR_RULE_BIT(EAR_RULE_ROWS)},
	{"sail", SIMULATOR | EAR_RULE_BIT(EAR_RULE_FLAGS_CHANGED) |
			 EAR_RULE_BIT(EAR_RULE_TRAP_CSRS) | EAR_RULE_BIT(EAR_RULE_TRAP_PRIVILEGE) |
			 EAR_RULE_BIT(EAR_RULE_TRAP_OPCODE) | EAR_RULE_BIT(EAR_RULE_PHYSICAL)},
	{"ibex", EAR_RULE_BIT(EAR_RULE_INTERRUPTS) | EAR_RULE_BIT(EAR_RULE_TRAP_ADDRESS)},
	{"rvvi", TEXT_OF_ACCESSES},
	{"qemu-execlog", LOG | EAR_RULE_BIT(EAR_RULE_PHYSICAL)},
	{"qemu-execlog-reg", LOG | EAR_RULE_BIT(EAR_RULE_PHYSICAL)},
	{"qemu", LOG | QEMU},
	{"qemu-asm", LOG | QEMU},
	{"qemu-cpu", LOG | QEMU},
	{"rocket", LOG},
	{"gem5", LOG},
	{"imperas", LOG},
	{"ovpsim", LOG},
	{"rvfi-table", LOG},
	{"ariane", LOG},
	{"ariane-dasm", LOG},
	{"dromajo", LOG},
	{"neorv32", LOG},
	{"tracerv", LOG},
	{"veer", LOG},
	{"difftest", LOG},
	{"bsg-manycore", LOG},
	{"snitch", LOG},
	{"renode", LOG},
	{"renode-memory", LOG},
	{"capture", EAR_RULE_BIT(EAR_RULE_CSR_SLOTS) | EAR_RULE_BIT(EAR_RULE_ONE_ACCESS) |
			    EAR_RULE_BIT(EAR_RULE_STORE_XLEN) |
			    EAR_RULE_BIT(EAR_RULE_TRAP_ADDRESS)},
};

uint32_t ear_rules_of(const char *format)
{
	for (size_t i = 0; i < sizeof(brought) / sizeof(brought[0]); i++)
		if (strcmp(brought[i].format, format) == 0)
			return brought[i].rules;
	return 0;
}

/* Some logs mark the first instruction of a handler, and have no record of the interrupt. */
static bool shows_handlers(const struct ear_equivalence_side *side)
{
	static const char *const marking[] = {"ibex", "spike", "neorv32", "rvfi-table"};
	uint64_t shown = EAR_FIELD_BIT(EAR_FIELD_INTERRUPT);

	for (size_t i = 0; i < sizeof(marking) / sizeof(marking[0]); i++)
		if (strcmp(side->format, marking[i]) == 0)
			shown |= EAR_FIELD_BIT(EAR_FIELD_TRAP);
	return side->carried & shown;
}

void ear_equivalence_init(
	struct ear_equivalence *equivalence, const struct ear_equivalence_side sides[2])
{
	bool same = strcmp(sides[0].format, sides[1].format) == 0 &&
		    sides[0].carried == sides[1].carried;

	*equivalence = (struct ear_equivalence){0};
	for (unsigned i = 0; i < 2; i++) {
		equivalence->carried[i] = sides[i].carried;
		equivalence->handlers[i] = shows_handlers(&sides[i]);
		equivalence->slots[i] = sides[i].csr_slots;
		equivalence->brings[i] = same ? 0 : ear_rules_of(sides[i].format);
		if (sides[i].csr_slots == 0)
			equivalence->brings[i] &= ~EAR_RULE_BIT(EAR_RULE_CSR_SLOTS);
		else
			equivalence->brings[i] |= EAR_RULE_BIT(EAR_RULE_CSR_SLOTS);
		if (sides[i].carried & EAR_FIELD_BIT(EAR_FIELD_INTERRUPT))
			equivalence->brings[i] &= ~EAR_RULE_BIT(EAR_RULE_INTERRUPTS);
		if (sides[i].carried & EAR_FIELD_BIT(EAR_FIELD_TRAP))
			equivalence->brings[i] &= ~EAR_RULE_BIT(EAR_RULE_TRAPS);
		equivalence->rules |= equivalence->brings[i];
	}
}
