/* Where a moment is that somebody has written. All searches are those of search.c, so they use the
 * index. A name may be an event's and a function's: both are looked for, and if both are there it
 * is an error that says how to write each. The return of a function is found by the call stack: of
 * the records at which the caller would continue, the first one after which the call is not active
 * any more, and before which it was the innermost.
 */
#include <earshot/address.h>
#include <earshot/error.h>
#include <earshot/moment.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/versioned.h"
#include "library/api/moment_parse.h"
#include "library/api/trace_internal.h"

struct finder {
	struct ear_trace *trace;
	struct ear_names *names;
	const struct ear_progress *progress;
	struct ear_moment_text text;
	char shown[256]; /* the name of text, safe for a terminal */
	struct ear_address address;
	struct ear_span *entries; /* of text.query */
};

/* What text names is between these positions. */
struct found {
	uint64_t before, after;
};

static int fail(struct finder *finder, int result, const char *what)
{
	return ear_trace_fail(finder->trace, result, "%s", what);
}

/* ---- Names. ---- */

/* The places where the code of a name begins, with its inlined copies. Returns 1 or an error. */
static int take_entries(struct finder *finder, const char *name)
{
	size_t count = 0;

	finder->entries = ear_address_entries(&finder->address, finder->names, name, &count);
	if (!finder->entries)
		return fail(finder, EAR_E_NO_MEMORY, "out of memory");
	finder->text.query.pcs = finder->entries;
	finder->text.query.pc_count = count;
	finder->text.query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	return 1;
}

/* The code of a name. Returns 1 and the query, 0 and message: it names none; or an error. */
static int find_code(struct finder *finder, const char *name, char message[EAR_ADDRESS_MESSAGE_MAX])
{
	struct ear_address *address = &finder->address;
	struct ear_function function = {.size = sizeof(function)};

	*address = (struct ear_address){.size = sizeof(*address)};
	if (ear_address_parse(address, name, strlen(name), finder->names, NULL, message))
		return 0;
	if (address->kind != EAR_ADDRESS_NUMBER && address->kind != EAR_ADDRESS_LINE &&
		address->kind != EAR_ADDRESS_INLINED &&
		!ear_names_function_at(finder->names, address->ranges[0].first, &function)) {
		snprintf(message, EAR_ADDRESS_MESSAGE_MAX, "'%.100s' is data and not code",
			finder->shown);
		return 0;
	}
	return take_entries(finder, name);
}

/* Has a function, or a label in code, exactly this name? */
static bool is_function(const struct finder *finder, const char *name)
{
	const struct ear_symbol *found[8];
	struct ear_function function = {.size = sizeof(function)};
	size_t count = finder->names ? ear_names_symbols_named(finder->names, name, found, 8) : 0;

	for (size_t i = 0; i < count && i < 8; i++)
		if (ear_names_function_at(finder->names, found[i]->address, &function))
			return true;
	return finder->names && ear_names_inlined_entries(finder->names, name, NULL, 0) > 0;
}

/* Is the text as far as :k the code of a line? Then :k is no count. */
static bool is_line(const struct finder *finder, const char *path, uint64_t line)
{
	uint32_t nearest[2];

	if (!finder->names || line > UINT32_MAX)
		return false;
	return ear_names_line_addresses(finder->names, path, (uint32_t)line, NULL, 0, nearest) >=
		       0 ||
	       strstr(ear_names_message(finder->names), "may be any of");
}

static int is_event(struct finder *finder, const char *name, struct ear_query *query)
{
	uint64_t position;

	*query = (struct ear_query)EAR_QUERY_ANY;
	if (ear_query_event(query, name))
		return 0;
	return ear_trace_find(finder->trace, query, 0, EAR_FORWARD, &position, finder->progress);
}

static int say_ambiguous(struct finder *finder, const char *first, const char *other)
{
	const char *name = finder->shown;

	return ear_trace_fail(finder->trace, EAR_E_BAD_ARGUMENT,
		"'%.100s' is %s and a symbol of the program: write %s%.100s or =%.100s", name,
		first, other, name, name);
}

/* An event, a function or a line. Returns 1 and the query, 0 or an error. */
static int find_name(struct finder *finder)
{
	struct ear_moment_text *text = &finder->text;
	char message[EAR_ADDRESS_MESSAGE_MAX] = "";
	struct ear_query query;

	if (text->colon && !text->from_end && is_line(finder, text->name, text->which)) {
		text->name[strlen(text->name)] = ':';
		text->which = 1;
		ear_printable_string(
			finder->shown, sizeof(finder->shown), text->name, EAR_PRINTABLE_LINE);
	}
	const int event =
		text->is_symbol || text->returns ? 0 : is_event(finder, text->name, &query);
	if (event < 0)
		return event;
	const int code =
		text->is_symbol || finder->names ? find_code(finder, text->name, message) : 0;
	if (code < 0)
		return code;
	if (event && code)
		return say_ambiguous(finder, "an event", "event=");
	text->noun = code ? "execution of" : "event";
	if (event)
		text->query = query;
	if (event || code)
		return 1;
	if (text->is_symbol || text->returns)
		return fail(finder, EAR_E_BAD_ARGUMENT,
			message[0] ? message
				   : "a function that returns needs the names of a program");
	return ear_trace_fail(finder->trace, 0, "there is no event '%.100s'%s%s", finder->shown,
		message[0] ? ", and " : "", message);
}

