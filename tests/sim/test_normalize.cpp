/* ear_normalize and ear_normalize_registers by themselves, with random opcodes and every compressed
 * one: what they make of them is what the plain model makes of them, and no register is hidden that
 * the instruction table of decoder/isa says is read. The table knows neither of the two. The
 * configuration comes from the build (NORMAL_XLEN, NORMAL_FLEN; see unit.cmake).
 */
#include <cstdio>
#include <cstdlib>

#include "Vear_normalize.h"
#include "Vear_normalize_registers.h"
#include "normal_form.h"

extern "C" {
#include "decoder/isa/inst.h"
}

static Vear_normalize_registers top;
static Vear_normalize memory; /* with OPCODE_READS and PADDR */
static std::mt19937_64 source(1);
static unsigned known, exact; /* opcodes of the table; of these, those whose reads are fixed */

static uint64_t bits(unsigned count)
{
	return source() >> (64 - count);
}

static ear_retire random_entry(uint32_t insn)
{
	ear_retire entry = {};

	entry.xlen = NORMAL_XLEN;
	entry.insn = insn;
	entry.trap = bits(3) == 0;
	entry.irq = bits(4) == 0;
	entry.ixl = uint8_t(bits(2));
	entry.rs1_addr = uint8_t(bits(5));
	entry.rs2_addr = uint8_t(bits(5));
	entry.rd_addr = uint8_t(bits(5));
	entry.rs1_rdata = bits(NORMAL_XLEN);
	entry.rs2_rdata = bits(NORMAL_XLEN);
	entry.rd_wdata = bits(NORMAL_XLEN);
	return entry;
}

static ear_retire through(ear_retire entry)
{
	top.insn_i = entry.insn;
	top.trap_i = entry.trap;
	top.irq_i = entry.irq;
	top.ixl_i = entry.ixl;
	top.rd_addr_i = entry.rd_addr;
	top.rs1_addr_i = entry.rs1_addr;
	top.rs2_addr_i = entry.rs2_addr;
	top.rd_wdata_i = decltype(top.rd_wdata_i)(entry.rd_wdata);
	top.rs1_rdata_i = decltype(top.rs1_rdata_i)(entry.rs1_rdata);
	top.rs2_rdata_i = decltype(top.rs2_rdata_i)(entry.rs2_rdata);
	top.eval();
	entry.ixl = top.ixl_o;
	entry.rd_addr = top.rd_addr_o;
	entry.rs1_addr = top.rs1_addr_o;
	entry.rs2_addr = top.rs2_addr_o;
	entry.rd_wdata = top.rd_wdata_o;
	entry.rs1_rdata = top.rs1_rdata_o;
	entry.rs2_rdata = top.rs2_rdata_o;
	return entry;
}

[[noreturn]] static void fail(const char *what, uint32_t insn, const ear_retire &got)
{
	std::fprintf(stderr,
		"%s: opcode %08x, XLEN %d, FLEN %d: rs1 x%u, rs2 x%u, rd x%u, ixl %u\n", what, insn,
		NORMAL_XLEN, NORMAL_FLEN, got.rs1_addr, got.rs2_addr, got.rd_addr, got.ixl);
	std::exit(1);
}

static void like_the_model(uint32_t insn)
{
	ear_retire entry = random_entry(insn), got = through(entry);

	normal_form(&entry, false, NORMAL_FLEN);
	if (entry.rs1_addr != got.rs1_addr || entry.rs2_addr != got.rs2_addr ||
		entry.rd_addr != got.rd_addr || entry.rs1_rdata != got.rs1_rdata ||
		entry.rs2_rdata != got.rs2_rdata || entry.rd_wdata != got.rd_wdata ||
		entry.ixl != got.ixl)
		fail("not as the model", insn, got);
}

/* Cores show whole words, nothing, or anything. */
static uint8_t random_mask(void)
{
	uint8_t all = (1u << NORMAL_XLEN / 8) - 1;

	return bits(1) ? all : bits(1) ? 0 : uint8_t(bits(8) & all);
}

