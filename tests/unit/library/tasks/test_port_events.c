/* Stores to the event port that become events, and the strings of events. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "common/protocol/event_port.h"
#include "library/tasks/port_events.h"

#define PORT    0x10020000u
#define ADDRESS 0x80001000u
#define SW      0x00a2a023u

static uint64_t next_index;

static struct ear_port_events *new_port(const struct ear_port_options *options)
{
	struct ear_port_events *port = NULL;

	next_index = 0;
	assert_int_equal(ear_port_events_new(&port, options), 0);
	return port;
}

static struct ear_record instruction(const struct ear_record_access *accesses, size_t count)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.index = next_index++,
		.ticks = 77,
		.flags = EAR_RECORD_HAS_TIME | EAR_RECORD_TAKEN,
		.xlen = 64,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = SW,
		.pc = 0x80000000,
		.next_pc = 0x80000000,
		.memory = accesses,
		.memory_count = count};
}

/* One store; returns how many records it became. */
static int store(struct ear_port_events *port, uint64_t address, uint64_t value, uint8_t size)
{
	/* What was pushed is handed out again, after this. */
	static struct ear_record_access access;
	static struct ear_record record;

	access = (struct ear_record_access){
		.address = address, .size = size, .write = true, .has_value = true, .value = value};
	record = instruction(&access, 1);
	return ear_port_events_push(port, &record);
}

static void store_text(struct ear_port_events *port, uint64_t address, const char *text)
{
	for (size_t i = 0; i <= strlen(text); i++)
		assert_int_equal(store(port, address + i, (uint8_t)text[i], 1), 1);
}

static uint64_t register_at(unsigned number)
{
	return number < EAR_PORT_USER ? PORT + 4 * number
				      : PORT + 0x1000 + 4 * (number - EAR_PORT_USER);
}

/* A store to a register, which becomes an event with this text; NULL: with none. */
static void check_event(
	struct ear_port_events *port, unsigned number, uint32_t value, const char *text)
{
	uint64_t index = next_index;

	assert_int_equal(store(port, register_at(number), value, 4), 2);
	const struct ear_record *event = ear_port_events_get(port, 0);
	assert_int_equal(event->kind, EAR_RECORD_EVENT);
	assert_int_equal(event->index, index);
	assert_int_equal(event->ticks, 77);
	assert_int_equal(event->flags, EAR_RECORD_HAS_TIME);
	assert_int_equal(event->u.event.source, EAR_EVENT_REGISTER + number);
	assert_int_equal(event->u.event.value, value);
	assert_int_equal(event->u.event.name.size, text ? strlen(text) : 0);
	if (text)
		assert_memory_equal(event->u.event.name.text, text, strlen(text));
	assert_int_equal(ear_port_events_get(port, 1)->kind, EAR_RECORD_INSTRUCTION);
}

static const struct ear_port_options at_port = {.has_address = true, .address = PORT};

static void every_register_makes_its_event(void **state)
{
	struct ear_port_events *port = new_port(&at_port);
	unsigned names = 0;

	(void)state;
	for (uint32_t offset = 0; offset < 0x1800; offset += 4) {
		int number = ear_event_port_number(offset);
		int count = store(port, PORT + offset, 0x12345678, 4);
		assert_int_equal(count, number < 0 ? 1 : 2);
		if (number < 0)
			continue;
		names++;
		const struct ear_event *event = &ear_port_events_get(port, 0)->u.event;
		assert_int_equal(event->source, EAR_EVENT_REGISTER + (unsigned)number);
		assert_int_equal(register_at((unsigned)number), PORT + offset);
		const char *name = ear_event_port_name(event->source);
		assert_non_null(name);
		assert_int_equal(ear_event_port_source(name, strlen(name)), event->source);
	}
	assert_int_equal(ear_port_events_unknown(port), 0x600 - names);
	assert_int_equal(store(port, PORT - 4, 1, 4), 1);
	assert_int_equal(store(port, PORT + 0x2000, 1, 4), 1);
	assert_int_equal(ear_port_events_unknown(port), 0x600 - names);
	ear_port_events_free(port);
}

