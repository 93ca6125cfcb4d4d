/* Judges a retire stream by itself: does every entry agree with the entries before it?
 *
 * The rules, numbered as in the messages:
 *   1 order counts up by one from 0
 *   2 the pc is the next pc of the entry before
 *   3 an operand is what was last written to (or seen in) its register; x0 is zero
 *   4 the opcode is what memory holds at pc
 *   5 a load gets the bytes last stored (memory only, not devices)
 *   6 an entry that traps changes neither register nor memory; only the entry after one has intr
 *   7 a trap writes mepc, mcause, mtval, mstatus, mstatush with the right pc, cause and flags
 *   8 an interrupt is a trap with the interrupt bit in its cause, an exception one without
 *   9 accesses are aligned, their masks start at bit 0, values have no bits outside the mask
 */
#ifndef EAR_TEST_RETIRE_CHECKER_H
#define EAR_TEST_RETIRE_CHECKER_H

#include <cstdint>
#include <string>
#include <vector>

#include "retire_entry.h"

class RetireChecker
{
      public:
	/* image: the memory's contents before the first instruction, from address `base` on. */
	RetireChecker(uint32_t base, const uint8_t *image, size_t size);

	/* Check the next entry. Returns an empty string or what is wrong with it. */
	std::string check(const struct retire_entry &entry);

      private:
	bool in_memory(uint32_t address, uint32_t count) const;
	uint32_t load(uint32_t address, uint32_t count) const;
	std::string check_operand(unsigned number, uint32_t value);
	std::string check_trap(const struct retire_entry &entry);
	std::string check_memory(const struct retire_entry &entry);

	uint32_t base_;
	std::vector<uint8_t> memory_;
	uint64_t count_ = 0;
	uint32_t pc_ = 0;
	bool trapped_ = false;
	bool known_[32] = {true};
	uint32_t registers_[32] = {};
};

#endif
