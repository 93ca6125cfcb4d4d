/* What an index keeps of a moment: the first byte says what the others are. Wrong is: a crash, a
 * read beyond the bytes, a state that is not the same after it was saved again.
 */
#include <stdlib.h>
#include <string.h>

#include "library/memory/memory_state.h"
#include "library/state/state.h"
#include "target.h"

static void try_registers(const uint8_t *bytes, size_t size)
{
	struct ear_state *state, *again;

	if (ear_state_restore(&state, bytes, size) < 0)
		return;
	size_t saved = ear_state_save(state, NULL, 0);
	uint8_t *first = malloc(saved), *second = malloc(saved);
	if (!first || !second || ear_state_save(state, first, saved) != saved ||
		ear_state_restore(&again, first, saved) < 0 ||
		ear_state_save(again, second, saved) != saved || memcmp(first, second, saved) != 0)
		abort();
	if (ear_state_merge(again, state) < 0)
		abort();
	ear_state_free(state);
	ear_state_free(again);
	free(first);
	free(second);
}

static void try_changes(const uint8_t *bytes, size_t size)
{
	struct ear_memory_loader loader;
	struct ear_memory_line line, all = {0};
	uint64_t last = 0;

	if (ear_memory_changes_load(&loader, bytes, size) < 0)
		return;
	while (ear_memory_changes_next(&loader, &line) == 1) {
		if (line.address < last || line.known & ~line.settled)
			abort();
		last = line.address;
		ear_memory_line_under(&all, &line);
	}
}

static void try_volatile(const uint8_t *bytes, size_t size)
{
	static const uint8_t image_bytes[256];
	const struct ear_memory_segment image = {0, sizeof(image_bytes), image_bytes, true};
	const struct ear_memory_options options = {.image = &image, .image_count = 1};
	struct ear_memory_volatile *set;

	if (ear_memory_volatile_load(&set, bytes, size) < 0)
		return;
	for (uint64_t address = 0; address < sizeof(image_bytes); address += EAR_MEMORY_LINE) {
		struct ear_memory_line line = {.address = address};
		ear_memory_line_end(&line, &options, false, 0, set);
	}
	ear_memory_volatile_free(set);
}

static void try_expected(const uint8_t *bytes, size_t size)
{
	const struct ear_memory_options options = {.captured = true};
	struct ear_memory *memory;

	if (ear_memory_new(&memory, &options) < 0)
		abort();
	if (ear_memory_expected_load(memory, bytes, size) == 0 &&
		ear_memory_expected_save(memory, NULL, 0) > size + 64)
		abort();
	ear_memory_free(memory);
}

int fuzz_moment(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	switch (bytes[0]) {
	case 'r': try_registers(bytes + 1, size - 1); break;
	case 'c': try_changes(bytes + 1, size - 1); break;
	case 'v': try_volatile(bytes + 1, size - 1); break;
	case 'e': try_expected(bytes + 1, size - 1); break;
	default: break;
	}
	return 0;
}
