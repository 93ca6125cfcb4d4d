/* OpenOCD's Tcl port: what is sent, which answers are believed, and what is said of the others. The
 * other side is a thread that has an answer for each command. */
#include "check.h"

#include <earshot/error.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/openocd/tcl_port.h"
#include "driver/openocd/trace_control.h"
#include "random.h"

#define ANSWERS_MAX 8

/* Sends answers[0], answers[1], .. to the commands; after the last one the last one again, or with
 * NULL nothing, and with "" it ends the connection. */
struct other {
	pthread_t thread;
	int fd;
	const char *answers[ANSWERS_MAX];
	pthread_mutex_t lock; /* of command */
	char command[1024];   /* the last one */
};

static struct ear_tcl_port port;
static struct other other;

static void *serve(void *context)
{
	char command[sizeof(other.command)];
	unsigned number = 0;
	size_t size = 0;

	(void)context;
	while (read(other.fd, command + size, 1) == 1) {
		if (command[size++] != '\x1a')
			continue;
		command[size - 1] = '\0';
		size = 0;
		pthread_mutex_lock(&other.lock);
		strcpy(other.command, command);
		pthread_mutex_unlock(&other.lock);
		const char *answer = other.answers[number];
		if (number + 1 < ANSWERS_MAX && other.answers[number + 1])
			number++;
		if (answer && !answer[0])
			break;
		if (answer && send(other.fd, answer, strlen(answer), MSG_NOSIGNAL) < 0)
			break;
	}
	close(other.fd);
	return NULL;
}

static void begin(const char *first, const char *second)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	port = (struct ear_tcl_port){.fd = fds[0], .name = "openocd:a:1", .timeout_ms = 60000};
	other = (struct other){
		.fd = fds[1], .answers = {first, second}, .lock = PTHREAD_MUTEX_INITIALIZER};
	assert_int_equal(pthread_create(&other.thread, NULL, serve, NULL), 0);
}

static void assert_command(const char *wanted)
{
	char command[sizeof(other.command)];

	pthread_mutex_lock(&other.lock);
	strcpy(command, other.command);
	pthread_mutex_unlock(&other.lock);
	assert_string_equal(command, wanted);
}

static void end(void)
{
	ear_tcl_port_close(&port);
	assert_int_equal(pthread_join(other.thread, NULL), 0);
}

static void a_command_is_sent_inside_of_a_catch(void **state)
{
	(void)state;
	struct ear_report report;
	const char *result;
	uint32_t words[3];

	begin("0 running\x1a", "0 0x1 0x00000002 4294967295 \x1a");
	assert_int_equal(ear_tcl_port_run(&port, &result, &report, "%s %d", "poll", 7), 0);
	assert_string_equal(result, "running");
	assert_command("format \"%d %s\" [catch {poll 7} earshot] $earshot");
	assert_int_equal(ear_tcl_port_read(&port, words, 0x3000000004, 3, &report), 0);
	assert_command("format \"%d %s\" [catch {read_memory 0x3000000004 32 3} earshot] $earshot");
	assert_int_equal(words[2], UINT32_MAX);
	assert_int_equal(ear_tcl_port_write(&port, 0x10, 0xAB, &report), 0);
	assert_command("format \"%d %s\" [catch {write_memory 0x10 32 0xab} earshot] $earshot");
	end();
}

