/* The call stack at the present. Of the positions of calls, those of the last questions are kept:
 * while GDB steps through a function it asks for the same caller again and again.
 */
#include "cli/gdb/frames.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "common/array.h"

void ear_gdb_frames_fini(struct ear_gdb_frames *frames)
{
	ear_moment_free(frames->here);
	ear_moment_free(frames->past);
	free(frames->frames);
	free(frames->callers);
	*frames = (struct ear_gdb_frames){0};
}

/* A moment goes to a position, and is made if it is not there. */
static int move(struct ear_moment **moment, struct ear_gdb_replay *replay, uint64_t position)
{
	if (!*moment)
		return ear_moment_new(moment, replay->trace, position, &replay->progress);
	return ear_moment_move(*moment, position, &replay->progress);
}

int ear_gdb_frames_read(struct ear_gdb_frames *frames, struct ear_gdb_replay *replay, uint16_t hart,
	uint64_t position)
{
	if (frames->count > 0 && frames->hart == hart && frames->position == position)
		return 0;
	frames->count = 0;
	int64_t result = move(&frames->here, replay, position);
	if (result)
		return (int)result;
	while ((result = ear_moment_stack(frames->here, hart, frames->frames,
			sizeof(*frames->frames), frames->room, &replay->progress)) >
		(int64_t)frames->room)
		if (!EAR_ARRAY_RESERVE(frames->frames, &frames->room, (size_t)result))
			return EAR_E_NO_MEMORY;
	if (result < 0)
		return (int)result;
	frames->count = (size_t)result;
	frames->hart = hart;
	frames->position = position;
	return 0;
}

static struct ear_gdb_caller *find_caller(
	const struct ear_gdb_frames *frames, uint16_t hart, uint64_t position)
{
	for (size_t i = 0; i < EAR_GDB_CALLERS; i++) {
		struct ear_gdb_caller *caller = &frames->callers[i];
		if (caller->used && caller->position == position && caller->hart == hart)
			return caller;
	}
	return NULL;
}

static void read_registers(struct ear_gdb_caller *caller, const struct ear_moment *moment)
{
	enum ear_register_class reg_class;
	unsigned index;

	for (unsigned i = 0; i < EAR_GDB_CSR0; i++)
		caller->known[i] = ear_gdb_register_of(i, &reg_class, &index) &&
				   ear_moment_register(moment, caller->hart, reg_class, index,
					   &caller->values[i]);
}

int ear_gdb_frames_caller(struct ear_gdb_frames *frames, struct ear_gdb_replay *replay,
	size_t number, const struct ear_gdb_caller **caller)
{
	const uint64_t position = frames->frames[number].position;

	if (!frames->callers)
		frames->callers = calloc(EAR_GDB_CALLERS, sizeof(*frames->callers));
	if (!frames->callers)
		return EAR_E_NO_MEMORY;
	struct ear_gdb_caller *found = find_caller(frames, frames->hart, position);
	*caller = found;
	if (found)
		return 0;
	int result = move(&frames->past, replay, position);
	if (result)
		return result;
	found = &frames->callers[frames->oldest];
	frames->oldest = (frames->oldest + 1) % EAR_GDB_CALLERS;
	*found = (struct ear_gdb_caller){.used = true, .hart = frames->hart, .position = position};
	read_registers(found, frames->past);
	*caller = found;
	return 0;
}
