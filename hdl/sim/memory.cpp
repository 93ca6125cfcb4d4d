// The memory is mapped and not allocated: its pages are zero and cost nothing until the program
// touches them, so 2 GiB are as cheap as 64 KiB.
#include "memory.h"

#include <sys/mman.h>

namespace ear
{

Memory::Memory(uint64_t size) : bytes_(nullptr), size_(size)
{
	void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED)
		bytes_ = static_cast<uint8_t *>(p);
}

Memory::~Memory()
{
	if (bytes_)
		munmap(bytes_, size_);
}

bool Memory::contains(uint32_t address, uint64_t count) const
{
	uint64_t offset = static_cast<uint64_t>(address) - MEMORY_BASE;

	return address >= MEMORY_BASE && offset <= size_ && count <= size_ - offset;
}

void Memory::write(uint32_t *word, unsigned mask, uint32_t data)
{
	uint32_t bits = 0;

	for (unsigned k = 0; k < 4; k++)
		if (mask >> k & 1)
			bits |= 0xffu << (8 * k);
	*word = (*word & ~bits) | (data & bits);
}

} // namespace ear
