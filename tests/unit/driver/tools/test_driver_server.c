/* A device for others: server.h on one side, tcp: on the other. */
#include <arpa/inet.h>
#include <earshot/error.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "driver/base/clock.h"
#include "driver/session/session.h"
#include "driver/stream/transport_tcp.h"
#include "driver/tools/server.h"
#include "driver/transports.h"
#include "fake_transport.h"
#include "random.h"

#define TOKEN "a-token-of-the-test"

static struct {
	struct fake_transport *fake;
	struct ear_server *server;
	pthread_t thread;
	struct ear_transport_end end;
	int result;
	char device[64];
	pthread_mutex_t mutex;
	char reported[32768];
} host = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void report_line(void *context, const char *line)
{
	(void)context;
	pthread_mutex_lock(&host.mutex);
	size_t used = strlen(host.reported);
	snprintf(host.reported + used, sizeof(host.reported) - used, "%s\n", line);
	pthread_mutex_unlock(&host.mutex);
}

/* Wait until the server has reported this. */
static void expect_report(const char *text)
{
	uint64_t limit_ms = ear_clock_ms() + 10000;
	bool reported = false;

	while (!reported && ear_clock_ms() < limit_ms) {
		pthread_mutex_lock(&host.mutex);
		reported = strstr(host.reported, text) != NULL;
		pthread_mutex_unlock(&host.mutex);
		if (!reported)
			ear_clock_sleep_ms(5);
	}
	if (!reported)
		fail_msg("the server reported \"%s\", not \"%s\"", host.reported, text);
}

static void *run_server(void *context)
{
	struct ear_report report;

	(void)context;
	host.result = ear_server_run(host.server, &host.end, &report);
	return NULL;
}

static void serve_with(struct fake_transport *fake, const struct ear_server_options *options)
{
	struct ear_report report;

	host.fake = fake;
	host.reported[0] = '\0';
	if (ear_server_open(&host.server, &fake->base, options, &report))
		fail_msg("%s", report.text);
	snprintf(
		host.device, sizeof(host.device), "tcp:127.0.0.1:%u", ear_server_port(host.server));
	assert_int_equal(pthread_create(&host.thread, NULL, run_server, NULL), 0);
}

static void serve(struct fake_transport *fake, const char *token, size_t ring_size)
{
	const struct ear_server_options options = {
		.token = token, .ring_size = ring_size, .report = report_line};

	serve_with(fake, &options);
}

static void end_server(void)
{
	ear_server_stop(host.server);
	pthread_join(host.thread, NULL);
	assert_int_equal(host.result, 0);
	ear_server_close(host.server);
	assert_int_equal(fake_transport_count, 0);
}

/* A listener with all that it received. */
struct listener {
	struct ear_session *session;
	uint64_t bytes, frames;
	uint8_t carry[EAR_FRAME_SIZE_MAX];
	size_t carry_size;
	bool aligned; /* nothing but whole frames */
	struct ear_session_end end;
};

/* From now on $EARSHOT_TOKEN says nothing. */
static void forget_token(void)
{
	assert_int_equal(setenv("EARSHOT_TOKEN", "", 1), 0);
	ear_tcp_hide_token();
}

static void open_listener(struct listener *listener)
{
	struct ear_report report;

	memset(listener, 0, sizeof(*listener));
	listener->aligned = true;
	forget_token();
	if (ear_session_open(&listener->session, host.device, NULL, &report))
		fail_msg("%s", report.text);
	assert_false(ear_session_controllable(listener->session));
}

static void count_frames(struct listener *listener, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && listener->aligned; i++) {
		struct ear_frame frame;

		listener->carry[listener->carry_size++] = bytes[i];
		int result = ear_frame_parse(&frame, listener->carry, listener->carry_size);
		listener->aligned = result > 0 || result == EAR_E_MORE;
		if (result > 0) {
			listener->frames++;
			listener->carry_size = 0;
		}
	}
}

/* Read until so many frames came, or the end. */
static bool listen_for(struct listener *listener, uint64_t frames)
{
	struct ear_session_item item;

	while (listener->frames < frames) {
		if (ear_session_next(listener->session, &item, 10000) != 0)
			fail_msg("nothing came for 10 s");
		if (item.kind == EAR_SESSION_END) {
			listener->end = *item.end;
			return false;
		}
		if (item.kind != EAR_SESSION_BYTES)
			continue;
		count_frames(listener, item.bytes, item.size);
		listener->bytes += item.size;
		ear_session_consume(listener->session, item.size);
	}
	return true;
}

