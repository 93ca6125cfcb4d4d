// A table of the units, and an adapter for each model: Verilator makes a class of its own for every
// set of parameters, with the same ports. A template with references to them (BoardPins) gives the
// board one type without a copy of any pin.
//
// What the core holds is read from its registers, which dump.vlt makes visible. Where a CSR is no
// register of its own, its word is put together here as ear_demo_csr.v does for a read.
#include "board_model.h"

#include "Vboard_large.h"
#include "Vboard_large___024root.h"
#include "Vboard_raw.h"
#include "Vboard_raw___024root.h"
#include "Vboard_small.h"
#include "Vboard_small___024root.h"
#include "Vboard_tiny.h"
#include "Vboard_tiny___024root.h"
#include "Vboard_unified.h"
#include "Vboard_unified___024root.h"

// The registers of the core and of its CSRs in a model, whatever its class.
#define CORE(top, name) \
	(top).rootp->ear_demo_board__DOT__u_board__DOT__u_system__DOT__u_core__DOT__##name
#define CSR(top, name) CORE(top, u_csr__DOT__##name)

namespace ear
{

namespace
{

constexpr uint64_t FLUSH_CYCLES_RAW = 1024;
constexpr uint64_t FLUSH_CYCLES_PREDICT = 1048576;

constexpr uint8_t PRIVILEGE_MACHINE = 3;      // the core has no other
constexpr uint32_t MISA_RV32IMC = 0x40001104; // the board's cores all have the M extension

uint32_t low(uint64_t counter)
{
	return static_cast<uint32_t>(counter);
}

uint32_t high(uint64_t counter)
{
	return static_cast<uint32_t>(counter >> 32);
}

// The layout that mie and mip share: external, timer, software.
uint32_t irq_word(unsigned bits)
{
	return (bits >> 2 & 1) << 11 | (bits >> 1 & 1) << 7 | (bits & 1) << 3;
}

void add_csr(CoreState *state, unsigned number, uint32_t value)
{
	state->csrs.push_back({static_cast<uint16_t>(number), value});
}

// The performance counters and their selectors: all are there, all are zero.
void add_zeros(CoreState *state, unsigned first, unsigned last)
{
	for (unsigned number = first; number <= last; number++)
		add_csr(state, number, 0);
}

template <typename Top> void add_machine_csrs(CoreState *state, const Top &top)
{
	add_csr(state, 0x300, CSR(top, mstatus));
	add_csr(state, 0x301, MISA_RV32IMC);
	add_csr(state, 0x304, irq_word(CSR(top, enable_q)));
	add_csr(state, 0x305, CSR(top, mtvec_q));
	add_csr(state, 0x310, 0);
	add_csr(state, 0x320, (CSR(top, inhibit_q) >> 1 & 1u) << 2 | (CSR(top, inhibit_q) & 1u));
	add_zeros(state, 0x323, 0x33f);
	add_csr(state, 0x340, CSR(top, mscratch_q));
	add_csr(state, 0x341, CSR(top, mepc_q));
	add_csr(state, 0x342, CSR(top, mcause_q));
	add_csr(state, 0x343, CSR(top, mtval_q));
	add_csr(state, 0x344, irq_word(CSR(top, pending)));
}

template <typename Top> void add_counters(CoreState *state, const Top &top)
{
	add_csr(state, 0xb00, low(CSR(top, mcycle_q)));
	add_csr(state, 0xb02, low(CSR(top, minstret_q)));
	add_zeros(state, 0xb03, 0xb1f);
	add_csr(state, 0xb80, high(CSR(top, mcycle_q)));
	add_csr(state, 0xb82, high(CSR(top, minstret_q)));
	add_zeros(state, 0xb83, 0xb9f);
	add_csr(state, 0xc00, low(CSR(top, mcycle_q)));
	add_csr(state, 0xc01, low(CSR(top, time_i)));
	add_csr(state, 0xc02, low(CSR(top, minstret_q)));
	add_csr(state, 0xc80, high(CSR(top, mcycle_q)));
	add_csr(state, 0xc81, high(CSR(top, time_i)));
	add_csr(state, 0xc82, high(CSR(top, minstret_q)));
	add_zeros(state, 0xf11, 0xf15);
}

// All models have the same ports, but Verilator makes unrelated classes of them.
template <typename Top> class Verilated final : public BoardModel
{
      public:
	~Verilated() override
	{
		top_.final();
	}

	void eval() override
	{
		top_.eval();
	}

	BoardPins pins() override
	{
		return {top_.clk_i, top_.rst_ni, top_.boot_address_i, top_.memory_valid_o,
			top_.memory_address_o, top_.memory_wmask_o, top_.memory_wdata_o,
			top_.memory_rdata_i, top_.memory_error_i, top_.uart_valid_o,
			top_.uart_data_o, top_.exit_i, top_.exit_code_i, top_.ended_o,
			top_.exit_code_o, top_.retired_o, top_.held_o, top_.fault_kind_i,
			top_.fault_op_valid_i, top_.fault_op_i, top_.fault_period_i,
			top_.fault_mask_i, top_.rxf_ni, top_.txe_ni, top_.oe_no, top_.rd_no,
			top_.wr_no, top_.data_i, top_.data_o, top_.be_i, top_.be_o};
	}

	uint64_t number() const override
	{
		return CORE(top_, order_q);
	}

	uint32_t pc() const override
	{
		return CORE(top_, pc_q);
	}

	CoreState core() const override
	{
		CoreState state = {};

		state.pc = CORE(top_, pc_q);
		state.privilege = PRIVILEGE_MACHINE;
		for (unsigned k = 0; k < state.x.size(); k++)
			state.x[k] = CORE(top_, registers_a_q)[k];
		add_machine_csrs(&state, top_);
		add_counters(&state, top_);
		return state;
	}

      private:
	Top top_;
};

} // namespace

bool board_unit_find(const std::string &name, BoardUnit *unit)
{
	static const struct {
		const char *name;
		BoardUnit unit;
	} units[] = {{"raw", BoardUnit::RAW}, {"tiny", BoardUnit::TINY},
		{"small", BoardUnit::SMALL}, {"large", BoardUnit::LARGE},
		{"unified", BoardUnit::UNIFIED}};

	for (const auto &known : units) {
		if (name == known.name) {
			*unit = known.unit;
			return true;
		}
	}
	return false;
}

uint64_t board_unit_flush_cycles(BoardUnit unit)
{
	return unit == BoardUnit::RAW ? FLUSH_CYCLES_RAW : FLUSH_CYCLES_PREDICT;
}

std::unique_ptr<BoardModel> BoardModel::make(BoardUnit unit)
{
	switch (unit) {
	case BoardUnit::RAW: return std::make_unique<Verilated<Vboard_raw>>();
	case BoardUnit::TINY: return std::make_unique<Verilated<Vboard_tiny>>();
	case BoardUnit::SMALL: return std::make_unique<Verilated<Vboard_small>>();
	case BoardUnit::UNIFIED: return std::make_unique<Verilated<Vboard_unified>>();
	default: return std::make_unique<Verilated<Vboard_large>>();
	}
}

} // namespace ear
