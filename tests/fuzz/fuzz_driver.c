/* What the driver and its commands read of others, each by a letter in front: a stream on its way
 * through the scanner, the link test and an FTDI chip's packets, firmware, an ELF program, and what
 * the other side of tcp: answers. Wrong is: a crash, a read beyond the bytes, an endless loop, and
 * a result that depends on how the bytes are cut.
 */
#define _GNU_SOURCE /* memfd_create */
#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/input/address_names.h"
#include "cli/input/program.h"
#include "cli/live/link_check.h"
#include "driver/session/reply_scanner.h"
#include "driver/stream/transport_tcp.h"
#include "driver/usb/fx2_flash.h"
#include "driver/usb/fx2_loader.h"
#include "driver/usb/transport_ftdi.h"
#include "target.h"

static void expect(bool good)
{
	if (!good)
		abort();
}

/* Pieces of a stream: of one size, and of another in the end. */
static size_t piece_of(size_t step, size_t rest)
{
	return rest < step ? rest : step;
}

/* -- The scanner -- */

struct found {
	size_t count, end;
	uint64_t digest;
};

static void scan(struct found *found, const uint8_t *bytes, size_t size, size_t step)
{
	struct ear_reply_scanner scanner;

	memset(found, 0, sizeof(*found));
	ear_reply_scanner_init(&scanner);
	for (size_t at = 0, piece; at < size; at += piece) {
		piece = piece_of(step, size - at);
		for (size_t used = 0, part; used < piece; used += part) {
			struct ear_message message;
			int result = ear_reply_scanner_next(
				&scanner, &part, &message, bytes + at + used, piece - used);

			expect(part <= piece - used && (result == 1 || part == piece - used));
			if (result != 1)
				continue;
			found->count++;
			found->digest = found->digest * 31 + message.kind;
			expect(found->count <= size); /* it gets on */
		}
	}
}

static void try_scanner(const uint8_t *bytes, size_t size)
{
	struct found whole, cut;

	scan(&whole, bytes, size, size);
	scan(&cut, bytes, size, 1 + (size > 0 ? bytes[size - 1] % 61u : 0));
	expect(whole.count == cut.count && whole.digest == cut.digest);
}

/* -- The link test -- */

static void check_link(
	struct link_check *check, const uint8_t *bytes, size_t size, size_t step, size_t loss_at)
{
	link_check_init(check);
	for (size_t at = 0, piece; at < size; at += piece) {
		piece = piece_of(step, size - at);
		if (at < loss_at && at + piece > loss_at)
			piece = loss_at - at;
		if (at == loss_at)
			link_check_loss(check, loss_at % 3);
		link_check_push(check, bytes + at, piece);
	}
	link_check_end(check);
}

static void try_link_check(const uint8_t *bytes, size_t size)
{
	static struct link_check whole, cut;
	size_t loss_at = size > 1 && bytes[0] & 1 ? size / 2 : size + 1;

	check_link(&whole, bytes, size, size ? size : 1, loss_at);
	check_link(&cut, bytes, size, 1 + (size > 0 ? bytes[size - 1] : 0), loss_at);
	expect(whole.bytes == size && whole.bytes == cut.bytes && whole.frames == cut.frames &&
		whole.damaged_frames == cut.damaged_frames && whole.wrong_bits == cut.wrong_bits &&
		whole.lost_frames == cut.lost_frames && whole.resyncs == cut.resyncs);
}

/* -- An FTDI chip -- */

static bool count_bytes(void *context, const uint8_t *bytes, size_t size)
{
	size_t *count = context;

	expect(size > 0 && bytes);
	*count += size;
	return true;
}

static void try_strip(const uint8_t *bytes, size_t size)
{
	_Atomic uint64_t overruns = 0;
	size_t count = 0, packets = size / 64 + (size % 64 > 0);
	struct ear_ftdi_strip strip = {
		.packet_size = 64, .push = count_bytes, .context = &count, .overruns = &overruns};

	expect(ear_ftdi_strip(&strip, bytes, size));
	expect(count + 2 * packets == size + (size % 64 == 1) && overruns <= packets);
}

/* -- Files -- */

static int make_file(char path[32], const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("file", 0);

	expect(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static void try_image(const uint8_t *bytes, size_t size)
{
	static struct ear_fx2_image image;
	static uint8_t boot[EAR_FX2_BOOT_MAX];
	struct ear_report report;
	char path[32];
	int fd = make_file(path, bytes, size);

	if (ear_fx2_image_read(&image, path, &report) == 0)
		expect(image.size <= sizeof(image.bytes) &&
			ear_fx2_boot_build(boot, &image) <= sizeof(boot));
	else
		expect(report.text[0] != '\0');
	close(fd);
}

static void try_program(const uint8_t *bytes, size_t size)
{
	struct program program;
	uint64_t sum = 0;
	char path[32];
	int fd = make_file(path, bytes, size);

	if (program_read(&program, path)) {
		for (size_t i = 0; i < program.count; i++) {
			const struct segment *segment = &program.segments[i];

			expect(segment->file_size <= segment->size && segment->file_size <= size);
			for (uint64_t at = 0; at < segment->file_size; at++)
				sum += segment->bytes[at];
		}
		expect(program.count > 0 && sum <= 255 * size * program.count);
		program_free(&program);
	}
	close(fd);
}

static void try_labels(const uint8_t *bytes, size_t size)
{
	char path[32];
	int fd = make_file(path, bytes, size);
	struct address_names *names = address_names_open(path);

	for (uint64_t address = 0; names && address < 64; address++) {
		const char *name = address_names_find(names, address);
		expect(!name || strlen(name) < size);
	}
	address_names_close(names);
	close(fd);
}

/* -- The other side of tcp: -- */

static void try_answer(const uint8_t *bytes, size_t size)
{
	struct ear_report report = {.text = ""};
	int fds[2];

	expect(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	expect(size > 4096 || write(fds[1], bytes, size) == (ssize_t)size);
	shutdown(fds[1], SHUT_WR);
	int result = ear_tcp_greet(fds[0], size % 2 ? NULL : "a-token", "tcp:fuzz", &report);
	if (result == 0)
		expect(size >= 4 && memcmp(bytes, "OK ", 3) == 0);
	for (const char *at = report.text; result != 0 && *at; at++)
		expect(*at >= ' ' && *at <= '~');
	close(fds[0]);
	close(fds[1]);
}

int fuzz_driver(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	switch (bytes[0]) { /* corpora name these */
	case 's': try_scanner(bytes + 1, size - 1); break;
	case 'l': try_link_check(bytes + 1, size - 1); break;
	case 'f': try_strip(bytes + 1, size - 1); break;
	case 'x': try_image(bytes + 1, size - 1); break;
	case 'e':
		try_program(bytes + 1, size - 1);
		try_labels(bytes + 1, size - 1);
		break;
	case 't': try_answer(bytes + 1, size - 1); break;
	default: break;
	}
	return 0;
}
