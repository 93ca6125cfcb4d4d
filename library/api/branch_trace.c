/* The text of the programs of a branch trace, from their ELF files.
 */
#include <earshot/branch_trace.h>

#include <earshot/error.h>
#include <earshot/trace.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoder/flow/flow_code.h"

#define EM_RISCV 243

_Static_assert(EAR_FLOW_ERROR_MAX == EAR_TRACE_ERROR_MAX, "one buffer is enough for both");

__attribute__((format(printf, 3, 4))) static int fail(
	char *error, int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (error)
		vsnprintf(error, EAR_FLOW_ERROR_MAX, format, arguments);
	va_end(arguments);
	return result;
}

/* size bytes of a file at an address of the traced system. */
static int add_bytes(struct ear_flow_code *code, struct ear_names *names, size_t file,
	uint64_t address, uint64_t size, char *error)
{
	const char *path = ear_names_file(names, file)->path;
	bool writable;

	if (size > EAR_FLOW_CODE_MAX)
		return fail(error, EAR_E_BAD_ARGUMENT, "%s: it has more than 64 MiB of code", path);
	uint8_t *bytes = malloc((size_t)size + 1);
	if (!bytes)
		return fail(error, EAR_E_NO_MEMORY, "out of memory");
	int64_t got = ear_names_image(names, file, address, bytes, (size_t)size, &writable);
	int result = got < 0 ? (int)got : ear_flow_code_add(code, address, bytes, (uint64_t)got);
	free(bytes);
	if (got < 0)
		return fail(error, result, "%s", ear_names_message(names));
	if (result == EAR_E_FULL)
		return fail(error, EAR_E_BAD_ARGUMENT, "%s: it has too much code", path);
	return result ? fail(error, result, "%s: %s", path, ear_error_text(result)) : 0;
}

static int add_sections(
	struct ear_flow_code *code, struct ear_names *names, size_t number, char *error)
{
	const struct ear_names_file *file = ear_names_file(names, number);
	int result = 0;

	for (size_t i = 0; i < file->section_count && result == 0; i++) {
		const struct ear_names_section *section = &file->sections[i];
		if (section->flags & EAR_NAMES_EXECUTE && section->flags & EAR_NAMES_IN_FILE)
			result = add_bytes(code, names, number, section->address + file->offset,
				section->size, error);
	}
	return result;
}

static int add_segments(
	struct ear_flow_code *code, struct ear_names *names, size_t number, char *error)
{
	const struct ear_names_file *file = ear_names_file(names, number);
	int result = 0;

	for (size_t i = 0; i < file->segment_count && result == 0; i++) {
		const struct ear_names_segment *segment = &file->segments[i];
		if (segment->flags & EAR_NAMES_EXECUTE)
			result = add_bytes(code, names, number, segment->address + file->offset,
				segment->file_size, error);
	}
	return result;
}

static int add_file(struct ear_flow_code *code, struct ear_names *names, size_t number, char *error)
{
	const struct ear_names_file *file = ear_names_file(names, number);

	if (file->machine != EM_RISCV)
		return fail(error, EAR_E_BAD_ARGUMENT,
			"%s: it is not of RISC-V, and branch traces are", file->path);
	if (file->xlen != ear_names_file(names, 0)->xlen)
		return fail(error, EAR_E_BAD_ARGUMENT, "%s: it is of RV%u, and %s is of RV%u",
			file->path, file->xlen, ear_names_file(names, 0)->path,
			ear_names_file(names, 0)->xlen);
	return file->section_count > 0 ? add_sections(code, names, number, error)
				       : add_segments(code, names, number, error);
}

int ear_flow_code_of_names(struct ear_flow_code **code, struct ear_names *names, char *error)
{
	const size_t count = ear_names_file_count(names);
	struct ear_flow_code *made;
	int result;

	if (count == 0)
		return fail(error, EAR_E_BAD_ARGUMENT, "there is no ELF file of a program");
	if (ear_flow_code_new(&made))
		return fail(error, EAR_E_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < count; i++) {
		result = add_file(made, names, i, error);
		if (result)
			goto out_free;
	}
	if (ear_flow_code_is_empty(made)) {
		result = fail(error, EAR_E_BAD_ARGUMENT, "%s: it has no code",
			ear_names_file(names, count - 1)->path);
		goto out_free;
	}
	result = ear_flow_code_finish(made, ear_names_file(names, 0)->xlen);
	if (result) {
		fail(error, result, "out of memory");
		goto out_free;
	}
	*code = made;
	return 0;

out_free:
	ear_flow_code_free(made);
	return result;
}
