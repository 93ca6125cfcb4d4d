/* Moments: what the index knows of registers, memory and stacks, and the followers of
 * library/state/ that get the records from its last checkpoint on, or all of them where there is no
 * index. The records at the moment itself are read only if somebody asks for what they say.
 */
#include <earshot/moment.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <earshot/infer.h>
#include <earshot/instruction.h>

#include "common/versioned.h"
#include "decoder/record/record_copy.h"
#include "library/api/indexed.h"
#include "library/api/moment_internal.h"
#include "library/index/index_moment.h"
#include "library/memory/memory_state.h"
#include "library/stack/call_stack.h"
#include "library/state/state.h"

struct ear_moment {
	struct ear_trace *trace;
	uint64_t position, number;
	bool placed; /* at position */

	/* A reader and followers of its own. */
	struct ear_cursor cursor;
	unsigned index_changes; /* of the trace, when these were made */
	struct ear_index_walk *walk;
	struct ear_index_moment *followers;
	struct ear_state *initial;
	struct ear_memory_range *devices;
	const struct ear_state *state;

	/* The records before and after the moment, if looked; without one kind is NOTE. */
	bool looked, has_last, has_next;
	struct ear_record_copy last, next;
	uint16_t viewed_hart;
	unsigned wanted; /* enum ear_index_follow */

	/* Of a trace whose values are inferred: the same moment of what the trace itself says, NULL
	 * before it is asked for, and the reader of its records. */
	struct ear_moment *plain;
	bool is_plain;
	struct ear_cursor own_records;
};

static int load_initial(struct ear_moment *moment)
{
	struct ear_trace *trace = moment->trace;
	const char *path = trace->options.initial_state;
	struct ear_text_input *input;

	if (!path)
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ear_trace_fail(trace, EAR_E_IO, "%s: %s", path, strerror(errno));
	int result = ear_state_new(&moment->initial);
	if (result == 0)
		result = ear_text_input_new(&input, fd, NULL, 0);
	if (result == 0) {
		result = ear_state_load(moment->initial, input, NULL, NULL);
		ear_text_input_free(input);
	}
	close(fd);
	return result ? ear_trace_fail(trace, result, "%s: %s", path, ear_error_text(result)) : 0;
}

static int keep_devices(struct ear_moment *moment)
{
	const struct ear_trace_options *options = &moment->trace->options;

	moment->devices = calloc(options->device_count + 1, sizeof(*moment->devices));
	if (!moment->devices)
		return ear_trace_fail(moment->trace, EAR_E_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < options->device_count; i++) {
		const struct ear_span *span = &options->devices[i];
		bool all = span->first == 0 && span->last == UINT64_MAX;
		moment->devices[i].address = span->first;
		moment->devices[i].size = all ? UINT64_MAX : span->last - span->first + 1;
	}
	return 0;
}

static struct ear_cursor plain_cursor(const struct ear_trace *trace)
{
	struct ear_cursor cursor = ear_trace_cursor(trace);

	cursor.layers = NULL;
	return cursor;
}

static void drop(struct ear_moment *moment)
{
	ear_index_moment_free(moment->followers);
	ear_index_walk_free(moment->walk);
	ear_cursor_close(&moment->cursor);
	moment->followers = NULL;
	moment->walk = NULL;
	moment->state = NULL;
	moment->placed = false;
}

/* Readers and followers, of the index that the trace has now. */
static int make(struct ear_moment *moment)
{
	struct ear_trace *trace = moment->trace;

	drop(moment);
	moment->index_changes = trace->index_changes;
	moment->cursor = moment->is_plain ? plain_cursor(trace) : ear_trace_cursor(trace);
	int result = ear_cursor_open(&moment->cursor);
	if (result)
		return ear_trace_fail_reading(trace, &moment->cursor, result);
	const bool captured = ear_source_text_format(moment->cursor.source) == NULL;
	const struct ear_memory_options options = {.captured = captured,
		.absent_is_same = !captured,
		.devices = moment->devices,
		.device_count = trace->options.device_count};
	result = ear_index_walk_new(&moment->walk, trace->index, moment->cursor.source);
	if (result == 0)
		result = ear_index_moment_new(&moment->followers, moment->walk, &options);
	if (result)
		return ear_trace_fail(trace, result, "%s", ear_error_text(result));
	ear_index_moment_follow(moment->followers, moment->wanted);
	if (moment->initial)
		ear_index_moment_set_initial(moment->followers, moment->initial);
	return 0;
}