static int control(struct listener *listener, struct ear_report *report)
{
	memset(listener, 0, sizeof(*listener));
	listener->aligned = true;
	return ear_session_open(&listener->session, host.device, NULL, report);
}

static void start(struct listener *listener)
{
	struct ear_capture_config config;

	ear_capture_config_init(&config);
	if (ear_session_start(listener->session, &config))
		fail_msg("%s", ear_session_message(listener->session));
}

static void one_controls_and_several_listen(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct listener first, second, master;
	struct ear_report report;

	(void)state;
	fake->frame_count = 300;
	fake->ends = true;
	serve(fake, TOKEN, 0);
	open_listener(&first);
	open_listener(&second);
	expect_report("listens");
	setenv("EARSHOT_TOKEN", TOKEN, 1);
	assert_int_equal(control(&master, &report), 0);
	assert_true(ear_session_controllable(master.session));
	start(&master);
	assert_false(listen_for(&master, UINT64_MAX));
	assert_int_equal(master.end.reason, EAR_SESSION_END_STOP);
	assert_true(master.aligned);
	assert_same(master.frames, 303);
	assert_true(listen_for(&first, 310)); /* and the answers from before the start */
	assert_true(listen_for(&second, 310));
	assert_true(first.aligned);
	assert_true(second.aligned);

	struct listener other;
	assert_int_equal(control(&other, &report), EAR_E_REFUSED);
	assert_contains(report.text, "somebody else controls");
	ear_session_close(master.session);
	/* The server sees that a moment later. */
	uint64_t limit_ms = ear_clock_ms() + 10000;
	int error;
	while ((error = control(&other, &report)) == EAR_E_REFUSED && ear_clock_ms() < limit_ms)
		ear_clock_sleep_ms(5);
	assert_int_equal(error, 0);
	ear_session_close(other.session);
	ear_session_close(first.session);
	ear_session_close(second.session);
	end_server();
}

static void control_needs_the_token(void **state)
{
	static const char *const wrong[] = {
		"a-token-of-the-tesT", "a-token-of-the-test1", "a-token-of-the-tes", "12345678"};
	struct listener other;
	struct ear_report report;

	(void)state;
	serve(fake_transport_new(), TOKEN, 0);
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		setenv("EARSHOT_TOKEN", wrong[i], 1);
		assert_int_equal(control(&other, &report), EAR_E_REFUSED);
		assert_contains(report.text, "that is not the token");
	}
	setenv("EARSHOT_TOKEN", "short", 1);
	assert_int_equal(control(&other, &report), EAR_E_BAD_ARGUMENT);
	end_server();

	serve(fake_transport_new(), NULL, 0);
	setenv("EARSHOT_TOKEN", TOKEN, 1);
	assert_int_equal(control(&other, &report), EAR_E_REFUSED);
	assert_contains(report.text, "nobody may control");
	end_server();
}

static void a_token_may_come_from_a_file(void **state)
{
	char path[] = "/tmp/earshot-token-XXXXXX", named[128];
	int fd = mkstemp(path);
	struct ear_session *session;
	struct ear_report report;

	(void)state;
	forget_token();
	assert_int_equal(write(fd, TOKEN "\n", strlen(TOKEN) + 1), strlen(TOKEN) + 1);
	close(fd);
	serve(fake_transport_new(), TOKEN, 0);
	snprintf(named, sizeof(named), "%s,token-file=%s", host.device, path);
	assert_int_equal(ear_session_open(&session, named, NULL, &report), 0);
	assert_int_equal(ear_session_identify(session, NULL), 0);
	ear_session_close(session);
	unlink(path);
	assert_int_equal(ear_session_open(&session, named, NULL, &report), EAR_E_IO);
	end_server();
}

