/* A client of 'earshot gdb' that sends anything: lines of the input are the data of packets, or,
 * after an 'r' as the first byte, the input is what comes over the link. It may begin diversions.
 * Wrong is: a crash, a read beyond the bytes, a session that does not end, a reply that is no
 * packet.
 */
#define _GNU_SOURCE /* memfd_create */
#include <earshot/earshot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/gdb/session.h"
#include "cli/gdb/wire/packet.h"
#include "target.h"
#include "whisper_rounds.h"

static int make_trace(void)
{
	int fd = memfd_create("trace", 0);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!out)
		abort();
	put_whisper_rounds(out, 12, 0);
	if (fclose(out))
		abort();
	return fd;
}

static void put(FILE *out, const uint8_t *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, out) != size)
		abort();
}

/* What the client sends, as a file. */
static int make_input(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("input", 0);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!out)
		abort();
	if (size > 0 && bytes[0] == 'r') {
		put(out, bytes + 1, size - 1);
	} else {
		fputs("$QStartNoAckMode#b0+", out);
		for (size_t begin = 0; begin < size;) {
			const uint8_t *end = memchr(bytes + begin, '\n', size - begin);
			size_t length = end ? (size_t)(end - bytes) - begin : size - begin;
			fputc('$', out);
			put(out, bytes + begin, length);
			fputs("#00", out);
			begin += length + 1;
		}
	}
	if (fclose(out) || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

/* Everything that was sent is packets and acknowledgements. */
static void check_output(int fd)
{
	struct ear_gdb_parser *parser = calloc(1, sizeof(*parser));
	uint8_t bytes[4096];
	ssize_t got;

	if (!parser || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			bool outside = parser->state == EAR_GDB_OUTSIDE;
			if (outside && bytes[i] != '$' && bytes[i] != '+' && bytes[i] != '-')
				abort();
			if (ear_gdb_parse(parser, bytes[i], true) == EAR_GDB_BAD &&
				!parser->too_long)
				abort();
		}
	if (got < 0 || parser->state != EAR_GDB_OUTSIDE)
		abort();
	free(parser);
}

int fuzz_gdb(const uint8_t *bytes, size_t size)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace *trace;
	int fd = make_trace(), in = make_input(bytes, size), out = memfd_create("output", 0);

	options.format = "whisper";
	options.xlen = 32; /* else each reader looks for it in the whole text */
	options.index = EAR_INDEX_NONE;
	if (out < 0 || ear_trace_open_fd(&trace, fd, NULL, &options) != 0)
		abort();
	const struct ear_gdb_options session = {.trace = trace,
		.in = in,
		.out = out,
		.program = "/dev/null",
		.diverge = 2000,
		.position = EAR_GDB_AS_THE_TRACE_SAYS};
	if (ear_gdb_serve(&session) != 0)
		abort();
	check_output(out);
	ear_trace_close(trace);
	close(out);
	close(in);
	close(fd);
	return 0;
}
