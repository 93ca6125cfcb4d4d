/* Searches through the library. The numbers on the command line become positions; a match at one
 * end is found by ear_trace_find, which opens only what the index does not rule out; then the
 * records around it are read. A part of a trace without --first and --last is read as the whole
 * would be, but for what cannot match by the index: after some records without a match the next
 * one is looked for, and what lies between is left out. Parts of a text in which the index has seen
 * bad lines are read, so that they are reported as in a scan.
 */
#include "cli/commands/grep/grep_find.h"

#include <earshot/index.h>
#include <earshot/trace.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/base/progress_call.h"
#include "cli/input/trace_input.h"
#include "cli/show/end_missing.h"

/* Matches that --last finds one by one, from the end. */
#define FOUND_MAX 1000000

/* Matches that are found before they are shown, where they cannot be reported one by one. */
#define BATCH_SIZE 65536

/* So many records without a match, and the next one is looked for. If that was near it is done
 * later the next time, so that a search with many matches reads hardly anything twice. */
#define PATIENCE_MIN 4096
#define PATIENCE_MAX ((uint64_t)1 << 20)

/* Two stretches of a capture: what lies nearer was hardly ruled out by the index, so all of it was
 * read to find the match, and some of it is read again to show it. */
#define NEAR ((uint64_t)1 << 17)

/* With records to be shown before a match, the place is before what the search has read: reading
 * begins at a checkpoint then, which costs as much as so many records. */
#define FAR ((uint64_t)1 << 20)

struct search {
	struct grep *grep;
	struct ear_trace *trace;
	struct ear_query query;
	struct ear_span pcs[EAR_MATCH_RANGES_MAX], addresses[EAR_MATCH_RANGES_MAX];
	uint64_t begin, end; /* positions: records from begin to end - 1 */
	bool reads_all;      /* show_found reads what is between the matches, too */
	uint64_t shown;      /* records before this position */
	struct ear_progress progress;
	char error[EAR_TRACE_ERROR_MAX]; /* why it could not be opened */
};

bool grep_window_is_set(const struct grep_window *window)
{
	return window->from.text || window->to.text || window->first || window->last;
}

bool grep_window_has_words(const struct grep_window *window)
{
	return moment_option_has_words(&window->from) || moment_option_has_words(&window->to) ||
	       moment_option_has_words(&window->before) || moment_option_has_words(&window->after);
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
	query->kinds = 1u << (match->gaps      ? EAR_RECORD_GAP
			       : match->events ? EAR_RECORD_EVENT
					       : EAR_RECORD_INSTRUCTION);
	query->has_event_source = match->has_event_source;
	query->event_source = match->event_source;
	query->event_name = match->event_name;
	query->has_event_value = match->has_event_value;
	query->event_value = match->event_value;
	query->pcs = search->pcs;
	query->pc_count = match->pc_count;
	query->opcode_value = match->opcode_value;
	query->opcode_mask = match->opcode_mask;
	query->addresses = search->addresses;
	query->address_count = match->address_count;
	query->accesses =
		(match->reads ? EAR_QUERY_READ : 0u) | (match->writes ? EAR_QUERY_WRITE : 0u);
	query->has_data = match->has_data;
	query->data = match->data;
	query->data_mask = match->data_mask;
	query->has_register = match->has_register;
	query->has_value = match->has_value;
	query->register_class = match->register_class;
	query->register_number = match->register_number;
	query->register_value = match->register_value;
	query->privileges = match->privileges;
	query->privilege_change = search->grep->conditions.mode_change;
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
	if (result != EAR_E_CANCELLED && !search->grep->input.reported)
		trace_input_error(search->grep->input.path, ear_trace_error(search->trace));
	search->grep->input.reported = true;
	return result;
}

/* The place of a limit that is not a number, or the place after it. */
static int find_words(
	struct search *search, const struct moment_option *limit, bool behind, uint64_t *position)
{
	struct symbol_file *symbols = &search->grep->conditions.symbols;
	struct ear_names *names =
		symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
	struct ear_moment_place place = {0};

