// A table of the units, and an adapter for each model: Verilator makes a class of its own for every
// set of parameters, with the same ports. A template with references to them (BoardPins) gives the
// board one type without a copy of any pin.
#include "board_model.h"

#include "Vboard_large.h"
#include "Vboard_raw.h"
#include "Vboard_small.h"
#include "Vboard_tiny.h"
#include "Vboard_unified.h"

namespace ear
{

namespace
{

constexpr uint64_t FLUSH_CYCLES_RAW = 1024;
constexpr uint64_t FLUSH_CYCLES_PREDICT = 1048576;

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
