/* ear_rvfi: what it gives the unit of random RVFI signals. The list of CSR writes is held against a
 * plain model of ear_rvfi_csrs.v, with masks that say what is written and with masks of all ones
 * (RVFI_MASKS, see unit.cmake).
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "Vtb_rvfi.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			std::fprintf( \
				stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			std::exit(1); \
		} \
	} while (0)

enum { CHANNELS = 2, GROUPS = 6, SLOTS = 5 };

static const uint32_t numbers[GROUPS] = {0x341, 0x342, 0x343, 0x300, 0x310, 0xB03};

struct group {
	uint32_t rmask, wmask, rdata, wdata;
};

struct csr_write {
	uint32_t number, value;
};

static std::mt19937_64 source(1);

static uint32_t bits(unsigned count)
{
	return uint32_t(source() >> (64 - count));
}

static bool is_written(uint32_t number, const group &g, uint32_t insn, bool trap)
{
	bool csr = (insn & 0x7F) == 0x73 && (insn >> 12 & 3) != 0;
	bool writes = csr && ((insn >> 12 & 3) == 1 || (insn >> 15 & 31) != 0);
	bool status = number == 0x300 || number == 0x310;

	if (g.wmask == 0)
		return false;
	if (RVFI_MASKS || (g.rdata & g.wmask) != (g.wdata & g.wmask))
		return true;
	if (trap)
		return status || (number >= 0x341 && number <= 0x343);
	return (writes && insn >> 20 == number) || (insn == 0x30200073 && status);
}

static uint32_t random_insn(void)
{
	switch (bits(2)) {
	case 0: return 0x30200073;
	case 1: return numbers[bits(3) % GROUPS] << 20 | bits(20 - 7) << 7 | 0x73;
	default: return bits(32);
	}
}

static group random_group(void)
{
	group g = {~0u, ~0u, bits(32), bits(32)};

	if (bits(1))
		g.wdata = g.rdata;
	if (RVFI_MASKS || bits(2) == 0)
		g.wmask = bits(1) ? 0 : bits(32);
	if (bits(3) == 0)
		g.rmask = bits(32);
	return g;
}

int main(void)
{
	auto top = std::make_unique<Vtb_rvfi>();
	uint64_t order = 0;
	unsigned longest = 0;

	top->rst_ni = 0;
	top->clk_i = 0;
	top->eval();
	top->rst_ni = 1;
	for (unsigned clock = 0; clock < 20000; clock++) {
		std::vector<csr_write> expected[CHANNELS];
		uint64_t port_order[CHANNELS];
		top->valid_i = uint8_t(bits(2));
		for (unsigned k = 0; k < CHANNELS; k++) {
			uint32_t insn = random_insn();
			bool trap = bits(2) == 0;
			top->trap_i = uint8_t((top->trap_i & ~(1u << k)) | unsigned(trap) << k);
			top->insn_i = k ? (top->insn_i & 0xFFFFFFFF) | uint64_t(insn) << 32
					: (top->insn_i & ~0xFFFFFFFFull) | insn;
			port_order[k] = source();
			top->order_i[2 * k] = uint32_t(port_order[k]);
			top->order_i[2 * k + 1] = uint32_t(port_order[k] >> 32);
			for (unsigned i = 0; i < GROUPS; i++) {
				group g = random_group();
				top->csr_rmask_i[GROUPS * k + i] = g.rmask;
				top->csr_wmask_i[GROUPS * k + i] = g.wmask;
				top->csr_rdata_i[GROUPS * k + i] = g.rdata;
				top->csr_wdata_i[GROUPS * k + i] = g.wdata;
				if (is_written(numbers[i], g, insn, trap))
					expected[k].push_back(
						{numbers[i], (g.rdata & g.rmask & ~g.wmask) |
								     (g.wdata & g.wmask)});
			}
			if (expected[k].size() > longest)
				longest = unsigned(expected[k].size());
		}
		top->eval();
		CHECK(top->own_mode_o == 0xF && top->own_ixl_o == 0x5);
		CHECK(top->port_mode_o == 0x5);
		uint64_t own = order;
		for (unsigned k = 0; k < CHANNELS; k++) {
			CHECK((top->port_order_o[2 * k] | uint64_t(top->port_order_o[2 * k + 1])
								  << 32) == port_order[k]);
			if (top->valid_i >> k & 1)
				CHECK((top->own_order_o[2 * k] |
					      uint64_t(top->own_order_o[2 * k + 1]) << 32) ==
					own++);
			for (unsigned s = 0; s < SLOTS; s++) {
				unsigned slot = SLOTS * k + s;
				uint32_t word = top->csr_addr_o[12 * slot / 32] >> 12 * slot % 32;
				if (12 * slot % 32 > 20)
					word |= top->csr_addr_o[12 * slot / 32 + 1]
						<< (32 - 12 * slot % 32);
				bool valid = top->csr_valid_o >> slot & 1;
				CHECK(valid == (s < expected[k].size()));
				if (!valid)
					continue;
				CHECK((word & 0xFFF) == expected[k][s].number);
				CHECK(top->csr_wdata_o[slot] == expected[k][s].value);
			}
		}
		order = own;
		top->clk_i = 1;
		top->eval();
		top->clk_i = 0;
		top->eval();
	}
	CHECK(longest == GROUPS); /* more than there are slots */
	return 0;
}