/* A connection that never reads. */
static int connect_raw(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)ear_server_port(host.server)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_at_least(fd, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void a_slow_reader_is_dropped_and_stalls_nobody(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct listener master;
	struct ear_report report;
	int small = 4096;

	(void)state;
	fake->babbles = true;
	serve(fake, TOKEN, 1 << 20);
	int fd = connect_raw();
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(send(fd, "EARSHOT 1 listen\n", 17, MSG_NOSIGNAL), 17);
	expect_report("listens");
	setenv("EARSHOT_TOKEN", TOKEN, 1);
	assert_int_equal(control(&master, &report), 0);
	start(&master);
	/* Whoever reads gets on, or is dropped as well if the machine is that slow; the one that
	 * does not read is dropped in any case. */
	listen_for(&master, 30000);
	expect_report("does not keep up and was dropped");
	ear_session_close(master.session);
	close(fd);
	end_server();
}

static void a_reader_begins_at_a_frame(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct listener listener;
	uint8_t frame[FAKE_FRAME_MAX];

	(void)state;
	serve(fake, NULL, 0);
	open_listener(&listener);
	expect_report("listens");
	size_t size = fake_unit_records(&fake->unit, frame, 20);
	fake_transport_send(fake, frame + 10, size - 10); /* the end of a frame */
	for (int i = 0; i < 5; i++) {
		size = fake_unit_records(&fake->unit, frame, 20);
		fake_transport_send(fake, frame, size / 2);
		fake_transport_send(fake, frame + size / 2, size - size / 2);
	}
	assert_true(listen_for(&listener, 5));
	assert_true(listener.aligned);
	ear_session_close(listener.session);
	end_server();
}

/* Who taps, and what it was given. */
struct tap_log {
	struct ear_server_tap tap;
	struct listener seen;
	uint64_t skipped, received;
	unsigned jumps, is_slow;
};

static void log_bytes(void *context, const uint8_t *bytes, size_t size, uint64_t skipped,
	const struct ear_server_tap_status *status)
{
	struct tap_log *log = context;

	pthread_mutex_lock(&host.mutex);
	if (skipped > 0) { /* these begin with a frame */
		log->skipped += skipped;
		log->seen.carry_size = 0;
		log->jumps++;
	}
	if (size > 0)
		count_frames(&log->seen, bytes, size);
	log->seen.bytes += size;
	log->received = status->received;
	pthread_mutex_unlock(&host.mutex);
	if (log->is_slow)
		ear_clock_sleep_ms(50);
}

static void serve_tapped(
	struct fake_transport *fake, struct tap_log *log, const char *token, size_t ring_size)
{
	const struct ear_server_options options = {
		.token = token, .ring_size = ring_size, .tap = &log->tap, .report = report_line};

	log->tap = (struct ear_server_tap){.bytes = log_bytes, .context = log};
	log->seen.aligned = true;
	serve_with(fake, &options);
}

static void a_tap_gets_every_byte(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct tap_log log = {0};
	uint8_t frame[FAKE_FRAME_MAX];
	uint64_t sent = 0;

	(void)state;
	serve_tapped(fake, &log, NULL, 0);
	for (int i = 0; i < 500; i++) {
		const size_t size = fake_unit_records(&fake->unit, frame, 20);
		fake_transport_send(fake, frame, size / 2);
		fake_transport_send(fake, frame + size / 2, size - size / 2);
		sent += size;
	}
	fake_transport_end(fake, EAR_TRANSPORT_VANISHED);
	pthread_join(host.thread, NULL);
	ear_server_close(host.server);
	assert_int_equal(log.seen.frames, 500);
	assert_true(log.seen.aligned);
	assert_same(log.seen.bytes, sent);
	assert_same(log.received, sent);
	assert_int_equal(log.skipped, 0);
}

static void a_slow_tap_jumps_to_a_frame(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct tap_log log = {.is_slow = 1};
	const uint64_t limit_ms = ear_clock_ms() + 30000;
	uint8_t frame[FAKE_FRAME_MAX];
	uint64_t sent = 0;
	unsigned jumps = 0;

	(void)state;
	serve_tapped(fake, &log, NULL, 1 << 20);
	while (jumps < 3 && ear_clock_ms() < limit_ms) {
		for (int i = 0; i < 1000; i++) {
			const size_t size = fake_unit_records(&fake->unit, frame, 20);
			fake_transport_send(fake, frame, size);
			sent += size;
		}
		ear_clock_sleep_ms(10);
		pthread_mutex_lock(&host.mutex);
		jumps = log.jumps;
		pthread_mutex_unlock(&host.mutex);
	}
	fake_transport_send(fake, frame, fake_unit_records(&fake->unit, frame, 20));
	fake_transport_end(fake, EAR_TRANSPORT_VANISHED);
	pthread_join(host.thread, NULL);
	ear_server_close(host.server);
	assert_at_least(log.jumps, 3);
	assert_true(log.seen.aligned); /* after each jump a frame begins */
	assert_at_least(log.received, sent);
	assert_same(log.received, log.seen.bytes + log.skipped);
}

static void the_end_of_the_device_is_the_end_of_all(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct listener listener;
	uint8_t frame[FAKE_FRAME_MAX];

	(void)state;
	serve(fake, NULL, 0);
	open_listener(&listener);
	expect_report("listens");
	for (int i = 0; i < 100; i++)
		fake_transport_send(fake, frame, fake_unit_records(&fake->unit, frame, 20));
	fake_transport_end(fake, EAR_TRANSPORT_VANISHED);
	assert_false(listen_for(&listener, UINT64_MAX));
	assert_int_equal(listener.frames, 100); /* what was received is still theirs */
	assert_int_equal(listener.end.reason, EAR_SESSION_END_VANISHED);
	ear_session_close(listener.session);
	pthread_join(host.thread, NULL);
	assert_int_equal(host.end.reason, EAR_TRANSPORT_VANISHED);
	ear_server_close(host.server);
}

/* Bytes that no client sends, and clients that send nothing. */
static void strangers_do_no_harm(void **state)
{
	static const char *const lines[] = {"GET / HTTP/1.1\r\n", "\n", "EARSHOT 1 \n",
		"EARSHOT 2 listen\n", "EARSHOT 1 control\n", "EARSHOT 1 control \n"};
	char long_line[1000], answer[64];

	(void)state;
	serve(fake_transport_new(), TOKEN, 0);
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		int fd = connect_raw();

		send(fd, lines[i], strlen(lines[i]), MSG_NOSIGNAL);
		ssize_t size = recv(fd, answer, sizeof(answer), 0);
		assert_above(size, 3);
		assert_same(memcmp(answer, "NO ", 3), 0);
		close(fd);
	}
	memset(long_line, 'x', sizeof(long_line));
	int fd = connect_raw();
	send(fd, long_line, sizeof(long_line), MSG_NOSIGNAL);
	assert_at_most(recv(fd, answer, sizeof(answer), 0), 0);
	close(fd);
	close(connect_raw());
	end_server();
}

