#include <earshot/error.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iss_state.h"

/* ELF files, 32 and 64 bits. System V ABI, chapters 4 and 5. Headers of both widths are read into
 * one structure each; every offset is checked against the file. */

#define FILE_SIZE_MAX (64u << 20)

struct file {
	uint8_t *bytes;
	size_t size;
	bool wide; /* 64 bits */
};

struct segment {
	uint64_t offset, address, file_size, memory_size;
	bool loads;
};

struct section {
	uint64_t offset, size;
	uint32_t type, link;
};

static int read_file(struct file *file, const char *path)
{
	FILE *stream = fopen(path, "rb");
	int result = EAR_E_IO;
	long size;

	if (!stream)
		return EAR_E_IO;
	if (fseek(stream, 0, SEEK_END) != 0 || (size = ftell(stream)) < 0)
		goto out_close;
	result = EAR_E_BAD_FILE;
	if (size < EI_NIDENT || size > (long)FILE_SIZE_MAX)
		goto out_close;
	rewind(stream);
	file->size = (size_t)size;
	file->bytes = malloc(file->size);
	result = EAR_E_NO_MEMORY;
	if (!file->bytes)
		goto out_close;
	result = fread(file->bytes, 1, file->size, stream) == file->size ? 0 : EAR_E_IO;
out_close:
	fclose(stream);
	return result;
}

/* Copy size bytes at offset; false if they are not all in the file. */
static bool take(const struct file *file, void *out, uint64_t offset, size_t size)
{
	if (offset > file->size || size > file->size - offset)
		return false;
	memcpy(out, file->bytes + offset, size);
	return true;
}

static bool read_header(const struct file *file, Elf64_Ehdr *header)
{
	Elf32_Ehdr narrow;

	if (file->wide)
		return take(file, header, 0, sizeof(*header));
	if (!take(file, &narrow, 0, sizeof(narrow)))
		return false;
	header->e_type = narrow.e_type;
	header->e_machine = narrow.e_machine;
	header->e_entry = narrow.e_entry;
	header->e_phoff = narrow.e_phoff;
	header->e_shoff = narrow.e_shoff;
	header->e_phnum = narrow.e_phnum;
	header->e_shnum = narrow.e_shnum;
	return true;
}

static bool read_segment(
	const struct file *file, const Elf64_Ehdr *header, unsigned k, struct segment *segment)
{
	Elf32_Phdr narrow;
	Elf64_Phdr wide;

	if (file->wide) {
		if (!take(file, &wide, header->e_phoff + k * sizeof(wide), sizeof(wide)))
			return false;
		*segment = (struct segment){wide.p_offset, wide.p_paddr, wide.p_filesz,
			wide.p_memsz, wide.p_type == PT_LOAD};
	} else {
		if (!take(file, &narrow, header->e_phoff + k * sizeof(narrow), sizeof(narrow)))
			return false;
		*segment = (struct segment){narrow.p_offset, narrow.p_paddr, narrow.p_filesz,
			narrow.p_memsz, narrow.p_type == PT_LOAD};
	}
	return true;
}

static bool read_section(
	const struct file *file, const Elf64_Ehdr *header, unsigned k, struct section *section)
{
	Elf32_Shdr narrow;
	Elf64_Shdr wide;

	if (file->wide) {
		if (!take(file, &wide, header->e_shoff + k * sizeof(wide), sizeof(wide)))
			return false;
		*section =
			(struct section){wide.sh_offset, wide.sh_size, wide.sh_type, wide.sh_link};
	} else {
		if (!take(file, &narrow, header->e_shoff + k * sizeof(narrow), sizeof(narrow)))
			return false;
		*section = (struct section){
			narrow.sh_offset, narrow.sh_size, narrow.sh_type, narrow.sh_link};
	}
	return true;
}

/* Symbol k: its name's place in the string table and its value. */
static bool read_symbol(const struct file *file, const struct section *table, uint64_t k,
	uint32_t *name, uint64_t *value)
{
	Elf32_Sym narrow;
	Elf64_Sym wide;

	if (file->wide) {
		if (!take(file, &wide, table->offset + k * sizeof(wide), sizeof(wide)))
			return false;
		*name = wide.st_name;
		*value = wide.st_value;
	} else {
		if (!take(file, &narrow, table->offset + k * sizeof(narrow), sizeof(narrow)))
			return false;
		*name = narrow.st_name;
		*value = narrow.st_value;
	}
	return true;
}

static void find_tohost(struct ear_iss *iss, const struct file *file, const Elf64_Ehdr *header)
{
	static const char wanted[] = "tohost";
	char name[sizeof(wanted)];
	struct section table, strings;
	uint32_t at;
	uint64_t value;

	for (unsigned k = 0; k < header->e_shnum; k++) {
		if (!read_section(file, header, k, &table) || table.type != SHT_SYMTAB)
			continue;
		if (!read_section(file, header, table.link, &strings))
			return;
		for (uint64_t s = 0; read_symbol(file, &table, s, &at, &value); s++) {
			if (s * (file->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)) >= table.size)
				return;
			if (!take(file, name, strings.offset + at, sizeof(name)) ||
				memcmp(name, wanted, sizeof(name)) != 0)
				continue;
			iss->has_tohost = true;
			iss->tohost = value;
			return;
		}
	}
}

static int load_segments(struct ear_iss *iss, const struct file *file, const Elf64_Ehdr *header)
{
	struct segment segment;

	for (unsigned k = 0; k < header->e_phnum; k++) {
		uint8_t *memory;

		if (!read_segment(file, header, k, &segment))
			return EAR_E_BAD_FILE;
		if (!segment.loads || segment.memory_size == 0)
			continue;
		memory = ear_iss_memory(iss, segment.address, segment.memory_size);
		if (!memory || segment.file_size > segment.memory_size ||
			!take(file, memory, segment.offset, segment.file_size))
			return EAR_E_BAD_FILE;
	}
	return 0;
}

int iss_elf_load(struct ear_iss *iss, const char *path)
{
	struct file file = {0};
	Elf64_Ehdr header;
	int result = read_file(&file, path);

	if (result < 0)
		goto out_free;
	result = EAR_E_BAD_FILE;
	if (memcmp(file.bytes, ELFMAG, SELFMAG) != 0 || file.bytes[EI_DATA] != ELFDATA2LSB)
		goto out_free;
	file.wide = file.bytes[EI_CLASS] == ELFCLASS64;
	if (!read_header(&file, &header) || header.e_machine != EM_RISCV ||
		header.e_type != ET_EXEC)
		goto out_free;
	if (!iss->xlen)
		iss->xlen = file.wide ? 64 : 32;
	if (file.wide != (iss->xlen == 64))
		goto out_free;
	result = load_segments(iss, &file, &header);
	if (result < 0)
		goto out_free;
	iss->pc = header.e_entry;
	find_tohost(iss, &file, &header);
out_free:
	free(file.bytes);
	return result;
}
