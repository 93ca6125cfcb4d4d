/* Stores to the event port as events, and the strings of events.
 *
 * Events come right before the record of their store, with its index, as the unit has them. Strings
 * by value are collected until an event takes them; those by address are read from a running state
 * of memory, which is that of the records before the event. The unit sends latches as events too,
 * so all that is needed is in the events themselves, whoever made them.
 */
#include "library/tasks/port_events.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/protocol/bytes.h"
#include "common/protocol/event_port.h"
#include "decoder/record/task_event_internal.h"
#include "library/tasks/port_memory.h"
#include "library/tasks/port_tasks.h"

#define WINDOW 0x2000u
#define CHUNK  64u /* bytes of a string that are read at once */
#define MARK   40u /* room for "<string at 0x... unknown>" */

#define RECORD_EVENTS_MAX 256u /* of one record; more are counted as unknown */

/* A string by value, so far. */
struct collected {
	char bytes[EAR_PORT_STRING_MAX];
	size_t size;
};

/* An event, and its text in port->texts. */
struct made {
	struct ear_record record;
	const struct ear_record *store; /* its instruction; NULL: not yet known */
	struct ear_record_extra extra;
	size_t text, text_size;
};

struct ear_port_events {
	struct ear_port_options options;
	struct ear_port_memory *memory;
	struct ear_port_tasks *tasks; /* NULL: stores stay what they are */
	bool begun;                   /* an instruction came */
	struct collected kernel, user;
	uint32_t high, user_high; /* upper half of the next address */
	uint32_t length;          /* of the next CMDLINE */
	bool physical;            /* addresses of strings are */
	bool physical_known, physical_used;
	uint64_t unknown, no_string;
	char string[EAR_PORT_STRING_MAX + MARK]; /* of the event at hand */

	struct made *made;
	size_t made_count, made_max;
	char *texts;
	size_t texts_size, texts_room;
	const struct ear_record *itself; /* comes after what was made; NULL: it was replaced */

	/* The last event of the port that the trace had itself. */
	bool has_last;
	struct ear_event last;
	uint64_t last_index;
	uint16_t last_hart;
};

int ear_port_events_new(struct ear_port_events **port, const struct ear_port_options *options)
{
	struct ear_port_events *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->options = *options;
	made->options.memory.absent_is_same = !options->memory.captured;
	made->physical_known = true;
	int result = ear_port_memory_new(&made->memory, &made->options.memory);
	if (result == 0 && options->tasks)
		result = ear_port_tasks_new(&made->tasks);
	if (result) {
		ear_port_events_free(made);
		return result;
	}
	*port = made;
	return 0;
}

void ear_port_events_free(struct ear_port_events *port)
{
	if (!port)
		return;
	ear_port_memory_free(port->memory);
	ear_port_tasks_free(port->tasks);
	free(port->made);
	free(port->texts);
	free(port);
}

uint64_t ear_port_events_unknown(const struct ear_port_events *port)
{
	return port->unknown;
}

uint64_t ear_port_events_no_string(const struct ear_port_events *port)
{
	return port->no_string;
}

uint64_t ear_port_events_incomplete(const struct ear_port_events *port)
{
	return port->tasks ? ear_port_tasks_incomplete(port->tasks) : 0;
}

/* Strings -------------------------------------------------------------------------------------- */

static void collect(struct collected *string, uint32_t value, size_t size)
{
	for (size_t i = 0; i < size && string->size < sizeof(string->bytes); i++)
		string->bytes[string->size++] = (char)(value >> 8 * i);
}

/* Take the string up to its zero byte, or max bytes, and begin it anew. */
static size_t take_collected(struct collected *string, char *text, size_t max)
{
	size_t size = string->size < max ? string->size : max;
	const char *end = max == EAR_PORT_STRING_MAX ? memchr(string->bytes, '\0', size) : NULL;

	if (end)
		size = (size_t)(end - string->bytes);
	memcpy(text, string->bytes, size);
	string->size = 0;
	return size;
}

/* The string at an address, up to its zero byte or max bytes: of max, zero bytes are a part.
 * Returns its size in text, or an error of the memory. */
static int64_t read_string(
	struct ear_port_events *port, char *text, const struct ear_port_pointer *from, size_t max)
{
	struct ear_port_pointer pointer = *from;
	size_t size = 0;

