/* Asks an index, and a plain scan, the same questions.
 *
 * The scan keeps a copy of every record and looks at each; followers of its own are fed all records
 * from the first. Nothing of the index is used for it.
 */
#include "index_check.h"

#include "check.h"

#include <earshot/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/record/record_batch.h"
#include "library/index/index_moment.h"
#include "library/index/index_verify.h"
#include "library/index/index_walk.h"
#include "library/memory/memory_state.h"
#include "library/stack/call_stack.h"
#include "library/state/flow.h"
#include "library/state/state.h"

#define TERMS_MAX   3
#define WINDOW      256u /* bytes of memory that are asked for */
#define FRAMES_MAX  32
#define REPORTS_MAX 1000

struct scan {
	struct ear_record_batch batch;
	const struct ear_record **records;
	size_t count;
	int end;                       /* what the source returned last */
	uint64_t reports[REPORTS_MAX]; /* position of the record that was read then */
	size_t report_count;
	struct ear_memory_options memory;
	struct ear_state_source source;
};

/* The plain scan ------------------------------------------------------------------------------ */

static struct ear_source *open_source(const struct index_check *check, int fd)
{
	struct ear_source_options options = {.reader = check->reader, .shared = true};
	struct ear_source *source;
	int result = ear_source_new(&source, fd, &options);

	if (result)
		fail_msg("%s: %s", check->name, ear_error_text(result));
	return source;
}

/* Damage may leave a beginning that is of no format; then it has no index, either. */
static bool is_trace(const struct index_check *check, int fd)
{
	struct ear_source_options options = {.reader = check->reader, .shared = true};
	struct ear_source *source;
	int result = ear_source_new(&source, fd, &options);

	if (result == 0)
		ear_source_free(source);
	return result != EAR_E_UNSUPPORTED;
}

/* The reader reported a line while it read the next record. */
static int note_report(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	struct scan *scan = context;

	(void)line_number;
	(void)offset;
	(void)cause;
	(void)kind;
	if (scan->report_count < REPORTS_MAX)
		scan->reports[scan->report_count++] = scan->batch.count;
	return 0;
}

static void read_all(struct scan *scan, const struct index_check *check, int fd)
{
	struct index_check reporting = *check;
	const struct ear_record *record;

	*scan = (struct scan){0};
	reporting.reader.report = note_report;
	reporting.reader.context = scan;
	struct ear_source *source = open_source(&reporting, fd);
	while ((scan->end = ear_source_next(source, &record)) == 1)
		assert_non_null(ear_record_batch_add(&scan->batch, record));
	scan->count = scan->batch.count;
	scan->records = calloc(scan->count + 1, sizeof(*scan->records));
	assert_non_null(scan->records);
	for (size_t i = 0; i < scan->count; i++)
		scan->records[i] = &scan->batch.records[i];
	bool capture = strcmp(ear_source_format(source), "shot") == 0;
	scan->memory = (struct ear_memory_options){
		.key = EAR_MEMORY_FLAT, .absent_is_same = !capture, .captured = capture};
	scan->source = (struct ear_state_source){.captured = capture, .shows_fflags = capture};
	ear_source_free(source);
}

static void free_scan(struct scan *scan)
{
	free(scan->records);
	ear_record_batch_fini(&scan->batch);
}

/* Queries ------------------------------------------------------------------------------------- */

static uint64_t wide_cause(const struct ear_record *record)
{
	uint64_t top = (uint64_t)1 << (record->xlen == 32 ? 31 : 63);

	return (record->cause & ~top) | (record->cause & top ? (uint64_t)1 << 63 : 0);
}

static bool touches(const struct ear_record *record, const struct ear_index_term *term)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		uint64_t last = access->address + (access->size ? access->size : 1) - 1;
		bool kind = term->kind == EAR_INDEX_ACCESS ||
			    access->write == (term->kind == EAR_INDEX_WRITE);
		if (kind && last >= access->address && access->address <= term->last &&
			last >= term->first)
			return true;
	}
	return false;
}

static bool writes(const struct ear_record *record, const struct ear_index_term *term)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != term->first)
			continue;
		if (reg->reg_class == EAR_REGISTER_NAMED
				? reg->text_size == term->name.size &&
					  memcmp(reg->text.name, term->name.text,
						  term->name.size) == 0
				: reg->number == term->last)
			return true;
	}
	return false;
}