/* Returns a connection that has said this; what is answered must begin with that. */
static int connect_and_say(const char *text, const char *expected)
{
	char answer[64] = "";
	int fd = connect_raw();

	send(fd, text, strlen(text), MSG_NOSIGNAL);
	recv(fd, answer, strlen(expected), MSG_WAITALL);
	assert_string_equal(answer, expected);
	return fd;
}

/* Who takes places without a token must never keep out who has it. */
static void expect_control(void)
{
	struct listener master;
	struct ear_report report;

	setenv("EARSHOT_TOKEN", TOKEN, 1);
	if (control(&master, &report) != 0)
		fail_msg("the controller was kept out: %s", report.text);
	assert_int_equal(ear_session_identify(master.session, NULL), 0);
	ear_session_close(master.session);
	forget_token();
}

static void the_silent_do_not_lock_out_the_controller(void **state)
{
	int silent[60];
	char answer[64];

	(void)state;
	serve(fake_transport_new(), TOKEN, 0);
	for (size_t i = 0; i < COUNT_OF(silent); i++)
		silent[i] = connect_raw();
	ssize_t size = recv(silent[0], answer, sizeof(answer), 0); /* the oldest gives way */
	assert_above(size, 3);
	assert_same(memcmp(answer, "NO too many connections", 23), 0);
	expect_report("was evicted: too many connections");
	expect_control();
	for (size_t i = 0; i < COUNT_OF(silent); i++)
		close(silent[i]);
	end_server();
}

static void listeners_leave_a_place_for_the_controller(void **state)
{
	const struct ear_server_options options = {
		.reader_max = 4, .token = TOKEN, .report = report_line};
	static const char hello[] = "EARSHOT 1 listen\n";
	int fds[3];

	(void)state;
	serve_with(fake_transport_new(), &options);
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		fds[i] = connect_and_say(hello, "OK fake:unit\n");
	close(connect_and_say(hello, "NO too many readers\n"));
	expect_control();
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		close(fds[i]);
	end_server();
}

