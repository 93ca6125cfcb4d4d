// Loads a bare-metal RV32 program from an ELF file. The file is not trusted.
#ifndef EAR_SIM_ELF_IMAGE_H
#define EAR_SIM_ELF_IMAGE_H

#include <cstdint>
#include <string>

#include "memory.h"

namespace ear
{

struct ElfImage {
	uint32_t entry;  // first pc
	bool has_tohost; // the program has a symbol `tohost`
	uint32_t tohost; // its address
};

// Read the file at `path`, copy its loadable segments to `memory` (by their physical addresses)
// and fill *image.
//
// Returns an empty string, or what is wrong with the file: one sentence without the file's name.
// Then *image is untouched; the memory may be partly written.
std::string elf_load(const std::string &path, Memory &memory, ElfImage *image);

} // namespace ear

#endif