static bool holds(const struct ear_record *record, const struct ear_index_term *term)
{
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
	uint32_t traps = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	switch (term->kind) {
	case EAR_INDEX_PC:
		return instruction && record->pc >= term->first && record->pc <= term->last;
	case EAR_INDEX_READ:
	case EAR_INDEX_WRITE:
	case EAR_INDEX_ACCESS: return touches(record, term);
	case EAR_INDEX_REGISTER: return writes(record, term);
	case EAR_INDEX_TRAP: return instruction && traps & EAR_RECORD_TRAP;
	case EAR_INDEX_INTERRUPT: return instruction && traps & EAR_RECORD_INTERRUPT;
	case EAR_INDEX_ANY_TRAP: return instruction && traps;
	case EAR_INDEX_CAUSE:
		return instruction && traps && !(record->flags & EAR_RECORD_NO_CAUSE) &&
		       wide_cause(record) == term->first;
	case EAR_INDEX_PRIVILEGE:
		return instruction && !(record->flags & EAR_RECORD_NO_PRIVILEGE) &&
		       record->privilege == term->first;
	case EAR_INDEX_EVENT: return record->kind == EAR_RECORD_EVENT;
	case EAR_INDEX_GAP: return record->kind == EAR_RECORD_GAP;
	case EAR_INDEX_TICKS:
		return record->flags & EAR_RECORD_HAS_TIME && record->ticks >= term->first &&
		       record->ticks <= term->last;
	case EAR_INDEX_ORDER:
		return instruction && record->index >= term->first && record->index <= term->last;
	default: fail_msg("a term that the test does not know"); return false;
	}
}

static bool matches(const struct ear_record *record, const struct ear_index_query *query)
{
	for (size_t i = 0; i < query->count; i++)
		if (!holds(record, &query->terms[i]))
			return false;
	return true;
}

static void around(struct ear_index_term *term, uint64_t value, struct random *random)
{
	uint64_t before = random_once_in(random, 2) ? 0 : random_below(random, 200);
	uint64_t after = random_once_in(random, 2) ? 0 : random_below(random, 200);

	term->first = value < before ? 0 : value - before;
	term->last = value > UINT64_MAX - after ? UINT64_MAX : value + after;
}

/* A term that holds for a record of the trace, mostly. */
static void make_term(
	struct ear_index_term *term, const struct ear_record *record, struct random *random)
{
	static const enum ear_index_term_kind rare[] = {EAR_INDEX_TRAP, EAR_INDEX_INTERRUPT,
		EAR_INDEX_ANY_TRAP, EAR_INDEX_EVENT, EAR_INDEX_GAP};

	*term = (struct ear_index_term){0};
	switch (random_below(random, 9)) {
	case 0:
	case 1:
		term->kind = EAR_INDEX_PC;
		around(term, record->pc, random);
		return;
	case 2:
	case 3:
		if (record->memory_count == 0)
			break;
		term->kind = EAR_INDEX_READ + (enum ear_index_term_kind)random_below(random, 3);
		around(term, record->memory[random_below(random, record->memory_count)].address,
			random);
		return;
	case 4:
	case 5: {
		if (record->register_count == 0)
			break;
		const struct ear_record_register *reg =
			&record->registers[random_below(random, record->register_count)];
		term->kind = EAR_INDEX_REGISTER;
		term->first = reg->reg_class;
		term->last = reg->number;
		if (reg->reg_class == EAR_REGISTER_NAMED)
			term->name = (struct ear_text){reg->text.name, reg->text_size};
		return;
	}
	case 6:
		if (!(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)))
			break;
		term->kind = EAR_INDEX_CAUSE;
		term->first = wide_cause(record);
		return;
	case 7:
		term->kind = EAR_INDEX_PRIVILEGE;
		term->first = random_below(random, EAR_PRIVILEGE_DEBUG + 1);
		return;
	default:
		term->kind = random_once_in(random, 2) ? EAR_INDEX_TICKS : EAR_INDEX_ORDER;
		around(term, term->kind == EAR_INDEX_TICKS ? record->ticks : record->index, random);
		return;
	}
	term->kind = rare[random_below(random, 5)];
}

