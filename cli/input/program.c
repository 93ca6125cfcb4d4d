/* What of an ELF file goes into memory. Each way in which a file is no program for the core has
 * its own sentence, because most of them are mistakes in linking.
 */
#include "cli/input/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"

#define PROGRAM_MAX (UINT64_C(1) << 32) /* bytes: what the unit's window can reach */

static const char *machine_text(unsigned machine)
{
	switch (machine) {
	case EM_X86_64: return " (this one is for x86-64)";
	case EM_AARCH64: return " (this one is for AArch64)";
	case EM_ARM: return " (this one is for ARM)";
	default: return "";
	}
}

/* Returns false after printing what is wrong. */
static bool check_header(const GElf_Ehdr *header, const char *path)
{
	if (header->e_machine != EM_RISCV) {
		cli_error("%s: not a program for RISC-V%s", path, machine_text(header->e_machine));
		return false;
	}
	if (header->e_ident[EI_DATA] != ELFDATA2LSB) {
		cli_error("%s: a big-endian program; RISC-V units are little-endian", path);
		return false;
	}
	if (header->e_type != ET_EXEC) {
		cli_error("%s: %s", path,
			header->e_type == ET_REL ? "an object file that has not been linked"
						 : "not linked to fixed addresses (link it with "
						   "-static and -no-pie)");
		return false;
	}
	return true;
}

/* The bytes of a segment, as far as they are in the file. */
static bool read_segment(
	struct segment *segment, Elf *elf, const GElf_Phdr *header, const char *path)
{
	segment->address = header->p_paddr;
	segment->size = header->p_memsz;
	segment->file_size = header->p_filesz;
	if (header->p_filesz > header->p_memsz || header->p_memsz > PROGRAM_MAX ||
		header->p_paddr > PROGRAM_MAX - header->p_memsz) {
		cli_error("%s: the segment at 0x%" PRIX64 " with %" PRIu64
			  " bytes is not below 4 GiB",
			path, (uint64_t)header->p_paddr, (uint64_t)header->p_memsz);
		return false;
	}
	if (header->p_filesz == 0)
		return true;
	Elf_Data *data = elf_getdata_rawchunk(
		elf, (int64_t)header->p_offset, (size_t)header->p_filesz, ELF_T_BYTE);
	if (!data) {
		cli_error("%s: damaged: the segment at 0x%" PRIX64 " is not in the file", path,
			(uint64_t)header->p_paddr);
		return false;
	}
	segment->bytes = malloc((size_t)header->p_filesz);
	if (!segment->bytes) {
		cli_error("%s: no memory for a segment of %" PRIu64 " bytes", path,
			(uint64_t)header->p_filesz);
		return false;
	}
	memcpy(segment->bytes, data->d_buf, (size_t)header->p_filesz);
	return true;
}

static bool read_segments(struct program *program, Elf *elf, const char *path)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		count = 0;
	program->segments = calloc(count + 1, sizeof(*program->segments));
	if (!program->segments) {
		cli_error("%s: no memory for its %zu segments", path, count);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header)) {
			cli_error("%s: damaged: %s", path, elf_errmsg(-1));
			return false;
		}
		if (header.p_type != PT_LOAD || header.p_memsz == 0)
			continue;
		struct segment *segment = &program->segments[program->count++];
		if (!read_segment(segment, elf, &header, path))
			return false;
		program->size += segment->size;
	}
	if (program->count > 0)
		return true;
	cli_error("%s: has nothing to load", path);
	return false;
}

static bool read_elf(struct program *program, Elf *elf, const char *path)
{
	GElf_Ehdr header;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) {
		cli_error("%s: not an ELF file", path);
		return false;
	}
	program->xlen = header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	program->entry = header.e_entry;
	return check_header(&header, path) && read_segments(program, elf, path);
}

bool program_read(struct program *program, const char *path)
{
	memset(program, 0, sizeof(*program));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		cli_error("%s: %s", path, strerror(errno));
		return false;
	}
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool good = read_elf(program, elf, path);
	elf_end(elf);
	close(fd);
	if (!good)
		program_free(program);
	return good;
}

void program_free(struct program *program)
{
	for (size_t i = 0; i < program->count; i++)
		free(program->segments[i].bytes);
	free(program->segments);
	program->segments = NULL;
	program->count = 0;
}
