/* earshot-queries: does a search find what is there?
 *
 *     earshot-queries TRACE [--count N] [--seed N] [--index FILE | --no-index] [--jobs N]
 *                     [--stretch COST]
 *
 * Asks libearshot random queries and compares each answer with that of oracle.h, which looks at
 * every record. Queries are made from records of the trace, so most have answers: conjunctions of
 * up to three conditions, forward and backward, from anywhere; every tenth is a count of all
 * matches in a range. Prints the queries that are answered wrongly. Exit code: 0 all are right, 1
 * one is not, 2 they could not be asked.
 */
#include <earshot/earshot.h>
#include <earshot/index.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/api/trace_internal.h"
#include "oracle.h"

#define WRONG_SHOWN 10

struct asked {
	struct ear_query query;
	struct ear_span pcs[2], addresses[2];
};

struct options {
	const char *trace, *index;
	uint64_t count, seed;
	unsigned jobs, stretch; /* stretch: of the index, so that short traces have many */
	bool no_index;
};

static uint64_t chance;

static uint64_t draw(void)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return chance * UINT64_C(0x2545F4914F6CDD1D) >> 8;
}

static uint64_t below(uint64_t limit)
{
	return limit ? draw() % limit : 0;
}

static bool once_in(uint64_t count)
{
	return below(count) == 0;
}

/* -- Making queries -- */

static const struct oracle_record *some_record(const struct oracle *oracle)
{
	return &oracle->records[below(oracle->count)];
}

static struct ear_span some_span(uint64_t address)
{
	static const uint64_t sizes[] = {1, 1, 2, 4, 4, 8, 64, 100, 4096, 1 << 20};
	uint64_t size = sizes[below(sizeof(sizes) / sizeof(sizes[0]))];
	uint64_t first = address - below(size + (once_in(4) ? 8 : 0));

	if (first > address)
		first = 0; /* the address is nearly 0 */
	return (struct ear_span){
		first, first > UINT64_MAX - size + 1 ? UINT64_MAX : first + size - 1};
}

static void ask_pc(const struct oracle *oracle, struct asked *asked)
{
	asked->query.pcs = asked->pcs;
	asked->query.pc_count = 1 + once_in(4);
	for (size_t i = 0; i < asked->query.pc_count; i++)
		asked->pcs[i] = some_span(some_record(oracle)->pc);
}

static const struct oracle_access *some_access(const struct oracle *oracle)
{
	return oracle->access_count ? &oracle->accesses[below(oracle->access_count)] : NULL;
}

static void ask_address(const struct oracle *oracle, struct asked *asked)
{
	const struct oracle_access *access = some_access(oracle);

	if (!access)
		return;
	asked->query.accesses = (unsigned)below(4);
	if (!once_in(8)) {
		asked->query.addresses = asked->addresses;
		asked->query.address_count = 1 + once_in(4);
		asked->addresses[0] = some_span(access->address + below(access->size + 1u));
		asked->addresses[1] = some_span(some_access(oracle)->address);
	}
	if (once_in(4)) {
		asked->query.has_data = true;
		asked->query.data_mask = once_in(2) ? UINT64_MAX : UINT64_C(0xff) << 8 * below(4);
		asked->query.data = access->value & asked->query.data_mask;
	}
}

static void ask_register(const struct oracle *oracle, struct asked *asked)
{
	const struct oracle_register *reg =
		oracle->register_count ? &oracle->registers[below(oracle->register_count)] : NULL;

	if (!reg || reg->reg_class > EAR_REGISTER_CSR)
		return;
	asked->query.has_register = true;
	asked->query.register_class = reg->reg_class;
	asked->query.register_number = once_in(20) ? (uint16_t)below(32) : reg->number;
	asked->query.has_value = once_in(3);
	asked->query.register_value = reg->value;
}

static void ask_trap(const struct oracle *oracle, struct asked *asked)
{
	const struct oracle_record *record = some_record(oracle);

	asked->query.traps = (unsigned)below(4);
	asked->query.has_cause = once_in(2);
	for (unsigned i = 0;
		i < 1000 && !(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)); i++)
		record = some_record(oracle);
	asked->query.cause = record->cause & (record->xlen == 32 ? INT32_MAX : INT64_MAX);
}