/* The first match in a part of the trace, or the last one; UINT64_MAX: none. */
static uint64_t find_in_stretch(const struct index_check *check, struct ear_index_walk *walk,
	const struct ear_index_query *query, const struct ear_index_stretch *stretch, bool forward,
	struct index_checked *checked)
{
	uint64_t found = UINT64_MAX;
	int result = ear_index_walk_to(walk, stretch->position);

	if (result)
		fail_msg("%s: walk to %" PRIu64 ": %s", check->name, stretch->position,
			ear_error_text(result));
	for (uint64_t at = stretch->position; at < stretch->end; at++) {
		const struct ear_record *record;
		result = ear_index_walk_next(walk, &record);
		if (result != 1)
			fail_msg("%s: record %" PRIu64 ": %d", check->name, at, result);
		checked->decoded++;
		if (!matches(record, query))
			continue;
		found = at;
		if (forward)
			break;
	}
	result = ear_index_walk_check(walk);
	if (result)
		fail_msg("%s: check behind %" PRIu64 ": %s", check->name, stretch->position,
			ear_error_text(result));
	return found;
}

static uint64_t ask_index(const struct index_check *check, struct ear_index *index,
	struct ear_index_walk *walk, const struct ear_index_query *query, uint64_t position,
	bool forward, struct index_checked *checked)
{
	for (;;) {
		struct ear_index_stretch stretch;
		int result = forward ? ear_index_next(index, query, position, &stretch)
				     : ear_index_previous(index, query, position, &stretch);
		if (result < 0)
			fail_msg("%s: query: %s", check->name, ear_error_text(result));
		if (result == 0)
			return UINT64_MAX;
		assert_true(stretch.position < stretch.end);
		assert_true(forward ? stretch.position >= position : stretch.end <= position);
		assert_true(stretch.begin <= stretch.position);
		uint64_t found = find_in_stretch(check, walk, query, &stretch, forward, checked);
		if (found != UINT64_MAX)
			return found;
		position = forward ? stretch.end : stretch.position;
	}
}

static uint64_t ask_scan(const struct scan *scan, const struct ear_index_query *query,
	uint64_t position, bool forward)
{
	if (forward) {
		for (uint64_t at = position; at < scan->count; at++)
			if (matches(scan->records[at], query))
				return at;
	} else {
		for (uint64_t at = position < scan->count ? position : scan->count; at-- > 0;)
			if (matches(scan->records[at], query))
				return at;
	}
	return UINT64_MAX;
}

static void check_query(const struct index_check *check, const struct scan *scan,
	struct ear_index *index, struct ear_index_walk *walk, struct index_checked *checked,
	struct random *random)
{
	struct ear_index_term terms[TERMS_MAX];
	struct ear_index_query query = {terms, 1 + random_below(random, TERMS_MAX)};
	uint64_t position = random_below(random, scan->count + 2);
	bool forward = random_once_in(random, 2), same = random_once_in(random, 2);
	size_t model = random_below(random, scan->count);

	if (random_once_in(random, 2))
		query.count = 1;
	for (size_t i = 0; i < query.count; i++) {
		if (!same)
			model = random_below(random, scan->count);
		make_term(&terms[i], scan->records[model], random);
	}
	uint64_t truth = ask_scan(scan, &query, position, forward);
	uint64_t found = ask_index(check, index, walk, &query, position, forward, checked);
	checked->found += truth != UINT64_MAX;
	if (found != truth)
		fail_msg("%s: %zu terms, first of kind %d, 0x%" PRIx64 " .. 0x%" PRIx64
			 ", %s %" PRIu64 ": record %" PRId64 ", but it is %" PRId64,
			check->name, query.count, (int)terms[0].kind, terms[0].first, terms[0].last,
			forward ? "from" : "before", position, (int64_t)found, (int64_t)truth);
}

static void check_counts(const struct index_check *check, const struct scan *scan,
	struct ear_index *index, struct random *random)
{
	uint64_t position = random_below(random, scan->count + 2);
	struct ear_index_counts counts, truth = {0};

