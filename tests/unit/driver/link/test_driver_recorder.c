/* The recorder: a sink that hands everything on and keeps the bytes in a file. */
#include "check.h"

#include <earshot/error.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/link/recorder.h"

/* The next sink writes down its calls: bytes as they are, < for a loss, > for the end. */
struct seen {
	char calls[64];
	size_t size;
	bool full;
};

static bool push(void *context, const uint8_t *bytes, size_t size)
{
	struct seen *seen = context;

	memcpy(seen->calls + seen->size, bytes, size);
	seen->size += size;
	return !seen->full;
}

static void end(void *context, const struct ear_transport_end *how)
{
	struct seen *seen = context;

	assert_int_equal(how->reason, EAR_TRANSPORT_EXITED);
	seen->calls[seen->size++] = '>';
}

static void lose(void *context)
{
	struct seen *seen = context;

	seen->calls[seen->size++] = '<';
}

static const struct ear_transport_end ended = {.reason = EAR_TRANSPORT_EXITED};

static void push_text(const struct ear_transport_sink *sink, const char *text)
{
	assert_true(sink->push(sink->context, (const uint8_t *)text, strlen(text)));
}

static void every_call_is_handed_on_and_bytes_are_in_the_file(void **state)
{
	char path[] = "/tmp/earshot-record-XXXXXX", contents[64] = "";
	struct seen seen = {.size = 0};
	const struct ear_transport_sink next = {push, end, &seen, lose};
	struct ear_recorder *recorder;
	struct ear_report report;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(ear_recorder_open(&recorder, path, &next, &report), 0);
	struct ear_transport_sink sink = ear_recorder_sink(recorder);
	push_text(&sink, "one ");
	sink.lose(sink.context);
	push_text(&sink, "two ");
	sink.end(sink.context, &ended);

	/* The device came back: another transport is started with the same sink. */
	struct ear_transport_sink again = ear_recorder_sink(recorder);
	push_text(&again, "three");
	seen.full = true;
	assert_false(again.push(again.context, (const uint8_t *)"!", 1)); /* nobody wants more */
	assert_int_equal(ear_recorder_status(recorder, &report), 0);
	ear_recorder_close(recorder);

	assert_string_equal(seen.calls, "one <two >three!");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, contents, sizeof(contents)), 14);
	close(fd);
	unlink(path);
	assert_string_equal(contents, "one two three!");
}

static void a_sink_without_lose_is_enough(void **state)
{
	struct seen seen = {.size = 0};
	const struct ear_transport_sink next = {push, end, &seen, NULL};
	struct ear_recorder *recorder;
	struct ear_report report;

	(void)state;
	assert_int_equal(ear_recorder_open(&recorder, "/dev/null", &next, &report), 0);
	struct ear_transport_sink sink = ear_recorder_sink(recorder);
	sink.lose(sink.context);
	push_text(&sink, "bytes");
	assert_string_equal(seen.calls, "bytes");
	ear_recorder_close(recorder);
}

static void a_full_disk_ends_the_file_and_not_the_stream(void **state)
{
	struct seen seen = {.size = 0};
	const struct ear_transport_sink next = {push, end, &seen, lose};
	struct ear_recorder *recorder;
	struct ear_report report;

	(void)state;
	assert_int_equal(ear_recorder_open(&recorder, "/dev/full", &next, &report), 0);
	struct ear_transport_sink sink = ear_recorder_sink(recorder);
	push_text(&sink, "one ");
	push_text(&sink, "two");
	assert_string_equal(seen.calls, "one two");
	assert_int_equal(ear_recorder_status(recorder, &report), EAR_E_IO);
	assert_contains(report.text, "/dev/full: cannot write: No space left on device");
	ear_recorder_close(recorder);
}

static void a_file_of_another_recorder_is_left_alone(void **state)
{
	char path[] = "/tmp/earshot-record-XXXXXX", process[32];
	struct seen seen = {.size = 0};
	const struct ear_transport_sink next = {push, end, &seen, lose};
	struct ear_recorder *first, *second;
	struct ear_report report;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(ear_recorder_open(&first, path, &next, &report), 0);
	assert_int_equal(ear_recorder_open(&second, path, &next, &report), EAR_E_IO);
	assert_null(second);
	assert_contains(report.text, "another program writes this file (");
	snprintf(process, sizeof(process), "process %d)", getpid());
	assert_contains(report.text, process);
	ear_recorder_close(second); /* NULL: nothing */
	ear_recorder_close(first);
	unlink(path);
	assert_int_equal(ear_recorder_open(&first, "/nowhere/x", &next, &report), EAR_E_IO);
	assert_contains(report.text, "/nowhere/x: cannot create: No such file or directory");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_is_handed_on_and_bytes_are_in_the_file),
		cmocka_unit_test(a_sink_without_lose_is_enough),
		cmocka_unit_test(a_full_disk_ends_the_file_and_not_the_stream),
		cmocka_unit_test(a_file_of_another_recorder_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
