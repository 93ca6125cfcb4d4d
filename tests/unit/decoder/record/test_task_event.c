/* Events of tasks and methods as names of records, and back. */
#include "check.h"

#include "decoder/record/task_event_internal.h"

static struct ear_record named(const char *name)
{
	struct ear_record record = {.kind = EAR_RECORD_EVENT};

	record.u.event.name = (struct ear_text){name, strlen(name)};
	return record;
}

static bool is_task_event(const char *name)
{
	struct ear_task_event event;
	struct ear_record record = named(name);

	return ear_task_event_parse(&event, &record);
}

/* Parse a name and write it again: the same characters. */
static void assert_returns(const char *name)
{
	char made[256], text[256];
	struct ear_task_event event;
	struct ear_record record = named(name);
	size_t length;

	if (!ear_task_event_parse(&event, &record))
		fail_msg("'%s' is not parsed", name);
	size_t size = ear_task_event_begin(made, sizeof(made), &event);
	while (ear_task_event_text(&event.texts, text, &length))
		size = ear_task_event_add(
			made, sizeof(made), size, (struct ear_text){text, length});
	if (size != strlen(name) || memcmp(made, name, size) != 0)
		fail_msg("'%s' becomes '%.*s'", name, (int)size, made);
}

static void every_kind_is_written_as_it_is_read(void **state)
{
	(void)state;
	assert_returns("process 0 1 init");
	assert_returns("switch 100");
	assert_returns("fork 100 101");
	assert_returns("clone 100 18446744073709551615");
	assert_returns("exec");
	assert_returns("exec /system/bin/app -v two\\x20words \"\" \\x22\\x22");
	assert_returns("exit -42");
	assert_returns("exit -9223372036854775808");
	assert_returns("name 101 worker_thr");
	assert_returns("mmap 0x40000000 0xffffffffffffffff 0x0 /system/lib/libfoo.so");
	assert_returns("munmap 0x40000000 0x40001000");
	assert_returns("symbol 0xbf000000 mod_init");
	assert_returns("symbol-gone 0xbf000000");
	assert_returns("method-enter 100 0x42000100");
	assert_returns("method-exit 100 0x42000100");
	assert_returns("method-unwind 100 0x42000100");
	assert_returns("native-enter 100 0x42000100");
	assert_returns("native-exit 100 0x42000100");
	assert_returns("native-unwind 100 0x42000100");
	assert_returns("exception 0x80e8 0x80ec");
	assert_returns("mark 7 frame\\x3bdone");
	assert_returns("counter 3 18446744073709551615 load");
}

static void what_is_not_exactly_so_is_another_event(void **state)
{
	(void)state;
	assert_false(is_task_event(""));
	assert_false(is_task_event("switch"));
	assert_false(is_task_event("switch "));
	assert_false(is_task_event("switch 1 2"));
	assert_false(is_task_event("switch 01"));
	assert_false(is_task_event("switch -1"));
	assert_false(is_task_event("switch 18446744073709551616"));
	assert_false(is_task_event("switches 1"));
	assert_false(is_task_event("exit -0"));
	assert_false(is_task_event("exit 9223372036854775808"));
	assert_false(is_task_event("munmap 0x1 2"));
	assert_false(is_task_event("munmap 0x1 0xG"));
	assert_false(is_task_event("munmap 0x1 0xA"));
	assert_false(is_task_event("name 1"));
	assert_false(is_task_event("name 1 two words"));
	assert_false(is_task_event("name 1 semi;colon"));
	assert_false(is_task_event("name 1 cut\\x2"));
	assert_false(is_task_event("exec a  b"));
	assert_false(is_task_event("exec a "));
}

static void kind_and_numbers_are_read_whatever_follows(void **state)
{
	struct ear_task_event event;
	struct ear_record record = named("counter 3 17");

	(void)state;
	assert_true(ear_task_event_read(&event, &record));
	assert_int_equal(event.kind, EAR_TASK_COUNTER);
	assert_int_equal(event.numbers[1], 17);
	assert_int_equal(event.texts.size, 0);
	record = named("name 1 two words");
	assert_true(ear_task_event_read(&event, &record));
	assert_int_equal(event.texts.size, strlen(" two words"));
	assert_memory_equal(event.texts.text, " two words", event.texts.size);
	record = named("counter 3 many");
	assert_false(ear_task_event_read(&event, &record));
	record = named("counter 3 17");
	record.kind = EAR_RECORD_NOTE;
	assert_false(ear_task_event_read(&event, &record));
}

static void every_byte_of_a_text_comes_back(void **state)
{
	char bytes[256], name[EAR_TASK_EVENT_BEGIN_MAX + 4 * 256 + 3], back[sizeof(name)];
	struct ear_task_event event = {.kind = EAR_TASK_NAME, .numbers = {5}};
	struct ear_record record = {.kind = EAR_RECORD_EVENT};
	size_t size;

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	size = ear_task_event_begin(name, sizeof(name), &event);
	size = ear_task_event_add(
		name, sizeof(name), size, (struct ear_text){bytes, sizeof(bytes)});
	assert_true(size <= sizeof(name));
	for (size_t i = 0; i < size; i++)
		assert_true(name[i] >= ' ' && name[i] < 0x7F && name[i] != ',' && name[i] != ';');
	record.u.event.name = (struct ear_text){name, size};
	assert_true(ear_task_event_parse(&event, &record));
	assert_true(ear_task_event_text(&event.texts, back, &size));
	assert_int_equal(size, sizeof(bytes));
	assert_memory_equal(back, bytes, size);
	assert_false(ear_task_event_text(&event.texts, back, &size));
}

static void nothing_is_written_beyond_the_room(void **state)
{
	struct ear_task_event event = {.kind = EAR_TASK_SYMBOL, .numbers = {0x1234}};
	char name[32] = "";

	(void)state;
	for (size_t room = 0; room < sizeof(name); room++) {
		memset(name, '#', sizeof(name));
		size_t size = ear_task_event_begin(name, room, &event);
		size = ear_task_event_add(name, room, size, (struct ear_text){"a;", 2});
		assert_int_equal(size, strlen("symbol 0x1234 a\\x3b"));
		for (size_t i = room; i < sizeof(name); i++)
			assert_int_equal(name[i], '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_written_as_it_is_read),
		cmocka_unit_test(what_is_not_exactly_so_is_another_event),
		cmocka_unit_test(kind_and_numbers_are_read_whatever_follows),
		cmocka_unit_test(every_byte_of_a_text_comes_back),
		cmocka_unit_test(nothing_is_written_beyond_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
