/* Searches, compared with a look at every record.
 */
#include "check.h"

#include <stdio.h>

#include "library_truth.h"
#include "random.h"

/* A query of one or two conditions, with what they say about a record in other words. */
struct question {
	struct ear_query query;
	struct ear_span pcs[2], addresses[1];
	unsigned kinds; /* of conditions: set of 1 << 0 .. 1 << CONDITIONS - 1 */
};

#define CONDITIONS 11

static void add_condition(struct question *question, unsigned condition,
	const struct ear_record *like, struct random *random)
{
	struct ear_query *query = &question->query;
	const struct ear_record_access *access = like->memory_count ? &like->memory[0] : NULL;

	question->kinds |= 1u << condition;
	switch (condition) {
	case 0:
		question->pcs[0] = (struct ear_span){like->pc, like->pc + random_below(random, 9)};
		question->pcs[1] = (struct ear_span){1, 1};
		query->pcs = question->pcs;
		query->pc_count = 2;
		break;
	case 1:
		query->opcode_mask = random_once_in(random, 2) ? 0xffffffff : 0x7f;
		query->opcode_value = like->opcode & query->opcode_mask;
		break;
	case 2:
		question->addresses[0] = (struct ear_span){
			access ? access->address + 1 : 0, access ? access->address + 1 : 7};
		query->addresses = question->addresses;
		query->address_count = 1;
		break;
	case 3: query->accesses = 1 + (unsigned)random_below(random, 2); break;
	case 4:
		query->has_data = true;
		query->data_mask = random_once_in(random, 2) ? UINT64_MAX : 0xff;
		query->data = access ? access->value & query->data_mask : 0;
		break;
	case 5:
		query->has_register = true;
		query->has_value = random_once_in(random, 2);
		query->register_class = EAR_REGISTER_X;
		query->register_number = (uint16_t)(1 + random_below(random, 31));
		if (like->register_count && like->registers[0].reg_class < EAR_REGISTER_V) {
			query->register_class = like->registers[0].reg_class;
			query->register_number = like->registers[0].number;
			query->register_value = like->registers[0].value;
		}
		break;
	case 6: query->privileges = 1u << random_below(random, 4); break;
	case 7: query->privilege_change = true; break;
	case 8:
		query->traps = 1 + (unsigned)random_below(random, 3);
		query->has_cause = random_once_in(random, 3);
		query->cause = random_below(random, 12);
		break;
	case 9: query->kinds = 1u << random_below(random, 3); break;
	case 10: query->hart = (int)random_below(random, 2); break;
	}
}

static bool touches(const struct question *question, const struct ear_record_access *access)
{
	const struct ear_query *query = &question->query;
	bool yes = !access->masked;

	if (question->kinds & 1u << 2) {
		bool inside = false;
		for (unsigned i = 0; i < (access->size ? access->size : 1u); i++)
			inside = inside || access->address + i == question->addresses[0].first;
		if (query->addresses[0].last > query->addresses[0].first)
			inside = inside || access->address <= 7;
		yes = yes && inside;
	}
	if (question->kinds & 1u << 3)
		yes = yes && access->write == (query->accesses == EAR_QUERY_WRITE);
	if (question->kinds & 1u << 4)
		yes = yes && access->has_value && (access->unknown & query->data_mask) == 0 &&
		      (access->value & query->data_mask) == query->data;
	return yes;
}

static bool writes(const struct ear_query *query, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == query->register_class &&
			record->registers[i].number == query->register_number &&
			(!query->has_value || record->registers[i].value == query->register_value))
			return true;
	return false;
}

/* Privilege of the instruction of the same hart before at, -1 if that is not known. */
static int privilege_before(const struct truth *truth, size_t at)
{
	for (size_t i = at; i-- > 0;) {
		const struct ear_record *record = truth->records[i];
		if (record->hart != truth->records[at]->hart)
			continue;
		if (record->kind == EAR_RECORD_GAP)
			return -1;
		if (record->kind == EAR_RECORD_INSTRUCTION)
			return record->flags & EAR_RECORD_NO_PRIVILEGE ? -1 : record->privilege;
	}
	return -1;
}