static void narrow_stores_have_their_bytes_alone(void **state)
{
	struct ear_port_events *port = new_port(&at_port);

	(void)state;
	assert_int_equal(store(port, PORT, 0xFFFFFF81, 1), 2);
	assert_int_equal(ear_port_events_get(port, 0)->u.event.value, 0x81);
	assert_int_equal(store(port, PORT + 2, 0xFFFF8001, 2), 2);
	assert_int_equal(ear_port_events_get(port, 0)->u.event.value, 0x8001);
	assert_int_equal(ear_port_events_get(port, 0)->u.event.source, EAR_EVENT_REGISTER);
	ear_port_events_free(port);
}

static void what_is_no_store_makes_none(void **state)
{
	struct ear_record_access access = {
		.address = PORT, .size = 4, .write = true, .has_value = true, .value = 5};
	struct ear_port_events *port = new_port(&at_port);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct ear_record_access other = access;
		other.write = i != 0;
		other.aborted = i == 1;
		other.masked = i == 2;
		struct ear_record record = instruction(&other, 1);
		record.flags |= i == 3 ? (uint32_t)EAR_RECORD_TRAP : 0;
		assert_int_equal(ear_port_events_push(port, &record), 1);
	}
	assert_int_equal(ear_port_events_unknown(port), 0);
	access.has_value = false;
	struct ear_record record = instruction(&access, 1);
	assert_int_equal(ear_port_events_push(port, &record), 1);
	assert_int_equal(ear_port_events_unknown(port), 1);
	ear_port_events_free(port);
}

static void several_stores_of_a_record_make_as_many(void **state)
{
	struct ear_record_access accesses[3];
	struct ear_port_events *port = new_port(&at_port);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		accesses[i] = (struct ear_record_access){.address = PORT + 4 * (3 + i),
			.size = 4,
			.write = true,
			.has_value = true,
			.value = i};
	struct ear_record record = instruction(accesses, 3);
	assert_int_equal(ear_port_events_push(port, &record), 4);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ear_port_events_get(port, i)->u.event.source,
			EAR_EVENT_REGISTER + EAR_PORT_EXECVE_VMSTART + (unsigned)i);
	assert_ptr_equal(ear_port_events_get(port, 3), &record);
	ear_port_events_free(port);
}

static void strings_come_from_memory(void **state)
{
	struct ear_port_events *port = new_port(&at_port);
	char part[64];

	(void)state;
	store_text(port, ADDRESS, "init");
	check_event(port, EAR_PORT_NAME, ADDRESS, "init");
	check_event(port, EAR_PORT_SWITCH, ADDRESS, NULL);
	check_event(port, EAR_PORT_PRINT_STR, ADDRESS + 2, "it");
	check_event(port, EAR_PORT_PRINT_STR, ADDRESS + 4, NULL);
	check_event(port, EAR_PORT_NAME, 0x70000000, "<string at 0x70000000 unknown>");
	store(port, ADDRESS + 4, '8', 1);
	snprintf(part, sizeof(part), "init8<string at 0x%x unknown>", ADDRESS + 5);
	check_event(port, EAR_PORT_NAME, ADDRESS, part);
	ear_port_events_free(port);
}

static void a_longer_string_than_a_chunk_is_whole_and_a_very_long_one_is_cut(void **state)
{
	struct ear_port_events *port = new_port(&at_port);
	char text[EAR_PORT_STRING_MAX + 100];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[200] = '\0';
	store_text(port, ADDRESS, text);
	check_event(port, EAR_PORT_NAME, ADDRESS, text);
	text[200] = 'x';
	text[sizeof(text) - 1] = '\0';
	store_text(port, ADDRESS, text);
	text[EAR_PORT_STRING_MAX] = '\0';
	check_event(port, EAR_PORT_NAME, ADDRESS, text);
	ear_port_events_free(port);
}

static void arguments_have_a_length_and_become_one_line(void **state)
{
	struct ear_port_events *port = new_port(&at_port);

	(void)state;
	store_text(port, ADDRESS, "sh");
	store_text(port, ADDRESS + 3, "-c");
	store_text(port, ADDRESS + 6, "true");
	check_event(port, EAR_PORT_CMDLINE_LEN, 11, NULL);
	check_event(port, EAR_PORT_CMDLINE, ADDRESS, "sh -c true");
	ear_port_events_free(port);
}