/* ---- Records. ---- */

/* A match that is counted, up to the one that is wanted. */
struct counting {
	bool is_code;
	uint64_t left, position;
};

static int count_match(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct counting *counting = context;

	(void)number;
	/* An interrupt before the instruction has its pc, too. */
	if (counting->is_code && record->flags & EAR_RECORD_INTERRUPT)
		return 0;
	counting->position = position;
	return --counting->left == 0;
}

/* The which-th one. Returns 1 and *position, 0 and in *count how many there are, or an error. */
static int find_forward(struct finder *finder, uint64_t which, uint64_t *position, uint64_t *count)
{
	struct counting counting = {.is_code = finder->text.query.pc_count > 0, .left = which};
	int result = ear_trace_find_all(finder->trace, &finder->text.query, 0, UINT64_MAX,
		count_match, &counting, finder->progress);

	*position = counting.position;
	*count = which - counting.left;
	return result;
}

static int find_backward(struct finder *finder, uint64_t *position, uint64_t *count)
{
	uint64_t from = UINT64_MAX;

	if (finder->text.query.pc_count > 0) {
		int result = find_forward(finder, UINT64_MAX, position, count);
		return result || *count < finder->text.which
			       ? result
			       : find_forward(
					 finder, *count - finder->text.which + 1, position, count);
	}
	for (*count = 0; *count < finder->text.which; ++*count) {
		int result = ear_trace_find(finder->trace, &finder->text.query, from, EAR_BACKWARD,
			position, finder->progress);
		if (result != 1)
			return result;
		from = *position;
	}
	return 1;
}

/* "there is no trap with cause 5", "there are only 2 events 'port'". Returns 0. */
static int say_missing(struct finder *finder, uint64_t count)
{
	const struct ear_moment_text *text = &finder->text;
	const bool is_name = text->base == EAR_MOMENT_NAME;
	const char *what = strchr(text->name, '=');
	const char *noun = text->noun;
	char which[300] = "";

	if (is_name)
		snprintf(which, sizeof(which), " '%.200s'", finder->shown);
	else if (what && text->query.has_cause)
		snprintf(which, sizeof(which), " with cause %.100s", what + 1);
	else if (what)
		snprintf(
			which, sizeof(which), " '%.200s'", finder->shown + (what + 1 - text->name));
	const bool is_code = is_name && text->query.pc_count > 0;
	if (is_code)
		noun = "execution";
	if (count == 0)
		return ear_trace_fail(
			finder->trace, 0, "there is no %s%s%s", noun, is_code ? " of" : "", which);
	return ear_trace_fail(finder->trace, 0, "there %s only %" PRIu64 " %s%s%s%s",
		count == 1 ? "is" : "are", count, noun, count == 1 ? "" : "s", is_code ? " of" : "",
		which);
}

static int find_match(struct finder *finder, struct found *found)
{
	uint64_t position = 0, count = 0;
	int result = finder->text.from_end
			     ? find_backward(finder, &position, &count)
			     : find_forward(finder, finder->text.which, &position, &count);

	if (result == 0)
		return say_missing(finder, count);
	*found = (struct found){position, position};
	found->after += finder->text.query.kinds != 1u << EAR_RECORD_GAP;
	return result;
}

static int find_number(struct finder *finder, uint64_t number, struct found *found)
{
	int result = ear_trace_seek_number(finder->trace, number, finder->progress);
	uint64_t position = ear_trace_position(finder->trace);

	*found = (struct found){position, position + 1};
	if (result != 0)
		return result;
	return ear_trace_fail(finder->trace, EAR_E_BAD_ARGUMENT,
		"there is no instruction %" PRIu64 ": the trace has %" PRIu64 " of them", number,
		ear_trace_number(finder->trace));
}

static int find_mark(struct finder *finder, struct found *found)
{
	int result = ear_trace_find_mark(
		finder->trace, finder->text.mark, &found->before, finder->progress);

	found->after = found->before;
	return result;
}

