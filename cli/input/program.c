/* What of an ELF file goes into memory. Each way in which a file is no program for the core has
 * its own sentence, because most of them are mistakes in linking.
 */
#include "cli/input/program.h"

#include <earshot/error.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/input/elf_file.h"

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
static bool check_header(const struct elf_file *file, const char *path)
{
	if (file->machine != EM_RISCV) {
		cli_error("%s: not a program for RISC-V%s", path, machine_text(file->machine));
		return false;
	}
	if (file->big_endian) {
		cli_error("%s: a big-endian program; RISC-V units are little-endian", path);
		return false;
	}
	if (file->type != ET_EXEC) {
		cli_error("%s: %s", path,
			file->type == ET_REL ? "an object file that has not been linked"
					     : "not linked to fixed addresses (link it with "
					       "-static and -no-pie)");
		return false;
	}
	return true;
}

/* The bytes of a segment, as far as they are in the file. */
static bool read_segment(struct segment *segment, const struct elf_file *file,
	const struct elf_segment *header, const char *path)
{
	segment->address = header->physical;
	segment->size = header->memory_size;
	segment->file_size = header->file_size;
	if (header->file_size > header->memory_size || header->memory_size > PROGRAM_MAX ||
		header->physical > PROGRAM_MAX - header->memory_size) {
		cli_error("%s: the segment at 0x%" PRIX64 " with %" PRIu64
			  " bytes is not below 4 GiB",
			path, header->physical, header->memory_size);
		return false;
	}
	int result = elf_file_bytes(file, header->offset, header->file_size, &segment->bytes);
	if (result == EAR_E_BAD_FILE)
		cli_error("%s: damaged: the segment at 0x%" PRIX64 " is not in the file", path,
			header->physical);
	else if (result == EAR_E_NO_MEMORY)
		cli_error("%s: no memory for a segment of %" PRIu64 " bytes", path,
			header->file_size);
	else if (result)
		cli_error("%s: %s", path, strerror(errno));
	return result == 0;
}

/* A file may say of many segments that they are the same bytes of it: what is kept of them is not
 * more than what fits below 4 GiB.
 */
static bool add_segment(struct program *program, const struct elf_file *file,
	const struct elf_segment *header, const char *path)
{
	struct segment *more =
		realloc(program->segments, (program->count + 1) * sizeof(*program->segments));

	if (!more) {
		cli_error("%s: no memory for its %zu segments", path, program->count + 1);
		return false;
	}
	program->segments = more;
	more += program->count++;
	*more = (struct segment){0};
	if (header->memory_size <= PROGRAM_MAX &&
		program->size > PROGRAM_MAX - header->memory_size) {
		cli_error("%s: its segments have more than 4 GiB", path);
		return false;
	}
	program->size += header->memory_size;
	return read_segment(more, file, header, path);
}

static bool read_segments(struct program *program, const struct elf_file *file, const char *path)
{
	for (uint64_t i = 0; i < file->segment_count; i++) {
		struct elf_segment header;

		if (elf_file_segment(file, i, &header) != 0) {
			cli_error(
				"%s: damaged: the table of its segments is not in the file", path);
			return false;
		}
		if (header.type == PT_LOAD && header.memory_size != 0 &&
			!add_segment(program, file, &header, path))
			return false;
	}
	if (program->count > 0)
		return true;
	cli_error("%s: has nothing to load", path);
	return false;
}

bool program_read(struct program *program, const char *path)
{
	struct elf_file file;

	memset(program, 0, sizeof(*program));
	int result = elf_file_open(&file, path);
	if (result) {
		cli_error("%s: %s", path, result == EAR_E_IO ? strerror(errno) : "not an ELF file");
		return false;
	}
	program->xlen = file.xlen;
	program->entry = file.entry;
	bool good = check_header(&file, path) && read_segments(program, &file, path);
	elf_file_close(&file);
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
