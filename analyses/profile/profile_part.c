/* The lines of a profile's part: functions with their sources, names of addresses, paths, cells,
 * instructions, harts and the sum. Numbers of functions and paths count lines, from 0 and from 1.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/profile/profile_private.h"

#define NONE UINT32_MAX

/* ---- Writing. ---- */

void ear_profile_counts_text(
	char text[EAR_PROFILE_COUNTS_TEXT], const struct ear_profile_counts *counts)
{
	const uint64_t *numbers = &counts->records;
	int size = 0;

	for (size_t i = 0; i < EAR_PROFILE_COUNTS; i++)
		size += snprintf(text + size, EAR_PROFILE_COUNTS_TEXT - (size_t)size, " %" PRIu64,
			numbers[i]);
}

static void write_counts(
	struct ear_part_writer *writer, const char *what, const struct ear_profile_counts *counts)
{
	char text[EAR_PROFILE_COUNTS_TEXT];

	ear_profile_counts_text(text, counts);
	ear_part_write(writer, "%s%s", what, text);
}

static void write_paths(struct ear_part_writer *writer, const struct ear_profile *profile)
{
	for (uint32_t i = 1; i <= ear_calls_count(profile->calls); i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		(void)ear_calls_path(profile->calls, i, &path);
		ear_part_write(writer, "path %u %u %u 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64,
			path.parent, path.kind, path.hart, path.call_pc, path.entry, path.entered);
	}
}

static void write_pc(struct ear_part_writer *writer, const struct ear_profile_pc *pc)
{
	ear_part_write(writer,
		"pc 0x%" PRIx64 " %u 0x%x %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " %" PRIu64,
		pc->pc, pc->function, pc->opcode, pc->opcode_size, pc->xlen, pc->changed,
		pc->records, pc->clocks, pc->taken, pc->not_taken, pc->traps, pc->interrupts);
}

static void write_hart(struct ear_part_writer *writer, const struct ear_profile_hart *hart)
{
	ear_part_write(writer,
		"hart %u %u %" PRIu64 " %u %" PRIu64 " 0x%" PRIx64 " %" PRIu32 " %" PRIu32,
		hart->hart, hart->timed, hart->ticks, hart->has_first, hart->first_ticks,
		hart->first_pc, hart->first_path, hart->first_function);
}

/* A source is that of the function in the next line. */
static void write_function(
	struct ear_part_writer *writer, const struct ear_profile_function *function)
{
	if (function->source)
		ear_part_write(writer, "source %s", function->source);
	if (function->outer != NONE)
		ear_part_write(writer, "inlined %" PRIu32 " %s", function->outer, function->name);
	else
		ear_part_write(
			writer, "function 0x%" PRIx64 " %s", function->entry, function->name);
}

static int learn_names(struct ear_profile *profile)
{
	for (uint32_t i = 1; i <= ear_calls_count(profile->calls); i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		(void)ear_calls_path(profile->calls, i, &path);
		if ((path.kind != EAR_FRAME_BASE && !ear_profile_learn(profile, path.entry)) ||
			(path.parent && !ear_profile_learn(profile, path.call_pc)))
			return EAR_E_NO_MEMORY;
	}
	return 0;
}

int ear_profile_write(struct ear_profile *profile, struct ear_part_writer *writer)
{
	char text[64];

	int result = ear_calls_end(profile->calls);
	if (result == 0)
		result = learn_names(profile);
	if (result)
		return result;
	for (uint32_t i = 0; i < profile->function_count; i++)
		write_function(writer, &profile->functions[i]);
	for (uint32_t i = 0; i < profile->known_count; i++)
		ear_part_write(writer, "name 0x%" PRIx64 " %u", profile->known[i].address,
			profile->known[i].function);
	write_paths(writer, profile);
	for (uint32_t i = 0; i < profile->cell_count; i++) {
		const struct ear_profile_cell *cell = &profile->cells[i];
		snprintf(text, sizeof(text), "cell %u %u", cell->path, cell->function);
		write_counts(writer, text, &cell->counts);
	}
	for (uint32_t i = 0; i < profile->pc_count; i++)
		write_pc(writer, &profile->pcs[i]);
	for (size_t i = 0; i < profile->hart_count; i++)
		write_hart(writer, &profile->harts[i]);
	write_counts(writer, "total", &profile->total);
	ear_part_write(writer, "state %" PRIu64 " %" PRIu64 " %u %u %u", profile->gaps,
		profile->pathless, profile->has_time, ear_profile_limited(profile), profile->seen);
	return 0;
}

