/* Two traces that go together. They are compared once, as `earshot diff` does, before the screen
 * begins; what differs is a list, and where one of them has records that the other one lacks, the
 * numbers are apart from there on. So the record of the other side is found without a search,
 * wherever the cursor is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/browse/browse.h"
#include "cli/input/source_input.h"
#include "common/array.h"
#include "decoder/formats/formats.h"
#include "library/compare/compare.h"
#include "library/compare/compare_record.h"
#include "library/compare/equivalence.h"

#define EVENTS_MAX    10000 /* differences that are kept */
#define COMMON_WINDOW 1000  /* records in which what both have is looked for, */
#define COMMON_MIN    4     /* and so many instructions in a row are in common */

/* From these numbers on, A and B go together, until the next point. */
struct point {
	uint64_t number[2];
};

struct event {
	uint64_t number[2];
	char text[160];
};

struct browse_pair {
	struct source_input inputs[2];
	struct ear_equivalence equivalence;
	struct ear_compare *compare;
	struct point *points;
	size_t point_count, point_capacity;
	struct event *events;
	size_t event_count, event_capacity;
	bool ended;       /* all was compared */
	bool many;        /* several harts: nothing is locked */
	uint64_t reached; /* numbers of A that were compared */
	uint16_t hart;
	bool has_hart;
	double progress;
};

/* ---- Comparing. ---- */

static struct ear_equivalence_side describe(struct ear_source *source)
{
	const struct ear_decoder_statistics *statistics = ear_source_statistics(source);
	const char *name = ear_source_format(source);
	const struct ear_writer_format *format = ear_writer_find(name);
	const struct ear_reader_format *reader = ear_reader_find(name);
	const uint64_t carried = format ? format->fields : reader ? reader->fields : 0;

	return (struct ear_equivalence_side){
		.format = statistics ? "capture" : name,
		.carried = (carried ? carried : EAR_FIELDS_ALL) & ear_source_carried(source),
		.csr_slots = statistics && statistics->unit_known ? statistics->unit.csr_slots : 0,
	};
}

static int next_record(void *context, unsigned side, const struct ear_record **record)
{
	struct browse_pair *pair = context;
	struct source_input *input = &pair->inputs[side];

	if (input->record_count % 4096 == 0) {
		if (cli_interrupted)
			return EAR_E_CANCELLED;
		if (cli_progress_due(&pair->progress))
			cli_progress("comparing: %" PRIu64
				     " records, %zu differences, Ctrl-C: enough",
				pair->inputs[0].record_count, pair->event_count);
	}
	const int result = source_input_next(input, record);
	if (result == 1 && (*record)->kind == EAR_RECORD_INSTRUCTION) {
		pair->many |= pair->has_hart && pair->hart != (*record)->hart;
		pair->hart = (*record)->hart;
		pair->has_hart = true;
		if (pair->many)
			return EAR_E_CANCELLED;
	}
	return result;
}

static void add_point(struct browse_pair *pair, uint64_t a, uint64_t b)
{
	if (EAR_ARRAY_RESERVE(pair->points, &pair->point_capacity, pair->point_count + 1))
		pair->points[pair->point_count++] = (struct point){{a, b}};
}

/* Which register, or which field. */
static void difference_name(const struct ear_record_difference *difference, char *name, size_t size)
{
	const unsigned registers = EAR_COMPARE_X | EAR_COMPARE_F | EAR_COMPARE_CSR | EAR_COMPARE_V;

	if (difference->field & registers)
		ear_register_name((enum ear_register_class)difference->reg_class,
			difference->number, name, size);
	else if (difference->field == EAR_COMPARE_VALUE)
		snprintf(name, size, "memory at 0x%" PRIx64, difference->address);
	else
		snprintf(name, size, "%s", ear_compare_field_name(difference->field));
}

