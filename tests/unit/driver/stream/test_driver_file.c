/* file: plays a dump, and the recorder makes one. */
#include "check.h"

#include <earshot/error.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/base/clock.h"
#include "driver/session/session.h"
#include "driver/stream/transport_file.h"
#include "driver/transports.h"
#include "fake_transport.h"

static char folder[] = "/tmp/earshot-test-XXXXXX";

static char *in_folder(const char *name)
{
	static char path[2][PATH_MAX];
	static unsigned which;

	which ^= 1;
	snprintf(path[which], sizeof(path[which]), "%s/%s", folder, name);
	return path[which];
}

static int set_up_all(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down_all(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static uint8_t byte_number(size_t number)
{
	return (uint8_t)(number * 2654435761u >> 24);
}

#define DUMP_SIZE 300001 /* some reads, and a rest */

static void write_dump(int fd)
{
	uint8_t *bytes = malloc(DUMP_SIZE);
	size_t done = 0;

	for (size_t i = 0; i < DUMP_SIZE; i++)
		bytes[i] = byte_number(i);
	while (done < DUMP_SIZE) {
		ssize_t written = write(fd, bytes + done, DUMP_SIZE - done);

		assert_above(written, 0);
		done += (size_t)written;
	}
	free(bytes);
}

static void *write_fifo(void *path)
{
	int fd = open(path, O_WRONLY);

	write_dump(fd);
	close(fd);
	return NULL;
}

/* Read this device to its end; it gives the dump. */
static void expect_dump(const char *device)
{
	struct ear_session *session;
	struct ear_session_item item;
	struct ear_report report;
	size_t count = 0;

	if (ear_session_open(&session, device, NULL, &report))
		fail_msg("%s", report.text);
	for (;;) {
		assert_int_equal(ear_session_next(session, &item, 10000), 0);
		if (item.kind != EAR_SESSION_BYTES)
			break;
		for (size_t i = 0; i < item.size; i++)
			assert_int_equal(item.bytes[i], byte_number(count++));
		ear_session_consume(session, item.size);
	}
	assert_int_equal(item.kind, EAR_SESSION_END);
	assert_int_equal(item.end->reason, EAR_SESSION_END_OF_FILE);
	assert_int_equal(count, DUMP_SIZE);
	ear_session_close(session);
}

static void a_file_is_read_to_its_end(void **state)
{
	char device[PATH_MAX + 100];
	int fd = open(in_folder("dump"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	(void)state;
	write_dump(fd);
	close(fd);
	snprintf(device, sizeof(device), "file:%s", in_folder("dump"));
	expect_dump(device);
}

static void a_fifo_is_read_to_its_end(void **state)
{
	char device[PATH_MAX + 100], path[PATH_MAX];
	pthread_t thread;

	(void)state;
	snprintf(path, sizeof(path), "%s", in_folder("fifo"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_fifo, path), 0);
	snprintf(device, sizeof(device), "file:%s", path);
	expect_dump(device);
	pthread_join(thread, NULL);
}

static void standard_input_is_a_minus(void **state)
{
	int before = dup(STDIN_FILENO), fd = open(in_folder("dump"), O_RDONLY);

	(void)state;
	dup2(fd, STDIN_FILENO);
	expect_dump("file:-");
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), 0); /* still open */
	dup2(before, STDIN_FILENO);
	close(before);
	close(fd);
}

static void an_empty_file_is_only_an_end(void **state)
{
	struct ear_session *session;
	struct ear_session_item item;

	(void)state;
	assert_int_equal(ear_session_open(&session, "file:/dev/null", NULL, NULL), 0);
	assert_int_equal(ear_session_next(session, &item, 10000), 0);
	assert_int_equal(item.kind, EAR_SESSION_END);
	assert_int_equal(item.end->reason, EAR_SESSION_END_OF_FILE);
	assert_int_equal(item.offset, 0);
	ear_session_close(session);
}

static void a_silent_pipe_can_be_stopped_and_closed(void **state)
{
	struct ear_session *session;
	struct ear_session_item item;
	char device[100];
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	snprintf(device, sizeof(device), "file:/proc/self/fd/%d", pipes[0]);
	assert_int_equal(ear_session_open(&session, device, NULL, NULL), 0);
	assert_int_equal(ear_session_next(session, &item, 30), EAR_E_TIMEOUT);
	ear_session_stop(session);
	assert_int_equal(ear_session_next(session, &item, 10000), 0);
	assert_int_equal(item.kind, EAR_SESSION_END);
	assert_int_equal(item.end->reason, EAR_SESSION_END_HOST);
	ear_session_close(session);
	close(pipes[0]);
	close(pipes[1]);
}

static void what_cannot_be_opened_is_reported(void **state)
{
	struct ear_transport *transport;
	struct ear_report report;

	(void)state;
	assert_int_equal(
		ear_transport_open(&transport, "file:/nowhere/x", &report), EAR_E_NO_DEVICE);
	assert_contains(report.text, "file:/nowhere/x: cannot open: No such file");
	assert_int_equal(ear_transport_open(&transport, "file:/tmp", &report), EAR_E_NO_DEVICE);
	assert_contains(report.text, "Is a directory");
	assert_null(transport);
}

static void a_file_takes_no_control_words(void **state)
{
	struct ear_transport *transport;
	struct ear_report report;

	(void)state;
	assert_int_equal(ear_transport_open(&transport, "file:/dev/null", &report), 0);
	assert_false(transport->controllable);
	assert_true(transport->flow_controlled);
	assert_int_equal(ear_transport_write(transport, (const uint8_t *)"x", 1, 10, &report),
		EAR_E_UNSUPPORTED);
	ear_transport_close(transport);
}

static void read_errors_end_the_capture(void **state)
{
	struct ear_session *session;
	struct ear_session_item item;

	(void)state;
	/* the memory of a process cannot be read at address 0 */
	assert_int_equal(ear_session_open(&session, "file:/proc/self/mem", NULL, NULL), 0);
	assert_int_equal(ear_session_next(session, &item, 10000), 0);
	assert_int_equal(item.kind, EAR_SESSION_END);
	assert_int_equal(item.end->reason, EAR_SESSION_END_ERROR);
	assert_contains(item.end->report.text, "file:/proc/self/mem: cannot read");
	ear_session_close(session);
}

/* -- The recorder -- */

/* A capture of a fake unit with this file as its record. Returns the bytes received. */
static uint64_t record(const char *path, int *status, char *message, size_t message_size)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_capture_config config;
	struct ear_session_options options;
	struct ear_session *session;
	struct ear_session_item item;
	struct ear_report report;

	fake->frame_count = 500;
	fake->ends = true;
	ear_session_options_init(&options);
	options.record_path = path;
	if (ear_session_open_transport(&session, &fake->base, &options, &report))
		fail_msg("%s", report.text);
	ear_capture_config_init(&config);
	assert_int_equal(ear_session_start(session, &config), 0);
	for (;;) {
		assert_int_equal(ear_session_next(session, &item, 10000), 0);
		if (item.kind == EAR_SESSION_END)
			break;
		ear_session_consume(session, item.size);
	}
	assert_int_equal(item.end->reason, EAR_SESSION_END_STOP);
	*status = ear_session_record_status(session);
	snprintf(message, message_size, "%s", ear_session_message(session));
	struct ear_session_statistics statistics;
	ear_session_statistics(session, &statistics);
	ear_session_close(session);
	return statistics.received;
}

static void a_record_holds_every_byte_and_can_be_played(void **state)
{
	struct ear_session *session;
	struct ear_session_item item;
	struct stat file;
	char device[PATH_MAX + 100], message[256];
	int status;

	(void)state;
	uint64_t received = record(in_folder("record"), &status, message, sizeof(message));
	assert_int_equal(status, 0);
	assert_string_equal(message, "");
	assert_int_equal(stat(in_folder("record"), &file), 0);
	assert_int_equal(file.st_size, received);

	snprintf(device, sizeof(device), "file:%s", in_folder("record"));
	assert_int_equal(ear_session_open(&session, device, NULL, NULL), 0);
	while (ear_session_next(session, &item, 10000) == 0 && item.kind == EAR_SESSION_BYTES)
		ear_session_consume(session, item.size);
	assert_int_equal(item.kind, EAR_SESSION_END);
	assert_true(item.end->has_stop);
	assert_int_equal(item.end->stop_reason, EAR_STOP_ENDED);
	assert_int_equal(item.end->retired, 25 * 210);
	ear_session_close(session);
}

static void a_full_disk_does_not_stop_the_capture_but_is_reported(void **state)
{
	char message[256];
	int status;

	(void)state;
	record("/dev/full", &status, message, sizeof(message));
	assert_int_equal(status, EAR_E_IO);
	assert_contains(message, "/dev/full: cannot write: No space left on device");
}

static void a_record_that_cannot_be_created_is_reported(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session_options options;
	struct ear_session *session;
	struct ear_report report;

	(void)state;
	ear_session_options_init(&options);
	options.record_path = "/nowhere/record";
	assert_int_equal(
		ear_session_open_transport(&session, &fake->base, &options, &report), EAR_E_IO);
	assert_contains(report.text, "/nowhere/record: cannot create");
	assert_null(session);
	assert_int_equal(fake_transport_count, 0);
}

static void without_a_record_its_status_is_good(void **state)
{
	struct ear_session *session;

	(void)state;
	assert_int_equal(ear_session_open(&session, "file:/dev/null", NULL, NULL), 0);
	assert_int_equal(ear_session_record_status(session), 0);
	ear_session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_to_its_end),
		cmocka_unit_test(a_fifo_is_read_to_its_end),
		cmocka_unit_test(standard_input_is_a_minus),
		cmocka_unit_test(an_empty_file_is_only_an_end),
		cmocka_unit_test(a_silent_pipe_can_be_stopped_and_closed),
		cmocka_unit_test(what_cannot_be_opened_is_reported),
		cmocka_unit_test(a_file_takes_no_control_words),
		cmocka_unit_test(read_errors_end_the_capture),
		cmocka_unit_test(a_record_holds_every_byte_and_can_be_played),
		cmocka_unit_test(a_full_disk_does_not_stop_the_capture_but_is_reported),
		cmocka_unit_test(a_record_that_cannot_be_created_is_reported),
		cmocka_unit_test(without_a_record_its_status_is_good),
	};

	return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
