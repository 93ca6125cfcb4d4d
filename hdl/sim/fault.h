// The fault injection of the demo core, as a user writes it.
#ifndef EAR_SIM_FAULT_H
#define EAR_SIM_FAULT_H

#include <cstdint>
#include <string>

namespace ear
{

// Values for the fault inputs of ear_demo_system. All zero: no fault.
struct Fault {
	uint8_t kind;
	bool op_valid;
	uint8_t op;
	uint32_t period;
	uint32_t mask;
};

// Parse KIND[:N[:OP]]. KIND is alu, store or reg; every N-th instruction of that kind goes wrong
// (1000 if not given); OP, only with alu, is the operation that does: add sub sll slt sltu xor srl
// sra or and. The bit that is flipped is bit 4.
//
// Returns an empty string and fills *fault, or says what is wrong and leaves it as it was.
std::string fault_parse(const std::string &text, Fault *fault);

// Put the fault on the inputs of a Verilated top that has them.
template <typename Top> void fault_apply(const Fault &fault, Top &top)
{
	top.fault_kind_i = fault.kind;
	top.fault_op_valid_i = fault.op_valid;
	top.fault_op_i = fault.op;
	top.fault_period_i = fault.period;
	top.fault_mask_i = fault.mask;
}

} // namespace ear

#endif