	if ((names || !symbols->elf) &&
		moment_option_find_in(
			search->trace, names, search->grep->input.path, limit->text, &place) == 1) {
		*position = behind ? place.after : place.before;
		return 0;
	}
	search->grep->input.reported = true;
	return EAR_E_BAD_ARGUMENT;
}

/* The position of a limit, or one after it; beyond the end: the end. */
static int place_of(
	struct search *search, const struct moment_option *limit, bool behind, uint64_t *position)
{
	if (!limit->is_number)
		return find_words(search, limit, behind, position);
	int result = ear_trace_seek_number(search->trace, limit->number, &search->progress);

	if (result < 0)
		return fail(search, result);
	*position = ear_trace_position(search->trace) + (result == 1 && behind);
	return 0;
}

static int narrow(
	struct search *search, const struct moment_option *limit, bool behind, bool begins)
{
	uint64_t position;

	if (!limit->text)
		return 0;
	int result = place_of(search, limit, behind, &position);
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
	int result = narrow(search, &window->from, false, true);

	if (result == 0)
		result = narrow(search, &window->after, true, true);
	if (result == 0)
		result = narrow(search, &window->to, true, false);
	if (result == 0)
		result = narrow(search, &window->before, false, false);
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
		uint64_t number = ear_trace_number(search->trace);
		result = next_record(search, &record);
		if (result == 1)
			result = grep_show_one(search->grep, record, number, position == match);
	}
	return result < 0 ? result : 0;
}

/* Read records up to position for what is reported of them. */
static int read_to(struct search *search, uint64_t position)
{
	const struct ear_record *record;
	int result = 1;

	while (result == 1 && ear_trace_position(search->trace) < position && !cli_interrupted)
		result = next_record(search, &record);
	return result < 0 ? result : 0;
}

/* Show count of the matches with what is around them, up to limit; all of them are shown sooner or
 * later, so what is around one ends where the next begins. */
static int show_found(
	struct search *search, const uint64_t *positions, size_t all, size_t count, uint64_t limit)
{
	struct grep *grep = search->grep;
	int result = 0;

	for (size_t i = 0; i < count && result == 0 && !cli_interrupted && !grep->text.error; i++) {
		uint64_t match = positions[i];
		uint64_t first = match > grep->before ? match - grep->before : 0;
		uint64_t end = limit - match > grep->after ? match + 1 + grep->after : limit;
		if (i + 1 < all && end > positions[i + 1])
			end = positions[i + 1];
		first = first < search->shown ? search->shown : first;
		if (first > search->shown)
			grep_leave_out(grep);
		result = search->reads_all ? read_to(search, first) : go_to(search, first);
		if (result == 0)
			result = show_to(search, end, match);
		search->shown = ear_trace_position(search->trace);
	}
	return result;
}

/* The last match that is there may not be the last one of the run. */
static void say_end(struct search *search)
{
	const struct end_missing end = trace_input_end(search->trace, &search->progress);
	char text[128];

	end_missing_text(&end, text, sizeof(text));
	if (end.missing && !search->grep->quiet)
		cli_warning("%s: %s", search->grep->input.name, text);
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
	if (result == 0 && grep->window.last && search->end == UINT64_MAX)
		say_end(search);
	if (result == 0 && grep->count_only)
		grep->matches = count;
	else if (result == 0)
		result = show_found(search, positions + (grep->window.last ? max - count : 0),
			count, count, UINT64_MAX);
	free(positions);
	return result;
}

/* Can the index rule out any part of the trace? */
static bool can_skip(const struct conditions *conditions)
{
	const struct ear_match *match = &conditions->match;
	unsigned privileges = match->privileges;

	return conditions->mode_change || match->gaps || match->events || match->pc_count ||
	       match->address_count || match->reads || match->writes || match->has_data ||
	       match->has_register || match->trap || match->interrupt ||
	       (privileges && (privileges & (privileges - 1)) == 0);
}

