/* Harts that were seen: the threads of GDB. All of them would be known only after the whole trace
 * was read.
 */
#include "cli/gdb/harts.h"

#include <string.h>

static void note_hart(struct ear_gdb_session *session, uint16_t hart)
{
	size_t at = 0;

	while (at < session->hart_count && session->harts[at] < hart)
		at++;
	if ((at < session->hart_count && session->harts[at] == hart) ||
		session->hart_count == EAR_GDB_HARTS_MAX)
		return;
	memmove(session->harts + at + 1, session->harts + at,
		(session->hart_count - at) * sizeof(*session->harts));
	session->harts[at] = hart;
	session->hart_count++;
}

void ear_gdb_note_harts(struct ear_gdb_session *session)
{
	struct ear_history *history = session->replay.history;
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t first, end;

	ear_history_window(history, &first, &end);
	for (uint64_t at = first; at < end && at - first < 8192; at += batch.count) {
		if (ear_history_batch(history, at, &batch) != 1)
			break;
		if (batch.run || batch.record->kind == EAR_RECORD_INSTRUCTION)
			note_hart(session, batch.run ? batch.run->hart : batch.record->hart);
	}
	note_hart(session, ear_gdb_hart(&session->replay));
}

bool ear_gdb_has_hart(const struct ear_gdb_session *session, uint16_t hart)
{
	for (size_t i = 0; i < session->hart_count; i++)
		if (session->harts[i] == hart)
			return true;
	return false;
}