	while (size < max) {
		uint8_t bytes[CHUNK];
		bool known[CHUNK];
		pointer.address = from->address + size;
		int64_t got = ear_port_memory_read(port->memory, &pointer, bytes, known, CHUNK);
		if (got < 0)
			return got;
		for (size_t i = 0; i < CHUNK && size < max; i++) {
			if (!known[i]) {
				port->no_string++;
				return (int64_t)size + snprintf(text + size, MARK,
							       "<string at 0x%" PRIx64 " unknown>",
							       from->address + size);
			}
			if (bytes[i] == 0 && max == EAR_PORT_STRING_MAX)
				return (int64_t)size;
			text[size++] = (char)bytes[i];
		}
	}
	return (int64_t)size;
}

/* The text that the trace has already. Its arguments are words, as far as that shows. */
static size_t take_given(char *text, const struct ear_text *name, bool arguments)
{
	size_t size = name->size < EAR_PORT_STRING_MAX ? name->size : EAR_PORT_STRING_MAX;

	memcpy(text, name->text, size);
	for (size_t i = 0; arguments && i < size; i++)
		if (text[i] == ' ')
			text[i] = '\0';
	return size;
}

/* The string of an event whose register takes one. Returns its size in text, or an error. */
static int64_t find_string(struct ear_port_events *port, char *text, const struct made *made)
{
	const struct ear_event *event = &made->record.u.event;
	bool arguments = event->source == EAR_EVENT_REGISTER + EAR_PORT_CMDLINE;
	uint64_t address = (uint64_t)port->high << 32 | event->value;
	size_t max = EAR_PORT_STRING_MAX;

	if (event->name.size > 0)
		return (int64_t)take_given(text, &event->name, arguments);
	if (arguments && port->length > 0 && port->length < max)
		max = port->length;
	if (address == 0 && port->kernel.size > 0)
		return (int64_t)take_collected(&port->kernel, text, max);
	return read_string(port, text,
		&(struct ear_port_pointer){.address = address,
			.physical = port->physical,
			.either = !port->physical_known,
			.hart = made->record.hart,
			.index = made->record.index,
			.store = made->store},
		max);
}

/* Is the value of this register an address, which has an upper half? Which one goes to *high. */
static bool is_address(struct ear_port_events *port, unsigned number, uint32_t **high)
{
	*high = number < EAR_PORT_USER ? &port->high : &port->user_high;
	switch (number) {
	case EAR_PORT_EXECVE_VMSTART:
	case EAR_PORT_EXECVE_VMEND:
	case EAR_PORT_EXECVE_OFFSET:
	case EAR_PORT_UNMAP_START:
	case EAR_PORT_UNMAP_END:
	case EAR_PORT_DYN_SYM_ADDR:
	case EAR_PORT_REMOVE_ADDR:
	case EAR_PORT_METHOD_ENTRY:
	case EAR_PORT_METHOD_EXIT:
	case EAR_PORT_METHOD_EXCEPTION:
	case EAR_PORT_NATIVE_ENTRY:
	case EAR_PORT_NATIVE_EXIT:
	case EAR_PORT_NATIVE_EXCEPTION: return true;
	default: return ear_event_port_is_string((uint8_t)(EAR_EVENT_REGISTER + number));
	}
}

/* What an event changes for those after it. Returns its value with all bits. */
static uint64_t follow(struct ear_port_events *port, const struct ear_event *event)
{
	unsigned number = event->source - EAR_EVENT_REGISTER;
	uint64_t value = event->value;
	uint32_t *high;

	switch (number) {
	case EAR_PORT_STRING: collect(&port->kernel, event->value, 4); break;
	case EAR_PORT_STRING_BYTE: collect(&port->kernel, event->value, 1); break;
	case EAR_PORT_USER_STRING: collect(&port->user, event->value, 4); break;
	case EAR_PORT_HIGH: port->high = event->value; break;
	case EAR_PORT_USER_HIGH: port->user_high = event->value; break;
	case EAR_PORT_CMDLINE_LEN: port->length = event->value; break;
	case EAR_PORT_PHYSICAL:
		port->physical = event->value & 1;
		port->physical_known = port->physical_used = true;
		break;
	default:
		if (is_address(port, number, &high)) {
			value |= (uint64_t)*high << 32;
			*high = 0;
		}
		break;
	}
	return value;
}

