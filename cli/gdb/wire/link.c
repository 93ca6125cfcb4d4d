/* Packets over a pair of descriptors. */
#include "cli/gdb/wire/link.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#define ALIVE_MS 500
#define HEARD_MS 1000 /* a Ctrl-C that is older is not for what begins now */

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void write_all(struct ear_gdb_link *link, const char *bytes, size_t size)
{
	while (size > 0 && !link->closed) {
		ssize_t written = write(link->out, bytes, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			link->closed = true;
			return;
		}
		bytes += written;
		size -= (size_t)written;
	}
	link->alive_ms = now_ms();
}

/* More bytes, if there is room: wait for them, or take what is there. */
static void fill(struct ear_gdb_link *link, bool wait)
{
	struct pollfd ready = {.fd = link->in, .events = POLLIN};

	if (link->at == link->count)
		link->at = link->count = 0;
	if (link->closed || link->count == sizeof(link->bytes))
		return;
	if (poll(&ready, 1, wait ? -1 : 0) <= 0)
		return;
	ssize_t got = read(link->in, link->bytes + link->count, sizeof(link->bytes) - link->count);
	if (got > 0)
		link->count += (size_t)got;
	else if (got == 0 || (errno != EINTR && errno != EAGAIN))
		link->closed = true;
}

/* Returns true when the parser has a packet. */
static bool take(struct ear_gdb_link *link, uint8_t byte)
{
	switch (ear_gdb_parse(&link->parser, byte, !link->no_ack)) {
	case EAR_GDB_PACKET:
		if (!link->no_ack)
			write_all(link, "+", 1);
		return true;
	case EAR_GDB_BAD:
		if (!link->no_ack)
			write_all(link, "-", 1);
		return false;
	case EAR_GDB_NAK:
		if (!link->no_ack && link->reply.size > 0)
			write_all(link, link->reply.bytes, link->reply.size);
		return false;
	case EAR_GDB_INTERRUPT:
		link->interrupted = true;
		link->interrupted_ms = now_ms();
		return false;
	default: return false;
	}
}

bool ear_gdb_link_next(struct ear_gdb_link *link)
{
	for (;;) {
		while (link->at < link->count)
			if (take(link, link->bytes[link->at++]))
				return true;
		if (link->closed)
			return false;
		fill(link, true);
	}
}

void ear_gdb_link_send(struct ear_gdb_link *link)
{
	ear_gdb_reply_end(&link->reply);
	write_all(link, link->reply.bytes, link->reply.size);
}

bool ear_gdb_link_was_interrupted(struct ear_gdb_link *link)
{
	const bool interrupted = link->interrupted && now_ms() - link->interrupted_ms <= HEARD_MS;

	link->interrupted = false;
	return interrupted;
}

bool ear_gdb_link_poll(struct ear_gdb_link *link, bool alive)
{
	fill(link, false);
	if (alive && now_ms() - link->alive_ms > ALIVE_MS)
		write_all(link, "+", 1);
	/* Between packets only: in the middle of one, the byte is data. */
	while (link->parser.state == EAR_GDB_OUTSIDE && link->at < link->count &&
		link->bytes[link->at] != '$')
		(void)take(link, link->bytes[link->at++]);
	return link->interrupted || link->closed;
}