static void ask_event(const struct oracle *oracle, struct asked *asked)
{
	const struct oracle_record *record = some_record(oracle);

	for (unsigned i = 0; i < 1000 && record->kind != EAR_RECORD_EVENT; i++)
		record = some_record(oracle);
	asked->query.has_event_source = !once_in(3);
	asked->query.event_source = record->event_source;
	asked->query.has_event_value = once_in(2);
	asked->query.event_value = record->event_value;
}

static void ask_ticks(const struct oracle *oracle, struct asked *asked)
{
	uint64_t ticks = some_record(oracle)->ticks;

	asked->query.has_ticks = true;
	asked->query.first_ticks = ticks - (once_in(2) && ticks > 100 ? below(100) : 0);
	asked->query.last_ticks = once_in(8) ? UINT64_MAX : ticks + below(200);
}

static void ask_opcode(const struct oracle *oracle, struct asked *asked)
{
	asked->query.opcode_mask = once_in(2) ? 0x7f : UINT32_MAX;
	asked->query.opcode_value = some_record(oracle)->opcode & asked->query.opcode_mask;
}

static void add_condition(const struct oracle *oracle, struct asked *asked)
{
	switch (below(11)) {
	case 0:
	case 1: ask_pc(oracle, asked); break;
	case 2:
	case 3:
	case 4: ask_address(oracle, asked); break;
	case 5: ask_register(oracle, asked); break;
	case 6: ask_trap(oracle, asked); break;
	case 7:
		if (once_in(2))
			asked->query.privilege_change = true;
		else
			asked->query.privileges = (unsigned)below(16);
		break;
	case 8:
		if (once_in(2))
			ask_event(oracle, asked);
		else
			asked->query.kinds = (unsigned)below(16);
		break;
	case 9: ask_ticks(oracle, asked); break;
	default:
		if (once_in(2))
			ask_opcode(oracle, asked);
		else
			asked->query.hart = (int)below(3);
		break;
	}
}

static void make_query(const struct oracle *oracle, struct asked *asked)
{
	static const struct ear_query any = EAR_QUERY_ANY;

	memset(asked, 0, sizeof(*asked));
	asked->query = any;
	for (uint64_t i = 1 + below(3); i > 0; i--)
		add_condition(oracle, asked);
}

/* -- Asking -- */

static void print_spans(const char *name, const struct ear_span *spans, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf(" %s %" PRIx64 "-%" PRIx64, name, spans[i].first, spans[i].last);
}

static void print_query(const struct ear_query *query)
{
	print_spans("pc", query->pcs, query->pc_count);
	print_spans("address", query->addresses, query->address_count);
	if (query->accesses)
		printf(" accesses %u", query->accesses);
	if (query->has_data)
		printf(" data %" PRIx64 "/%" PRIx64, query->data, query->data_mask);
	if (query->has_register)
		printf(" register %u.%u", query->register_class, query->register_number);
	if (query->has_value)
		printf(" value %" PRIx64, query->register_value);
	if (query->opcode_mask)
		printf(" opcode %" PRIx64 "/%" PRIx64, query->opcode_value, query->opcode_mask);
	if (query->traps || query->has_cause)
		printf(" traps %u cause %d:%" PRIx64, query->traps, query->has_cause, query->cause);
	if (query->privileges || query->privilege_change)
		printf(" privileges %x change %d", query->privileges, query->privilege_change);
	if (query->has_event_source || query->has_event_value)
		printf(" event %d:%u value %d:%" PRIx32, query->has_event_source,
			query->event_source, query->has_event_value, query->event_value);
	if (query->has_ticks)
		printf(" ticks %" PRIu64 "-%" PRIu64, query->first_ticks, query->last_ticks);
	printf(" kinds %x hart %d\n", query->kinds, query->hart);
}

static uint64_t with_answer;

/* Returns 1 if the answer is right, 0 if not, or an error. */
static int ask_next(struct ear_trace *trace, const struct oracle *oracle, struct asked *asked)
{
	enum ear_direction direction = once_in(2) ? EAR_FORWARD : EAR_BACKWARD;
	uint64_t from = once_in(30) ? UINT64_MAX : below(oracle->count + 2), found = 0, wanted;
	int result = ear_trace_find(trace, &asked->query, from, direction, &found, NULL);
	bool there = oracle_find(oracle, &asked->query, from, direction, &wanted);

	with_answer += there;
	if (result < 0)
		return result;
	if (result == there && (!there || found == wanted))
		return 1;
	printf("%s from %" PRIu64 ": ", direction == EAR_FORWARD ? "forward" : "backward", from);
	printf("found %d:%" PRIu64 ", there is %d:%" PRIu64 ":", result, found, there,
		there ? wanted : 0);
	print_query(&asked->query);
	return 0;
}