	assert_int_equal(ear_index_count(index, position, &counts), 0);
	assert_true(counts.position <= position);
	for (uint64_t at = 0; at < counts.position; at++) {
		const struct ear_record *record = scan->records[at];
		bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
		truth.records++;
		truth.instructions += instruction;
		truth.traps += instruction && record->flags & EAR_RECORD_TRAP;
		truth.interrupts += instruction && record->flags & EAR_RECORD_INTERRUPT;
		truth.events += record->kind == EAR_RECORD_EVENT;
		truth.gaps += record->kind == EAR_RECORD_GAP;
	}
	truth.position = counts.position;
	if (memcmp(&truth, &counts, sizeof(truth)) != 0)
		fail_msg("%s: the counts before %" PRIu64 " are wrong", check->name,
			counts.position);
}

/* The stretch of an instruction by its number: it has that instruction. */
static void check_number(const struct index_check *check, const struct scan *scan,
	struct ear_index *index, struct random *random)
{
	uint64_t number = random_below(random, scan->count + 1), before = 0, at = 0;
	struct ear_index_stretch stretch;
	int result = ear_index_find_number(index, number, &stretch);

	for (at = 0; at < scan->count; at++) {
		if (scan->records[at]->kind != EAR_RECORD_INSTRUCTION)
			continue;
		if (before++ == number)
			break;
	}
	if (result != (at < scan->count))
		fail_msg("%s: instruction %" PRIu64 ": %d", check->name, number, result);
	if (result == 1 && (at < stretch.position || at >= stretch.end))
		fail_msg("%s: instruction %" PRIu64 " is record %" PRIu64 ", not in %" PRIu64
			 " .. %" PRIu64,
			check->name, number, at, stretch.position, stretch.end);
}

/* Moments ------------------------------------------------------------------------------------- */

/* Followers of the scan, which only go forward. */
struct followers {
	size_t position;
	struct ear_state *state;
	struct ear_memory *memory;
	struct ear_call_stacks *stacks;
	struct ear_flow flow;
	size_t flow_begin;
};

static void follow_to(struct followers *followers, const struct scan *scan, size_t position)
{
	while (followers->position < position) {
		const struct ear_record *record = scan->records[followers->position];
		assert_int_equal(ear_state_push(followers->state, record), 0);
		assert_int_equal(ear_memory_push(followers->memory, record), 0);
		assert_int_equal(ear_flow_push(&followers->flow,
					 followers->position - followers->flow_begin, record),
			0);
		followers->position++;
	}
}

static void sync_stacks(struct followers *followers)
{
	assert_int_equal(
		ear_flow_sync(&followers->flow, followers->position - followers->flow_begin), 0);
	assert_int_equal(ear_call_stacks_push(followers->stacks, followers->flow.events,
				 followers->flow.count, followers->flow_begin),
		0);
	followers->flow.count = 0;
	ear_flow_begin(&followers->flow);
	followers->flow_begin = followers->position;
}

static void begin_followers(struct followers *followers, const struct scan *scan)
{
	*followers = (struct followers){0};
	assert_int_equal(ear_state_new(&followers->state), 0);
	ear_state_set_source(followers->state, &scan->source);
	assert_int_equal(ear_memory_new(&followers->memory, &scan->memory), 0);
	assert_int_equal(ear_call_stacks_new(&followers->stacks), 0);
	ear_flow_begin(&followers->flow);
}

static void end_followers(struct followers *followers)
{
	ear_state_free(followers->state);
	ear_memory_free(followers->memory);
	ear_call_stacks_free(followers->stacks);
	ear_flow_fini(&followers->flow);
}

static void check_state(const struct index_check *check, struct ear_index_moment *moment,
	const struct followers *truth, struct index_checked *checked)
{
	const struct ear_state *state;
	uint8_t *bytes, *expected;
	int result = ear_index_state(moment, truth->position, &state);

	if (result)
		fail_msg("%s: registers at %zu: %s", check->name, truth->position,
			ear_error_text(result));
	size_t size = ear_state_save(state, NULL, 0);
	size_t expected_size = ear_state_save(truth->state, NULL, 0);
	bytes = malloc(size);
	expected = malloc(expected_size);
	assert_non_null(bytes);
	assert_non_null(expected);
	ear_state_save(state, bytes, size);
	ear_state_save(truth->state, expected, expected_size);
	checked->registers += size / 8;
	if (size != expected_size || memcmp(bytes, expected, size) != 0)
		fail_msg("%s: registers at %zu differ", check->name, truth->position);
	free(bytes);
	free(expected);
}