static void event_text(const struct ear_compare_event *event, char *text, size_t size)
{
	char name[80];

	switch (event->kind) {
	case EAR_COMPARE_DIFFERENT:
		difference_name(&event->difference, name, sizeof(name));
		snprintf(text, size, "%s: 0x%" PRIx64 " and 0x%" PRIx64, name,
			event->difference.value_a, event->difference.value_b);
		return;
	case EAR_COMPARE_INSERTED:
		snprintf(text, size, "%" PRIu64 " records are only in A, %" PRIu64 " only in B",
			event->count[0], event->count[1]);
		return;
	case EAR_COMPARE_ENDED:
		snprintf(text, size, "%c ends here, the other one continues",
			event->side == 0 ? 'A' : 'B');
		return;
	case EAR_COMPARE_PARTED:
		snprintf(text, size,
			"they part: no %d instructions in a row are in both, in the next %d "
			"records or to the end",
			COMMON_MIN, COMMON_WINDOW);
		return;
	default:
		snprintf(text, size,
			"%c has a gap: %" PRIu64 " records of A and %" PRIu64
			" of B were not compared",
			event->side == 0 ? 'A' : 'B', event->count[0], event->count[1]);
	}
}

static void note(struct browse_pair *pair, const struct ear_compare_event *event)
{
	const uint64_t a = ear_compare_count(pair->compare, 0);
	const uint64_t b = ear_compare_count(pair->compare, 1);

	if (EAR_ARRAY_RESERVE(pair->events, &pair->event_capacity, pair->event_count + 1)) {
		struct event *kept = &pair->events[pair->event_count++];
		*kept = (struct event){.number = {a, b}};
		event_text(event, kept->text, sizeof(kept->text));
	}
	if (event->kind == EAR_COMPARE_INSERTED || event->kind == EAR_COMPARE_GAP) {
		add_point(pair, a, b);
		add_point(pair, a + event->count[0], b + event->count[1]);
	}
}

static bool compare(struct browse_pair *pair)
{
	const struct ear_equivalence_side sides[2] = {
		describe(pair->inputs[0].source), describe(pair->inputs[1].source)};
	struct ear_compare_options options = {
		.fields = EAR_COMPARE_ALL & ~(unsigned)EAR_COMPARE_TIME,
		.window = COMMON_WINDOW,
		.run = COMMON_MIN,
		.hart = -1,
		.next = next_record,
		.next_context = pair};
	struct ear_compare_event event;
	int result;

	ear_equivalence_init(&pair->equivalence, sides);
	options.equivalence = pair->equivalence.rules ? &pair->equivalence : NULL;
	for (unsigned side = 0; side < 2; side++)
		options.fields &= ear_compare_fields_of(sides[side].carried) | EAR_COMPARE_FFLAGS;
	if (ear_compare_new(&pair->compare, &options))
		return false;
	add_point(pair, 0, 0);
	while ((result = ear_compare_next(pair->compare, &event)) == 1 &&
		pair->event_count < EVENTS_MAX)
		note(pair, &event);
	pair->ended = result == 0;
	pair->reached = ear_compare_count(pair->compare, 0);
	cli_progress_clear();
	if (cli_interrupted)
		cli_continue();
	return result >= 0 || result == EAR_E_CANCELLED ||
	       (!pair->inputs[0].reported && !pair->inputs[1].reported);
}

bool browse_pair_open(struct browse *browse)
{
	struct browse_pair *pair = calloc(1, sizeof(*pair));
	bool good = pair;

	browse->locked = pair;
	for (unsigned side = 0; side < 2 && good; side++) {
		const struct trace_input *from = browse->inputs[side];
		struct source_input *input = &pair->inputs[side];
		source_input_init(input, from->path);
		input->quiet = true;
		input->format = from->options.format;
		input->xlen = from->options.xlen;
		input->isa = from->options.isa;
		input->pattern = from->options.pattern;
		input->unit = from->options.unit;
		input->symbols = &browse->inputs[side]->symbols;
		input->bad_limit = UINT64_MAX;
		good = source_input_open(input);
	}
	good = good && compare(pair);
	if (pair && pair->many)
		cli_warning("several harts: the two traces are not locked; `earshot diff` compares "
			    "them");
	return good;
}

void browse_pair_free(struct browse *browse)
{
	struct browse_pair *pair = browse->locked;

	if (!pair)
		return;
	ear_compare_free(pair->compare);
	for (unsigned side = 0; side < 2; side++)
		if (pair->inputs[side].path)
			source_input_close(&pair->inputs[side]);
	free(pair->points);
	free(pair->events);
	free(pair);
	browse->locked = NULL;
}

/* ---- Together. ---- */