static int walk_on(void *context, uint64_t done, uint64_t total)
{
	struct ear_meter *meter = context;

	meter->done = done;
	meter->total = total;
	return ear_meter_ask(meter);
}

/* What the followers returned. */
static int fail(struct ear_moment *moment, int result)
{
	bool changed = moment->walk && ear_index_walk_changed(moment->walk);

	moment->placed = false;
	if (changed) {
		moment->trace->index_stale = true;
		return ear_trace_fail(moment->trace, result,
			"the trace has changed since its index was made; ask again");
	}
	return ear_trace_fail_reading(moment->trace, &moment->cursor, result);
}

/* The state at position, and its number. A position beyond the end becomes the end. */
static int follow(struct ear_moment *moment, uint64_t position)
{
	struct ear_index *index = moment->trace->index;
	uint64_t end = index ? ear_index_totals(index).records : UINT64_MAX;

	moment->position = position < end ? position : end;
	int result = ear_index_state(moment->followers, moment->position, &moment->state);
	if (result == EAR_E_BAD_ARGUMENT && !index) {
		moment->position = ear_index_walk_position(moment->walk);
		result = ear_index_state(moment->followers, moment->position, &moment->state);
	}
	if (result == 0 && ear_index_walk_position(moment->walk) != moment->position)
		result = ear_index_walk_to(moment->walk, moment->position);
	if (result == 0)
		moment->number = ear_index_walk_number(moment->walk);
	return result;
}

static void begin_progress(struct ear_moment *moment, struct ear_meter *meter,
	const struct ear_progress *progress, const char *what)
{
	ear_meter_begin(meter, progress, what, 0);
	ear_index_walk_set_progress(moment->walk, walk_on, meter);
}

static int move_once(
	struct ear_moment *moment, uint64_t position, const struct ear_progress *progress)
{
	struct ear_meter meter;
	int result = 0;

	if (moment->placed && moment->position == position)
		return 0;
	moment->looked = moment->has_last = moment->has_next = false;
	if (!moment->placed || moment->trace->index_stale ||
		moment->index_changes != moment->trace->index_changes) {
		result = ear_trace_need_index(moment->trace, progress);
		if (result == 0)
			result = make(moment);
	}
	if (result) {
		moment->placed = false;
		return result;
	}
	begin_progress(moment, &meter, progress, "following the run");
	result = follow(moment, position);
	ear_index_walk_set_progress(moment->walk, NULL, NULL);
	moment->placed = result == 0;
	return result ? fail(moment, result) : 0;
}

int ear_moment_move(
	struct ear_moment *moment, uint64_t position, const struct ear_progress *progress)
{
	int result;

	do {
		result = move_once(moment, position, progress);
	} while (ear_trace_asks_again(moment->trace, result));
	return result;
}

/* A question about the moment ended with this result. Is it to be asked again? Then the moment is
 * where it was, with another index. */
static bool asks_again(
	struct ear_moment *moment, int64_t result, const struct ear_progress *progress)
{
	if (!ear_trace_asks_again(moment->trace, result))
		return false;
	moment->placed = false;
	return ear_moment_move(moment, moment->position, progress) == 0;
}

static int new_moment(struct ear_moment **moment, struct ear_trace *trace, uint64_t position,
	bool is_plain, const struct ear_progress *progress)
{
	int result = ear_trace_need_places(trace, "a moment");

	if (result)
		return result;
	struct ear_moment *made = calloc(1, sizeof(*made));
	if (!made)
		return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	made->trace = trace;
	made->is_plain = is_plain;
	made->own_records = plain_cursor(trace);
	result = load_initial(made);
	if (result == 0)
		result = keep_devices(made);
	if (result == 0)
		result = ear_moment_move(made, position, progress);
	if (result) {
		ear_moment_free(made);
		return result;
	}
	*moment = made;
	return 0;
}

int ear_moment_new(struct ear_moment **moment, struct ear_trace *trace, uint64_t position,
	const struct ear_progress *progress)
{
	return new_moment(moment, trace, position, false, progress);
}

