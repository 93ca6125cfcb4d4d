// The whole file is read, then every structure is copied out of it by take(), which checks that it
// lies inside: offsets and sizes come from the file and may be anything. Segments go to the memory
// by their physical address; only the symbol `tohost` is looked up.
#include "elf_image.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <vector>

namespace ear
{

namespace
{

constexpr size_t FILE_SIZE_MAX = size_t{1} << 30;

std::string hex(uint32_t value)
{
	char text[16];

	std::snprintf(text, sizeof(text), "0x%08x", value);
	return text;
}

std::string read_file(const std::string &path, std::vector<uint8_t> *bytes)
{
	std::FILE *file = std::fopen(path.c_str(), "rb");
	uint8_t block[65536];
	size_t count;
	std::string error;

	if (!file)
		return std::strerror(errno);
	while ((count = std::fread(block, 1, sizeof(block), file)) > 0) {
		bytes->insert(bytes->end(), block, block + count);
		if (bytes->size() > FILE_SIZE_MAX) {
			error = "larger than 1 GiB, too large for a program";
			break;
		}
	}
	if (std::ferror(file))
		error = std::strerror(errno);
	std::fclose(file);
	return error;
}

// Copy a T from `offset` of the file; false if it does not lie wholly inside.
template <typename T> bool take(const std::vector<uint8_t> &bytes, uint64_t offset, T *out)
{
	if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
		return false;
	std::memcpy(out, bytes.data() + offset, sizeof(T));
	return true;
}

std::string check_header(const std::vector<uint8_t> &bytes, Elf32_Ehdr *header)
{
	if (bytes.size() < EI_NIDENT || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
		return "not an ELF file";
	if (bytes[EI_CLASS] != ELFCLASS32)
		return "not a 32-bit ELF file; the demo core is RV32";
	if (bytes[EI_DATA] != ELFDATA2LSB)
		return "not a little-endian ELF file";
	if (!take(bytes, 0, header))
		return "the ELF header is cut off";
	if (header->e_machine != EM_RISCV)
		return "not a RISC-V program (machine " + std::to_string(header->e_machine) + ")";
	if (header->e_type != ET_EXEC)
		return "not an executable linked to fixed addresses";
	if (header->e_phnum == 0)
		return "no program headers: nothing to load";
	if (header->e_phentsize != sizeof(Elf32_Phdr))
		return "program headers of an unknown size";
	return "";
}

std::string load_segment(
	const std::vector<uint8_t> &bytes, const Elf32_Phdr &segment, Memory &memory)
{
	std::string name = "segment at " + hex(segment.p_paddr);

	if (segment.p_filesz > segment.p_memsz)
		return name + ": larger in the file than in memory";
	if (segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset)
		return name + ": its contents lie beyond the end of the file";
	if (!memory.contains(segment.p_paddr, segment.p_memsz))
		return name + ", " + std::to_string(segment.p_memsz) + " bytes: outside the " +
		       std::to_string(memory.size()) + " bytes of memory at " + hex(MEMORY_BASE);
	std::memcpy(memory.at(segment.p_paddr), bytes.data() + segment.p_offset, segment.p_filesz);
	std::memset(memory.at(segment.p_paddr) + segment.p_filesz, 0,
		segment.p_memsz - segment.p_filesz);
	return "";
}

// The value of symbol `name`; false when the file has no (readable) symbol of that name.
// A damaged symbol table is as good as none: it only serves the `tohost` convention.
bool find_symbol(const std::vector<uint8_t> &bytes, const Elf32_Ehdr &header, const char *name,
	uint32_t *value)
{
	size_t length = std::strlen(name) + 1;

	for (unsigned k = 0; k < header.e_shnum; k++) {
		Elf32_Shdr symbols, strings;

		if (!take(bytes, header.e_shoff + uint64_t{k} * sizeof(symbols), &symbols))
			return false;
		if (symbols.sh_type != SHT_SYMTAB || symbols.sh_link >= header.e_shnum)
			continue;
		if (!take(bytes, header.e_shoff + uint64_t{symbols.sh_link} * sizeof(strings),
			    &strings))
			return false;
		for (uint64_t at = 0; at + sizeof(Elf32_Sym) <= symbols.sh_size;
			at += sizeof(Elf32_Sym)) {
			Elf32_Sym symbol;
			uint64_t text;

			if (!take(bytes, symbols.sh_offset + at, &symbol))
				return false;
			text = uint64_t{strings.sh_offset} + symbol.st_name;
			if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < strings.sh_size &&
				text <= bytes.size() && length <= bytes.size() - text &&
				std::memcmp(bytes.data() + text, name, length) == 0) {
				*value = symbol.st_value;
				return true;
			}
		}
	}
	return false;
}

} // namespace

std::string elf_load(const std::string &path, Memory &memory, ElfImage *image)
{
	std::vector<uint8_t> bytes;
	Elf32_Ehdr header;
	ElfImage found = {};
	bool loaded = false;
	std::string error = read_file(path, &bytes);

	if (error.empty())
		error = check_header(bytes, &header);
	if (!error.empty())
		return error;

	for (unsigned k = 0; k < header.e_phnum; k++) {
		Elf32_Phdr segment;

		if (!take(bytes, header.e_phoff + uint64_t{k} * sizeof(segment), &segment))
			return "the program headers are cut off";
		if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
			continue;
		error = load_segment(bytes, segment, memory);
		if (!error.empty())
			return error;
		loaded = true;
	}
	if (!loaded)
		return "no segment to load";
	if (!memory.contains(header.e_entry, 2) || header.e_entry % 2 != 0)
		return "the entry point " + hex(header.e_entry) + " is not in memory";

	found.entry = header.e_entry;
	found.has_tohost = find_symbol(bytes, header, "tohost", &found.tohost);
	*image = found;
	return "";
}

} // namespace ear
