/* A client of 'earshot gdb' that sends anything: lines of the input are the data of packets, or,
 * after an 'r' as the first byte, the input is what comes over the link. Wrong is: a crash, a read
 * beyond the bytes, a session that does not end, a reply that is no packet.
 */
#define _GNU_SOURCE /* memfd_create */
#include <earshot/earshot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/gdb/packet.h"
#include "cli/gdb/session.h"
#include "target.h"

/* A round of the trace: a loop with a store and a load, an interrupt whose handler returns, an
 * exception, another hart, and now and then records that are missing. */
static const char *const lines[] = {
	"80000000,128293,x5=1,x5;i1,,,m,,addi     x5; x5; 1,0",
	"80000004,512023,,x5;x2;i0,80001000=1,s,m,,sw       x5; 0x0(x2),0",
	"80000100,1141,x2=80002000,x2;ifffffff0,,,m,,c.addi   x2; -0x10,1",
	"80000008,12303,x6=1,x2;i0,80001000,l,m,,lw       x6; 0x0(x2),0",
	"8000000c,128293,c833=8000000c;c834=80000007;c835=0,x5;i1,,,m,80000007,addi     x5; x5; 1,0",
	"80000040,30200073,pc=8000000c;c768=1888,,,,m,,mret,0",
	"8000000c,128293,x5=2,x5;i1,,,m,,addi     x5; x5; 1,0",
	"80000010,73,c833=80000010;c834=b;c835=0;c768=1800,,,,m,b,ecall,0",
	"80000040,30200073,pc=80000014;c768=1888,,,,m,,mret,0",
	"80000014,628033,x0=0,x5;x6,,,m,,add      x0; x5; x6,0",
	"80000018,ffdff06f,pc=80000000,iffffffe8,,j,m,,jal      x0; . - 0x18,0",
};

static int make_trace(void)
{
	int fd = memfd_create("trace", 0);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!out)
		abort();
	fputs("pc, inst, modified regs, source operands, memory, inst info, privilege, trap, "
	      "disassembly, hartid\n",
		out);
	for (unsigned round = 0; round < 30; round++)
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			if (round % 10 != 7 || i % 3 != 1)
				fprintf(out, "%s\n", lines[i]);
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
	options.index = EAR_INDEX_NONE;
	if (out < 0 || ear_trace_open_fd(&trace, fd, NULL, &options) != 0)
		abort();
	const struct ear_gdb_options session = {.trace = trace,
		.in = in,
		.out = out,
		.program = "/dev/null",
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