static int ask_count(struct ear_trace *trace, const struct oracle *oracle, struct asked *asked)
{
	uint64_t from = below(oracle->count), found;
	uint64_t to = once_in(3) ? UINT64_MAX : from + below(oracle->count);
	int result = ear_trace_count_found(trace, &asked->query, from, to, &found, NULL);
	uint64_t wanted = oracle_count(oracle, &asked->query, from, to);

	with_answer += wanted > 0;
	if (result < 0)
		return result;
	if (found == wanted)
		return 1;
	printf("from %" PRIu64 " to %" PRIu64 ": %" PRIu64 " found, there are %" PRIu64 ":", from,
		to, found, wanted);
	print_query(&asked->query);
	return 0;
}

static int ask(struct ear_trace *trace, const struct oracle *oracle, const struct options *options)
{
	uint64_t wrong = 0;
	struct asked asked;

	for (uint64_t i = 0; i < options->count; i++) {
		make_query(oracle, &asked);
		int result = once_in(10) ? ask_count(trace, oracle, &asked)
					 : ask_next(trace, oracle, &asked);
		if (result < 0) {
			fprintf(stderr, "%s: %s\n", options->trace, ear_trace_error(trace));
			print_query(&asked.query);
			return 2;
		}
		wrong += result == 0;
		if (wrong == WRONG_SHOWN)
			break;
	}
	printf("%" PRIu64 " queries, %" PRIu64 " wrong, %" PRIu64 " with an answer, %zu records\n",
		options->count, wrong, with_answer, oracle->count);
	return wrong > 0;
}

static bool parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){.trace = argv[1], .count = 1000, .seed = 1, .jobs = 1};
	for (int i = 2; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (strcmp(argv[i], "--no-index") == 0) {
			options->no_index = true;
			continue;
		}
		if (!value)
			return false;
		if (strcmp(argv[i], "--count") == 0)
			options->count = strtoull(value, NULL, 0);
		else if (strcmp(argv[i], "--seed") == 0)
			options->seed = strtoull(value, NULL, 0);
		else if (strcmp(argv[i], "--jobs") == 0)
			options->jobs = (unsigned)strtoul(value, NULL, 0);
		else if (strcmp(argv[i], "--stretch") == 0)
			options->stretch = (unsigned)strtoul(value, NULL, 0);
		else if (strcmp(argv[i], "--index") == 0)
			options->index = value;
		else
			return false;
		i++;
	}
	return options->trace != NULL;
}

int main(int argc, char **argv)
{
	struct ear_trace_options trace_options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX] = "";
	struct options options;
	struct ear_trace *trace;
	struct oracle oracle;

	if (!parse(&options, argc, argv)) {
		fprintf(stderr, "usage: earshot-queries TRACE [--count N] [--seed N] [--jobs N] "
				"[--stretch COST] [--index FILE | --no-index]\n");
		return 2;
	}
	trace_options.error = error;
	trace_options.index = options.no_index ? EAR_INDEX_NONE : EAR_INDEX_AUTO;
	trace_options.index_file = options.index;
	trace_options.jobs = options.jobs;
	if (ear_trace_open(&trace, options.trace, &trace_options) != 0) {
		fprintf(stderr, "%s: %s\n", options.trace, error);
		return 2;
	}
	trace->index_stretch = options.stretch;
	int result = options.no_index ? 0 : ear_trace_index(trace, false, NULL);
	if (result < 0 || (result == 0 && !options.no_index))
		fprintf(stderr, "%s: no index: %s\n", options.trace, ear_trace_error(trace));
	result = 2;
	if (oracle_read(&oracle, options.trace)) {
		chance = options.seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
		if (oracle.count > 0)
			result = ask(trace, &oracle, &options);
	}
	oracle_free(&oracle);
	ear_trace_close(trace);
	return result;
}