void ear_moment_free(struct ear_moment *moment)
{
	if (!moment)
		return;
	drop(moment);
	ear_moment_free(moment->plain);
	ear_cursor_close(&moment->own_records);
	ear_state_free(moment->initial);
	ear_record_copy_fini(&moment->last);
	ear_record_copy_fini(&moment->next);
	free(moment->devices);
	free(moment);
}

uint64_t ear_moment_position(const struct ear_moment *moment)
{
	return moment->position;
}

uint64_t ear_moment_number(const struct ear_moment *moment)
{
	return moment->number;
}

/* Read the records at the moment, with the reader that answers the trace's questions, so that the
 * followers stay where they are. What cannot be read is not known. */
static void look(const struct ear_moment *asked)
{
	struct ear_moment *moment = (struct ear_moment *)asked;
	struct ear_cursor *cursor =
		moment->trace->inference ? &moment->own_records : &moment->trace->asking;
	const struct ear_record *record;
	struct ear_meter meter;

	if (moment->looked || !moment->placed)
		return;
	moment->looked = true;
	ear_meter_begin(&meter, NULL, "", 0);
	ear_cursor_use_index(cursor, moment->trace->index);
	uint64_t from = moment->position ? moment->position - 1 : 0;
	if (ear_cursor_seek(cursor, from, &meter) != 1)
		return;
	if (from < moment->position) {
		if (ear_cursor_next(cursor, &record) != 1)
			return;
		moment->has_last = ear_record_copy_set(&moment->last, record) == 0;
	}
	if (ear_cursor_next(cursor, &record) == 1) {
		moment->has_next = ear_record_copy_set(&moment->next, record) == 0;
		ear_cursor_back(cursor);
	}
}

const struct ear_record *ear_moment_record(const struct ear_moment *moment)
{
	look(moment);
	return moment->has_last ? &moment->last.record : NULL;
}

uint16_t ear_moment_hart(const struct ear_moment *moment)
{
	look(moment);
	if (moment->has_last)
		return moment->last.record.hart;
	return moment->has_next ? moment->next.record.hart : 0;
}

/* The record before or after, if it is an instruction of the hart; else NULL. */
static const struct ear_record *instruction_of(
	const struct ear_record_copy *copy, bool has, uint16_t hart)
{
	const struct ear_record *record = &copy->record;

	return has && record->hart == hart && record->kind == EAR_RECORD_INSTRUCTION ? record
										     : NULL;
}

static const struct ear_record *last_of(const struct ear_moment *moment, uint16_t hart)
{
	look(moment);
	return instruction_of(&moment->last, moment->has_last, hart);
}

static const struct ear_record *next_of(const struct ear_moment *moment, uint16_t hart)
{
	look(moment);
	return instruction_of(&moment->next, moment->has_next, hart);
}

bool ear_moment_pc(const struct ear_moment *moment, uint16_t hart, uint64_t *pc)
{
	const struct ear_record *last = last_of(moment, hart);

	if (last)
		*pc = last->pc;
	return last;
}

bool ear_moment_next_pc(const struct ear_moment *moment, uint16_t hart, uint64_t *pc)
{
	if (!moment->placed)
		return false;
	if (ear_state_next_pc(moment->state, hart, pc))
		return true;
	const struct ear_record *next = next_of(moment, hart);
	if (next)
		*pc = next->pc;
	return next;
}

/* mret, sret, uret, mnret, dret, and what trapped: the privilege after them is another one. */
static bool changes_privilege(const struct ear_record *record)
{
	const uint32_t unknown = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE;
	uint64_t opcode = record->opcode;

	return record->flags & unknown || record->isa != EAR_ISA_RISCV || opcode == 0x30200073 ||
	       opcode == 0x10200073 || opcode == 0x00200073 || opcode == 0x70200073 ||
	       opcode == 0x7b200073;
}

bool ear_moment_privilege(const struct ear_moment *moment, uint16_t hart, unsigned *privilege)
{
	const struct ear_record *next = next_of(moment, hart), *last = last_of(moment, hart);

	if (next && !(next->flags & EAR_RECORD_NO_PRIVILEGE)) {
		*privilege = next->privilege;
		return true;
	}
	if (!last || last->flags & EAR_RECORD_NO_PRIVILEGE || changes_privilege(last))
		return false;
	*privilege = last->privilege;
	return true;
}