static void memory_like_the_model(uint32_t insn)
{
	ear_retire entry = random_entry(insn);

	entry.mem_addr = bits(1) ? bits(NORMAL_XLEN) : bits(NORMAL_XLEN - 3) << 3;
	entry.mem_paddr = bits(2) ? bits(40) << 3 : 0;
	entry.mem_rmask = random_mask();
	entry.mem_wmask = bits(2) ? 0 : random_mask();
	entry.mem_rdata = bits(NORMAL_XLEN);
	entry.mem_wdata = bits(NORMAL_XLEN);
	memory.insn_i = entry.insn;
	memory.trap_i = entry.trap;
	memory.irq_i = entry.irq;
	memory.rs1_low_i = entry.rs1_rdata & 7;
	memory.addr_i = decltype(memory.addr_i)(entry.mem_addr);
	memory.paddr_i = entry.mem_paddr;
	memory.rmask_i = entry.mem_rmask;
	memory.wmask_i = entry.mem_wmask;
	memory.rdata_i = decltype(memory.rdata_i)(entry.mem_rdata);
	memory.wdata_i = decltype(memory.wdata_i)(entry.mem_wdata);
	memory.eval();
	normal_form(&entry, true, NORMAL_FLEN);
	if (entry.mem_addr == memory.addr_o && entry.mem_paddr == memory.paddr_o &&
		entry.mem_rmask == memory.rmask_o && entry.mem_wmask == memory.wmask_o &&
		entry.mem_rdata == memory.rdata_o && entry.mem_wdata == memory.wdata_o)
		return;
	std::fprintf(stderr,
		"opcode %08x: masks %x and %x, not %x and %x; address %llx, not %llx\n", insn,
		memory.rmask_o, memory.wmask_o, entry.mem_rmask, entry.mem_wmask,
		(unsigned long long)memory.addr_o, (unsigned long long)entry.mem_addr);
	std::exit(1);
}

/* In these a register that is not read is known to every core. Others may be hints or custom. */
static bool is_fixed(const ear_inst &inst)
{
	switch (inst.extension) {
	case EAR_EXT_I:
	case EAR_EXT_M:
	case EAR_EXT_A:
	case EAR_EXT_ZICSR:
	case EAR_EXT_ZIFENCEI:
	case EAR_EXT_ZCA: return true;
	default: return false;
	}
}

/* The port shows x30 and x31 as operands. An operand that the table names in the field of rs1 or
 * rs2 must stay; of a compressed opcode, which implies registers, at least as many as are read.
 * Where the reads are fixed no more stay than that.
 */
static void like_the_table(uint32_t insn)
{
	ear_inst inst;
	ear_retire entry = {};
	unsigned reads = 0, named = 0;

	ear_inst_decode(&inst, insn, NORMAL_XLEN);
	if (inst.id == EAR_INST_ILLEGAL)
		return;
	entry.xlen = NORMAL_XLEN;
	entry.insn = insn;
	entry.rs1_addr = 30;
	entry.rs2_addr = 31;
	ear_retire got = through(entry);
	unsigned kept = (got.rs1_addr != 0) + (got.rs2_addr != 0);
	for (unsigned i = 0; i < inst.operand_count; i++) {
		const ear_operand *o = &inst.operands[i];
		if (o->kind != EAR_OPERAND_X || !(o->access & EAR_OPERAND_READ))
			continue;
		reads++;
		named += o->value != 0;
		if (inst.size == 2)
			continue;
		bool first = unsigned(o->value) == (insn >> 15 & 31);
		bool second = unsigned(o->value) == (insn >> 20 & 31);
		if ((first || second) && !(first && got.rs1_addr) && !(second && got.rs2_addr))
			fail("an operand that is read was hidden", insn, got);
	}
	if (inst.size == 2 && kept < (named < 2 ? named : 2))
		fail("an operand that is read was hidden", insn, got);
	known++;
	if (!is_fixed(inst))
		return;
	exact++;
	if (kept > reads)
		fail("an operand that is not read was shown", insn, got);
}

int main(void)
{
	for (uint32_t half = 0; half < 65536; half++) {
		if ((half & 3) == 3)
			continue;
		for (unsigned i = 0; i < 4; i++) {
			like_the_model(half);
			memory_like_the_model(half);
		}
		like_the_table(half);
	}
	for (unsigned i = 0; i < 400000; i++) {
		uint32_t insn = uint32_t(bits(32)) | 3;
		if (i % 4 == 0) /* SYSTEM, so that funct12 that mean something come */
			insn = (insn & 0xFFF00000) | 0x73 | (i % 8 ? insn & 0x7000 : 0);
		like_the_model(insn);
		memory_like_the_model(insn);
		like_the_table(insn);
	}
	std::fprintf(stderr, "%u opcodes of the table, %u with fixed reads\n", known, exact);
	return known > 100000 && exact > 60000 ? 0 : 1;
}
