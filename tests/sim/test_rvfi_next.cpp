/* ear_rvfi_next: random entries, interrupts between them and ends, held against a model that sees
 * the whole sequence. Each entry has its own number in the members that only pass.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>

#include "Vear_rvfi_next.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			std::fprintf( \
				stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			std::exit(1); \
		} \
	} while (0)

struct entry {
	bool irq, trap;
	uint32_t insn, mode, ixl, pc, next;
	uint32_t rest;
};

static std::mt19937_64 source(1);

static uint32_t bits(unsigned count)
{
	return uint32_t(source() >> (64 - count));
}

static uint32_t random_insn(void)
{
	static const uint32_t some[] = {
		0x30200073, 0x10200073, 0x7B200073, 0x70200073, /* mret, sret, dret, mnret */
		0x10500073, 0x00000073, 0x00100073, 0x00051073, /* wfi, ecall, ebreak, csrw */
	};
	return bits(1) ? some[bits(3)] : bits(32);
}

static bool returns(uint32_t insn)
{
	return insn == 0x30200073 || insn == 0x10200073 || insn == 0x7B200073 || insn == 0x70200073;
}

int main(void)
{
	auto top = std::make_unique<Vear_rvfi_next>();
	std::deque<entry> waits; /* at most one */
	entry last = {};
	bool known = false;
	unsigned interrupts = 0, hidden = 0, flushed = 0, passed = 0;

	top->rst_ni = 0;
	top->clk_i = 0;
	top->eval();
	top->rst_ni = 1;
	for (uint32_t clock = 0; clock < 100000; clock++) {
		uint32_t what = bits(3);
		bool valid = what < 4, irq = what == 4, flush = what == 5;
		entry in = {valid && bits(4) == 0, bits(2) == 0, random_insn(), bits(2), bits(2),
			bits(32), bits(32), clock};

		top->valid_i = valid;
		top->irq_i = irq || in.irq;
		top->flush_i = flush || (valid && bits(3) == 0);
		top->trap_i = in.trap;
		top->insn_i = in.insn;
		top->mode_i = uint8_t(in.mode);
		top->ixl_i = uint8_t(in.ixl);
		top->pc_rdata_i = in.pc;
		top->pc_wdata_i = in.next;
		top->rest_i = in.rest;
		top->eval();

		bool takes = irq && known;
		bool comes = !waits.empty() && (valid || takes || flush);
		CHECK(top->valid_o == comes);
		if (comes) {
			const entry &e = waits.front();
			CHECK(top->irq_o == e.irq && top->trap_o == e.trap &&
				top->insn_o == e.insn);
			CHECK(top->mode_o == e.mode && top->ixl_o == e.ixl &&
				top->rest_o == e.rest);
			CHECK(top->pc_rdata_o == e.pc);
			CHECK(top->pc_wdata_o == (valid ? in.pc : e.next));
			waits.pop_front();
			flushed += flush && !valid;
			passed++;
		}
		if (valid) {
			waits.push_back(last = in);
			known = !in.trap && !returns(in.insn);
		} else if (takes) {
			last = {true, true, 0, last.mode, last.ixl, last.next, last.next, 0};
			waits.push_back(last);
			known = false;
			interrupts++;
		}
		hidden += irq && !takes;
		top->clk_i = 1;
		top->eval();
		top->clk_i = 0;
		top->eval();
	}
	CHECK(interrupts > 1000 && hidden > 1000 && flushed > 1000 && passed > 40000);
	return 0;
}