/* Where lines of the text may be bad next; UINT64_MAX: nowhere. Returns 0, or an error. */
static int find_report(struct search *search, uint64_t from, uint64_t *report)
{
	*report = UINT64_MAX;
	int result = ear_trace_find_report(search->trace, from, report, &search->progress);
	return result < 0 ? fail(search, result) : 0;
}

/* Where the next match is, from here on; the end of the window if there is none before. */
static int find_match(struct search *search, uint64_t here, uint64_t *match)
{
	int result = ear_trace_find(
		search->trace, &search->query, here, EAR_FORWARD, match, &search->progress);

	if (result < 0)
		return fail(search, result);
	if (result == 0 || *match > search->end)
		*match = search->end;
	return 0;
}

/* Go to where the records of the next match begin, if that is worth it, but not past bad lines,
 * which are reported as they are read. Returns 1; 0 if there is neither before the end; or an
 * error. */
static int skip(struct search *search, uint64_t *patience)
{
	struct grep *grep = search->grep;
	uint64_t here = ear_trace_position(search->trace), match, report;
	int result = find_report(search, here, &report);

	if (result || report <= here)
		return result < 0 ? result : 1;
	result = find_match(search, here, &match);
	if (result)
		return result;
	if (match == search->end && report >= search->end)
		return 0;
	uint64_t first = match > grep->before ? match - grep->before : 0;
	/* The search may have stopped behind the bad lines before a record: so the one before. */
	first = report <= first ? report - 1 : first;
	*patience = *patience < PATIENCE_MAX ? 2 * *patience : PATIENCE_MAX;
	if (first <= here || (grep->before > 0 && first - here < FAR))
		return 1;
	if (first - here > *patience && first - here > NEAR)
		*patience = PATIENCE_MIN;
	grep_pass_over(grep);
	result = go_to(search, first);
	return result < 0 ? result : 1;
}

/* Positions of matches, in order. */
struct batch {
	uint64_t positions[BATCH_SIZE];
	size_t count;
};

static int add_position(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct batch *batch = context;

	(void)record;
	(void)number;
	batch->positions[batch->count++] = position;
	return batch->count == BATCH_SIZE;
}

/* How many matches of a batch are wanted. */
static size_t wanted(const struct grep *grep, size_t count)
{
	uint64_t left = grep->silent ? !grep->matches : grep->most - grep->matches;

	return left < count ? (size_t)left : count;
}

/* What is reported after the last record. */
static int read_end(struct search *search)
{
	const struct ear_record *record;

	if (search->end != UINT64_MAX || cli_interrupted)
		return 0;
	int result = go_to(search, UINT64_MAX);
	if (result == 0)
		result = next_record(search, &record);
	return result < 0 ? result : 0;
}

/* Find and show the matches batch by batch. What is shown after one ends where the next begins, so
 * the last one of a full batch waits for that. */
static int show_batches(struct search *search, struct batch *batch)
{
	struct grep *grep = search->grep;
	uint64_t from = search->begin;
	int found = 1, result = 0;

	uint64_t report;
	result = find_report(search, from, &report);
	if (result == 0 && report < search->end) {
		search->reads_all = true;
		result = go_to(search, from);
	}
	search->shown = from;
	while (found == 1 && result == 0 && wanted(grep, 1) && !cli_interrupted &&
		!grep->text.error) {
		found = ear_trace_find_all(search->trace, &search->query, from, search->end,
			add_position, batch, &search->progress);
		if (found < 0)
			return fail(search, found);
		size_t all = wanted(grep, batch->count), count = batch->count - (size_t)found;
		count = all < count ? all : count;
		cli_progress_clear();
		if (grep->count_only && !grep->counts && !search->reads_all)
			grep->matches += count;
		else
			result = show_found(search, batch->positions, all, count, search->end);
		if (found == 0)
			break;
		from = batch->positions[0] = batch->positions[BATCH_SIZE - 1];
		from++;
		batch->count = 1;
	}
	if (result == 0 && wanted(grep, 1))
		result = search->reads_all ? read_to(search, search->end) : read_end(search);
	return result;
}