static bool traps(const struct ear_query *query, const struct ear_record *record)
{
	bool interrupt = record->flags & EAR_RECORD_INTERRUPT;
	bool exception = !interrupt && record->flags & EAR_RECORD_TRAP;
	uint64_t mask = record->xlen == 32 ? 0x7fffffff : INT64_MAX;

	if (!(interrupt && query->traps & EAR_QUERY_INTERRUPT) &&
		!(exception && query->traps & EAR_QUERY_EXCEPTION))
		return false;
	return !query->has_cause ||
	       (!(record->flags & EAR_RECORD_NO_CAUSE) && (record->cause & mask) == query->cause);
}

static bool answers(const struct question *question, const struct truth *truth, size_t at)
{
	const struct ear_record *record = truth->records[at];
	const struct ear_query *query = &question->query;
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION, yes = true, access = false;
	unsigned kinds = question->kinds;

	if (kinds & (1u << 0 | 1u << 1 | 1u << 6 | 1u << 7 | 1u << 8))
		yes = instruction;
	if (kinds & 1u << 0)
		yes = yes && record->pc >= query->pcs[0].first && record->pc <= query->pcs[0].last;
	if (kinds & 1u << 1)
		yes = yes && !(record->flags & EAR_RECORD_NO_OPCODE) &&
		      (record->opcode & query->opcode_mask) == query->opcode_value;
	for (size_t i = 0; i < record->memory_count; i++)
		access = access || touches(question, &record->memory[i]);
	if (kinds & (1u << 2 | 1u << 3 | 1u << 4))
		yes = yes && access;
	if (kinds & 1u << 5)
		yes = yes && writes(query, record);
	if (kinds & 1u << 6)
		yes = yes && !(record->flags & EAR_RECORD_NO_PRIVILEGE) &&
		      query->privileges == 1u << record->privilege;
	if (kinds & 1u << 7) {
		int before = instruction ? privilege_before(truth, at) : -1;
		yes = yes && before >= 0 && !(record->flags & EAR_RECORD_NO_PRIVILEGE) &&
		      before != record->privilege;
	}
	if (kinds & 1u << 8)
		yes = yes && traps(query, record);
	if (kinds & 1u << 9)
		yes = yes && query->kinds == 1u << record->kind;
	if (kinds & 1u << 10)
		yes = yes && record->hart == query->hart;
	return yes;
}

static void check_find(struct ear_trace *trace, const struct truth *truth,
	const struct question *question, const bool *hits, uint64_t from,
	enum ear_direction direction)
{
	uint64_t want = UINT64_MAX, position = UINT64_MAX;

	if (direction == EAR_FORWARD)
		for (uint64_t i = from; i < truth->count && want == UINT64_MAX; i++)
			want = hits[i] ? i : want;
	else
		for (uint64_t i = from < truth->count ? from : truth->count;
			i > 0 && want == UINT64_MAX; i--)
			want = hits[i - 1] ? i - 1 : want;
	int result = ear_trace_find(trace, &question->query, from, direction, &position, NULL);
	if (result != (want != UINT64_MAX) || position != want)
		fail_msg("%s: %s from %llu of conditions %x is %lld (%d), not %lld", truth->path,
			direction == EAR_FORWARD ? "next" : "last", (unsigned long long)from,
			question->kinds, (long long)position, result, (long long)want);
}

struct seen {
	const bool *hits;
	const struct truth *truth;
	uint64_t count, next;
};

static int see(void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct seen *seen = context;

	for (; seen->next < position; seen->next++)
		assert_false(seen->hits[seen->next]);
	assert_true(seen->hits[position]);
	truth_check(seen->truth, record, position);
	assert_same(number, seen->truth->numbers[position]);
	seen->next = position + 1;
	seen->count++;
	return 0;
}

