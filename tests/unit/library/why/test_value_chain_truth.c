/* Chains over the traces of the library's tests, with and without an index and with windows of all
 * sizes, compared with a plain walk over all records: of each link the writer is the last record
 * before the reader that wrote there, and nothing is missing between; where a link ends, there is
 * none.
 */
#include "check.h"

#include "library/api/trace_internal.h"
#include "library_truth.h"
#include "random.h"
#include "why_trace.h"

#define ROUNDS 60

static bool overlaps(const struct ear_value_place *place, const struct ear_record_access *access)
{
	for (unsigned i = 0; i < place->size; i++)
		for (unsigned k = 0; k < (access->size ? access->size : 8u); k++)
			if (place->address + i == access->address + k)
				return true;
	return false;
}

static bool is_failed_sc(const struct ear_record *record, const struct ear_record_access *access)
{
	return !access->has_value && record->opcode_size == 4 && record->isa == EAR_ISA_RISCV &&
	       (record->opcode & 0xF800007F) == 0x1800002F && record->register_count > 0 &&
	       record->registers[0].value != 0;
}

static bool wrote(const struct ear_record *record, const struct ear_value_place *place)
{
	if (place->kind == EAR_VALUE_REGISTER) {
		for (size_t i = 0; i < record->register_count; i++)
			if (record->hart == place->hart &&
				record->registers[i].reg_class == place->reg_class &&
				record->registers[i].number == place->number)
				return true;
		return false;
	}
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->write && !access->masked && !access->aborted &&
			!(record->flags & EAR_RECORD_TRAP) && !is_failed_sc(record, access) &&
			overlaps(place, access))
			return true;
	}
	return false;
}

/* Is something missing in positions from + 1 .. to that matters to the place? */
static bool is_gap(
	const struct truth *truth, const struct ear_value_place *place, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i <= to && i < truth->count; i++) {
		const struct ear_record *record = truth->records[i];
		if (place->kind == EAR_VALUE_REGISTER && record->hart != place->hart)
			continue;
		if (i > from && i < to && record->kind == EAR_RECORD_GAP &&
			record->u.gap.reason != EAR_GAP_REPEATED)
			return true;
		if (record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		for (uint64_t k = i + 1; k <= to && k < truth->count; k++) {
			const struct ear_record *next = truth->records[k];
			if (next->hart != record->hart || next->kind != EAR_RECORD_INSTRUCTION)
				continue;
			if (next->index > record->index + 1)
				return true;
			break;
		}
	}
	return false;
}

static bool last_write(const struct truth *truth, const struct ear_value_place *place,
	uint64_t before, uint64_t *position)
{
	bool found = false;

	for (uint64_t i = 0; i < before && i < truth->count; i++)
		if (wrote(truth->records[i], place)) {
			*position = i;
			found = true;
		}
	return found;
}

static void check_source(const struct truth *truth, const struct ear_value_chain *chain,
	const struct ear_value_source *source, uint64_t before)
{
	uint64_t position = 0;

	if (source->end == EAR_VALUE_NOT_ASKED || source->end == EAR_VALUE_LIMIT ||
		source->end == EAR_VALUE_DEVICE)
		return;
	bool found = last_write(truth, &source->place, before, &position);
	bool gap = is_gap(truth, &source->place, found ? position : 0, before);
	switch (source->end) {
	case EAR_VALUE_FOLLOWED:
		assert_true(found);
		assert_false(gap);
		assert_same(chain->nodes[source->node].position, position);
		break;
	case EAR_VALUE_GAP: assert_true(gap); break;
	case EAR_VALUE_BEGIN:
	case EAR_VALUE_IMAGE: assert_false(found); break;
	case EAR_VALUE_CHANGED: assert_true(found); break;
	case EAR_VALUE_CORE: assert_same(source->place.reg_class, EAR_REGISTER_CSR); break;
	case EAR_VALUE_CONSTANT: assert_same(source->place.number, 0); break;
	default: fail_msg("a link ends with %u", source->end);
	}
}

