/* A saved state of call stacks, and flow events that follow it: two bytes say the size of the
 * state, then it comes, then the events as they are in memory. Wrong is: a crash, a read beyond the
 * bytes, a state that was accepted and cannot be saved and loaded again as the same.
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/stack/call_stack.h"
#include "target.h"

#define FRAMES 64

static void ask(const struct ear_call_stacks *stacks, uint16_t hart)
{
	struct ear_call_frame frames[FRAMES];
	struct ear_call_depth depth;
	int count = ear_call_stack_frames(stacks, hart, frames, FRAMES);

	if (count < 1 && count != EAR_E_UNSUPPORTED)
		abort();
	ear_call_stack_depth(stacks, hart, &depth);
}

/* What is saved is loaded, and saved as the same bytes. */
static void check_again(struct ear_call_stacks *stacks)
{
	struct ear_call_stacks *other;
	uint8_t *bytes[2];
	size_t sizes[2];

	if (ear_call_stacks_new(&other) != 0 ||
		ear_call_stacks_save(stacks, true, &bytes[0], &sizes[0]) != 0 ||
		ear_call_stacks_load(other, bytes[0], sizes[0]) != 0 ||
		ear_call_stacks_save(other, true, &bytes[1], &sizes[1]) != 0 ||
		sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
		abort();
	free(bytes[0]);
	free(bytes[1]);
	ear_call_stacks_free(other);
}

int fuzz_call_stack(const uint8_t *bytes, size_t size)
{
	struct ear_call_stacks *stacks;
	struct ear_flow_event event;

	if (size < 2)
		return 0;
	size_t state_size = (size_t)bytes[0] | (size_t)bytes[1] << 8;
	if (state_size > size - 2 || ear_call_stacks_new(&stacks) != 0)
		return 0;
	uint8_t *state = malloc(state_size + 1); /* of its own, so that a read beyond it shows */
	if (!state)
		abort();
	memcpy(state, bytes + 2, state_size);
	int result = ear_call_stacks_load(stacks, state, state_size);
	if (result != 0 && result != EAR_E_BAD_FILE)
		abort();
	free(state);
	check_again(stacks);
	for (size_t at = 2 + state_size; size - at >= sizeof(event); at += sizeof(event)) {
		memcpy(&event, bytes + at, sizeof(event));
		if (ear_call_stacks_push(stacks, &event, 1, at) != 0)
			abort();
		ask(stacks, event.hart);
	}
	check_again(stacks);
	ear_call_stacks_free(stacks);
	return 0;
}
