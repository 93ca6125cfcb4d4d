/* The rules are written from docs/retire-port.md, one function a rule, and without a look at the
 * RTL: a misreading in both would otherwise agree. The ports of real cores undo the rules, as their
 * sources do, so that the unit's result can be compared with the entry before.
 */
#include "normal_form.h"

/* Major opcodes, bits 6:2 of a 32-bit instruction. */
enum { LOAD = 0, LOAD_FP = 1, MISC_MEM = 3, STORE_FP = 9, AMO = 11, OP_FP = 20, SYSTEM = 28 };

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

/* What an instruction reads of x registers: bit 0 rs1, bit 1 rs2. Both where it is not known. */
static unsigned read_half(uint32_t insn, unsigned xlen, unsigned flen)
{
	unsigned form = field(insn, 15, 13), low = field(insn, 6, 2), high = field(insn, 11, 7);
	bool f_store = xlen == 32 && flen != 0; /* c.fsw is where RV64 has c.sd */

	switch ((insn & 3) << 3 | form) {
	case 000:
	case 001:
	case 002:
	case 003: return 1;
	case 004: return high & 0x10 ? 3 : 1;
	case 005: return flen == 64 ? 1 : 3;
	case 007: return f_store ? 1 : 3;
	case 010: return 1;
	case 011: return xlen == 64;
	case 012:
	case 015: return 0;
	case 013: return high == 2 || (low == 0 && !(insn & 0x1000));
	case 014:
		if (field(insn, 11, 10) != 3)
			return 1;
		return insn & 0x1000 && field(insn, 6, 5) == 3 ? 1 : 3;
	case 016:
	case 017: return 1;
	case 020:
	case 021:
	case 022:
	case 023: return 1;
	case 024:
		if (low == 0)
			return high != 0;
		return insn & 0x1000 ? 3 : 2;
	case 025: return flen == 64 ? 1 : 3;
	case 027: return f_store ? 1 : 3;
	default: return 3;
	}
}

static unsigned read_registers(uint32_t insn, unsigned xlen, unsigned flen)
{
	/* Of each major opcode; 4: see below. */
	static const uint8_t usual[32] = {
		1, 4, 3, 4, 1, 0, 1, 3, /* LOAD, LOAD-FP, -, MISC-MEM, OP-IMM, AUIPC, OP-IMM-32 */
		3, 4, 3, 4, 3, 0, 3, 3, /* STORE, STORE-FP, -, AMO, OP, LUI, OP-32, - */
		4, 4, 4, 4, 4, 3, 3, 3, /* FMADD to FNMADD, OP-FP, OP-V, -, - */
		3, 1, 3, 0, 4, 3, 3, 3, /* BRANCH, JALR, -, JAL, SYSTEM, OP-VE, -, - */
	};
	unsigned major = field(insn, 6, 2), funct3 = field(insn, 14, 12);
	unsigned funct5 = field(insn, 31, 27), funct7 = field(insn, 31, 25);

	if ((insn & 3) != 3)
		return read_half(insn, xlen, flen);
	if (usual[major] != 4)
		return usual[major];
	switch (major) {
	case LOAD_FP:
	case STORE_FP: return funct3 >= 1 && funct3 <= 4 ? 1 : 3;
	case MISC_MEM: return funct3 >= 2;
	case AMO: return funct5 == 2 ? 1 : 3;
	case SYSTEM:
		if (funct3 == 4)
			return 3;
		if (funct3 != 0)
			return funct3 < 4;
		return funct7 >= 64 || (funct7 & 1 && (funct7 & 0xC) != 0xC) ? 3 : 0;
	default: /* floating point, in x registers with Zfinx */
		if (flen == 0)
			return 3;
		if (major != OP_FP)
			return 0;
		return funct5 == 22 ? 3 : funct5 == 18 || funct5 == 26 || funct5 == 30;
	}
}

static void normal_registers(ear_retire *entry, unsigned flen)
{
	unsigned reads = entry->irq ? 0 : read_registers(entry->insn, entry->xlen, flen);

	entry->rs1_addr = reads & 1 ? entry->rs1_addr : 0;
	entry->rs2_addr = reads & 2 ? entry->rs2_addr : 0;
	entry->rd_addr = entry->trap || entry->irq ? 0 : entry->rd_addr;
	entry->rs1_rdata = entry->rs1_addr ? entry->rs1_rdata : 0;
	entry->rs2_rdata = entry->rs2_addr ? entry->rs2_rdata : 0;
	entry->rd_wdata = entry->rd_addr ? entry->rd_wdata : 0;
	if (entry->xlen == 32)
		entry->ixl = 1;
	else if (entry->ixl != 1)
		entry->ixl = 2;
}

void normal_form(ear_retire *entry, bool opcode_reads, unsigned flen)
{
	if (opcode_reads)
		follow_opcode(entry);
	normal_registers(entry, flen);
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

void core_port::nerv(ear_retire *entry)
{
	if (entry->mem_rmask | entry->mem_wmask)
		serv(entry);
	/* What is illegal here are f instructions, which NERV does not have. */
	bool illegal = entry->trap && entry->cause == 2;
	if (!entry->rs1_addr && !entry->irq && !illegal)
		entry->rs1_addr = uint8_t(field(entry->insn, 19, 15));
	if (!entry->rs2_addr && !entry->irq && !illegal)
		entry->rs2_addr = uint8_t(field(entry->insn, 24, 20));
	entry->rs1_rdata = entry->rs1_addr ? x[entry->rs1_addr] : 0;
	entry->rs2_rdata = entry->rs2_addr ? x[entry->rs2_addr] : 0;
	if (entry->rd_addr)
		x[entry->rd_addr] = entry->rd_wdata;
}