/* Keep the text of an event until the next record. */
static int keep_text(struct ear_port_events *port, struct made *made, struct ear_text text)
{
	if (!EAR_ARRAY_RESERVE(port->texts, &port->texts_room, port->texts_size + text.size))
		return EAR_E_NO_MEMORY;
	made->text = port->texts_size;
	made->text_size = text.size;
	if (text.size > 0)
		memcpy(port->texts + port->texts_size, text.text, text.size);
	port->texts_size += text.size;
	return 0;
}

/* Arguments, each with a zero byte after it, as one line. */
static size_t join_arguments(char *text, size_t size)
{
	while (size > 0 && text[size - 1] == '\0')
		size--;
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	return size;
}

/* The event as one of tasks. Returns as ear_port_tasks_take. */
static int make_task_event(
	struct ear_port_events *port, struct made *made, const struct ear_port_store *store)
{
	int result = ear_port_tasks_take(port->tasks, store);

	if (result == 0)
		port->made_count--;
	if (result != 1)
		return result;
	made->record.u.event = (struct ear_event){.source = 0};
	result = keep_text(port, made, ear_port_tasks_name(port->tasks));
	return result ? result : 1;
}

/* Give the event that was made last its string, if it has one, or make of it what it means. */
static int complete(struct ear_port_events *port, struct made *made)
{
	struct ear_event *event = &made->record.u.event;
	bool arguments = event->source == EAR_EVENT_REGISTER + EAR_PORT_CMDLINE;
	int64_t size = 0;

	made->text = made->text_size = 0;
	if (ear_event_port_is_string(event->source))
		size = find_string(port, port->string, made);
	else if (event->source == EAR_EVENT_REGISTER + EAR_PORT_MARK ||
		 event->source == EAR_EVENT_REGISTER + EAR_PORT_COUNTER)
		size = event->name.size > 0 ? (int64_t)take_given(port->string, &event->name, false)
					    : (int64_t)take_collected(&port->user, port->string,
						      EAR_PORT_STRING_MAX);
	if (size < 0)
		return (int)size;
	struct ear_port_store store = {.hart = made->record.hart,
		.number = (uint8_t)(event->source - EAR_EVENT_REGISTER),
		.value = follow(port, event),
		.text = {port->string, (size_t)size}};
	event->name = (struct ear_text){NULL, 0};
	if (port->tasks) {
		int result = make_task_event(port, made, &store);
		if (result != EAR_E_UNSUPPORTED)
			return result < 0 ? result : 0;
	}
	if (arguments)
		store.text.size = join_arguments(port->string, store.text.size);
	return keep_text(port, made, store.text);
}

/* Records -------------------------------------------------------------------------------------- */

/* The register that an access stores to: its number, or -1. */
static int stored_register(struct ear_port_events *port, const struct ear_record_access *access)
{
	uint64_t offset =
		(access->has_physical ? access->physical : access->address) - port->options.address;

	if (!access->write || access->aborted || access->masked || offset >= WINDOW)
		return -1;
	int number = ear_event_port_number((uint32_t)offset);
	if (number >= 0 && access->has_value && access->unknown == 0)
		return number;
	port->unknown++;
	return -1;
}

static uint32_t stored_value(const struct ear_record_access *access)
{
	return access->size == 1   ? (uint32_t)access->value & 0xFF
	       : access->size == 2 ? (uint32_t)access->value & 0xFFFF
				   : (uint32_t)access->value;
}

static bool is_there(const struct ear_port_events *port, const struct ear_record *record,
	uint8_t source, uint32_t value)
{
	return port->has_last && port->last_index == record->index &&
	       port->last_hart == record->hart && port->last.source == source &&
	       port->last.value == value;
}

/* The next event, of a store of this record. NULL: there are too many. */
static struct made *begin_event(
	struct ear_port_events *port, const struct ear_record *record, struct ear_event event)
{
	if (port->made_count == RECORD_EVENTS_MAX) {
		port->unknown++;
		return NULL;
	}
	struct made *made = &port->made[port->made_count++];
	made->store = record;
	made->record = (struct ear_record){
		.kind = EAR_RECORD_EVENT,
		.hart = record->hart,
		.index = record->index,
		.stream_offset = record->stream_offset,
		.ticks = record->ticks,
		.flags = record->flags & (uint32_t)EAR_RECORD_HAS_TIME,
		.u.event = event,
	};
	if (record->extra) {
		made->extra = (struct ear_record_extra){
			.line = record->extra->line, .time_unit = record->extra->time_unit};
		made->record.extra = &made->extra;
	}
	return made;
}