/* ---- Reading. Everything is checked, and counted again where it must fit. ---- */

static bool is_short(struct ear_part_reader *reader)
{
	return ear_part_fail(reader, "out of memory");
}

/* The source of the function in the next line. */
static bool read_source(struct ear_profile *profile, struct ear_part_reader *reader)
{
	const char *source;

	if (!profile->options.inlined)
		return ear_part_fail(reader, "it is counted without --inline");
	if (!ear_part_rest(reader, &source))
		return false;
	profile->part_source = ear_profile_keep(profile, source);
	return profile->part_source || is_short(reader);
}

static bool read_function(struct ear_profile *profile, struct ear_part_reader *reader)
{
	const uint32_t count = profile->function_count;
	const char *name;
	uint64_t entry;

	if (!ear_part_number(reader, &entry, UINT64_MAX) || !ear_part_rest(reader, &name))
		return false;
	name = ear_profile_keep(profile, name);
	if (!name || ear_profile_take_function(profile, name, entry) == NONE)
		return is_short(reader);
	if (profile->function_count == count)
		return ear_part_fail(reader, "it came before");
	profile->functions[count].source = profile->part_source;
	profile->part_source = NULL;
	return true;
}

static bool read_function_number(
	const struct ear_profile *profile, struct ear_part_reader *reader, uint64_t *number)
{
	if (profile->function_count == 0)
		return ear_part_fail(reader, "there is no function before it");
	return ear_part_number(reader, number, profile->function_count - 1);
}

static bool read_inlined(struct ear_profile *profile, struct ear_part_reader *reader)
{
	const uint32_t count = profile->function_count;
	unsigned depth = 0;
	const char *name;
	uint64_t outer;

	if (!profile->part_source)
		return ear_part_fail(reader, "there is no source before it");
	if (!read_function_number(profile, reader, &outer) || !ear_part_rest(reader, &name))
		return false;
	for (uint32_t at = (uint32_t)outer; at != NONE; at = profile->functions[at].outer)
		if (++depth == EAR_INLINED_MAX)
			return ear_part_fail(reader, "it is inlined too deep");
	name = ear_profile_keep(profile, name);
	if (!name || ear_profile_take_inlined(
			     profile, name, profile->part_source, (uint32_t)outer) == NONE)
		return is_short(reader);
	profile->part_source = NULL;
	return profile->function_count > count || ear_part_fail(reader, "it came before");
}

static bool read_name(struct ear_profile *profile, struct ear_part_reader *reader)
{
	const uint32_t count = profile->known_count;
	uint64_t address, function;

	if (!ear_part_number(reader, &address, UINT64_MAX) ||
		!read_function_number(profile, reader, &function))
		return false;
	if (!ear_profile_know(profile, address, (uint32_t)function))
		return is_short(reader);
	return profile->known_count > count || ear_part_fail(reader, "it came before");
}

static bool read_path(struct ear_profile *profile, struct ear_part_reader *reader)
{
	const uint32_t count = ear_calls_count(profile->calls);
	uint64_t parent, kind, hart, rest[3];
	uint32_t number;

	if (!ear_part_number(reader, &parent, count) ||
		!ear_part_number(reader, &kind, EAR_FRAME_INTERRUPT) ||
		!ear_part_number(reader, &hart, UINT16_MAX) || !ear_part_numbers(reader, rest, 3))
		return false;
	const struct ear_call_path path = {.size = sizeof(path),
		.parent = (uint32_t)parent,
		.kind = (uint8_t)kind,
		.hart = (uint16_t)hart,
		.call_pc = rest[0],
		.entry = rest[1],
		.entered = rest[2]};
	int result = ear_calls_add(profile->calls, &path, &number);
	if (result == EAR_E_NO_MEMORY)
		return is_short(reader);
	return (result == 0 && number == count + 1) ||
	       ear_part_fail(reader, "it came before, or does not fit its parent");
}

bool ear_profile_counts_read(struct ear_part_reader *reader, struct ear_profile_counts *counts)
{
	return ear_part_numbers(reader, &counts->records, EAR_PROFILE_COUNTS);
}

static bool read_cell(struct ear_profile *profile, struct ear_part_reader *reader)
{
	const uint32_t count = profile->cell_count;
	uint64_t path, function;
	struct ear_profile_counts counts;

	if (!ear_part_number(reader, &path, ear_calls_count(profile->calls)) ||
		!read_function_number(profile, reader, &function) ||
		!ear_profile_counts_read(reader, &counts))
		return false;
	struct ear_profile_cell *cell =
		ear_profile_take_cell(profile, (uint32_t)path, (uint32_t)function);
	if (!cell)
		return is_short(reader);
	cell->counts = counts;
	return profile->cell_count > count || ear_part_fail(reader, "it came before");
}

