// The memory of the virtual board: what the system's memory port talks to.
#ifndef EAR_SIM_MEMORY_H
#define EAR_SIM_MEMORY_H

#include <cstddef>
#include <cstdint>

namespace ear
{

// Where memory begins on the demo system.
constexpr uint32_t MEMORY_BASE = 0x80000000;
constexpr uint64_t MEMORY_SIZE_MAX = 0x80000000;

// Bytes from MEMORY_BASE on. Pages that nobody touches cost nothing.
class Memory
{
      public:
	// size: 4 .. MEMORY_SIZE_MAX bytes, a multiple of 4. Check valid() afterwards.
	explicit Memory(uint64_t size);
	~Memory();
	Memory(const Memory &) = delete;
	Memory &operator=(const Memory &) = delete;

	bool valid() const
	{
		return bytes_ != nullptr;
	} // false: the host has no memory left
	uint64_t size() const
	{
		return size_;
	}
	bool contains(uint32_t address, uint64_t count) const;
	uint8_t *at(uint32_t address)
	{
		return bytes_ + (address - MEMORY_BASE);
	}

	// One word access of the memory port. Returns false if the address is beyond the end.
	bool access(uint32_t address, unsigned write_mask, uint32_t write_data, uint32_t *read_data)
	{
		uint32_t offset = address - MEMORY_BASE;

		if (offset >= size_)
			return false;
		uint32_t *word = reinterpret_cast<uint32_t *>(bytes_ + offset);
		*read_data = *word;
		if (write_mask)
			write(word, write_mask, write_data);
		return true;
	}

      private:
	static void write(uint32_t *word, unsigned mask, uint32_t data);

	uint8_t *bytes_;
	uint64_t size_;
};

} // namespace ear

#endif