/* --- The heap: registers of the emulator's -memcheck, which units do not have --- */

#define HEAP_OFFSET 0x1800u
#define HEAP_INIT   0 /* pid */
#define HEAP_MALLOC 1 /* address of a descriptor, as of the others */
#define HEAP_FREE   2
#define HEAP_QUERY  3
#define HEAP_PRINT  4 /* address of a string */
#define HEAP_END    5u
#define WORDS_MAX   5u

/* What an access stores to: one of these, or -1. */
static int heap_register(const struct ear_port_events *port, const struct ear_record_access *access)
{
	uint64_t offset = (access->has_physical ? access->physical : access->address) -
			  port->options.address - HEAP_OFFSET;

	return access->write && !access->aborted && !access->masked && offset % 4 == 0 &&
			       offset / 4 < HEAP_END
		       ? (int)(offset / 4)
		       : -1;
}

/* A descriptor: a pointer as wide as the core's, and words. Returns 1, 0 if a byte of it is not
 * known, or an error of the memory. */
static int read_descriptor(struct ear_port_events *port, const struct ear_record *record,
	uint64_t address, uint64_t *pointer, uint32_t words[WORDS_MAX], size_t count)
{
	const struct ear_port_pointer at = {.address = address,
		.physical = port->physical,
		.either = !port->physical_known,
		.hart = record->hart,
		.index = record->index,
		.store = record};
	size_t size = record->xlen == 64 ? 8 : 4, whole = size + 4 * count;
	uint8_t bytes[8 + 4 * WORDS_MAX];
	bool known[sizeof(bytes)];

	int64_t got = ear_port_memory_read(port->memory, &at, bytes, known, whole);
	if (got < 0)
		return (int)got;
	for (size_t i = 0; i < whole; i++)
		if (!known[i])
			return 0;
	*pointer = size == 8 ? ear_load_le64(bytes) : ear_load_le32(bytes);
	for (size_t i = 0; i < count; i++)
		words[i] = ear_load_le32(bytes + size + 4 * i);
	return 1;
}

/* What the descriptor of a register says. Returns as read_descriptor. */
static int read_heap(struct ear_port_events *port, const struct ear_record *record, int which,
	uint64_t value, struct ear_task_event *event)
{
	uint32_t words[WORDS_MAX] = {0};
	uint64_t pointer = 0;

	if (which == HEAP_INIT) {
		*event = (struct ear_task_event){.kind = EAR_TASK_LIBC_INIT, .numbers = {value}};
		return 1;
	}
	int result = read_descriptor(
		port, record, value, &pointer, words, which == HEAP_MALLOC ? WORDS_MAX : 2);
	if (result != 1)
		return result;
	if (which == HEAP_MALLOC) /* bytes, prefix, suffix, and the pids of libc and of who asks */
		*event = (struct ear_task_event){.kind = EAR_TASK_MALLOC,
			.numbers = {words[4], pointer + words[1], words[0]}};
	else
		*event = (struct ear_task_event){
			.kind = which == HEAP_FREE ? EAR_TASK_FREE : EAR_TASK_QUERY_MALLOC,
			.numbers = {words[1], pointer}};
	return 1;
}

static int make_heap_event(struct ear_port_events *port, const struct ear_record *record,
	const struct ear_record_access *access, int which)
{
	struct ear_event none = {.source = 0};
	struct ear_task_event event;

	if (!ear_access_is_known(access)) {
		port->unknown++;
		return 0;
	}
	uint64_t value = (uint64_t)port->user_high << 32 | stored_value(access);
	port->user_high = 0;
	if (which == HEAP_PRINT) {
		none = (struct ear_event){.source = EAR_EVENT_REGISTER + EAR_PORT_PRINT_STR,
			.value = stored_value(access)};
		struct made *made = begin_event(port, record, none);
		return made ? complete(port, made) : 0;
	}
	int result = read_heap(port, record, which, value, &event);
	if (result == 0)
		port->no_string++;
	if (result != 1)
		return result;
	struct made *made = begin_event(port, record, none);
	if (!made)
		return 0;
	size_t size = ear_task_event_begin(port->string, sizeof(port->string), &event);
	return keep_text(port, made, (struct ear_text){port->string, size});
}