static void strings_by_value_are_taken_once(void **state)
{
	struct ear_port_events *port = new_port(&at_port);

	(void)state;
	check_event(port, EAR_PORT_STRING, 0x6b726f77, NULL); /* "work" */
	check_event(port, EAR_PORT_USER_STRING, 0x00646e65, NULL);
	check_event(port, EAR_PORT_STRING_BYTE, 0x65, NULL);
	check_event(port, EAR_PORT_STRING_BYTE, 0x72, NULL);
	check_event(port, EAR_PORT_NAME, 0, "worker");
	check_event(port, EAR_PORT_NAME, 0, "<string at 0x0 unknown>");
	check_event(port, EAR_PORT_MARK, 3, "end");
	check_event(port, EAR_PORT_MARK, 3, NULL);
	for (unsigned i = 0; i < EAR_PORT_STRING_MAX; i++)
		store(port, register_at(EAR_PORT_STRING), 0x78787878, 4);
	store(port, register_at(EAR_PORT_NAME), 0, 4);
	assert_int_equal(ear_port_events_get(port, 0)->u.event.name.size, EAR_PORT_STRING_MAX);
	ear_port_events_free(port);
}

static void the_upper_half_of_an_address_is_used_once(void **state)
{
	struct ear_port_events *port = new_port(&at_port);

	(void)state;
	store_text(port, 0x1280001000, "far");
	store_text(port, ADDRESS, "near");
	check_event(port, EAR_PORT_HIGH, 0x12, NULL);
	check_event(port, EAR_PORT_SWITCH, 4, NULL);
	check_event(port, EAR_PORT_NAME, ADDRESS, "far");
	check_event(port, EAR_PORT_NAME, ADDRESS, "near");
	ear_port_events_free(port);
}

/* A unit with a port has made the event: it gets its string, and there is no second one. */
static void events_that_are_there_are_not_made_again(void **state)
{
	struct ear_port_events *port = new_port(&at_port);

	(void)state;
	store_text(port, ADDRESS, "init");
	struct ear_record event = {.kind = EAR_RECORD_EVENT,
		.index = next_index,
		.u.event = {.source = EAR_EVENT_REGISTER + EAR_PORT_NAME, .value = ADDRESS}};
	assert_int_equal(ear_port_events_push(port, &event), 1);
	assert_int_equal(ear_port_events_get(port, 0)->u.event.name.size, 4);
	assert_int_equal(store(port, register_at(EAR_PORT_NAME), ADDRESS, 4), 1);
	check_event(port, EAR_PORT_NAME, ADDRESS, "init");
	struct ear_record other = {
		.kind = EAR_RECORD_EVENT, .u.event = {.source = EAR_EVENT_START_TRIGGER}};
	assert_int_equal(ear_port_events_push(port, &other), 1);
	assert_ptr_equal(ear_port_events_get(port, 0), &other);
	ear_port_events_free(port);
}

/* Events of tasks and methods ------------------------------------------------------------------ */

static const struct ear_port_options as_tasks = {
	.has_address = true, .address = PORT, .tasks = true};

/* Stores that alone say nothing: the record comes alone. */
static void check_part(struct ear_port_events *port, unsigned number, uint32_t value)
{
	assert_int_equal(store(port, register_at(number), value, 4), 1);
	assert_int_equal(ear_port_events_get(port, 0)->kind, EAR_RECORD_INSTRUCTION);
}

static void check_task(
	struct ear_port_events *port, unsigned number, uint32_t value, const char *name)
{
	uint64_t index = next_index;

	assert_int_equal(store(port, register_at(number), value, 4), 2);
	const struct ear_record *event = ear_port_events_get(port, 0);
	assert_int_equal(event->kind, EAR_RECORD_EVENT);
	assert_int_equal(event->index, index);
	assert_int_equal(event->u.event.source, 0);
	assert_int_equal(event->u.event.value, 0);
	assert_int_equal(event->u.event.name.size, strlen(name));
	assert_memory_equal(event->u.event.name.text, name, strlen(name));
}

static void map_stores(struct ear_port_events *port)
{
	check_part(port, EAR_PORT_EXECVE_VMSTART, 0x8000);
	check_part(port, EAR_PORT_EXECVE_VMEND, 0x9000);
	check_part(port, EAR_PORT_EXECVE_OFFSET, 0x1000);
}

