/* The captures that are joined: which run they are of, and in which order they come. What a part
 * says at its end is read there, so the file is unpacked once; its first instruction is found by
 * the library.
 */
#include "cli/commands/join/join_part.h"

#include <earshot/error.h>
#include <earshot/trace.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/input/input.h"
#include "library/shot/shot.h"

static char *read_fact(const struct ear_shot_reader *reader, const char *key)
{
	char text[4096];

	return ear_shot_reader_fact(reader, key, text, sizeof(text)) < 0 ? NULL : strdup(text);
}

static bool read_number(uint64_t *number, const struct ear_shot_reader *reader, const char *key)
{
	char text[32];

	return ear_shot_reader_fact(reader, key, text, sizeof(text)) > 0 &&
	       cli_parse_count(number, text);
}

static bool read_facts(struct join_part *part)
{
	struct input input = {0};
	bool good = input_open(&input, part->path);

	while (good && !input.window.final && !cli_interrupted) {
		good = input_fill(&input);
		ear_window_consume(&input.window, ear_window_size(&input.window));
	}
	good = good && !cli_interrupted;
	if (good) {
		const struct ear_shot_reader *reader = input.window.reader;

		part->of = read_fact(reader, "part_of");
		part->created = read_fact(reader, "part_created");
		part->device = read_fact(reader, "device");
		part->program = read_fact(reader, "program_sha256");
		part->numbered = part->of && read_number(&part->first, reader, "part_first") &&
				 read_number(&part->last, reader, "part_last") &&
				 part->first <= part->last;
	}
	if (input.name)
		input_close(&input);
	return good;
}

static bool find_first(struct join_part *part)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX];
	const struct ear_record *record;
	struct ear_trace *trace;
	int result;

	options.index = EAR_INDEX_NONE;
	options.error = error;
	if (ear_trace_open(&trace, part->path, &options)) {
		cli_error("%s: %s", part->path, error);
		return false;
	}
	while ((result = ear_trace_next(trace, &record)) == 1 && !part->has_instruction) {
		if (record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		part->has_instruction = true;
		part->hart = record->hart & 0xFF;
		part->index = record->index;
		part->position = ear_trace_position(trace) - 1;
	}
	if (result < 0)
		cli_error("%s: %s", part->path, ear_trace_error(trace));
	ear_trace_close(trace);
	return result >= 0;
}

bool join_part_read(struct join_part *part, const char *path)
{
	*part = (struct join_part){.path = path};
	if (!read_facts(part) || !find_first(part))
		return false;
	if (!part->has_instruction)
		cli_error("%s: it has no instruction, so nothing says where it belongs", path);
	return part->has_instruction;
}

void join_part_free(struct join_part *part)
{
	free(part->of);
	free(part->created);
	free(part->device);
	free(part->program);
}

static bool is_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Of which run is a part: all parts say the same. */
static bool check_run(const struct join_part *one, const struct join_part *other)
{
	const struct {
		const char *what, *one, *other;
	} facts[] = {
		{"cut out of", one->of, other->of},
		{"cut out of a capture of", one->created, other->created},
		{"captured with", one->device, other->device},
		{"of a program with the SHA-256", one->program, other->program},
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!is_equal(facts[i].one, facts[i].other)) {
			cli_error("%s: it is of another run than '%s': %s %s, the other %s",
				other->path, one->path, facts[i].what,
				facts[i].other ? facts[i].other : "nothing that is known",
				facts[i].one ? facts[i].one : "nothing that is known");
			return false;
		}
	return true;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct join_part *one = a, *other = b;
	const int order = (one->first > other->first) - (one->first < other->first);

	return order ? order : (one->last < other->last) - (one->last > other->last);
}

static int compare_indexes(const void *a, const void *b)
{
	const struct join_part *one = a, *other = b;

	return (one->index > other->index) - (one->index < other->index);
}

bool join_parts_order(struct join_part *parts, size_t count)
{
	bool same_hart = true;

	for (size_t i = 1; i < count; i++) {
		if (!check_run(&parts[0], &parts[i]))
			return false;
		if (parts[i].numbered != parts[0].numbered) {
			cli_error(
				"%s: which of the records of '%s' it has is not known (part_first, "
				"part_last): it is not complete",
				parts[parts[0].numbered ? i : 0].path,
				parts[0].of ? parts[0].of : "the run");
			return false;
		}
		same_hart = same_hart && parts[i].hart == parts[0].hart;
	}
	if (!parts[0].numbered && !same_hart) {
		cli_error("the first instructions are of several harts, so nothing says in which "
			  "order the captures come");
		return false;
	}
	qsort(parts, count, sizeof(*parts), parts[0].numbered ? compare_numbers : compare_indexes);
	return true;
}

uint64_t join_part_written(const struct join_part *part, uint64_t position)
{
	int64_t written = part->written + (int64_t)position;

	for (unsigned i = 0; i < part->gap_count && part->gaps[i] <= position; i++)
		written++;
	return written > 0 ? (uint64_t)written : 0;
}