static void an_address_has_a_part_of_the_places(void **state)
{
	const struct ear_server_options options = {
		.reader_max = 8, .address_max = 2, .token = TOKEN, .report = report_line};
	static const char hello[] = "EARSHOT 1 listen\n";

	(void)state;
	serve_with(fake_transport_new(), &options);
	int first = connect_and_say(hello, "OK fake:unit\n");
	int second = connect_and_say(hello, "OK fake:unit\n");
	close(connect_and_say(hello, "NO too many readers from your address\n"));
	expect_control();
	close(first);
	expect_report("has left");
	int third = connect_and_say(hello, "OK fake:unit\n");
	close(second);
	close(third);
	end_server();
}

static unsigned count_lines(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void strangers_do_not_flood_the_log(void **state)
{
	uint64_t begin_ms = ear_clock_ms();

	(void)state;
	serve(fake_transport_new(), TOKEN, 0);
	for (unsigned i = 0; i < 200; i++)
		close(connect_and_say("EARSHOT 1 control not-the-token\n", "NO that"));
	ear_clock_sleep_ms(600); /* a line may be reported again */
	close(connect_and_say("EARSHOT 1 control not-the-token\n", "NO that"));
	expect_report("messages about connections were suppressed: too many at once");
	uint64_t elapsed_ms = ear_clock_ms() - begin_ms;
	pthread_mutex_lock(&host.mutex);
	unsigned lines = count_lines(host.reported);
	pthread_mutex_unlock(&host.mutex);
	/* 32 and two a second, each with one about what was suppressed. */
	if (lines > 2 * (34 + elapsed_ms / 500))
		fail_msg("%u lines in %llu ms", lines, (unsigned long long)elapsed_ms);
	end_server();
}

/* Acts as a program that is started again. */
static int reopen(void *context, struct ear_transport **transport, struct ear_report *report)
{
	unsigned *count = context;

	if (++*count == 3)
		return ear_report_set(report, EAR_E_NO_DEVICE, "the third time fails");
	host.fake = fake_transport_new();
	host.fake->frame_count = 50;
	host.fake->ends = host.fake->exits = true;
	*transport = &host.fake->base;
	return 0;
}

static void a_program_that_ended_is_started_again(void **state)
{
	static unsigned count;
	const struct ear_server_options options = {
		.token = TOKEN, .report = report_line, .context = &count, .reopen = reopen};
	struct fake_transport *fake = fake_transport_new();
	struct listener master, listener;
	struct ear_report report;

	(void)state;
	fake->frame_count = 50;
	fake->ends = fake->exits = true;
	serve_with(fake, &options);
	for (unsigned i = 0; i < 3; i++) {
		open_listener(&listener);
		setenv("EARSHOT_TOKEN", TOKEN, 1);
		if (control(&master, &report) != 0)
			fail_msg("capture %u: %s", i, report.text);
		start(&master);
		assert_false(listen_for(&master, UINT64_MAX));
		assert_int_equal(master.end.reason, EAR_SESSION_END_STOP);
		assert_true(master.aligned);
		assert_same(master.frames, 53);
		assert_false(listen_for(&listener, UINT64_MAX)); /* one stream is of one device */
		assert_true(listener.aligned);
		assert_above(listener.frames, 53);
		ear_session_close(listener.session);
		ear_session_close(master.session);
		forget_token();
	}
	/* Nobody is there: it stays as it is. Who has no token, is nobody. */
	close(connect_and_say("EARSHOT 1 control not-the-token\n", "NO that is not the token\n"));
	assert_int_equal(count, 2);
	close(connect_and_say("EARSHOT 1 listen\n", "NO the device has ended\n"));
	pthread_join(host.thread, NULL); /* it could not be opened again: that is the end */
	assert_int_equal(host.end.reason, EAR_TRANSPORT_FAILED);
	assert_string_equal(host.end.report.text, "the third time fails");
	assert_int_equal(count, 3);
	ear_server_close(host.server);
	assert_int_equal(fake_transport_count, 0);
}

/* A device that ends before anybody has spoken to it would end again, and again. */
static void a_device_that_nobody_used_is_not_started_again(void **state)
{
	static unsigned count;
	const struct ear_server_options options = {
		.token = TOKEN, .report = report_line, .context = &count, .reopen = reopen};

	(void)state;
	serve_with(fake_transport_new(), &options);
	fake_transport_end(host.fake, EAR_TRANSPORT_EXITED);
	pthread_join(host.thread, NULL);
	assert_int_equal(host.end.reason, EAR_TRANSPORT_EXITED);
	assert_int_equal(count, 0);
	ear_server_close(host.server);
}

static void a_token_that_others_can_read_is_refused(void **state)
{
	char path[] = "/tmp/earshot-token-XXXXXX", token[EAR_TCP_TOKEN_MAX + 1] = "", expected[128];
	int fd = mkstemp(path);
	struct ear_report report;

	(void)state;
	assert_int_equal(write(fd, TOKEN "\n", strlen(TOKEN) + 1), strlen(TOKEN) + 1);
	static const mode_t open_modes[] = {0640, 0604, 0620, 0602, 0644, 0666};
	for (size_t i = 0; i < COUNT_OF(open_modes); i++) {
		fchmod(fd, open_modes[i]);
		assert_int_equal(ear_tcp_read_token(token, path, &report), EAR_E_REFUSED);
		snprintf(expected, sizeof(expected), "(mode %04o); close it: chmod 600 %s",
			(unsigned)open_modes[i], path);
		assert_contains(report.text, expected);
		assert_string_equal(token, "");
	}
	fchmod(fd, 0400);
	assert_int_equal(ear_tcp_read_token(token, path, &report), 1);
	assert_string_equal(token, TOKEN);
	if (geteuid() == 0) { /* only root can give a file away */
		assert_int_equal(fchown(fd, 65534, (gid_t)-1), 0);
		assert_int_equal(ear_tcp_read_token(token, path, &report), EAR_E_REFUSED);
		assert_contains(report.text, "belongs to another user (65534)");
	}
	close(fd);
	unlink(path);
}

/* As /proc/PID/environ would show it: the bytes themselves are wiped. */
static void the_token_leaves_the_environment(void **state)
{
	static char variable[] = "EARSHOT_TOKEN=" TOKEN;
	char token[EAR_TCP_TOKEN_MAX + 1];
	struct ear_report report;

	(void)state;
	putenv(variable);
	ear_tcp_hide_token();
	assert_null(getenv("EARSHOT_TOKEN"));
	for (size_t i = strlen("EARSHOT_TOKEN="); i < sizeof(variable); i++)
		assert_int_equal(variable[i], 0);
	assert_int_equal(ear_tcp_read_token(token, NULL, &report), 1);
	assert_string_equal(token, TOKEN);
	forget_token();
	assert_int_equal(ear_tcp_read_token(token, NULL, &report), 0);
}

/* Greetings with a few bytes that are others, cut, or twice. */
static void damaged_greetings_do_no_harm(void **state)
{
	static const char *const lines[] = {
		"EARSHOT 1 listen\n", "EARSHOT 1 control not-the-token\n", "EARSHOT 1 control "};
	struct random random = {0x6772656574};

	(void)state;
	serve(fake_transport_new(), TOKEN, 0);
	for (unsigned i = 0; i < 300; i++) {
		char text[600];
		size_t size = 0;

		for (uint64_t n = 1 + random_below(&random, 2); n > 0; n--)
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%s",
				lines[random_below(&random, COUNT_OF(lines))]);
		for (uint64_t n = random_below(&random, 4); n > 0; n--)
			text[random_below(&random, size)] = (char)random_next(&random);
		int fd = connect_raw();
		send(fd, text, random_below(&random, size + 1), MSG_NOSIGNAL);
		shutdown(fd, SHUT_WR);
		while (recv(fd, text, sizeof(text), 0) > 0)
			continue; /* until it is let go */
		close(fd);
	}
	/* And it continues. */
	struct listener listener;
	uint8_t frame[FAKE_FRAME_MAX];
	open_listener(&listener);
	fake_transport_send(host.fake, frame, fake_unit_records(&host.fake->unit, frame, 20));
	assert_true(listen_for(&listener, 1));
	ear_session_close(listener.session);
	end_server();
}