/* The event of an access of this record, as the next one. */
static int make_event(struct ear_port_events *port, const struct ear_record *record,
	const struct ear_record_access *access)
{
	int heap = heap_register(port, access);

	if (heap >= 0)
		return make_heap_event(port, record, access, heap);
	int number = stored_register(port, access);
	const struct ear_event event = {.source = (uint8_t)(EAR_EVENT_REGISTER + (unsigned)number),
		.value = stored_value(access)};

	if (number < 0 || is_there(port, record, event.source, event.value))
		return 0;
	struct made *made = begin_event(port, record, event);
	return made ? complete(port, made) : 0;
}

static int make_events(struct ear_port_events *port, const struct ear_record *record)
{
	int result = 0;

	if (!port->options.has_address || record->flags & EAR_RECORD_TRAP ||
		record->memory_count == 0)
		return 0;
	size_t writes = 0;
	for (size_t i = 0; i < record->memory_count; i++)
		writes += record->memory[i].write;
	if (!EAR_ARRAY_RESERVE(port->made, &port->made_max,
		    writes < RECORD_EVENTS_MAX ? writes : RECORD_EVENTS_MAX))
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < record->memory_count && result == 0; i++)
		result = make_event(port, record, &record->memory[i]);
	return result;
}

/* An event of a unit with a port. */
static int take_event(struct ear_port_events *port, const struct ear_record *record)
{
	if (!EAR_ARRAY_RESERVE(port->made, &port->made_max, 1))
		return EAR_E_NO_MEMORY;
	struct made *made = &port->made[port->made_count++];
	made->record = *record;
	made->store = NULL;
	port->has_last = true;
	port->last = record->u.event;
	port->last_index = record->index;
	port->last_hart = record->hart;
	port->itself = NULL;
	return complete(port, made);
}

/* Are stores missing here, of which nothing else says so? */
static bool loses_stores(const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_EVENT)
		return record->u.event.source == EAR_EVENT_PORT_LOST;
	return record->kind == EAR_RECORD_GAP && record->u.gap.reason != EAR_GAP_UNIT_FIFO &&
	       record->u.gap.reason != EAR_GAP_REPEATED;
}

/* Texts may have moved while more of them came. */
static void settle_texts(struct ear_port_events *port)
{
	for (size_t i = 0; i < port->made_count; i++) {
		struct made *made = &port->made[i];
		made->record.u.event.name = (struct ear_text){
			made->text_size ? port->texts + made->text : NULL, made->text_size};
	}
}

static void forget(struct ear_port_events *port)
{
	port->kernel.size = port->user.size = 0;
	port->high = port->user_high = port->length = 0;
	/* Software that never said so before is taken not to have said so now. */
	port->physical_known = !port->physical_used;
	if (port->tasks)
		ear_port_tasks_forget(port->tasks);
}

int ear_port_events_push(struct ear_port_events *port, const struct ear_record *record)
{
	int result = 0;

	port->made_count = port->texts_size = 0;
	port->itself = record;
	/* Which task runs is known where a trace begins with the first instruction; some texts
	 * count from 1. */
	bool begins_late =
		!port->begun && record->kind == EAR_RECORD_INSTRUCTION && record->index > 1;
	port->begun = port->begun || record->kind == EAR_RECORD_INSTRUCTION;
	if (loses_stores(record) || begins_late)
		forget(port);
	if (record->kind == EAR_RECORD_EVENT && record->u.event.source >= EAR_EVENT_REGISTER)
		result = take_event(port, record);
	else if (record->kind == EAR_RECORD_INSTRUCTION)
		result = make_events(port, record);
	settle_texts(port);
	if (result == 0)
		result = ear_port_memory_push(port->memory, record);
	return result ? result : (int)port->made_count + (port->itself != NULL);
}

const struct ear_record *ear_port_events_get(const struct ear_port_events *port, int i)
{
	return (size_t)i < port->made_count ? &port->made[i].record : port->itself;
}