static void stores_become_the_events_that_they_mean(void **state)
{
	struct ear_port_events *port = new_port(&as_tasks);

	(void)state;
	store_text(port, ADDRESS, "init");
	store_text(port, ADDRESS + 0x100, "two words");
	check_part(port, EAR_PORT_TGID, 7);
	check_part(port, EAR_PORT_INIT_PID, 8);
	check_task(port, EAR_PORT_INIT_NAME, ADDRESS, "process 7 8 init");
	check_task(port, EAR_PORT_SWITCH, 8, "switch 8");
	check_task(port, EAR_PORT_FORK, 9, "fork 7 9");
	check_task(port, EAR_PORT_CLONE, 10, "clone 7 10");
	check_task(port, EAR_PORT_NAME, ADDRESS + 0x100, "name 8 two\\x20words");
	check_task(port, EAR_PORT_EXIT, 0xFFFFFFFE, "exit -2");
	map_stores(port);
	check_task(port, EAR_PORT_MMAP_EXEPATH, ADDRESS, "mmap 0x8000 0x9000 0x1000 init");
	check_task(port, EAR_PORT_EXECVE_EXEPATH, ADDRESS, "mmap 0x8000 0x9000 0x1000 init");
	check_part(port, EAR_PORT_UNMAP_START, 0x8000);
	check_task(port, EAR_PORT_UNMAP_END, 0x9000, "munmap 0x8000 0x9000");
	check_part(port, EAR_PORT_DYN_SYM_ADDR, 0xBF000000);
	check_task(port, EAR_PORT_DYN_SYM, ADDRESS, "symbol 0xbf000000 init");
	check_task(port, EAR_PORT_REMOVE_ADDR, 0xBF000000, "symbol-gone 0xbf000000");
	check_task(port, EAR_PORT_METHOD_ENTRY, 0x42000000, "method-enter 8 0x42000000");
	check_task(port, EAR_PORT_METHOD_EXIT, 0x42000000, "method-exit 8 0x42000000");
	check_task(port, EAR_PORT_METHOD_EXCEPTION, 1, "method-unwind 8 0x1");
	check_task(port, EAR_PORT_NATIVE_ENTRY, 2, "native-enter 8 0x2");
	check_task(port, EAR_PORT_NATIVE_EXIT, 2, "native-exit 8 0x2");
	check_task(port, EAR_PORT_NATIVE_EXCEPTION, 2, "native-unwind 8 0x2");
	assert_int_equal(ear_port_events_incomplete(port), 0);
	assert_int_equal(ear_port_events_no_string(port), 0);
	ear_port_events_free(port);
}

static void arguments_are_texts_of_their_own(void **state)
{
	struct ear_port_events *port = new_port(&as_tasks);

	(void)state;
	store_text(port, ADDRESS, "sh");
	store_text(port, ADDRESS + 3, "");
	store_text(port, ADDRESS + 4, "a b");
	check_part(port, EAR_PORT_CMDLINE_LEN, 8);
	check_task(port, EAR_PORT_CMDLINE, ADDRESS, "exec sh \"\" a\\x20b");
	ear_port_events_free(port);
}

static void markers_and_counters_have_the_names_of_the_user_page(void **state)
{
	struct ear_port_events *port = new_port(&as_tasks);

	(void)state;
	check_task(port, EAR_PORT_MARK, 3, "mark 3 \"\"");
	check_part(port, EAR_PORT_USER_STRING, 0x00646e65);
	check_task(port, EAR_PORT_MARK, 3, "mark 3 end");
	check_part(port, EAR_PORT_USER_STRING, 0x64616f6c);
	check_part(port, EAR_PORT_COUNTER, 2);
	check_task(port, EAR_PORT_COUNT, 40, "counter 2 40 load");
	check_task(port, EAR_PORT_COUNT, 41, "counter 2 41 load");
	check_part(port, EAR_PORT_COUNTER, 3);
	check_task(port, EAR_PORT_COUNT, 41, "counter 3 41 \"\"");
	ear_port_events_free(port);
}

static void upper_halves_belong_to_the_next_address_of_their_page(void **state)
{
	struct ear_port_events *port = new_port(&as_tasks);

	(void)state;
	check_part(port, EAR_PORT_HIGH, 0x12);
	check_part(port, EAR_PORT_USER_HIGH, 0x34);
	check_task(port, EAR_PORT_METHOD_ENTRY, 1, "method-enter 0 0x3400000001");
	check_task(port, EAR_PORT_METHOD_EXIT, 1, "method-exit 0 0x1");
	check_task(port, EAR_PORT_REMOVE_ADDR, 1, "symbol-gone 0x1200000001");
	check_task(port, EAR_PORT_REMOVE_ADDR, 1, "symbol-gone 0x1");
	ear_port_events_free(port);
}