/* All matches where a record does not show by itself whether it is one. */
static int show_changes(struct search *search)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (!batch) {
		cli_error("out of memory");
		search->grep->input.reported = true;
		return EAR_E_NO_MEMORY;
	}
	int result = show_batches(search, batch);
	free(batch);
	return result;
}

/* All matches of the window: its records as those of a whole trace. */
static int show_all(struct search *search)
{
	struct grep *grep = search->grep;

	if (grep->conditions.mode_change)
		return show_changes(search);
	bool progress = cli_progress_wanted(), skips = can_skip(&grep->conditions);
	uint64_t patience = PATIENCE_MIN, without = 0;
	const struct ear_record *record;
	int result = go_to(search, search->begin);

	while (result >= 0 && ear_trace_position(search->trace) < search->end && !cli_interrupted &&
		!grep->text.error) {
		uint64_t matches = grep->matches;
		if (skips && grep->after_left == 0 && matches < grep->most &&
			(without >= patience || grep->input.record_count == 0)) {
			result = skip(search, &patience);
			without = 0;
			if (result == 0)
				return read_end(search);
			if (result < 0)
				break;
		}
		uint64_t number = ear_trace_number(search->trace);
		result = next_record(search, &record);
		if (result == 1)
			result = grep_take(grep, record, number);
		if (result <= 0)
			break;
		without = grep->matches > matches ? 0 : without + 1;
		if (progress && grep->input.record_count % 65536 == 0)
			cli_progress("searching: %" PRIu64 " records, %" PRIu64 " match",
				grep->input.record_count, grep->matches);
	}
	return result < 0 ? result : 0;
}

/* The library reports both kinds of skipped lines as bad. */
static int report_line(void *context, uint64_t line, uint64_t byte, const char *cause, bool bad)
{
	const bool other = strncmp(cause, EAR_READER_OTHER, sizeof(EAR_READER_OTHER) - 1) == 0;

	return source_input_report(context, line, byte, cause,
		!bad    ? EAR_LINE_NOTE
		: other ? EAR_LINE_OTHER
			: EAR_LINE_BAD);
}

static int open_trace(struct search *search, enum ear_index_use use, bool reports)
{
	struct grep *grep = search->grep;
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;

	options.format = grep->input.format;
	options.xlen = grep->input.xlen;
	options.isa = grep->input.isa;
	options.pattern = grep->input.pattern;
	options.unit = grep->input.unit;
	options.code = grep->conditions.symbols.code; /* of a branch trace, which was opened */
	options.reads = ear_writer_has_reads(grep->format);
	options.lines = grep->input.lines;
	options.index = use;
	options.jobs = grep->jobs;
	options.report = reports ? report_line : NULL;
	options.report_context = &grep->input;
	options.progress = &search->progress;
	options.error = search->error;
	return ear_trace_open_fd(&search->trace, grep->input.fd, grep->input.path, &options);
}

/* What is missing of the records that were searched. */
static void judge(struct search *search)
{
	struct grep *grep = search->grep;
	struct ear_missing missing = {.size = sizeof(missing)};
	const bool enough = grep->matches >= grep->most || (grep->silent && grep->matches > 0);
	const uint64_t to =
		enough && !grep->window.last ? ear_trace_position(search->trace) : search->end;

	if (!cli_interrupted && ear_trace_missing(search->trace, search->begin, to, &missing,
					&search->progress) == 0)
		verdict_add(&grep->verdict, grep->input.name, &missing);
	if (grep->verdict.known && missing.records == 0 && search->end == UINT64_MAX &&
		search->begin == 0)
		grep->verdict.empty = grep->input.name;
}