static void ask(struct ear_trace *trace, const struct truth *truth, struct random *random)
{
	struct question question = {.query = EAR_QUERY_ANY};
	const struct ear_record *like = truth->records[random_below(random, truth->count)];
	const struct ear_record *record;
	bool *hits = calloc(truth->count, sizeof(*hits));

	add_condition(&question, (unsigned)random_below(random, CONDITIONS), like, random);
	if (random_once_in(random, 2))
		add_condition(&question, (unsigned)random_below(random, CONDITIONS), like, random);
	for (size_t i = 0; i < truth->count; i++)
		hits[i] = answers(&question, truth, i);

	for (unsigned i = 0; i < 3; i++) {
		uint64_t from = random_below(random, truth->count + 2);
		check_find(trace, truth, &question, hits, from, EAR_FORWARD);
		check_find(trace, truth, &question, hits, from, EAR_BACKWARD);
	}
	uint64_t from = random_below(random, truth->count);
	uint64_t to = from + random_below(random, truth->count - from + 1), count;
	struct seen seen = {hits, truth, 0, from};
	assert_int_equal(ear_trace_find_all(trace, &question.query, from, to, see, &seen, NULL), 0);
	for (; seen.next < to; seen.next++)
		assert_false(hits[seen.next]);
	assert_int_equal(ear_trace_count_found(trace, &question.query, from, to, &count, NULL), 0);
	assert_same(count, seen.count);
	free(hits);

	/* Nothing of this moves the place. */
	uint64_t position = ear_trace_position(trace);
	int result = ear_trace_next(trace, &record);
	assert_int_equal(result, position < truth->count);
	if (result == 1)
		truth_check(truth, record, position);
	else
		assert_int_equal(ear_trace_seek(trace, 0, NULL), 1);
}

static void every_answer_is_that_of_a_look_at_all_records(void **state)
{
	struct random random = {0x5ea2c4};
	struct truth *truth;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		struct ear_trace *trace = truth_open(truth);
		for (unsigned i = 0; i < 40; i++)
			ask(trace, truth, &random);
		ear_trace_close(trace);
		trace = truth_open_indexed(truth);
		for (unsigned i = 0; i < 40; i++)
			ask(trace, truth, &random);
		truth_check_index(truth, trace);
		ear_trace_close(trace);
	}
}

static void queries_that_cannot_be_are_refused(void **state)
{
	struct truth *truth = truth_of(0);
	struct ear_trace *trace = truth_open(truth);
	const struct ear_span backward = {5, 4};
	uint64_t position;

	(void)state;
#define REFUSED(text, ...) \
	do { \
		struct ear_query query = EAR_QUERY_ANY; \
		__VA_ARGS__; \
		assert_int_equal(ear_trace_find(trace, &query, 0, EAR_FORWARD, &position, NULL), \
			EAR_E_BAD_ARGUMENT); \
		assert_contains(ear_trace_error(trace), text); \
	} while (0)
	REFUSED("ends before it begins", query.pcs = &backward, query.pc_count = 1);
	REFUSED("are missing", query.address_count = 1);
	REFUSED("mask", query.opcode_value = 1);
	REFUSED("mask", query.has_data = true, query.data = 1);
	REFUSED("no register", query.has_value = true);
	const struct ear_query any = EAR_QUERY_ANY;
	assert_int_equal(ear_trace_find(trace, &any, 0, (enum ear_direction)2, &position, NULL),
		EAR_E_BAD_ARGUMENT);
	assert_contains(ear_trace_error(trace), "forward or backward");
	REFUSED("size", query.size = 0);
#undef REFUSED
	ear_trace_close(trace);
	truth_free(truth);
}

static void the_last_write_is_a_backward_search(void **state)
{
	struct truth *truth = truth_of(1);
	struct ear_trace *trace = truth_open(truth);
	uint64_t position, writes_seen = 0;

	(void)state;
	for (size_t i = 0; i < truth->count; i++) {
		const struct ear_record *record = truth->records[i];
		if (!record->memory_count || !record->memory[0].write)
			continue;
		uint64_t address = record->memory[0].address;
		assert_int_equal(ear_trace_last_write(trace, (struct ear_span){address, address},
					 i + 1, &position, NULL),
			1);
		assert_same(position, i);
		writes_seen++;
	}
	assert_above(writes_seen, 5);
	assert_int_equal(
		ear_trace_last_write(trace, (struct ear_span){3, 3}, UINT64_MAX, &position, NULL),
		0);
	ear_trace_close(trace);
	truth_free(truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_answer_is_that_of_a_look_at_all_records),
		cmocka_unit_test(queries_that_cannot_be_are_refused),
		cmocka_unit_test(the_last_write_is_a_backward_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