/* A greeting of one letter now and then keeps no place for longer than one that is not sent. */
static void a_greeting_has_a_limit_as_a_whole(void **state)
{
	const struct ear_server_options options = {
		.reader_max = 1, .hello_ms = 150, .report = report_line};
	uint64_t begin_ms = ear_clock_ms();

	(void)state;
	serve_with(fake_transport_new(), &options);
	int fd = connect_raw();
	while (send(fd, "E", 1, MSG_NOSIGNAL) == 1 && ear_clock_ms() < begin_ms + 10000)
		ear_clock_sleep_ms(20);
	assert_below(ear_clock_ms(), begin_ms + 10000);
	close(fd);
	expect_report("was refused: it did not say what it wants");
	end_server();
}

static void what_the_device_has_to_say_is_reported(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct listener listener;
	uint8_t frame[FAKE_FRAME_MAX];

	(void)state;
	snprintf(fake->base.warning, sizeof(fake->base.warning), "it is too warm");
	serve(fake, NULL, 0);
	expect_report("warning: it is too warm");
	open_listener(&listener);
	expect_report("listens");
	size_t size = fake_unit_records(&fake->unit, frame, 20);
	fake_transport_send(fake, frame, size);
	assert_true(listen_for(&listener, 1));
	ear_session_close(listener.session);
	end_server();
	char bytes_line[64];
	snprintf(bytes_line, sizeof(bytes_line), "%zu bytes came from the device", size);
	expect_report(bytes_line);
}