/* Each way in which an answer can be wrong, and whether the next command can still be sent. */
static void wrong_answers_are_reported_with_their_command(void **state)
{
	(void)state;
	static const struct {
		const char *answer, *cause;
		int error, next;
	} rows[] = {
		{"1 invalid command name \"read_memory\"\x1a",
			"'read_memory 0x10 32 1': OpenOCD says: invalid command name",
			EAR_E_REFUSED, 0},
		{"1 \x1b[31mred\nand blue\x1a", "OpenOCD says:  [31mred and blue", EAR_E_REFUSED,
			0},
		{"1 \x1a", "OpenOCD says: nothing", EAR_E_REFUSED, 0},
		{"0 \x1a", "the answer is not so many numbers", EAR_E_BAD_MESSAGE, 0},
		{"0 0x1 0x2\x1a", "the answer is not so many numbers", EAR_E_BAD_MESSAGE, 0},
		{"\x1a", "this is no answer", EAR_E_BAD_MESSAGE, EAR_E_NO_DEVICE},
		{"0\x1a", "this is no answer", EAR_E_BAD_MESSAGE, EAR_E_NO_DEVICE},
		{"Open On-Chip Debugger\r\n> \x1a", "this is no answer", EAR_E_BAD_MESSAGE,
			EAR_E_NO_DEVICE},
		{"0 0x1\x1a"
		 "0 0x1\x1a",
			"more than one answer", EAR_E_BAD_MESSAGE, EAR_E_NO_DEVICE},
		{"", "has ended the connection", EAR_E_NO_DEVICE, EAR_E_NO_DEVICE},
		{NULL, "does not answer", EAR_E_TIMEOUT, EAR_E_NO_DEVICE},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_report report = {""};
		uint32_t word;
		begin(rows[i].answer, rows[i].answer ? "0 0x5\x1a" : NULL);
		port.timeout_ms = rows[i].answer ? 60000 : 20;
		assert_int_equal(ear_tcl_port_read(&port, &word, 0x10, 1, &report), rows[i].error);
		assert_contains(report.text, rows[i].cause);
		assert_contains(report.text, "openocd:a:1: ");
		assert_int_equal(ear_tcl_port_read(&port, &word, 0x10, 1, &report), rows[i].next);
		end();
	}
}

static void an_answer_without_an_end_has_a_bound(void **state)
{
	(void)state;
	struct ear_report report;
	const char *result;
	char *answer = malloc(2 * EAR_TCL_ANSWER_MAX);

	assert_non_null(answer);
	memset(answer, '0', 2 * EAR_TCL_ANSWER_MAX);
	answer[2 * EAR_TCL_ANSWER_MAX - 1] = '\0';
	begin(answer, NULL);
	assert_int_equal(ear_tcl_port_run(&port, &result, &report, "dump"), EAR_E_BAD_MESSAGE);
	assert_contains(report.text, "'dump': the answer has no end");
	end();
	free(answer);
}

/* A component whose bits never change is not waited for without end. */
static void a_register_that_does_not_change_is_reported(void **state)
{
	(void)state;
	struct ear_report report = {""};
	static struct ear_trace_control control;
	const struct ear_trace_wishes wishes = {.bases = {0x1000}, .base_count = 1, .wait_ms = 20};

	begin("0 0x0\x1a", NULL);
	assert_int_equal(ear_trace_control_find(&control, &port, &wishes, &report), EAR_E_TIMEOUT);
	assert_contains(report.text, "the control register at 0x1000 stays 0x0");
	end();
}

/* Numbers with blanks around them, and damage to them. */
static void damaged_words_are_no_words(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t count;
		bool good;
	} rows[] = {{"", 0, true}, {" \n", 0, true}, {"0", 1, true}, {"0x", 1, false},
		{"0xffffffff", 1, true}, {"0x100000000", 1, false}, {"-1", 1, false},
		{"18446744073709551616", 1, false}, {"1 2", 1, false}, {"1 2", 3, false},
		{"\t1  0x2\r\n", 2, true}, {"1,2", 2, false}, {"0x1 0xz", 2, false},
		{"1.5", 1, false}};
	struct random random = {5};
	uint32_t words[8];
	char text[64];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(ear_tcl_words(words, rows[i].count, rows[i].text), rows[i].good);
	for (unsigned round = 0; round < 20000; round++) {
		const int size = snprintf(text, sizeof(text), "0x%x %u 0x%x",
			(unsigned)random_below(&random, 1u << 31),
			(unsigned)random_below(&random, 999),
			(unsigned)random_below(&random, 1u << 31));
		text[random_below(&random, (uint64_t)size)] = (char)random_below(&random, 256);
		if (!ear_tcl_words(words, 3, text))
			continue;
		char *at = text; /* what was taken is what is there */
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(strtoull(at, &at, 0), words[i]);
		assert_true(at[strspn(at, " \t\r\n")] == '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_is_sent_inside_of_a_catch),
		cmocka_unit_test(wrong_answers_are_reported_with_their_command),
		cmocka_unit_test(an_answer_without_an_end_has_a_bound),
		cmocka_unit_test(a_register_that_does_not_change_is_reported),
		cmocka_unit_test(damaged_words_are_no_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
