/* The rules are written from docs/retire-port.md, one function a rule, and without a look at the
 * RTL: a misreading in both would otherwise agree. The ports of real cores undo the rules, as their
 * sources do, so that the unit's result can be compared with the entry before.
 */
#include "normal_form.h"

/* Major opcodes, bits 6:2 of a 32-bit instruction. */
enum { LOAD = 0, LOAD_FP = 1, MISC_MEM = 3, AMO = 11, SYSTEM = 28 };

static unsigned field(uint32_t insn, unsigned high, unsigned low)
{
	return insn >> low & ((1u << (high - low + 1)) - 1);
}

/* Everything but what is known to access nothing. */
static bool may_access(uint32_t insn)
{
	static const unsigned never[] = {4, 5, 6, 12, 13, 14, 16, 17, 18, 19, 20, 21, 24, 25, 27};
	unsigned major = field(insn, 6, 2), funct3 = field(insn, 15, 13);

	if ((insn & 3) == 0) /* c.addi4spn */
		return funct3 != 0;
	if ((insn & 3) == 1) /* c.sspush, c.sspopchk */
		return (insn & 0xF07C) == 0x6000;
	if ((insn & 3) == 2) /* c.slli; c.jr, c.mv and their like */
		return funct3 != 0 && funct3 != 4;
	for (unsigned one : never)
		if (major == one)
			return false;
	if (major == MISC_MEM)
		return field(insn, 14, 12) == 2;
	return major != SYSTEM || field(insn, 14, 12) == 4;
}

/* Bytes that a load reads, or 0; and what is added to rs1. Only of its low bits. */
static unsigned load_size(uint32_t insn, unsigned xlen, unsigned *immediate)
{
	unsigned major = field(insn, 6, 2), funct3 = field(insn, 14, 12);

	*immediate = 0;
	if ((insn & 3) == 3) {
		bool known = (major == LOAD && funct3 != 7) ||
			     (major == LOAD_FP && funct3 >= 1 && funct3 <= 3) ||
			     (major == AMO && funct3 < 4);
		if (major != AMO)
			*immediate = field(insn, 31, 20);
		return known ? 1u << (funct3 & 3) : 0;
	}
	if ((insn & 3) == 1)
		return 0;
	switch (field(insn, 15, 13)) {
	case 1: return 8; /* c.fld, c.fldsp */
	case 3:           /* c.flw, c.ld and those relative to sp */
		if (xlen == 64)
			return 8;
		break;
	case 2: break; /* c.lw, c.lwsp */
	default: return 0;
	}
	*immediate = ((insn & 3) == 0 ? field(insn, 6, 6) : field(insn, 4, 4)) * 4;
	return 4;
}

static uint64_t masked(uint64_t data, unsigned mask)
{
	uint64_t kept = 0;

	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			kept |= data & UINT64_C(0xFF) << 8 * i;
	return kept;
}

static uint64_t cut(uint64_t value, unsigned xlen)
{
	return xlen == 32 ? uint32_t(value) : value;
}

static void follow_opcode(ear_retire *entry)
{
	unsigned bytes = entry->xlen / 8, all = (1u << bytes) - 1, immediate;
	unsigned size = load_size(entry->insn, entry->xlen, &immediate);

	if (entry->trap || entry->irq)
		entry->mem_rmask = entry->mem_wmask = 0;
	if (!may_access(entry->insn))
		entry->mem_rmask = 0;
	if (size == 0 || entry->mem_rmask != all || entry->mem_addr % bytes != 0)
		return;
	unsigned place = unsigned(entry->rs1_rdata + immediate) % bytes;
	if (size < bytes && place + size <= bytes)
		entry->mem_rmask = uint8_t(((1u << size) - 1) << place);
}

void normal_form(ear_retire *entry, bool opcode_reads)
{
	if (opcode_reads)
		follow_opcode(entry);
	entry->mem_rdata = masked(entry->mem_rdata, entry->mem_rmask);
	entry->mem_wdata = masked(entry->mem_wdata, entry->mem_wmask);
	unsigned touched = entry->mem_rmask | entry->mem_wmask;
	if (touched == 0) {
		if (entry->irq || !may_access(entry->insn))
			entry->mem_addr = entry->mem_paddr = 0;
		return;
	}
	while (!(touched & 1)) {
		touched >>= 1;
		entry->mem_rmask >>= 1;
		entry->mem_wmask >>= 1;
		entry->mem_rdata >>= 8;
		entry->mem_wdata >>= 8;
		entry->mem_addr = cut(entry->mem_addr + 1, entry->xlen);
		entry->mem_paddr += entry->mem_paddr != 0;
	}
}

void core_port::ibex(ear_retire *entry)
{
	if (entry->mem_wmask || (entry->insn & 0x7F) == 0x2F) /* it has no atomics */
		return;
	if (entry->mem_rmask) {
		if (entry->rd_addr)
			entry->mem_rdata = entry->rd_wdata;
	} else {
		if (entry->mem_addr == 0)
			entry->mem_addr = entry->rd_addr ? entry->rd_wdata
							 : entry->rs1_rdata + entry->rs2_rdata;
		entry->mem_rmask = uint8_t((1u << entry->xlen / 8) - 1);
		entry->mem_rdata = random();
	}
	entry->mem_addr = cut(entry->mem_addr, entry->xlen);
	entry->mem_rdata = cut(entry->mem_rdata, entry->xlen);
}

/* To the address of a word, with masks and data in their lanes. */
void core_port::align(ear_retire *entry)
{
	unsigned bytes = entry->xlen / 8, place = unsigned(entry->mem_addr % bytes);

	entry->mem_addr -= place;
	entry->mem_paddr -= entry->mem_paddr ? place : 0;
	entry->mem_rmask = uint8_t(entry->mem_rmask << place);
	entry->mem_wmask = uint8_t(entry->mem_wmask << place);
	entry->mem_rdata = cut(entry->mem_rdata << 8 * place, entry->xlen);
	entry->mem_wdata = cut(entry->mem_wdata << 8 * place, entry->xlen);
}

void core_port::picorv32(ear_retire *entry)
{
	unsigned all = (1u << entry->xlen / 8) - 1, size = 0;
	uint64_t data = entry->mem_wdata;

	while (entry->mem_wmask >> size & 1)
		size++;
	align(entry);
	if (entry->mem_wmask) {
		for (unsigned at = 0; at < 8; at += size)
			last_store = (last_store & ~(~UINT64_C(0) << 8 * at)) | data << 8 * at;
		entry->mem_wdata = cut(last_store, entry->xlen);
	} else if (entry->mem_rmask) {
		uint64_t beside =
			cut(random(), entry->xlen) & ~masked(~UINT64_C(0), entry->mem_rmask);
		entry->mem_rdata |= beside;
		entry->mem_rmask = uint8_t(all);
		entry->mem_wdata = cut(last_store, entry->xlen);
	}
}

void core_port::serv(ear_retire *entry)
{
	if (entry->mem_rmask | entry->mem_wmask) {
		uint64_t beside = cut(random(), entry->xlen);
		align(entry);
		entry->mem_rdata |= beside & ~masked(~UINT64_C(0), entry->mem_rmask);
		entry->mem_wdata |= beside & ~masked(~UINT64_C(0), entry->mem_wmask);
		last = *entry;
		return;
	}
	if (entry->mem_addr == 0 && !(entry->trap && entry->cause == 2)) /* it has no f registers */
		entry->mem_addr = last.mem_addr;
	entry->mem_rdata = last.mem_rdata;
	entry->mem_wdata = last.mem_wdata;
}
