// What the demo core holds, as read from the Verilated registers.
#ifndef EAR_SIM_CORE_STATE_H
#define EAR_SIM_CORE_STATE_H

#include <array>
#include <cstdint>
#include <vector>

namespace ear
{

struct CsrValue {
	uint16_t number;
	uint32_t value;
};

struct CoreState {
	uint32_t pc; // of the instruction that comes next
	uint8_t privilege;
	std::array<uint32_t, 32> x;
	std::vector<CsrValue> csrs; // every CSR that the core has, in the order of their numbers
};

} // namespace ear

#endif
