/* Searches through the library. The numbers on the command line become positions; a match at one
 * end is found by ear_trace_find, which opens only what the index does not rule out; then the
 * records around it are read. A part of a trace without --first and --last is read as the whole
 * would be.
 */
#include "cli/commands/grep_find.h"

#include <earshot/trace.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"

/* Matches that --last finds one by one, from the end. */
#define FOUND_MAX 1000000

struct search {
	struct grep *grep;
	struct ear_trace *trace;
	struct ear_query query;
	struct ear_span pcs[EAR_MATCH_RANGES_MAX], addresses[EAR_MATCH_RANGES_MAX];
	uint64_t begin, end; /* positions: records from begin to end - 1 */
	struct ear_progress progress;
};

bool grep_window_is_set(const struct grep_window *window)
{
	return window->has_from || window->has_to || window->first || window->last;
}

static int show_progress(void *context, uint64_t done, uint64_t total, const char *what)
{
	(void)context;
	if (total > 0)
		cli_progress("%s: %" PRIu64 "%%", what, done < total ? 100 * done / total : 100);
	else
		cli_progress("%s", what);
	return cli_interrupted;
}

static void copy_spans(struct ear_span *spans, const struct ear_match_range *ranges, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		spans[i] = (struct ear_span){ranges[i].first, ranges[i].last};
}

/* The conditions of the command as those of the library. */
static void make_query(struct search *search)
{
	const struct ear_match *match = &search->grep->conditions.match;
	struct ear_query *query = &search->query;

	*query = (struct ear_query)EAR_QUERY_ANY;
	copy_spans(search->pcs, match->pcs, match->pc_count);
	copy_spans(search->addresses, match->addresses, match->address_count);
	query->hart = match->hart;
	query->kinds = 1u << (match->gaps ? EAR_RECORD_GAP : EAR_RECORD_INSTRUCTION);
	if (match->gaps)
		return; /* of a gap no other condition is asked */
	query->pcs = search->pcs;
	query->pc_count = match->pc_count;
	query->opcode_value = match->opcode_value;
	query->opcode_mask = match->opcode_mask;
	query->addresses = search->addresses;
	query->address_count = match->address_count;
	query->accesses =
		(match->reads ? EAR_QUERY_READ : 0u) | (match->writes ? EAR_QUERY_WRITE : 0u);
	query->has_register = match->has_register;
	query->has_value = match->has_value;
	query->register_class = match->register_class;
	query->register_number = match->register_number;
	query->register_value = match->register_value;
	query->privileges = match->privileges;
	if (match->interrupt)
		query->traps = EAR_QUERY_INTERRUPT;
	else if (match->trap)
		query->traps = EAR_QUERY_INTERRUPT | EAR_QUERY_EXCEPTION;
	query->has_cause = match->has_cause;
	query->cause = match->cause;
}

static int fail(struct search *search, int result)
{
	cli_progress_clear();
	if (result != EAR_E_CANCELLED)
		cli_error("%s: %s", search->grep->input.name, ear_trace_error(search->trace));
	search->grep->input.reported = true;
	return result;
}

/* The position of instruction number, or one behind it; beyond the end: the end. */
static int place_of(struct search *search, uint64_t number, bool behind, uint64_t *position)
{
	int result = ear_trace_seek_number(search->trace, number, &search->progress);

	if (result < 0)
		return fail(search, result);
	*position = ear_trace_position(search->trace) + (result == 1 && behind);
	return 0;
}

static int narrow(struct search *search, bool has, uint64_t number, bool behind, bool begins)
{
	uint64_t position;

	if (!has)
		return 0;
	int result = place_of(search, number, behind, &position);
	if (result)
		return result;
	if (begins && position > search->begin)
		search->begin = position;
	if (!begins && position < search->end)
		search->end = position;
	return 0;
}

static int find_window(struct search *search)
{
	const struct grep_window *window = &search->grep->window;
	int result = narrow(search, window->has_from, window->from, false, true);

	if (result == 0)
		result = narrow(search, window->has_after, window->after, true, true);
	if (result == 0)
		result = narrow(search, window->has_to, window->to, true, false);
	if (result == 0)
		result = narrow(search, window->has_before, window->before, false, false);
	return result;
}

/* The positions of the matches, ascending; *count at most max. */
static int find_positions(struct search *search, uint64_t *positions, size_t max, size_t *count)
{
	bool last = search->grep->window.last;
	uint64_t at = last ? search->end : search->begin;
	int result = 1;

	for (*count = 0; *count < max && result == 1; ++*count) {
		uint64_t *found = &positions[last ? max - 1 - *count : *count];
		result = ear_trace_find(search->trace, &search->query, at,
			last ? EAR_BACKWARD : EAR_FORWARD, found, &search->progress);
		if (result != 1 || (last ? *found < search->begin : *found >= search->end))
			break;
		at = last ? *found : *found + 1;
	}
	return result < 0 ? fail(search, result) : 0;
}

static int next_record(struct search *search, const struct ear_record **record)
{
	int result = ear_trace_next(search->trace, record);

	search->grep->input.record_count += result == 1;
	return result < 0 ? fail(search, result) : result;
}