bool ear_moment_ticks(const struct ear_moment *moment, uint64_t *ticks)
{
	const struct ear_record *last = ear_moment_record(moment);
	bool has = last && last->flags & EAR_RECORD_HAS_TIME;

	if (has)
		*ticks = last->ticks;
	return has;
}

bool ear_moment_register(const struct ear_moment *moment, uint16_t hart,
	enum ear_register_class reg_class, unsigned number, uint64_t *value)
{
	unsigned count = reg_class == EAR_REGISTER_CSR ? 4096 : 32;

	if (!moment->placed || number >= count || reg_class > EAR_REGISTER_CSR)
		return false;
	if (reg_class == EAR_REGISTER_X && number == 0) {
		*value = 0;
		return true;
	}
	return ear_state_register(moment->state, hart, reg_class, number, value);
}

/* What the trace itself says at the moment; NULL: it cannot be had. Only where values are inferred.
 */
static struct ear_moment *get_plain(struct ear_moment *moment)
{
	struct ear_moment *plain = moment->plain;

	if (!plain)
		return new_moment(&moment->plain, moment->trace, moment->position, true, NULL) == 0
			       ? moment->plain
			       : NULL;
	if (plain->placed && plain->position == moment->position)
		return plain;
	return ear_moment_move(plain, moment->position, NULL) == 0 ? plain : NULL;
}

bool ear_moment_inferred(struct ear_moment *moment, uint16_t hart,
	enum ear_register_class reg_class, unsigned number)
{
	uint64_t value;

	if (!moment->trace->inference ||
		!ear_moment_register(moment, hart, reg_class, number, &value) ||
		(reg_class == EAR_REGISTER_X && number == 0))
		return false;
	struct ear_moment *plain = get_plain(moment);
	return !plain || !ear_moment_register(plain, hart, reg_class, number, &value);
}

const uint8_t *ear_moment_vector(
	const struct ear_moment *moment, uint16_t hart, unsigned number, size_t *size)
{
	if (!moment->placed || number >= 32)
		return NULL;
	return ear_state_vector(moment->state, hart, number, size);
}

bool ear_moment_named(
	const struct ear_moment *moment, uint16_t hart, const char *name, uint64_t *value)
{
	const struct ear_text text = {name, strlen(name)};

	return moment->placed && ear_state_named(moment->state, hart, text, value);
}

/* The bytes as the index or the followers have them. */
static int read_bytes(struct ear_moment *moment, uint64_t address, uint8_t *bytes, uint8_t *known,
	size_t size, bool image)
{
	const struct ear_trace_memory *memory = &moment->trace->memory;

	ear_index_moment_set_image(
		moment->followers, image ? memory->image : NULL, image ? memory->image_count : 0);
	return ear_index_memory(moment->followers, moment->position, address, size, bytes, known);
}

/* Where the trace leaves bytes open, the image may have them. */
static int read_image(
	struct ear_moment *moment, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	bool open = false;

	for (size_t i = 0; i < size; i++)
		open = open || known[i] != EAR_INDEX_BYTE_KNOWN;
	if (!open || moment->trace->memory.image_count == 0)
		return 0;
	uint8_t *with = malloc(2 * size);
	if (!with)
		return EAR_E_NO_MEMORY;
	uint8_t *with_known = with + size;
	int result = read_bytes(moment, address, with, with_known, size, true);
	for (size_t i = 0; result == 0 && i < size; i++)
		if (known[i] != EAR_INDEX_BYTE_KNOWN && with_known[i] == EAR_INDEX_BYTE_KNOWN) {
			bytes[i] = with[i];
			known[i] = UINT8_MAX; /* from the image */
		}
	free(with);
	return result;
}

/* Bytes that do not wrap. */
static int64_t read_memory(
	struct ear_moment *moment, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	int64_t count = 0;
	int result = read_bytes(moment, address, bytes, known, size, false);

	if (result == 0)
		result = read_image(moment, address, bytes, known, size);
	if (result)
		return fail(moment, result);
	for (size_t i = 0; i < size; i++) {
		known[i] = known[i] == EAR_INDEX_BYTE_KNOWN ? EAR_BYTE_TRACE
			   : known[i] == UINT8_MAX          ? EAR_BYTE_IMAGE
							    : EAR_BYTE_UNKNOWN;
		count += known[i] != EAR_BYTE_UNKNOWN;
	}
	return count;
}

