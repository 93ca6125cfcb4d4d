/* The present, and what is known there. */
#include "cli/gdb/replay.h"

#include <string.h>

#include "cli/gdb/target.h"

#define NEAR 4096u /* records that are looked at for the next or the last one of a hart */

static int ask(void *context, uint64_t done, uint64_t total, const char *what)
{
	const struct ear_gdb_replay *replay = context;

	(void)done;
	(void)total;
	(void)what;
	return replay->interrupted && replay->interrupted(replay->context);
}

int ear_gdb_replay_init(struct ear_gdb_replay *replay, struct ear_trace *trace, bool captured,
	bool (*interrupted)(void *context), void *context)
{
	*replay = (struct ear_gdb_replay){.trace = trace,
		.captured = captured,
		.handlers_over = true,
		.interrupted = interrupted,
		.context = context};
	replay->progress = (struct ear_progress){sizeof(replay->progress), ask, replay};
	return ear_history_new(&replay->history, trace, 0, &replay->progress);
}

void ear_gdb_replay_fini(struct ear_gdb_replay *replay)
{
	ear_gdb_rejoin(replay);
	ear_history_free(replay->history);
	ear_gdb_points_fini(&replay->points);
	*replay = (struct ear_gdb_replay){0};
}

int ear_gdb_replay_change(
	struct ear_gdb_replay *replay, struct ear_trace *trace, uint64_t dropped, bool to_end)
{
	uint64_t position = replay->present > dropped ? replay->present - dropped : 0;
	struct ear_history *history;

	if (to_end)
		position = UINT64_MAX;

	int result = ear_history_new(&history, trace, position, &replay->progress);
	if (result)
		return result;
	struct ear_gdb_replay former = *replay;
	replay->trace = trace;
	replay->history = history;
	result = ear_gdb_goto(replay, position);
	if (result) {
		ear_history_free(history);
		*replay = former;
	} else {
		ear_history_free(former.history);
	}
	return result;
}

void ear_gdb_rejoin(struct ear_gdb_replay *replay)
{
	ear_diversion_free(replay->diversion);
	replay->diversion = NULL;
}

int ear_gdb_settle(struct ear_gdb_replay *replay, uint64_t position)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	int result;

	ear_gdb_rejoin(replay);
	while ((result = ear_history_move(replay->history, position, &replay->progress)) == 0) {
		uint64_t first, end;
		position = ear_history_position(replay->history);
		bool at_end = ear_history_window(replay->history, &first, &end);
		while (ear_history_batch(replay->history, position, &batch) == 1) {
			const unsigned kind =
				batch.run ? EAR_RECORD_INSTRUCTION : batch.record->kind;
			if (kind == EAR_RECORD_INSTRUCTION || kind == EAR_RECORD_GAP)
				break;
			position++;
		}
		if (position < end || at_end)
			break;
	}
	if (result)
		return result;
	replay->present = position;
	result = ear_history_move(replay->history, position, &replay->progress);
	/* The record before it is looked at, too. */
	if (result == 0 && position > 0 && !ear_history_record(replay->history, position - 1)) {
		result = ear_history_move(replay->history, position - 1, &replay->progress);
		if (result == 0)
			result = ear_history_move(replay->history, position, &replay->progress);
	}
	return result;
}

int ear_gdb_goto(struct ear_gdb_replay *replay, uint64_t position)
{
	replay->trail_count = 0;
	return ear_gdb_settle(replay, position);
}

const struct ear_record *ear_gdb_record(struct ear_gdb_replay *replay)
{
	return ear_history_record(replay->history, replay->present);
}

const struct ear_record *ear_gdb_before(
	struct ear_gdb_replay *replay, uint16_t hart, uint64_t position)
{
	for (unsigned i = 0; i < NEAR && position > 0; i++) {
		const struct ear_record *record = ear_history_record(replay->history, --position);
		if (!record || record->kind == EAR_RECORD_GAP)
			return NULL;
		if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == hart)
			return record;
	}
	return NULL;
}

uint64_t ear_gdb_number(struct ear_gdb_replay *replay)
{
	struct ear_batch batch = {.size = sizeof(batch)};

	if (ear_history_batch(replay->history, replay->present, &batch) == 1)
		return batch.number;
	if (replay->present == 0 ||
		ear_history_batch(replay->history, replay->present - 1, &batch) != 1)
		return 0;
	return batch.number + (batch.run || batch.record->kind == EAR_RECORD_INSTRUCTION);
}

uint16_t ear_gdb_hart(struct ear_gdb_replay *replay)
{
	const struct ear_record *record = ear_gdb_record(replay);

	if (!record && replay->present > 0)
		record = ear_history_record(replay->history, replay->present - 1);
	return record ? record->hart : 0;
}

/* The next instruction of the hart from the present on, before any gap, if it is near. */
static bool next_of(struct ear_gdb_replay *replay, uint16_t hart, struct ear_record *next)
{
	for (uint64_t i = 0; i < NEAR; i++) {
		const struct ear_record *record =
			ear_history_record(replay->history, replay->present + i);
		if (!record || record->kind == EAR_RECORD_GAP)
			return false;
		if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == hart) {
			*next = *record;
			return true;
		}
	}
	return false;
}

/* Are records missing before the next one of the hart, without a gap record that says so? A filter
 * of the unit leaves them out. What the hart held before is of no use then. */