static bool read_pc(struct ear_profile *profile, struct ear_part_reader *reader)
{
	const uint32_t count = profile->pc_count;
	uint64_t pc, function, opcode, opcode_size, xlen, changed, numbers[6];
	bool full;

	if (!ear_part_number(reader, &pc, UINT64_MAX) ||
		!read_function_number(profile, reader, &function) ||
		!ear_part_number(reader, &opcode, UINT32_MAX) ||
		!ear_part_number(reader, &opcode_size, 4) || !ear_part_number(reader, &xlen, 64) ||
		!ear_part_number(reader, &changed, 1) || !ear_part_numbers(reader, numbers, 6))
		return false;
	struct ear_profile_pc *own = ear_profile_take_pc(profile, pc, (uint32_t)function, &full);
	if (!own)
		return full ? ear_part_fail(reader, "there are too many") : is_short(reader);
	if (profile->pc_count == count)
		return ear_part_fail(reader, "it came before");
	*own = (struct ear_profile_pc){pc, (uint32_t)function, (uint32_t)opcode,
		(uint8_t)opcode_size, (uint8_t)xlen, changed, numbers[0], numbers[1], numbers[2],
		numbers[3], numbers[4], numbers[5]};
	return true;
}

static bool read_hart(struct ear_profile *profile, struct ear_part_reader *reader)
{
	uint64_t number, timed, ticks, has_first, first[2], path, function;
	const size_t count = profile->hart_count;

	if (!ear_part_number(reader, &number, UINT16_MAX) || !ear_part_number(reader, &timed, 1) ||
		!ear_part_number(reader, &ticks, UINT64_MAX) ||
		!ear_part_number(reader, &has_first, 1) || !ear_part_numbers(reader, first, 2) ||
		!ear_part_number(reader, &path, ear_calls_count(profile->calls)) ||
		!ear_part_number(reader, &function, NONE))
		return false;
	if (function != NONE && function >= profile->function_count)
		return ear_part_fail(reader, "its function is missing");
	struct ear_profile_hart *hart = ear_profile_hart_of(profile, (uint16_t)number, true);
	if (!hart)
		return is_short(reader);
	*hart = (struct ear_profile_hart){.hart = (uint16_t)number,
		.timed = timed,
		.ticks = ticks,
		.has_first = has_first,
		.first_ticks = first[0],
		.first_pc = first[1],
		.first_path = (uint32_t)path,
		.first_function = (uint32_t)function};
	return profile->hart_count > count || ear_part_fail(reader, "it came before");
}

static bool read_state(struct ear_profile *profile, struct ear_part_reader *reader)
{
	uint64_t has_time, limited, seen;

	if (!ear_part_number(reader, &profile->gaps, UINT64_MAX) ||
		!ear_part_number(reader, &profile->pathless, UINT64_MAX) ||
		!ear_part_number(reader, &has_time, 1) || !ear_part_number(reader, &limited, 1) ||
		!ear_part_number(reader, &seen, EAR_PROFILE_SEEN_MAX))
		return false;
	profile->has_time = has_time;
	profile->limited = limited;
	profile->seen = (uint8_t)seen;
	return true;
}

static bool read_total(struct ear_profile *profile, struct ear_part_reader *reader)
{
	return ear_profile_counts_read(reader, &profile->total);
}

bool ear_profile_read(struct ear_profile *profile, struct ear_part_reader *reader)
{
	static const struct {
		const char *word;
		bool (*read)(struct ear_profile *profile, struct ear_part_reader *reader);
	} kinds[] = {{"source", read_source}, {"function", read_function},
		{"inlined", read_inlined}, {"name", read_name}, {"path", read_path},
		{"cell", read_cell}, {"pc", read_pc}, {"hart", read_hart}, {"total", read_total},
		{"state", read_state}};
	const size_t kind_count = sizeof(kinds) / sizeof(kinds[0]);
	const char *word;

	while (ear_part_next(reader, &word)) {
		size_t kind = 0;
		if (!word)
			return true;
		while (kind < kind_count && strcmp(kinds[kind].word, word) != 0)
			kind++;
		if (kind == kind_count)
			return ear_part_fail(reader, "it is none of a profile");
		if (!kinds[kind].read(profile, reader))
			return false;
	}
	return false;
}