static size_t point_before(const struct browse_pair *pair, unsigned side, uint64_t number)
{
	size_t low = 0, high = pair->point_count;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (pair->points[middle].number[side] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The number on the other side; of a record that is on one side alone, that of the next in common.
 */
static uint64_t other_number(const struct browse_pair *pair, unsigned side, uint64_t number)
{
	const size_t at = point_before(pair, side, number);
	const struct point *point = &pair->points[at];
	uint64_t found = point->number[!side] + (number - point->number[side]);

	if (at + 1 < pair->point_count && found > pair->points[at + 1].number[!side])
		found = pair->points[at + 1].number[!side];
	return found;
}

static int go_to_number(struct browse_model *model, uint64_t number)
{
	int result = ear_trace_seek_number(model->trace, number, model->progress);

	if (result < 0)
		return browse_fail(model, result);
	return browse_go(model, result == 0 ? UINT64_MAX : ear_trace_position(model->trace));
}

void browse_pair_follow(struct browse *browse)
{
	const struct browse_pair *pair = browse->locked;
	struct browse_model *model = browse_here(browse), *other = &browse->models[!browse->side];
	uint64_t number;

	if (!pair || pair->many || model->empty || other->empty || pair->point_count == 0 ||
		!browse_model_number(model, model->cursor, &number))
		return;
	if (go_to_number(other, other_number(pair, browse->side, number)) != 1)
		browse_complain(browse, "the other trace: %s", other->why);
}

void browse_pair_text(struct browse *browse, char *text, size_t size)
{
	const struct browse_pair *pair = browse->locked;
	uint64_t number = 0;

	browse_model_number(&browse->models[1], browse->models[1].cursor, &number);
	snprintf(text, size, "B #%" PRIu64 "  %s%zu%s", number, pair->many ? "not locked, " : "",
		pair->event_count, pair->ended ? " differences" : " differences so far");
}

void browse_pair_list(struct browse *browse)
{
	const struct browse_pair *pair = browse->locked;

	if (!pair) {
		browse_complain(browse, "there is one trace: earshot browse A B compares two");
		return;
	}
	if (pair->event_count == 0) {
		browse_say(browse, pair->ended ? "the two traces are the same"
					       : "no difference so far: the rest was not compared");
		return;
	}
	browse_list_begin(browse, "differences: Enter goes there");
	for (size_t i = 0; i < pair->event_count; i++) {
		const struct event *event = &pair->events[i];
		struct ear_trace *trace = browse_here(browse)->trace;
		uint64_t position = UINT64_MAX;
		if (ear_trace_seek_number(
			    trace, event->number[browse->side], browse_here(browse)->progress) == 1)
			position = ear_trace_position(trace);
		browse_list_add(browse, position, BROWSE_PLAIN,
			"A #%-9" PRIu64 " B #%-9" PRIu64 " %s", event->number[0], event->number[1],
			event->text);
	}
	browse_list_show(browse);
}

void browse_pair_first(struct browse *browse)
{
	const struct browse_pair *pair = browse->locked;
	char number[32], text[BROWSE_MESSAGE_MAX] = "";

	if (!pair || pair->event_count == 0 || browse_here(browse)->empty)
		return;
	snprintf(text, sizeof(text), "%s", browse->message);
	snprintf(number, sizeof(number), "%" PRIu64, pair->events[0].number[browse->side]);
	if (browse_moment(browse_here(browse), number) == 1)
		browse_say(browse, "the first difference: %.200s%s%.200s", pair->events[0].text,
			text[0] ? "; " : "", text);
}

void browse_pair_next(struct browse *browse, enum ear_direction direction)
{
	const struct browse_pair *pair = browse->locked;
	struct browse_model *model = browse_here(browse);
	const struct event *found = NULL;
	uint64_t number = 0;

	if (!pair) {
		browse_complain(browse, "there is one trace: earshot browse A B compares two");
		return;
	}
	browse_model_number(model, model->cursor, &number);
	for (size_t i = 0; i < pair->event_count; i++) {
		const uint64_t at = pair->events[i].number[browse->side];
		if (direction == EAR_FORWARD ? at > number && !found : at < number)
			found = &pair->events[i];
	}
	if (!found) {
		browse_complain(browse, "there is no difference %s this record%s",
			direction == EAR_FORWARD ? "after" : "before",
			pair->ended ? "" : ", as far as they were compared");
		return;
	}
	char text[32];
	snprintf(text, sizeof(text), "%" PRIu64, found->number[browse->side]);
	browse_result(browse, browse_moment(model, text));
	browse_say(browse, "%s", found->text);
}