static bool is_jump(struct ear_gdb_replay *replay, uint16_t hart, const struct ear_record *next)
{
	const struct ear_record *before = ear_gdb_before(replay, hart, replay->present);

	if (!before)
		return false;
	if (replay->captured)
		return next->index != before->index + 1;
	return !(before->flags & (EAR_RECORD_NO_NEXT_PC | EAR_RECORD_INTERRUPT)) &&
	       next->pc != before->next_pc;
}

static bool recorded_pc(struct ear_gdb_replay *replay, uint16_t hart, uint64_t *pc)
{
	struct ear_record next;

	if (!next_of(replay, hart, &next))
		return ear_history_next_pc(replay->history, hart, pc);
	*pc = next.pc;
	return true;
}

static bool is_diverted(const struct ear_gdb_replay *replay, uint16_t hart)
{
	return replay->diversion && replay->diverted == hart;
}

bool ear_gdb_pc(struct ear_gdb_replay *replay, uint16_t hart, uint64_t *pc)
{
	if (!is_diverted(replay, hart))
		return recorded_pc(replay, hart, pc);
	*pc = ear_diversion_pc(replay->diversion);
	return true;
}

static bool read_privilege(struct ear_gdb_replay *replay, uint16_t hart, uint64_t *value)
{
	struct ear_record next;

	if (!next_of(replay, hart, &next) || next.flags & EAR_RECORD_NO_PRIVILEGE)
		return false;
	*value = next.privilege;
	return true;
}

bool ear_gdb_recorded_register(
	struct ear_gdb_replay *replay, uint16_t hart, unsigned number, uint64_t *value)
{
	enum ear_register_class reg_class;
	struct ear_record next;
	unsigned index;

	if (number == EAR_GDB_PC)
		return recorded_pc(replay, hart, value);
	if (number == EAR_GDB_PRIV)
		return read_privilege(replay, hart, value);
	if (!ear_gdb_register_of(number, &reg_class, &index))
		return false;
	if (number != 0 && next_of(replay, hart, &next) && is_jump(replay, hart, &next))
		return false;
	return ear_history_register(replay->history, hart, reg_class, index, value);
}

bool ear_gdb_register(
	struct ear_gdb_replay *replay, uint16_t hart, unsigned number, uint64_t *value)
{
	struct ear_diversion *diversion = replay->diversion;
	enum ear_register_class reg_class;
	unsigned index, privilege;

	if (!is_diverted(replay, hart))
		return ear_gdb_recorded_register(replay, hart, number, value);
	if (number == EAR_GDB_PC) {
		*value = ear_diversion_pc(diversion);
		return true;
	}
	if (number != EAR_GDB_PRIV)
		return ear_gdb_register_of(number, &reg_class, &index) &&
		       ear_diversion_register(diversion, reg_class, index, value);
	if (!ear_diversion_privilege(diversion, &privilege))
		return false;
	*value = privilege;
	return true;
}

/* Instructions that were executed show what memory holds at their place: bytes that are not known
 * otherwise, of the records around the present. Nothing in the window stored there. Returns how
 * many there are. */
static int64_t fill_code(struct ear_gdb_replay *replay, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t first, end;
	int64_t count = 0;

	ear_history_window(replay->history, &first, &end);
	for (uint64_t at = first; at < end; at += batch.count) {
		if (ear_history_batch(replay->history, at, &batch) != 1)
			break;
		for (size_t i = 0; i < batch.count; i++) {
			const struct ear_record *record = ear_batch_record(&batch, i);
			if (record->kind != EAR_RECORD_INSTRUCTION ||
				record->flags & EAR_RECORD_NO_OPCODE || record->opcode == 0)
				continue;
			for (unsigned k = 0; k < record->opcode_size; k++) {
				const uint64_t offset = record->pc + k - address;
				if (offset >= size || known[offset] != EAR_BYTE_UNKNOWN)
					continue;
				bytes[offset] = (uint8_t)(record->opcode >> 8 * k);
				known[offset] = EAR_BYTE_TRACE;
				count++;
			}
		}
	}
	return count;
}

int64_t ear_gdb_recorded_memory(struct ear_gdb_replay *replay, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size)
{
	struct ear_record next;
	const uint16_t hart = ear_gdb_hart(replay);

	int64_t count = 0;

	memset(known, EAR_BYTE_UNKNOWN, size);
	if (!(next_of(replay, hart, &next) && is_jump(replay, hart, &next)))
		count = ear_history_memory(
			replay->history, address, bytes, known, size, &replay->progress);
	if (count < 0 || count == (int64_t)size)
		return count;
	return count + fill_code(replay, address, bytes, known, size);
}

int64_t ear_gdb_memory(struct ear_gdb_replay *replay, uint64_t address, uint8_t *bytes, size_t size)
{
	uint8_t known[4096];
	size_t count = 0;

	size = size < sizeof(known) ? size : sizeof(known);
	int64_t result =
		replay->diversion
			? ear_diversion_memory(replay->diversion, address, bytes, known, size)
			: ear_gdb_recorded_memory(replay, address, bytes, known, size);
	if (result < 0)
		return result;
	while (count < size && known[count] != EAR_BYTE_UNKNOWN)
		count++;
	return (int64_t)count;
}
