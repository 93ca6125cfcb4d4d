/* Keeps what the stream itself has shown: the last value of each register and of each byte of
 * memory, each known or not yet. An entry is checked against that and then becomes part of it, so a
 * rule needs no model of the core.
 */
#include "retire_checker.h"

#define CAUSE_FETCH_FAULT 1
#define CSR_MSTATUS       0x300
#define CSR_MSTATUSH      0x310
#define CSR_MEPC          0x341
#define CSR_MCAUSE        0x342
#define CSR_MTVAL         0x343
#define MSTATUS_MIE       0x8

RetireChecker::RetireChecker(uint32_t base, const uint8_t *image, size_t size)
    : base_(base), memory_(image, image + size)
{
}

bool RetireChecker::in_memory(uint32_t address, uint32_t count) const
{
	return address >= base_ && uint64_t{address} - base_ + count <= memory_.size();
}

uint32_t RetireChecker::load(uint32_t address, uint32_t count) const
{
	uint32_t value = 0;

	for (uint32_t k = 0; k < count; k++)
		value |= uint32_t{memory_[address - base_ + k]} << (8 * k);
	return value;
}

std::string RetireChecker::check_operand(unsigned number, uint32_t value)
{
	if (known_[number] && registers_[number] != value)
		return "rule 3: operand x" + std::to_string(number) + " is not what it holds";
	known_[number] = true;
	registers_[number] = value;
	return "";
}

std::string RetireChecker::check_trap(const struct retire_entry &entry)
{
	static const uint16_t numbers[EAR_CSR_SLOTS] = {
		CSR_MEPC, CSR_MCAUSE, CSR_MTVAL, CSR_MSTATUS, CSR_MSTATUSH};

	if (entry.rd != 0 || entry.mem_read_mask != 0 || entry.mem_write_mask != 0)
		return "rule 6: a trap changes register or memory";
	if (entry.csr_count != EAR_CSR_SLOTS)
		return "rule 7: a trap does not write five CSRs";
	for (unsigned k = 0; k < EAR_CSR_SLOTS; k++)
		if (entry.csr_number[k] != numbers[k])
			return "rule 7: wrong CSR in slot " + std::to_string(k);
	if (entry.csr_value[0] != entry.pc || entry.csr_value[1] != entry.cause)
		return "rule 7: mepc or mcause is wrong";
	if ((entry.csr_value[3] & MSTATUS_MIE) != 0 || entry.csr_value[4] != 0)
		return "rule 7: mstatus or mstatush is wrong";
	if ((entry.cause >> 31 != 0) != entry.irq)
		return "rule 8: cause and kind of trap disagree";
	return "";
}

std::string RetireChecker::check_memory(const struct retire_entry &entry)
{
	uint8_t mask = entry.mem_read_mask | entry.mem_write_mask;
	uint32_t size = mask == 1 ? 1 : mask == 3 ? 2 : 4;
	uint32_t bits = size == 4 ? 0xffffffff : (1u << (8 * size)) - 1;

	if (mask == 0)
		return "";
	if (mask != 1 && mask != 3 && mask != 15)
		return "rule 9: odd byte mask";
	if (entry.mem_address % size != 0)
		return "rule 9: misaligned access";
	if ((entry.mem_read_value & ~bits) || (entry.mem_write_value & ~bits))
		return "rule 9: value outside its mask";
	if (!in_memory(entry.mem_address, size))
		return "";
	if (entry.mem_read_mask && load(entry.mem_address, size) != entry.mem_read_value)
		return "rule 5: a load does not get what was stored";
	if (entry.mem_write_mask)
		for (uint32_t k = 0; k < size; k++)
			memory_[entry.mem_address - base_ + k] =
				static_cast<uint8_t>(entry.mem_write_value >> (8 * k));
	return "";
}

std::string RetireChecker::check(const struct retire_entry &entry)
{
	uint32_t size = (entry.insn & 3) == 3 ? 4 : 2;
	bool fetched = !(entry.trap && entry.cause == CAUSE_FETCH_FAULT);
	std::string error;

	if (entry.order != count_)
		return "rule 1: order is " + std::to_string(entry.order);
	if (count_ > 0 && entry.pc != pc_)
		return "rule 2: pc is not the next pc of the entry before";
	if (fetched && in_memory(entry.pc, size) && load(entry.pc, size) != entry.insn)
		return "rule 4: opcode is not what memory holds";
	if (entry.intr != trapped_)
		return "rule 6: intr does not mark the first entry of a handler";
	if (!entry.trap && (entry.irq || entry.cause != 0))
		return "rule 8: an interrupt or cause without trap";
	if (!entry.csr_in_order)
		return "rule 7: a CSR slot is used before a lower one";
	if (entry.rd == 0 && entry.rd_value != 0)
		return "rule 3: x0 is written";

	error = check_operand(entry.rs1, entry.rs1_value);
	if (error.empty())
		error = check_operand(entry.rs2, entry.rs2_value);
	if (error.empty() && entry.trap)
		error = check_trap(entry);
	if (error.empty())
		error = check_memory(entry);
	if (!error.empty())
		return error;

	if (entry.rd != 0) {
		known_[entry.rd] = true;
		registers_[entry.rd] = entry.rd_value;
	}
	pc_ = entry.pc_next;
	trapped_ = entry.trap;
	count_++;
	return "";
}