static void a_listener_that_speaks_is_disconnected(void **state)
{
	char answer[64];

	(void)state;
	serve(fake_transport_new(), TOKEN, 0);
	int fd = connect_raw();
	send(fd, "EARSHOT 1 listen\n", 17, MSG_NOSIGNAL);
	assert_int_equal(recv(fd, answer, 13, MSG_WAITALL), 13);
	assert_memory_equal(answer, "OK fake:unit\n", 13);
	send(fd, "0123456789", 10, MSG_NOSIGNAL);
	assert_at_most(recv(fd, answer, sizeof(answer), 0), 0);
	assert_int_equal(host.fake->write_count, 0);
	close(fd);
	end_server();
}

static void nobody_there_is_reported(void **state)
{
	struct ear_transport *transport;
	struct ear_report report;

	(void)state;
	forget_token();
	assert_int_equal(
		ear_transport_open(&transport, "tcp:127.0.0.1:1", &report), EAR_E_NO_DEVICE);
	assert_contains(report.text, "cannot connect");
	assert_int_equal(ear_transport_open(&transport, "tcp:", &report), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_transport_open(&transport, "tcp:host", &report), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_transport_open(&transport, "tcp:[]:7", &report), EAR_E_BAD_ARGUMENT);
	assert_int_equal(
		ear_transport_open(&transport, "tcp:127.0.0.1:65536", &report), EAR_E_BAD_ARGUMENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_controls_and_several_listen),
		cmocka_unit_test(control_needs_the_token),
		cmocka_unit_test(a_token_may_come_from_a_file),
		cmocka_unit_test(a_slow_reader_is_dropped_and_stalls_nobody),
		cmocka_unit_test(a_reader_begins_at_a_frame),
		cmocka_unit_test(a_tap_gets_every_byte),
		cmocka_unit_test(a_slow_tap_jumps_to_a_frame),
		cmocka_unit_test(the_end_of_the_device_is_the_end_of_all),
		cmocka_unit_test(strangers_do_no_harm),
		cmocka_unit_test(the_silent_do_not_lock_out_the_controller),
		cmocka_unit_test(listeners_leave_a_place_for_the_controller),
		cmocka_unit_test(an_address_has_a_part_of_the_places),
		cmocka_unit_test(strangers_do_not_flood_the_log),
		cmocka_unit_test(a_program_that_ended_is_started_again),
		cmocka_unit_test(a_device_that_nobody_used_is_not_started_again),
		cmocka_unit_test(a_token_that_others_can_read_is_refused),
		cmocka_unit_test(the_token_leaves_the_environment),
		cmocka_unit_test(damaged_greetings_do_no_harm),
		cmocka_unit_test(a_greeting_has_a_limit_as_a_whole),
		cmocka_unit_test(what_the_device_has_to_say_is_reported),
		cmocka_unit_test(a_listener_that_speaks_is_disconnected),
		cmocka_unit_test(nobody_there_is_reported),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
