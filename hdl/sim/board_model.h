// The Verilated board, with one of several capture units in it.
#ifndef EAR_SIM_BOARD_MODEL_H
#define EAR_SIM_BOARD_MODEL_H

#include <cstdint>
#include <memory>
#include <string>

#include "hdl/sim/core_state.h"

namespace ear
{

// Which capture unit: raw mode, or predict mode with the geometry of that name.
enum class BoardUnit { RAW, TINY, SMALL, LARGE, UNIFIED };

// The unit called `name`: raw, tiny, small, large, unified. Returns false if there is none.
bool board_unit_find(const std::string &name, BoardUnit *unit);

// Clocks after which the unit, as it is after reset, sends a partly filled frame.
uint64_t board_unit_flush_cycles(BoardUnit unit);

// The ports of ear_demo_board; they live in the model.
struct BoardPins {
	uint8_t &clk_i, &rst_ni;
	uint32_t &boot_address_i;
	uint8_t &memory_valid_o;
	uint32_t &memory_address_o;
	uint8_t &memory_wmask_o;
	uint32_t &memory_wdata_o, &memory_rdata_i;
	uint8_t &memory_error_i;
	uint8_t &uart_valid_o, &uart_data_o;
	uint8_t &exit_i;
	uint16_t &exit_code_i;
	uint8_t &ended_o;
	uint16_t &exit_code_o;
	uint8_t &retired_o, &held_o;
	uint8_t &fault_kind_i, &fault_op_valid_i, &fault_op_i;
	uint32_t &fault_period_i, &fault_mask_i;
	uint8_t &rxf_ni, &txe_ni, &oe_no, &rd_no, &wr_no;
	uint32_t &data_i, &data_o;
	uint8_t &be_i, &be_o;
};

class BoardModel
{
      public:
	virtual ~BoardModel() = default;
	virtual BoardPins pins() = 0;
	virtual void eval() = 0;

	// The number of the instruction record that retires next, and its pc.
	virtual uint64_t number() const = 0;
	virtual uint32_t pc() const = 0;
	virtual CoreState core() const = 0;

	static std::unique_ptr<BoardModel> make(BoardUnit unit);
};

} // namespace ear

#endif
