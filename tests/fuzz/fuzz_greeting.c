/* What a stranger says to 'earshot serve': the bytes of a connection, after which it says no more.
 * Wrong is: a crash, an end that never comes, an answer that is not one line of OK or NO and
 * printable, a stranger who controls, and a server that afterwards refuses a listener who asks as
 * he should.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/stream/transport_tcp.h"
#include "driver/tools/server.h"
#include "target.h"

#define TOKEN      "a-token-of-the-fuzzer"
#define ANSWER_MAX 4096u
#define TRIES_MAX  100000u

static struct ear_server *server;

/* ---- A device that takes any control word and sends nothing. ---- */

static int start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	(void)transport, (void)sink, (void)report;
	return 0;
}

static int take_word(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	(void)transport, (void)bytes, (void)size, (void)timeout_ms, (void)report;
	return 0;
}

static void stop(struct ear_transport *transport)
{
	(void)transport;
}

static const struct ear_transport_ops silent_ops = {start, take_word, stop, stop};
static struct ear_transport silent = {.ops = &silent_ops, .name = "silent", .controllable = true};

/* ---- The server. ---- */

static void expect(bool right)
{
	if (!right)
		abort();
}

static void *serve(void *context)
{
	struct ear_transport_end end;
	struct ear_report report;

	(void)context;
	expect(ear_server_run(server, &end, &report) == 0);
	return NULL;
}

static void begin(void)
{
	const struct ear_server_options options = {.token = TOKEN, .ring_size = 4096};
	struct ear_report report;
	pthread_t thread;

	expect(ear_server_open(&server, &silent, &options, &report) == 0);
	expect(pthread_create(&thread, NULL, serve, NULL) == 0);
	expect(pthread_detach(thread) == 0);
}

/* Say it, and no more if ends, and read the first line that comes. Returns its size. */
static size_t ask(const void *bytes, size_t size, bool ends, char answer[ANSWER_MAX + 1])
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)ear_server_port(server)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	size_t got = 0;
	ssize_t more;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	expect(fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
	/* It may have been refused before all of it was said. */
	for (size_t at = 0; at < size; at += (size_t)more)
		if ((more = send(fd, (const char *)bytes + at, size - at, MSG_NOSIGNAL)) <= 0)
			break;
	if (ends)
		shutdown(fd, SHUT_WR);
	while (got < ANSWER_MAX && !memchr(answer, '\n', got) &&
		(more = recv(fd, answer + got, ANSWER_MAX - got, 0)) > 0)
		got += (size_t)more;
	answer[got] = '\0';
	close(fd);
	return got;
}

static bool begins_with(const uint8_t *bytes, size_t size, const char *text)
{
	return size >= strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

int fuzz_greeting(const uint8_t *bytes, size_t size)
{
	static const char listen[] = EAR_TCP_HELLO "listen\n";
	char answer[ANSWER_MAX + 1];

	if (!server)
		begin();
	const bool unended = size == 0 || !memchr(bytes, '\n', size);
	const size_t got = ask(bytes, size, unended, answer);
	/* A connection that is closed before its answer was read may lose it. */
	if (got > 0) {
		expect(strncmp(answer, "OK ", 3) == 0 || strncmp(answer, "NO ", 3) == 0);
		for (size_t i = 0; answer[i] && answer[i] != '\n'; i++)
			expect((unsigned char)answer[i] >= 0x20 && (unsigned char)answer[i] < 0x7f);
	}
	if (answer[0] == 'O')
		expect(begins_with(bytes, size, listen) ||
			begins_with(bytes, size, EAR_TCP_HELLO "control " TOKEN "\n"));
	/* Those before have a slot until their threads have seen that they are gone. */
	for (unsigned tries = 0; tries == 0 || answer[0] != 'O'; tries++)
		expect(tries < TRIES_MAX && ask(listen, sizeof(listen) - 1, false, answer) > 0);
	return 0;
}