/* Without any time the end would come after each. Returns 1 or an error. */
static int has_time(struct finder *finder)
{
	const int result = ear_trace_seek_time(finder->trace, 0, finder->progress);

	if (result != 0)
		return result;
	return ear_trace_fail(finder->trace, EAR_E_BAD_ARGUMENT,
		"the trace has no times, so '%.100s' is nowhere in it: the number of an "
		"instruction is written without @",
		finder->shown);
}

/* From the first record that is not before it to the first one that is after it. */
static int find_time(struct finder *finder, struct found *found)
{
	const uint64_t ticks = finder->text.number;
	int result = 0;

	*found = (struct found){0, UINT64_MAX};
	if (ticks < UINT64_MAX)
		result = ear_trace_seek_time(finder->trace, ticks + 1, finder->progress);
	if (result == 1)
		found->after = ear_trace_position(finder->trace);
	else if (result == 0)
		result = has_time(finder);
	if (result < 0 || ticks == 0)
		return result < 0 ? result : 1;
	result = ear_trace_seek_time(finder->trace, ticks, finder->progress);
	found->before = result == 1 ? ear_trace_position(finder->trace) : UINT64_MAX;
	return result < 0 ? result : 1;
}

/* ---- Returns. ---- */

/* The innermost frame of the hart before the record at position. Returns 1, or an error. */
static int find_frame(struct finder *finder, struct ear_moment *moment, uint64_t position,
	uint16_t hart, struct ear_call_frame *frame)
{
	int result = ear_moment_move(moment, position, finder->progress);

	if (result)
		return result;
	int64_t count = ear_moment_stack(moment, hart, frame, sizeof(*frame), 1, finder->progress);
	return count < 0 ? (int)count : 1;
}

/* The last record of the hart before position. */
static int find_last(struct finder *finder, uint16_t hart, uint64_t position, uint64_t *last)
{
	struct ear_query query = EAR_QUERY_ANY;

	query.hart = hart;
	query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	return ear_trace_find(
		finder->trace, &query, position, EAR_BACKWARD, last, finder->progress);
}

static int return_of(struct finder *finder, struct ear_moment *moment, uint16_t hart,
	const struct ear_call_frame *call, struct found *found)
{
	const struct ear_span there = {call->return_pc, call->return_pc};
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position = call->position, last;
	struct ear_call_frame frame;
	int result;

	query.hart = hart;
	query.pcs = &there;
	query.pc_count = 1;
	for (;;) {
		result = ear_trace_find(finder->trace, &query, position + 1, EAR_FORWARD, &position,
			finder->progress);
		if (result == 1)
			result = find_last(finder, hart, position, &last);
		if (result == 1)
			result = find_frame(finder, moment, last, hart, &frame);
		if (result != 1)
			break;
		if (frame.kind != EAR_FRAME_CALL || frame.position != call->position)
			continue;
		result = find_frame(finder, moment, position, hart, &frame);
		if (result != 1)
			break;
		if (frame.kind != EAR_FRAME_CALL || frame.position != call->position) {
			*found = (struct found){last, last + 1};
			return 1;
		}
	}
	return result ? result
		      : ear_trace_fail(finder->trace, 0,
				"this call of '%.100s' does not return in the trace",
				finder->shown);
}

/* found is the function's first instruction, and becomes the one that returns. */
static int find_return(struct finder *finder, struct found *found)
{
	const struct ear_record *record;
	struct ear_call_frame call;
	struct ear_moment *moment;
	uint64_t entry = found->before;

	if (finder->address.kind == EAR_ADDRESS_LINE)
		return fail(finder, EAR_E_BAD_ARGUMENT, "a line does not return");
	int result = ear_trace_seek(finder->trace, entry, finder->progress);
	if (result == 1)
		result = ear_trace_next(finder->trace, &record);
	if (result != 1)
		return result;
	const uint16_t hart = record->hart;
	const uint64_t pc = record->pc;
	if (finder->address.kind == EAR_ADDRESS_INLINED || pc != finder->address.ranges[0].first)
		return ear_trace_fail(finder->trace, 0,
			"'%.100s' is inlined here: there is no call that returns", finder->shown);
	result = ear_moment_new(&moment, finder->trace, entry, finder->progress);
	if (result)
		return result;
	result = find_frame(finder, moment, entry, hart, &call);
	if (result == 1 && (call.kind != EAR_FRAME_CALL || call.entry != pc))
		result = ear_trace_fail(finder->trace, 0,
			"who called '%.100s' here is not known, so neither is its return",
			finder->shown);
	if (result == 1)
		result = return_of(finder, moment, hart, &call, found);
	ear_moment_free(moment);
	return result;
}

/* ---- The whole. ---- */