/* The followers are asked for more: they are of the index that the trace has now. */
static int check_request(struct ear_moment *moment, size_t size)
{
	uint64_t position = moment->position;

	if (size > EAR_MEMORY_MAX)
		return ear_trace_fail(moment->trace, EAR_E_BAD_ARGUMENT,
			"%zu bytes of memory are asked for, at most %u can be", size,
			EAR_MEMORY_MAX);
	if (!moment->placed)
		return ear_trace_fail(
			moment->trace, EAR_E_BAD_ARGUMENT, "the moment is at no position");
	if (moment->index_changes == moment->trace->index_changes)
		return 0;
	int result = make(moment);
	if (result == 0)
		result = follow(moment, position);
	moment->placed = result == 0;
	return result ? fail(moment, result) : 0;
}

/* This is asked, too: from now on it is followed together with the registers. */
static void want(struct ear_moment *moment, unsigned kind)
{
	moment->wanted |= EAR_INDEX_FOLLOW_REGISTERS | kind;
	ear_index_moment_follow(moment->followers, moment->wanted);
}

/* The followers were asked something else: the state is where it was, if it can be. */
static void keep_state(struct ear_moment *moment)
{
	moment->placed = moment->placed &&
			 ear_index_state(moment->followers, moment->position, &moment->state) == 0;
}

/* Of the bytes that are known, those that the trace itself does not say. */
static void mark_inferred(struct ear_moment *moment, uint64_t address, uint8_t *known, size_t size)
{
	struct ear_moment *plain;
	uint8_t *bytes;

	if (!moment->trace->inference || moment->is_plain)
		return;
	plain = get_plain(moment);
	bytes = plain ? malloc(2 * size) : NULL;
	const bool has =
		bytes && ear_moment_memory(plain, address, bytes, bytes + size, size, NULL) >= 0;
	for (size_t i = 0; i < size; i++)
		if (known[i] != EAR_BYTE_UNKNOWN && (!has || bytes[size + i] == EAR_BYTE_UNKNOWN))
			known[i] = EAR_BYTE_INFERRED;
	free(bytes);
}

static int64_t read_once(struct ear_moment *moment, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size, const struct ear_progress *progress)
{
	struct ear_meter meter;
	int64_t count = check_request(moment, size), more = 0;

	if (count < 0 || size == 0)
		return count;
	uint8_t *own = known ? NULL : malloc(size);
	if (!known && !own)
		return ear_trace_fail(moment->trace, EAR_E_NO_MEMORY, "out of memory");
	known = known ? known : own;
	moment->trace->memory.asked = true;
	want(moment, EAR_INDEX_FOLLOW_MEMORY);
	begin_progress(moment, &meter, progress, "following the memory");
	/* What runs over the end of the address space goes on at its beginning. */
	size_t before_end =
		address && size - 1 > UINT64_MAX - address ? (size_t)(0 - address) : size;
	if (before_end)
		count = read_memory(moment, address, bytes, known, before_end);
	if (count >= 0 && before_end < size)
		more = read_memory(
			moment, 0, bytes + before_end, known + before_end, size - before_end);
	keep_state(moment);
	ear_index_walk_set_progress(moment->walk, NULL, NULL);
	if (count >= 0 && more >= 0)
		mark_inferred(moment, address, known, size);
	free(own);
	return count < 0 || more < 0 ? (count < 0 ? count : more) : count + more;
}

int64_t ear_moment_memory(struct ear_moment *moment, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size, const struct ear_progress *progress)
{
	int64_t result;

	do {
		result = read_once(moment, address, bytes, known, size, progress);
	} while (asks_again(moment, result, progress));
	return result;
}

static int stacks_once(struct ear_moment *moment, const struct ear_call_stacks **stacks,
	const struct ear_progress *progress)
{
	struct ear_meter meter;

	int result = check_request(moment, 0);
	if (result)
		return result;
	begin_progress(moment, &meter, progress, "following the calls");
	want(moment, EAR_INDEX_FOLLOW_STACKS);
	result = ear_index_stacks(moment->followers, moment->position, stacks);
	if (result && result != EAR_E_UNSUPPORTED)
		fail(moment, result);
	keep_state(moment);
	ear_index_walk_set_progress(moment->walk, NULL, NULL);
	return result;
}