static void check_chain(
	const struct truth *truth, const struct ear_value_chain *chain, uint64_t before)
{
	for (size_t i = 0; i < chain->root_count; i++)
		check_source(truth, chain, &chain->sources[i], before);
	for (size_t i = 0; i < chain->node_count; i++) {
		const struct ear_value_node *node = &chain->nodes[i];
		const struct ear_record *record = truth->records[node->position];
		assert_same(node->number, truth->numbers[node->position]);
		assert_same(node->pc, record->kind == EAR_RECORD_INSTRUCTION ? record->pc : 0);
		assert_true(wrote(record, &node->place));
		assert_same(node->folded, 0);
		if (i > 0)
			assert_at_least(chain->nodes[i - 1].position, node->position);
		for (size_t k = 0; k < node->source_count; k++)
			check_source(truth, chain, &chain->sources[node->first_source + k],
				node->position);
	}
}

/* That something changed by itself shows where a value was read after it was written: of that, only
 * what is in the window is seen. */
static bool has_changed(const struct ear_value_chain *chain)
{
	for (size_t i = 0; i < chain->source_count; i++)
		if (chain->sources[i].end == EAR_VALUE_CHANGED ||
			chain->sources[i].end == EAR_VALUE_CORE)
			return true;
	return false;
}

static void check_same(const struct ear_value_chain *a, const struct ear_value_chain *b)
{
	assert_same(a->node_count, b->node_count);
	assert_same(a->source_count, b->source_count);
	for (size_t i = 0; i < a->node_count; i++) {
		assert_same(a->nodes[i].position, b->nodes[i].position);
		assert_same(a->nodes[i].after, b->nodes[i].after);
	}
	for (size_t i = 0; i < a->source_count; i++) {
		assert_same(a->sources[i].node, b->sources[i].node);
		assert_same(a->sources[i].end, b->sources[i].end);
	}
}

/* A value that a record near position wrote, or any register. */
static struct ear_value some_value(const struct truth *truth, struct random *random)
{
	uint64_t position = random_below(random, truth->count);
	const struct ear_record *record = truth->records[position];
	struct ear_value value = {.place = {.hart = record->hart},
		.before = position + 1 + random_below(random, truth->count - position)};

	value.place.number = (uint16_t)(1 + random_below(random, 31));
	if (record->memory_count > 0 && random_once_in(random, 2)) {
		const struct ear_record_access *access = &record->memory[0];
		value.place = (struct ear_value_place){.kind = EAR_VALUE_MEMORY,
			.address = access->address,
			.size = access->size && access->size <= 8 ? access->size : 1};
		if (value.place.address > UINT64_MAX - 8)
			value.place.address = 64;
	} else if (record->register_count > 0 &&
		   record->registers[0].reg_class <= EAR_REGISTER_CSR) {
		value.place.reg_class = record->registers[0].reg_class;
		value.place.number = record->registers[0].number;
	}
	return value;
}

static void every_link_is_that_of_a_plain_walk(void **state)
{
	const struct ear_value_chain_options options = {
		.size = sizeof(options), .nodes = 40, .repeats = 1000, .addresses = true};
	struct truth *truth;
	struct random random = {7};
	size_t nodes = 0, compared = 0;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number)); number++) {
		struct ear_trace *plain = truth_open(truth), *indexed = truth_open_indexed(truth);
		for (unsigned round = 0; round < ROUNDS; round++) {
			const struct ear_value_chain *one, *other;
			struct ear_value value = some_value(truth, &random);
			indexed->past_window = 1 + (unsigned)random_below(&random, 500);
			assert_same(ear_trace_value_chain(plain, &value, &options, &one, NULL), 0);
			assert_same(
				ear_trace_value_chain(indexed, &value, &options, &other, NULL), 0);
			check_chain(truth, one, value.before);
			check_chain(truth, other, value.before);
			if (!has_changed(one) && !has_changed(other)) {
				check_same(one, other);
				compared++;
			}
			nodes += one->node_count;
			ear_value_chain_free(one);
			ear_value_chain_free(other);
		}
		ear_trace_close(plain);
		ear_trace_close(indexed);
		truth_free(truth);
	}
	assert_above(nodes, 500);
	assert_above(compared, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_link_is_that_of_a_plain_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