static void what_is_incomplete_is_counted_and_left_out(void **state)
{
	struct ear_port_events *port = new_port(&as_tasks);
	struct ear_record lost = {
		.kind = EAR_RECORD_EVENT, .u.event = {.source = EAR_EVENT_PORT_LOST, .value = 1}};

	(void)state;
	check_part(port, EAR_PORT_FORK, 9);
	check_part(port, EAR_PORT_UNMAP_END, 9);
	assert_int_equal(ear_port_events_incomplete(port), 2);
	check_task(port, EAR_PORT_SWITCH, 8, "switch 8");
	check_part(port, EAR_PORT_TGID, 8);
	assert_int_equal(ear_port_events_push(port, &lost), 1);
	check_part(port, EAR_PORT_FORK, 9);
	check_part(port, EAR_PORT_METHOD_ENTRY, 9);
	assert_int_equal(ear_port_events_incomplete(port), 4);
	check_task(port, EAR_PORT_SWITCH, 8, "switch 8");
	check_task(port, EAR_PORT_METHOD_ENTRY, 9, "method-enter 8 0x9");
	check_part(port, EAR_PORT_MMAP_EXEPATH, 0x70000000);
	assert_int_equal(ear_port_events_no_string(port), 1);
	ear_port_events_free(port);
}

static void each_hart_runs_a_task_of_its_own(void **state)
{
	struct ear_port_events *port = new_port(&as_tasks);
	struct ear_record event = {
		.kind = EAR_RECORD_EVENT, .hart = 1, .u.event = {.source = EAR_EVENT_REGISTER}};

	(void)state;
	check_task(port, EAR_PORT_SWITCH, 8, "switch 8");
	event.u.event.value = 9;
	assert_int_equal(ear_port_events_push(port, &event), 1);
	check_task(port, EAR_PORT_METHOD_ENTRY, 1, "method-enter 8 0x1");
	event.u.event.source = EAR_EVENT_REGISTER + EAR_PORT_METHOD_ENTRY;
	assert_int_equal(ear_port_events_push(port, &event), 1);
	const struct ear_text name = ear_port_events_get(port, 0)->u.event.name;
	assert_int_equal(name.size, strlen("method-enter 9 0x9"));
	assert_memory_equal(name.text, "method-enter 9 0x9", name.size);
	ear_port_events_free(port);
}

/* A part of a unit's events leaves nothing; a text that the trace gives is taken as it is. */
static void events_with_texts_keep_them(void **state)
{
	struct ear_port_events *port = new_port(&as_tasks);
	struct ear_record event = {.kind = EAR_RECORD_EVENT,
		.u.event = {.source = EAR_EVENT_REGISTER + EAR_PORT_NAME,
			.value = ADDRESS,
			.name = {"init", 4}}};

	(void)state;
	assert_int_equal(ear_port_events_push(port, &event), 1);
	assert_memory_equal(ear_port_events_get(port, 0)->u.event.name.text, "name 0 init", 11);
	event.u.event.source = EAR_EVENT_REGISTER + EAR_PORT_CMDLINE;
	event.u.event.name = (struct ear_text){"sh -c", 5};
	assert_int_equal(ear_port_events_push(port, &event), 1);
	assert_memory_equal(ear_port_events_get(port, 0)->u.event.name.text, "exec sh -c", 10);
	event.u.event = (struct ear_event){.source = EAR_EVENT_REGISTER + EAR_PORT_TGID};
	assert_int_equal(ear_port_events_push(port, &event), 0);
	event.u.event.source = EAR_EVENT_REGISTER + EAR_PORT_ENABLE;
	assert_int_equal(ear_port_events_push(port, &event), 1);
	assert_int_equal(ear_port_events_get(port, 0)->u.event.source, event.u.event.source);
	ear_port_events_free(port);
}