static int end_search(struct search *search, int result)
{
	if (result >= 0)
		judge(search);
	search->grep->asked_library = true;
	ear_trace_close(search->trace);
	return result;
}

int grep_find(struct grep *grep)
{
	struct search search = {.grep = grep, .end = UINT64_MAX};
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	struct stat status;

	search.progress = (struct ear_progress){sizeof(search.progress), cli_progress_call, NULL};
	if (grep->input.size == 0 && (fstat(grep->input.fd, &status) || !S_ISREG(status.st_mode)))
		return EAR_E_UNSUPPORTED; /* a pipe */
	int result =
		open_trace(&search, grep->window.no_index ? EAR_INDEX_NONE : EAR_INDEX_AUTO, true);
	if (result) {
		trace_input_error(grep->input.path, search.error);
		grep->input.reported = true;
		return result;
	}
	if (ear_trace_facts(search.trace, &facts) == 0 && !facts.seekable) {
		ear_trace_close(search.trace);
		return EAR_E_UNSUPPORTED;
	}
	make_query(&search);
	result = find_window(&search);
	if (result == 0 && search.begin < search.end)
		result = grep->window.first || grep->window.last ? show_ends(&search)
								 : show_all(&search);
	return end_search(&search, result);
}

static int stop_at_once(void *context, uint64_t done, uint64_t total, const char *what)
{
	(void)context;
	(void)done;
	(void)total;
	(void)what;
	return 1;
}

/* Is there an index of the whole file, and is the file one of which a scan would show its records
 * and nothing else? Of one with gaps it says what is missing, and whether the rest can be trusted.
 */
static bool is_indexed(struct search *search)
{
	const struct ear_progress at_once = {sizeof(at_once), stop_at_once, NULL};
	struct ear_trace_counts counts = {.size = sizeof(counts)};
	uint64_t before;

	if (ear_trace_checkpoint_before(search->trace, 0, &before, &search->progress) != 1 ||
		ear_trace_counts(search->trace, &counts, &at_once) != 0 || counts.gaps > 0)
		return false;
	/* What is wrong with the end of a file shows there. */
	const struct ear_record *record;
	return ear_trace_seek(search->trace, counts.records, &search->progress) >= 0 &&
	       ear_trace_next(search->trace, &record) == 0 && !ear_trace_fault(search->trace);
}

int grep_by_index(struct grep *grep)
{
	struct search search = {.grep = grep, .end = UINT64_MAX};

	search.progress = (struct ear_progress){sizeof(search.progress), cli_progress_call, NULL};
	if (grep->input.size == 0 || grep->window.no_index || grep->jobs > 1 ||
		!can_skip(&grep->conditions))
		return EAR_E_UNSUPPORTED;
	/* What is wrong with the file, the scan says. A line is reported once for a handle, and
	 * this one is read at the end first. */
	if (open_trace(&search, EAR_INDEX_EXISTING, false))
		return EAR_E_UNSUPPORTED;
	bool indexed = is_indexed(&search);
	ear_trace_close(search.trace);
	if (!indexed || open_trace(&search, EAR_INDEX_EXISTING, true))
		return EAR_E_UNSUPPORTED;
	make_query(&search);
	int result = show_all(&search);
	return end_search(&search, result);
}

int grep_window_pass(struct grep *grep, const struct ear_record *record)
{
	const struct grep_window *window = &grep->window;
	bool is_instruction = record->kind == EAR_RECORD_INSTRUCTION;
	uint64_t number = grep->number;

	grep->number += is_instruction;
	if ((window->to.text && number > window->to.number) ||
		(window->before.text && number >= window->before.number))
		return -1;
	/* What is no instruction belongs to the one that it follows. */
	uint64_t begun = number + is_instruction;
	if ((window->from.text && window->from.number > 0 && begun <= window->from.number) ||
		(window->after.text && number <= window->after.number))
		return 0;
	return 1;
}
