/* sim: starts a board's process, talks to it, and always sees it out. The board here is
 * tests/support/fake_board.c.
 */
#include "check.h"

#include <dirent.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/protocol/ear_protocol.h"
#include "driver/base/clock.h"
#include "driver/session/session.h"
#include "driver/stream/transport_sim.h"
#include "driver/tools/device_list.h"
#include "driver/transports.h"

static char folder[] = "/tmp/earshot-test-XXXXXX";
static unsigned fds_before;

static unsigned count_fds(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static char *in_folder(const char *name)
{
	static char path[2][PATH_MAX];
	static unsigned which;

	which ^= 1;
	snprintf(path[which], sizeof(path[which]), "%s/%s", folder, name);
	return path[which];
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up_all(void **state)
{
	(void)state;
	for (int fd = 3; fd < 256; fd++) /* what we were started with is not for the board */
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (!mkdtemp(folder))
		return -1;
	write_file(in_folder("program.elf"), "fake");
	return setenv("EARSHOT_BOARD", EAR_FAKE_BOARD, 1);
}

static int tear_down_all(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static int set_up(void **state)
{
	(void)state;
	fds_before = count_fds();
	return 0;
}

/* No descriptor is left open, and there is no child, not even a dead one. */
static int nothing_is_left(void **state)
{
	(void)state;
	assert_int_equal(count_fds(), fds_before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return 0;
}

/* Open a session with these options after the program's name. */
static struct ear_session *open_board(const char *options)
{
	char device[PATH_MAX + 200];
	struct ear_session *session;
	struct ear_report report = {""};

	snprintf(device, sizeof(device), "sim:%s%s", in_folder("program.elf"), options);
	if (ear_session_open(&session, device, NULL, &report))
		fail_msg("%s", report.text);
	return session;
}

static void start_capture(struct ear_session *session)
{
	struct ear_capture_config config;

	ear_capture_config_init(&config);
	if (ear_session_start(session, &config))
		fail_msg("%s", ear_session_message(session));
}

/* Read to the end, however long it takes. Returns the bytes. */
static uint64_t read_all(struct ear_session *session, struct ear_session_end *end)
{
	struct ear_session_item item;
	uint64_t limit_ms = ear_clock_ms() + 30000;

	for (;;) {
		assert_below(ear_clock_ms(), limit_ms);
		if (ear_session_next(session, &item, 100))
			continue;
		assert_int_not_equal(item.kind, EAR_SESSION_LOSS);
		if (item.kind == EAR_SESSION_END)
			break;
		ear_session_consume(session, item.size);
	}
	*end = *item.end;
	return item.offset;
}

static void a_program_is_captured_to_its_end(void **state)
{
	struct ear_session *session = open_board(",frames=1000,exit=3");
	struct ear_session_end end;

	(void)state;
	start_capture(session);
	assert_above(read_all(session, &end), 1000 * 300);
	assert_int_equal(end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(end.stop_reason, EAR_STOP_ENDED);
	assert_int_equal(end.retired, 20000);
	assert_int_equal(end.exit_status, 3);
	ear_session_close(session);
}

static void closing_without_a_capture_ends_the_board(void **state)
{
	(void)state;
	ear_session_close(open_board(""));
}

static void opening_alone_starts_nothing(void **state)
{
	struct ear_transport *transport;
	char device[PATH_MAX + 100];

	(void)state;
	snprintf(device, sizeof(device), "sim:%s", in_folder("program.elf"));
	assert_int_equal(ear_transport_open(&transport, device, NULL), 0);
	assert_true(transport->flow_controlled);
	assert_true(transport->controllable);
	assert_string_equal(transport->name, device);
	ear_transport_stop(transport);
	ear_transport_close(transport);
}

static void a_board_that_is_killed_has_vanished(void **state)
{
	struct ear_session *session = open_board(",mode=die");
	struct ear_session_end end;

	(void)state;
	start_capture(session);
	read_all(session, &end);
	assert_int_equal(end.reason, EAR_SESSION_END_VANISHED);
	assert_contains(end.report.text, "killed by signal 9");
	ear_session_close(session);
}

static void a_board_that_ends_early_reports_its_status(void **state)
{
	(void)state;
	for (unsigned pause_ms = 0; pause_ms <= 100; pause_ms += 50) {
		struct ear_session *session = open_board(",mode=early");

		ear_clock_sleep_ms(pause_ms); /* gone before, or after, the first control word */
		assert_int_equal(ear_session_identify(session, NULL), EAR_E_NO_DEVICE);
		assert_contains(ear_session_message(session), "the board ended with status 4");
		ear_session_close(session);
	}
}

static void a_board_that_hangs_is_left_after_stop(void **state)
{
	struct ear_session_options options;
	struct ear_session *session;
	struct ear_session_end end;
	char device[PATH_MAX + 100];

	(void)state;
	ear_session_options_init(&options);
	options.stop_timeout_ms = 100;
	snprintf(device, sizeof(device), "sim:%s,mode=hang", in_folder("program.elf"));
	assert_int_equal(ear_session_open(&session, device, &options, NULL), 0);
	start_capture(session);
	ear_session_stop(session);
	read_all(session, &end);
	assert_int_equal(end.reason, EAR_SESSION_END_HOST);
	ear_session_close(session);
}

static void a_full_ring_does_not_keep_close_waiting(void **state)
{
	struct ear_session *session = open_board(",mode=flood");
	struct ear_session_statistics statistics;

	(void)state;
	start_capture(session);
	struct ear_session_item item;
	do { /* let the core run, and consume nothing */
		ear_session_next(session, &item, 10);
		ear_session_statistics(session, &statistics);
	} while (statistics.wait_count == 0);
	ear_session_statistics(session, &statistics);
	assert_int_equal(statistics.ring_fill, statistics.ring_size);
	assert_int_equal(statistics.dropped, 0);
	ear_session_close(session);
}

static void a_stubborn_board_is_ended_by_force(void **state)
{
	struct ear_session *session = open_board(",mode=stubborn");
	uint64_t begin_ms;

	(void)state;
	assert_int_equal(ear_session_identify(session, NULL), 0);
	begin_ms = ear_clock_ms();
	ear_session_close(session);
	assert_in_range(ear_clock_ms() - begin_ms, 1900, 10000);
}

static void a_board_that_only_closes_the_connection_is_ended(void **state)
{
	struct ear_session *session = open_board(",mode=closed");
	struct ear_session_end end;

	(void)state;
	start_capture(session);
	read_all(session, &end);
	assert_int_equal(end.reason, EAR_SESSION_END_VANISHED);
	assert_contains(end.report.text, "closed the connection");
	ear_session_close(session);
}

static void the_board_starts_with_clean_signals_and_descriptors(void **state)
{
	struct ear_session *session;
	sigset_t blocked, before;

	(void)state;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	signal(SIGINT, SIG_IGN);
	session = open_board(",mode=signals");
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_NO_DEVICE);
	assert_contains(ear_session_message(session), "ended with status 0");
	ear_session_close(session);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void options_are_passed_on_in_their_order(void **state)
{
	char options[PATH_MAX + 100], text[100] = "";
	struct ear_session_end end;

	(void)state;
	snprintf(options, sizeof(options), ",uart=%s,print=hello world", in_folder("uart.txt"));
	struct ear_session *session = open_board(options);
	start_capture(session);
	read_all(session, &end);
	ear_session_close(session);
	FILE *file = fopen(in_folder("uart.txt"), "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, "hello world\n");
}

static void the_value_of_an_option_may_be_a_list_of_numbers(void **state)
{
	char options[PATH_MAX + 100], text[100] = "";
	struct ear_session_end end;

	(void)state;
	snprintf(options, sizeof(options), ",uart=%s,print=1,20,300:words", in_folder("uart.txt"));
	struct ear_session *session = open_board(options);
	start_capture(session);
	read_all(session, &end);
	ear_session_close(session);
	FILE *file = fopen(in_folder("uart.txt"), "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, "1,20,300:words\n");
}

static void what_the_board_prints_goes_to_standard_error(void **state)
{
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	int to_out = open(in_folder("out.txt"), O_WRONLY | O_CREAT, 0600);
	int to_err = open(in_folder("err.txt"), O_WRONLY | O_CREAT, 0600);
	struct ear_session_end end;
	struct stat status;

	(void)state;
	fflush(stdout);
	fcntl(out, F_SETFD, FD_CLOEXEC);
	fcntl(err, F_SETFD, FD_CLOEXEC);
	dup2(to_out, STDOUT_FILENO);
	dup2(to_err, STDERR_FILENO);
	close(to_out);
	close(to_err);
	struct ear_session *session = open_board(",print=hello");
	start_capture(session);
	read_all(session, &end);
	ear_session_close(session);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	assert_int_equal(stat(in_folder("out.txt"), &status), 0);
	assert_int_equal(status.st_size, 0);
	assert_int_equal(stat(in_folder("err.txt"), &status), 0);
	assert_int_equal(status.st_size, 6);
}

static void a_path_may_hold_commas_and_equals(void **state)
{
	static const char *const names[] = {
		"a,b.elf", "x=1,y.elf", "ram=64,Big=1", "a,,b", "a,7", "8,9:b"};

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char device[PATH_MAX + 100];
		struct ear_session *session;
		struct ear_session_end end;
		struct ear_report report;

		write_file(in_folder(names[i]), "fake");
		snprintf(device, sizeof(device), "sim:%s,frames=1,exit=5", in_folder(names[i]));
		if (ear_session_open(&session, device, NULL, &report))
			fail_msg("%s", report.text);
		start_capture(session);
		read_all(session, &end);
		assert_int_equal(end.exit_status, 5);
		ear_session_close(session);
	}
}

static void bad_names_are_reported(void **state)
{
	static const struct {
		const char *device;
		int error;
		const char *text;
	} rows[] = {
		{"", EAR_E_BAD_ARGUMENT, "not a device name"},
		{"program.elf", EAR_E_BAD_ARGUMENT, "not a device name"},
		{"nowhere:", EAR_E_BAD_ARGUMENT, "not a device name"},
		{"sim:", EAR_E_BAD_ARGUMENT, "no program"},
		{"sim:,ram=64", EAR_E_BAD_ARGUMENT, "no program"},
		{"sim:a.elf,fd=7", EAR_E_BAD_ARGUMENT, "fd"},
		{"sim:/nowhere/a.elf,ram=64", EAR_E_NO_DEVICE, "/nowhere/a.elf"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ear_transport *transport;
		struct ear_report report = {""};

		assert_int_equal(
			ear_transport_open(&transport, rows[i].device, &report), rows[i].error);
		assert_null(transport);
		assert_contains(report.text, rows[i].text);
		assert_contains(report.text, rows[i].device);
	}
}

static void too_many_options_are_refused(void **state)
{
	struct ear_transport *transport;
	struct ear_report report;
	char device[1000] = "sim:a.elf";

	(void)state;
	for (unsigned i = 0; i < 33; i++)
		strcat(device, ",k=1");
	assert_int_equal(ear_transport_open(&transport, device, &report), EAR_E_BAD_ARGUMENT);
	strcpy(device, "sim:a.elf,");
	memset(device + 10, 'k', 100);
	strcpy(device + 110, "=1");
	assert_int_equal(ear_transport_open(&transport, device, &report), EAR_E_BAD_ARGUMENT);
}

static void a_missing_board_program_is_named(void **state)
{
	struct ear_session *session;
	struct ear_report report;
	struct ear_device devices[EAR_DEVICE_COUNT_MAX];
	char device[PATH_MAX + 100], *path = strdup(getenv("PATH"));

	(void)state;
	snprintf(device, sizeof(device), "sim:%s", in_folder("program.elf"));
	setenv("EARSHOT_BOARD", "/nowhere/board", 1);
	assert_int_equal(ear_session_open(&session, device, NULL, &report), EAR_E_NO_DEVICE);
	assert_contains(report.text, "/nowhere/board");
	assert_null(session);

	unsetenv("EARSHOT_BOARD");
	setenv("PATH", "/nowhere:", 1);
	assert_int_equal(ear_session_open(&session, device, NULL, &report), EAR_E_NO_DEVICE);
	assert_contains(report.text, "earshot-board");
	assert_int_equal(ear_device_list(devices, EAR_DEVICE_COUNT_MAX), 1);
	assert_false(devices[0].available);

	setenv("PATH", path, 1);
	setenv("EARSHOT_BOARD", EAR_FAKE_BOARD, 1);
	assert_int_equal(ear_device_list(devices, EAR_DEVICE_COUNT_MAX), 1);
	assert_true(devices[0].available);
	assert_string_equal(devices[0].detail, EAR_FAKE_BOARD);
	assert_int_equal(ear_device_list(devices, 0), 0);
	free(path);
}

static void the_board_is_found_in_path(void **state)
{
	char found[PATH_MAX], search[2 * PATH_MAX], *path = strdup(getenv("PATH"));

	(void)state;
	assert_int_equal(symlink(EAR_FAKE_BOARD, in_folder("earshot-board")), 0);
	snprintf(search, sizeof(search), "/nowhere:%s", folder);
	setenv("PATH", search, 1);
	unsetenv("EARSHOT_BOARD");
	assert_int_equal(ear_transport_sim_find_board(found, sizeof(found), NULL), 0);
	assert_string_equal(found, in_folder("earshot-board"));
	assert_int_equal(ear_transport_sim_find_board(found, 10, NULL), EAR_E_NO_DEVICE);
	setenv("PATH", path, 1);
	setenv("EARSHOT_BOARD", EAR_FAKE_BOARD, 1);
	free(path);
}

static void a_board_that_cannot_be_run_is_reported(void **state)
{
	struct ear_session *session;
	struct ear_report report;
	char device[PATH_MAX + 100];

	(void)state;
#ifdef EAR_EMULATED
	skip(); /* qemu-user makes a fork of vfork: posix_spawn does not hear of the failure */
#endif
	write_file(in_folder("text"), "this is no program");
	chmod(in_folder("text"), 0755);
	setenv("EARSHOT_BOARD", in_folder("text"), 1);
	snprintf(device, sizeof(device), "sim:%s", in_folder("program.elf"));
	assert_int_equal(ear_session_open(&session, device, NULL, &report), EAR_E_IO);
	assert_contains(report.text, "cannot run");
	setenv("EARSHOT_BOARD", EAR_FAKE_BOARD, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, nothing_is_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_program_is_captured_to_its_end),
		TEST(closing_without_a_capture_ends_the_board),
		TEST(opening_alone_starts_nothing),
		TEST(a_board_that_is_killed_has_vanished),
		TEST(a_board_that_ends_early_reports_its_status),
		TEST(a_board_that_hangs_is_left_after_stop),
		TEST(a_full_ring_does_not_keep_close_waiting),
		TEST(a_stubborn_board_is_ended_by_force),
		TEST(a_board_that_only_closes_the_connection_is_ended),
		TEST(the_board_starts_with_clean_signals_and_descriptors),
		TEST(options_are_passed_on_in_their_order),
		TEST(the_value_of_an_option_may_be_a_list_of_numbers),
		TEST(what_the_board_prints_goes_to_standard_error),
		TEST(a_path_may_hold_commas_and_equals),
		TEST(bad_names_are_reported),
		TEST(too_many_options_are_refused),
		TEST(a_missing_board_program_is_named),
		TEST(the_board_is_found_in_path),
		TEST(a_board_that_cannot_be_run_is_reported),
	};

	return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