static void a_record_with_very_many_stores_is_bounded(void **state)
{
	struct ear_record_access accesses[300];
	struct ear_port_events *port = new_port(&at_port);

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		accesses[i] = (struct ear_record_access){
			.address = PORT, .size = 4, .write = true, .has_value = true, .value = i};
	struct ear_record record = instruction(accesses, 300);
	assert_int_equal(ear_port_events_push(port, &record), 257);
	assert_int_equal(ear_port_events_get(port, 255)->u.event.value, 255);
	assert_int_equal(ear_port_events_unknown(port), 44);
	ear_port_events_free(port);
}

/* A descriptor is a pointer and words; the value stored is its address. */
static void store_words(struct ear_port_events *port, uint64_t address, uint64_t pointer,
	const uint32_t *words, size_t count)
{
	assert_int_equal(store(port, address, pointer, 8), 1);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(store(port, address + 8 + 4 * i, words[i], 4), 1);
}

static void check_heap(
	struct ear_port_events *port, unsigned which, uint32_t value, const char *name)
{
	assert_int_equal(store(port, PORT + 0x1800 + 4 * which, value, 4), name ? 2 : 1);
	if (!name)
		return;
	const struct ear_event *event = &ear_port_events_get(port, 0)->u.event;
	assert_int_equal(event->source, 0);
	assert_int_equal(event->name.size, strlen(name));
	assert_memory_equal(event->name.text, name, event->name.size);
}

static void stores_of_memcheck_are_events_of_the_heap(void **state)
{
	(void)state;
	struct ear_port_events *port = new_port(&at_port);

	check_heap(port, 0, 100, "libc-init 100");
	store_words(port, 0x9000, 0x20000, (uint32_t[]){40, 16, 8, 100, 102, 0}, 6);
	check_heap(port, 1, 0x9000, "malloc 102 0x20010 40");
	store_words(port, 0x9100, 0x20010, (uint32_t[]){100, 103}, 2);
	check_heap(port, 3, 0x9100, "query-malloc 103 0x20010");
	check_heap(port, 2, 0x9100, "free 103 0x20010");
	assert_int_equal(ear_port_events_no_string(port), 0);
	check_heap(port, 2, 0xA000, NULL); /* nothing wrote it */
	assert_int_equal(ear_port_events_no_string(port), 1);
	store_text(port, 0x9200, "hello");
	assert_int_equal(store(port, PORT + 0x1810, 0x9200, 4), 2);
	assert_int_equal(ear_port_events_get(port, 0)->u.event.source,
		EAR_EVENT_REGISTER + EAR_PORT_PRINT_STR);
	assert_memory_equal(ear_port_events_get(port, 0)->u.event.name.text, "hello", 5);
	assert_int_equal(ear_port_events_unknown(port), 0);
	ear_port_events_free(port);
}

static void without_an_address_no_store_is_an_event(void **state)
{
	const struct ear_port_options none = {.has_address = false};
	struct ear_port_events *port = new_port(&none);

	(void)state;
	assert_int_equal(store(port, PORT, 1, 4), 1);
	assert_int_equal(store(port, 0, 1, 4), 1);
	ear_port_events_free(port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_makes_its_event),
		cmocka_unit_test(narrow_stores_have_their_bytes_alone),
		cmocka_unit_test(what_is_no_store_makes_none),
		cmocka_unit_test(several_stores_of_a_record_make_as_many),
		cmocka_unit_test(strings_come_from_memory),
		cmocka_unit_test(a_longer_string_than_a_chunk_is_whole_and_a_very_long_one_is_cut),
		cmocka_unit_test(arguments_have_a_length_and_become_one_line),
		cmocka_unit_test(strings_by_value_are_taken_once),
		cmocka_unit_test(the_upper_half_of_an_address_is_used_once),
		cmocka_unit_test(events_that_are_there_are_not_made_again),
		cmocka_unit_test(stores_become_the_events_that_they_mean),
		cmocka_unit_test(arguments_are_texts_of_their_own),
		cmocka_unit_test(markers_and_counters_have_the_names_of_the_user_page),
		cmocka_unit_test(upper_halves_belong_to_the_next_address_of_their_page),
		cmocka_unit_test(what_is_incomplete_is_counted_and_left_out),
		cmocka_unit_test(each_hart_runs_a_task_of_its_own),
		cmocka_unit_test(events_with_texts_keep_them),
		cmocka_unit_test(a_record_with_very_many_stores_is_bounded),
		cmocka_unit_test(stores_of_memcheck_are_events_of_the_heap),
		cmocka_unit_test(without_an_address_no_store_is_an_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