static int find_base(struct finder *finder, uint64_t now, struct found *found)
{
	int result = 1;

	switch (finder->text.base) {
	case EAR_MOMENT_NUMBER: return find_number(finder, finder->text.number, found);
	case EAR_MOMENT_TIME: return find_time(finder, found);
	case EAR_MOMENT_BEGIN: *found = (struct found){0, 0}; return 1;
	case EAR_MOMENT_FIRST: *found = (struct found){0, 1}; return 1;
	case EAR_MOMENT_END: *found = (struct found){UINT64_MAX, UINT64_MAX}; return 1;
	case EAR_MOMENT_NOW: *found = (struct found){now, now}; return 1;
	case EAR_MOMENT_MARK: return find_mark(finder, found);
	case EAR_MOMENT_NAME: result = find_name(finder); break;
	case EAR_MOMENT_MATCH: break;
	}
	if (result == 1)
		result = find_match(finder, found);
	return result == 1 && finder->text.returns ? find_return(finder, found) : result;
}

/* Number of the instruction that comes next at a position. */
static int number_at(struct finder *finder, uint64_t position, uint64_t *number)
{
	int result = ear_trace_seek(finder->trace, position, finder->progress);

	*number = ear_trace_number(finder->trace);
	return result < 0 ? result : 1;
}

/* The offset-th instruction after what was found, or before it. */
static int move(struct finder *finder, struct found *found)
{
	const struct ear_moment_text *text = &finder->text;
	const bool is_now = text->base == EAR_MOMENT_NOW, back = text->sign == '-';
	uint64_t number = is_now ? found->before + !back : 0;
	int result = 1;

	if (text->offset == 0 && !is_now)
		return 1;
	if (!is_now)
		result = number_at(finder, back ? found->before : found->after, &number);
	if (result != 1)
		return result;
	if (back && text->offset > number)
		return ear_trace_fail(finder->trace, EAR_E_BAD_ARGUMENT,
			"there are only %" PRIu64 " instructions before it", number);
	if (!back && text->offset - 1 > UINT64_MAX - number)
		return ear_trace_fail(
			finder->trace, EAR_E_BAD_ARGUMENT, "there is no such instruction");
	return find_number(finder, back ? number - text->offset : number + text->offset - 1, found);
}

/* An event may be called "irq-5". Returns 1 if that is the one that is meant, 0 or an error. */
static int is_whole_event(struct finder *finder)
{
	struct ear_moment_text *text = &finder->text;
	const bool explicit = strncmp(text->text, "event=", 6) == 0;
	struct ear_query query, base;

	if (!explicit && (text->base != EAR_MOMENT_NAME || text->is_symbol))
		return 0;
	int event = is_event(finder, text->text + (explicit ? 6 : 0), &query);
	if (event != 1)
		return event;
	if (!explicit && (is_function(finder, text->name) ||
				 (event = is_event(finder, text->name, &base)) != 0))
		return event < 0 ? event
				 : ear_trace_fail(finder->trace, EAR_E_BAD_ARGUMENT,
					   "'%.150s%c%" PRIu64
					   "' is an event, and instructions from '%.100s': write "
					   "event=%.100s%c%" PRIu64 " or %.100s#1%c%" PRIu64,
					   finder->shown, text->sign, text->offset, finder->shown,
					   finder->shown, text->sign, text->offset, finder->shown,
					   text->sign, text->offset);
	text->query = query;
	text->base = EAR_MOMENT_MATCH;
	text->sign = 0;
	return 1;
}

static int find(struct finder *finder, uint64_t now, struct found *found)
{
	struct ear_moment_text *text = &finder->text;

	if (text->is_word && is_function(finder, text->name))
		return say_ambiguous(finder, "a word for a moment", "@");
	int whole = text->sign ? is_whole_event(finder) : 0;
	if (whole < 0)
		return whole;
	int result = find_base(finder, now, found);
	return result == 1 && text->sign ? move(finder, found) : result;
}

int ear_trace_find_moment(struct ear_trace *trace, const char *text, struct ear_names *names,
	uint64_t now, struct ear_moment_place *place, const struct ear_progress *progress)
{
	struct finder finder = {.trace = trace, .names = names, .progress = progress};
	struct found found = {0};
	char shown[200];

	if (!ear_moment_text_parse(&finder.text, text, now != UINT64_MAX)) {
		ear_printable_string(shown, sizeof(shown), text, EAR_PRINTABLE_LINE);
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "'%.150s' is not a moment", shown);
	}
	ear_printable_string(
		finder.shown, sizeof(finder.shown), finder.text.name, EAR_PRINTABLE_LINE);
	int result = find(&finder, now, &found);
	free(finder.entries);
	if (result != 1)
		return result;
	const struct ear_moment_place own = {.before = found.before, .after = found.after};
	return ear_versioned_write(place, &own, sizeof(own)) == 0
		       ? 1
		       : ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the place is 0");
}
