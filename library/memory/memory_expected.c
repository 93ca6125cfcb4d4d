/* Which instruction each hart of memory_state.h is expected to execute next.
 *
 * Most traces have one hart: the one of the last record is looked at first. With the second one
 * comes a table of all numbers.
 */
#include "library/memory/memory_expected.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/varint.h"
#include "library/memory/memory_internal.h"
#include <earshot/error.h>

static struct ear_expected *look_up(const struct ear_memory *memory, uint16_t hart)
{
	if (memory->last_hart < memory->hart_count && memory->harts[memory->last_hart].hart == hart)
		return &memory->harts[memory->last_hart];
	if (!memory->hart_map || memory->hart_map[hart] == 0)
		return NULL;
	return &memory->harts[memory->hart_map[hart] - 1];
}

static bool reserve(struct ear_memory *memory)
{
	if (!memory->hart_map && memory->hart_count == 1) {
		memory->hart_map = calloc(UINT16_MAX + 1, sizeof(*memory->hart_map));
		if (!memory->hart_map)
			return false;
		memory->hart_map[memory->harts[0].hart] = 1;
	}
	return EAR_ARRAY_RESERVE(memory->harts, &memory->hart_capacity, memory->hart_count + 1);
}

struct ear_expected *ear_expected_find(struct ear_memory *memory, uint16_t hart, bool *fresh)
{
	struct ear_expected *found = look_up(memory, hart);

	*fresh = !found;
	/* The map holds index + 1 in 16 bits: the last of 65536 harts has no room. */
	if (!found && (memory->hart_count == UINT16_MAX || !reserve(memory)))
		return NULL;
	if (!found) {
		found = &memory->harts[memory->hart_count++];
		*found = (struct ear_expected){.hart = hart};
		if (memory->hart_map)
			memory->hart_map[hart] = (uint16_t)memory->hart_count;
	}
	memory->last_hart = (size_t)(found - memory->harts);
	return found;
}

/* Copies what is expected next, not how a part began. */
static int copy_expected(struct ear_memory *to, const struct ear_memory *from)
{
	bool fresh;

	for (size_t i = 0; i < from->hart_count; i++) {
		struct ear_expected *expected = ear_expected_find(to, from->harts[i].hart, &fresh);
		if (!expected)
			return EAR_E_NO_MEMORY;
		struct ear_expected kept = *expected;
		*expected = from->harts[i];
		expected->has_first = kept.has_first;
		expected->first = kept.first;
		expected->first_of_all = kept.first_of_all;
		expected->first_of_numbers = kept.first_of_numbers;
	}
	if (from->numbered) {
		to->next_known = from->next_known;
		to->next_index = from->next_index;
	}
	to->started |= from->started;
	to->numbered |= from->numbered;
	return 0;
}

int ear_memory_seed(struct ear_memory *part, const struct ear_memory *before)
{
	part->seeded = true;
	return copy_expected(part, before);
}

int ear_expected_merge(struct ear_memory *whole, const struct ear_memory *part)
{
	return copy_expected(whole, part);
}

#define FLAG_INDEX    1u
#define FLAG_PC       2u
#define FLAG_NUMBERED 1u
#define FLAG_NEXT     2u
#define FLAG_STARTED  4u

size_t ear_memory_expected_save(const struct ear_memory *memory, uint8_t *bytes, size_t size)
{
	struct ear_varint_out out = ear_varint_out(bytes, size);

	ear_varint_put(&out, (memory->numbered ? FLAG_NUMBERED : 0) |
				     (memory->next_known ? FLAG_NEXT : 0) |
				     (memory->started ? FLAG_STARTED : 0));
	ear_varint_put(&out, memory->next_known ? memory->next_index : 0);
	ear_varint_put(&out, memory->hart_count);
	for (size_t i = 0; i < memory->hart_count; i++) {
		const struct ear_expected *expected = &memory->harts[i];
		ear_varint_put(&out, expected->hart);
		ear_varint_put(&out, (expected->index_known ? FLAG_INDEX : 0) |
					     (expected->pc_known ? FLAG_PC : 0));
		ear_varint_put(&out, expected->privilege);
		ear_varint_put(&out, expected->index_known ? expected->index : 0);
		ear_varint_put(&out, expected->pc_known ? expected->pc : 0);
	}
	return out.size;
}

static int load_hart(struct ear_memory *made, struct ear_varint_in *in)
{
	uint64_t hart = ear_varint_get(in), flags = ear_varint_get(in);
	uint64_t privilege = ear_varint_get(in);
	bool fresh;

	if (in->bad || hart > UINT16_MAX || privilege > UINT8_MAX || flags > (FLAG_INDEX | FLAG_PC))
		return EAR_E_BAD_FILE;
	struct ear_expected *expected = ear_expected_find(made, (uint16_t)hart, &fresh);
	if (!expected)
		return EAR_E_NO_MEMORY;
	expected->privilege = (uint8_t)privilege;
	expected->index_known = flags & FLAG_INDEX;
	expected->pc_known = flags & FLAG_PC;
	expected->index = ear_varint_get(in);
	expected->pc = ear_varint_get(in);
	return in->bad || !fresh ? EAR_E_BAD_FILE : 0;
}

int ear_memory_expected_load(struct ear_memory *memory, const uint8_t *bytes, size_t size)
{
	struct ear_varint_in in = ear_varint_in(bytes, size);
	struct ear_memory made = {0}; /* only what is expected */
	uint64_t flags = ear_varint_get(&in);
	int result = 0;

	made.numbered = flags & FLAG_NUMBERED;
	made.next_known = flags & FLAG_NEXT;
	made.started = flags & FLAG_STARTED;
	made.next_index = ear_varint_get(&in);
	uint64_t count = ear_varint_get(&in);
	if (in.bad || flags > 7 || count > size)
		return EAR_E_BAD_FILE;
	for (uint64_t i = 0; i < count && result == 0; i++)
		result = load_hart(&made, &in);
	if (result == 0 && in.at != in.end)
		result = EAR_E_BAD_FILE;
	if (result == 0)
		result = ear_memory_seed(memory, &made);
	free(made.harts);
	free(made.hart_map);
	return result;
}