static int go_to(struct search *search, uint64_t position)
{
	int result = ear_trace_seek(search->trace, position, &search->progress);

	return result < 0 ? fail(search, result) : 0;
}

/* Show records up to end, of which those before match are around it. */
static int show_to(struct search *search, uint64_t end, uint64_t match)
{
	const struct ear_record *record;
	int result = 1;

	while (result == 1 && ear_trace_position(search->trace) < end && !cli_interrupted) {
		uint64_t position = ear_trace_position(search->trace);
		result = next_record(search, &record);
		if (result == 1)
			result = grep_show_one(search->grep, record, position == match);
	}
	return result < 0 ? result : 0;
}

/* Show the matches with what is around them. */
static int show_found(struct search *search, const uint64_t *positions, size_t count)
{
	struct grep *grep = search->grep;
	uint64_t shown = 0; /* records before this position */
	int result = 0;

	for (size_t i = 0; i < count && result == 0 && !cli_interrupted; i++) {
		uint64_t match = positions[i];
		uint64_t first = match > grep->before ? match - grep->before : 0;
		uint64_t end = match + 1 + grep->after;
		if (i + 1 < count && end > positions[i + 1])
			end = positions[i + 1];
		first = first < shown ? shown : first;
		if (first > shown)
			grep_leave_out(grep);
		result = go_to(search, first);
		if (result == 0)
			result = show_to(search, end, match);
		shown = ear_trace_position(search->trace);
	}
	return result;
}

static int show_ends(struct search *search)
{
	struct grep *grep = search->grep;
	size_t max = grep->most < FOUND_MAX ? (size_t)grep->most : FOUND_MAX, count;
	uint64_t *positions = malloc(max * sizeof(*positions));

	if (!positions) {
		cli_error("out of memory");
		grep->input.reported = true;
		return EAR_E_NO_MEMORY;
	}
	int result = find_positions(search, positions, max, &count);
	cli_progress_clear();
	if (result == 0 && grep->count_only)
		grep->matches = count;
	else if (result == 0)
		result = show_found(
			search, positions + (grep->window.last ? max - count : 0), count);
	free(positions);
	return result;
}

/* All matches of the window: its records as those of a whole trace. */
static int show_all(struct search *search)
{
	struct grep *grep = search->grep;
	bool progress = cli_progress_wanted();
	const struct ear_record *record;
	int result = go_to(search, search->begin);

	while (result >= 0 && ear_trace_position(search->trace) < search->end && !cli_interrupted &&
		!grep->text.error) {
		result = next_record(search, &record);
		if (result == 1)
			result = grep_take(grep, record);
		if (result <= 0)
			break;
		if (progress && grep->input.record_count % 65536 == 0)
			cli_progress("searching: %" PRIu64 " records, %" PRIu64 " match",
				grep->input.record_count, grep->matches);
	}
	return result < 0 ? result : 0;
}

static int open_trace(struct search *search)
{
	struct grep *grep = search->grep;
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX];

	options.format = grep->input.format;
	options.xlen = grep->input.xlen;
	options.isa = grep->input.isa;
	options.reads = ear_writer_has_reads(grep->format);
	options.index = grep->window.no_index ? EAR_INDEX_NONE : EAR_INDEX_AUTO;
	options.jobs = grep->jobs;
	options.progress = &search->progress;
	options.error = error;
	int result = ear_trace_open_fd(&search->trace, grep->input.fd, grep->input.path, &options);
	if (result == 0)
		return 0;
	cli_error("%s: %s", grep->input.name, error);
	grep->input.reported = true;
	return result;
}

int grep_find(struct grep *grep)
{
	struct search search = {.grep = grep, .end = UINT64_MAX};
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	search.progress = (struct ear_progress){sizeof(search.progress), show_progress, NULL};
	if (grep->input.size == 0)
		return EAR_E_UNSUPPORTED; /* a pipe */
	int result = open_trace(&search);
	if (result)
		return result;
	if (ear_trace_facts(search.trace, &facts) == 0 && !facts.seekable) {
		ear_trace_close(search.trace);
		return EAR_E_UNSUPPORTED;
	}
	make_query(&search);
	result = find_window(&search);
	if (result == 0 && search.begin < search.end)
		result = grep->window.first || grep->window.last ? show_ends(&search)
								 : show_all(&search);
	const char *fault = ear_trace_fault(search.trace);
	if (result >= 0 && fault)
		cli_error("%s: %s", grep->input.name, fault);
	grep->asked_library = true;
	ear_trace_close(search.trace);
	return result;
}

int grep_window_pass(struct grep *grep, const struct ear_record *record)
{
	const struct grep_window *window = &grep->window;
	bool is_instruction = record->kind == EAR_RECORD_INSTRUCTION;
	uint64_t number = grep->number;

	grep->number += is_instruction;
	if ((window->has_to && number > window->to) ||
		(window->has_before && number >= window->before))
		return -1;
	/* What is no instruction belongs to the one that it follows. */
	uint64_t begun = number + is_instruction;
	if ((window->has_from && window->from > 0 && begun <= window->from) ||
		(window->has_after && number <= window->after))
		return 0;
	return 1;
}