static void check_memory(const struct index_check *check, struct ear_index_moment *moment,
	struct followers *truth, uint64_t address, struct index_checked *checked)
{
	uint8_t bytes[WINDOW], known[WINDOW], expected[WINDOW];
	bool expected_known[WINDOW];

	if (address > UINT64_MAX - WINDOW)
		address = UINT64_MAX - WINDOW;
	int result = ear_index_memory(moment, truth->position, address, WINDOW, bytes, known);
	if (result)
		fail_msg("%s: memory at %zu: %s", check->name, truth->position,
			ear_error_text(result));
	assert_true(ear_memory_read(truth->memory, address, expected, expected_known, WINDOW) >= 0);
	for (size_t i = 0; i < WINDOW; i++) {
		checked->bytes += expected_known[i];
		if ((known[i] == EAR_INDEX_BYTE_KNOWN) != expected_known[i] ||
			bytes[i] != expected[i])
			fail_msg("%s: byte 0x%" PRIx64 " at %zu: %s 0x%02x, but it is %s 0x%02x",
				check->name, address + i, truth->position,
				known[i] == EAR_INDEX_BYTE_KNOWN ? "known" : "unknown", bytes[i],
				expected_known[i] ? "known" : "unknown", expected[i]);
	}
}

static void check_stacks(const struct index_check *check, struct ear_index_moment *moment,
	struct followers *truth, uint16_t hart, struct index_checked *checked)
{
	struct ear_call_frame frames[FRAMES_MAX], expected[FRAMES_MAX];
	const struct ear_call_stacks *stacks;
	int result = ear_index_stacks(moment, truth->position, &stacks);

	if (result)
		fail_msg("%s: stacks at %zu: %s", check->name, truth->position,
			ear_error_text(result));
	sync_stacks(truth);
	int count = ear_call_stack_frames(stacks, hart, frames, FRAMES_MAX);
	int expected_count = ear_call_stack_frames(truth->stacks, hart, expected, FRAMES_MAX);
	if (count != expected_count)
		fail_msg("%s: %d frames at %zu, but it is %d", check->name, count, truth->position,
			expected_count);
	for (int i = 0; i < count && i < FRAMES_MAX; i++) {
		checked->frames++;
		if (frames[i].kind != expected[i].kind || frames[i].entry != expected[i].entry ||
			frames[i].position != expected[i].position ||
			(frames[i].kind != EAR_FRAME_BASE &&
				frames[i].return_pc != expected[i].return_pc) ||
			frames[i].sp_known != expected[i].sp_known ||
			(frames[i].sp_known && frames[i].sp != expected[i].sp))
			fail_msg("%s: frame %d at %zu differs", check->name, i, truth->position);
	}
}