int ear_moment_stacks(struct ear_moment *moment, const struct ear_call_stacks **stacks,
	const struct ear_progress *progress)
{
	int result;

	do {
		result = stacks_once(moment, stacks, progress);
	} while (asks_again(moment, result, progress));
	return result;
}

int64_t ear_moment_stack(struct ear_moment *moment, uint16_t hart, struct ear_call_frame *frames,
	size_t size, size_t max, const struct ear_progress *progress)
{
	bool is_ours = size == sizeof(*frames);
	struct ear_call_frame *own = frames;
	const struct ear_call_stacks *stacks;

	if (!is_ours) {
		own = calloc(max ? max : 1, sizeof(*own));
		if (!own)
			return ear_trace_fail(moment->trace, EAR_E_NO_MEMORY, "out of memory");
	}
	int64_t result = ear_moment_stacks(moment, &stacks, progress);
	if (result == 0)
		result = ear_call_stack_frames(stacks, hart, own, max);
	if (result == EAR_E_UNSUPPORTED)
		ear_trace_fail(moment->trace, EAR_E_UNSUPPORTED,
			"the trace has no call stacks: it has no opcodes, or is not of RISC-V");
	if (is_ours)
		return result;
	for (size_t i = 0; i < max && (int64_t)i < result; i++)
		ear_versioned_element(frames, size, i, &own[i], sizeof(*own));
	free(own);
	return result;
}

static bool view_register(void *context, unsigned number, uint64_t *value)
{
	const struct ear_moment *moment = context;
	uint16_t hart = moment->viewed_hart;

	if (number < 32)
		return ear_moment_register(moment, hart, EAR_REGISTER_X, number, value);
	if (number < 64)
		return ear_moment_register(moment, hart, EAR_REGISTER_F, number - 32, value);
	return number >= 4096 && number < 8192 &&
	       ear_moment_register(moment, hart, EAR_REGISTER_CSR, number - 4096, value);
}

static bool view_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	struct ear_moment *moment = context;

	if (size > EAR_MEMORY_MAX ||
		ear_moment_memory(moment, address, bytes, known, size, NULL) < 0)
		return false;
	for (size_t i = 0; i < size; i++)
		known[i] = known[i] != EAR_BYTE_UNKNOWN;
	return true;
}

static int view_named(void *context, const char *name, uint64_t *value)
{
	const struct ear_moment *moment = context;
	uint16_t hart = moment->viewed_hart;
	enum ear_register_class reg_class;
	unsigned number;

	if (strcmp(name, "pc") == 0)
		return ear_moment_next_pc(moment, hart, value);
	if (ear_register_find(name, &reg_class, &number) < 0 ||
		(reg_class != EAR_REGISTER_X && reg_class != EAR_REGISTER_CSR))
		return -1;
	return ear_moment_register(moment, hart, reg_class, number, value);
}

bool ear_moment_view(struct ear_moment *moment, uint16_t hart, struct ear_moment_view *view)
{
	struct ear_moment_view own = {.read_register = view_register,
		.read_memory = view_memory,
		.context = moment,
		.read_named = view_named};
	bool is_known = ear_moment_next_pc(moment, hart, &own.pc);

	if (ear_versioned_write(view, &own, sizeof(own)) != 0)
		return false;
	moment->viewed_hart = hart;
	return is_known;
}

/* ---- For a history. ---- */

const struct ear_index_walk *ear_moment_walk(const struct ear_moment *moment)
{
	return moment->placed && ear_index_walk_position(moment->walk) == moment->position
		       ? moment->walk
		       : NULL;
}

const struct ear_state *ear_moment_state(const struct ear_moment *moment)
{
	return moment->placed ? moment->state : NULL;
}

bool ear_moment_has_log(struct ear_moment *moment, uint64_t first, uint64_t end)
{
	return check_request(moment, 0) == 0 && ear_index_has_log(moment->followers, first, end);
}

int ear_moment_never_known(struct ear_moment *moment, uint64_t line, uint64_t *mask)
{
	int result = check_request(moment, 0);

	if (result == 0)
		result = ear_index_never_known(moment->followers, line, mask);
	return result ? fail(moment, result) : 0;
}