static int by_position(const void *a, const void *b)
{
	const size_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* Volatile bytes, and what addresses mean, the whole trace says. */
static struct ear_memory *scan_memory(struct scan *scan)
{
	for (unsigned i = 0; i < 3; i++) {
		struct ear_memory *memory;
		assert_int_equal(ear_memory_new(&memory, &scan->memory), 0);
		for (size_t at = 0; at < scan->count; at++)
			assert_int_equal(ear_memory_push(memory, scan->records[at]), 0);
		if (ear_memory_better_key(memory) == scan->memory.key)
			return memory;
		scan->memory.key = ear_memory_better_key(memory);
		ear_memory_free(memory);
	}
	fail_msg("the key of memory changes again and again");
	return NULL;
}

static uint64_t some_address(const struct scan *scan, struct random *random)
{
	for (unsigned i = 0; i < 30; i++) {
		const struct ear_record *record = scan->records[random_below(random, scan->count)];
		if (record->memory_count > 0) {
			uint64_t address = record->memory[0].address,
				 before = random_below(random, WINDOW);
			return address < before ? 0 : address - before;
		}
	}
	return random_below(random, 1u << 20);
}

static void check_moments(const struct index_check *check, struct scan *scan,
	struct ear_index_walk *walk, struct index_checked *checked, struct random *random)
{
	struct ear_memory *whole = scan_memory(scan);
	struct ear_index_moment *moment;
	struct followers truth;
	size_t *positions = calloc(check->moments + 1, sizeof(*positions));

	assert_non_null(positions);
	for (unsigned i = 0; i < check->moments; i++)
		positions[i] = random_below(random, scan->count + 1);
	qsort(positions, check->moments, sizeof(*positions), by_position);
	begin_followers(&truth, scan);
	ear_memory_set_volatile(truth.memory, ear_memory_volatile(whole));
	assert_int_equal(ear_index_moment_new(&moment, walk, &scan->memory), 0);
	for (unsigned i = 0; i < check->moments; i++) {
		follow_to(&truth, scan, positions[i]);
		check_memory(check, moment, &truth, some_address(scan, random), checked);
		check_state(check, moment, &truth, checked);
		check_stacks(check, moment, &truth,
			scan->records[random_below(random, scan->count)]->hart, checked);
		check_memory(check, moment, &truth, some_address(scan, random), checked);
	}
	ear_index_moment_free(moment);
	end_followers(&truth);
	ear_memory_free(whole);
	free(positions);
}

static void check_verify(const struct index_check *check, struct ear_index *index, int fd)
{
	struct ear_source *source = open_source(check, fd);
	uint64_t position;
	bool changed;
	int result = ear_index_verify(index, source, NULL, NULL, &position, &changed);

	if (result)
		fail_msg("%s: verified at %" PRId64 ": %s, the trace has%s changed", check->name,
			(int64_t)position, ear_error_text(result), changed ? "" : " not");
	ear_source_free(source);
}

/* What is read for reports has them all. */
static void check_reports(
	const struct index_check *check, const struct scan *scan, struct ear_index *index)
{
	const struct ear_index_term term = {.kind = EAR_INDEX_REPORT};
	const struct ear_index_query query = {&term, 1};
	struct ear_index_stretch stretch;

	for (size_t i = 0; i < scan->report_count; i++) {
		uint64_t position = scan->reports[i];
		if (position == scan->count)
			continue; /* after the last record */
		if (ear_index_next(index, &query, position, &stretch) != 1 ||
			stretch.position != position)
			fail_msg("%s: a line was reported at %" PRIu64
				 ", which the index does not know",
				check->name, position);
	}
	if (scan->report_count == 0 && ear_index_next(index, &query, 0, &stretch) != 0)
		fail_msg("%s: the index knows of a report", check->name);
}

/* All of it ----------------------------------------------------------------------------------- */

void index_check_file(
	const struct index_check *check, struct index_checked *checked, struct random *random)
{
	const struct ear_index_options options = {.source = {.reader = check->reader},
		.build = check->grown ? EAR_INDEX_BUILD_IF_NEEDED : EAR_INDEX_BUILD_ALWAYS,
		.cache = "",
		.jobs = check->jobs,
		.wait_ms = 0,
		.stretch = check->stretch};
	struct ear_index_report report;
	struct ear_index_walk *walk;
	struct ear_index *index;
	struct scan scan;
	int fd = open(check->path, O_RDONLY);

	assert_at_least(fd, 0);
	if (!is_trace(check, fd)) {
		close(fd);
		assert_int_equal(
			ear_index_open(&index, check->path, &options, &report), EAR_E_BAD_FILE);
		return;
	}
	read_all(&scan, check, fd);
	int result = ear_index_open(&index, check->path, &options, &report);
	if (result)
		fail_msg("%s: index: %s, %s", check->name, ear_error_text(result), report.cause);
	struct ear_index_totals totals = ear_index_totals(index);
	if (totals.records != scan.count)
		fail_msg("%s: %" PRIu64 " records, but there are %zu", check->name, totals.records,
			scan.count);
	checked->records += totals.records;
	checked->nodes += totals.nodes;
	checked->parts += report.parts;
	checked->extended += report.extended;
	checked->reports += scan.report_count;
	check_reports(check, &scan, index);
	struct ear_source *source = open_source(check, fd);
	assert_int_equal(ear_index_walk_new(&walk, index, source), 0);
	for (unsigned i = 0; i < check->queries && scan.count > 0; i++) {
		check_query(check, &scan, index, walk, checked, random);
		if (i % 16 == 0) {
			check_counts(check, &scan, index, random);
			check_number(check, &scan, index, random);
		}
	}
	if (scan.count > 0)
		check_moments(check, &scan, walk, checked, random);
	ear_index_walk_free(walk);
	ear_source_free(source);
	check_verify(check, index, fd);
	ear_index_close(index);
	free_scan(&scan);
	close(fd);
	unlink(report.file);
}
