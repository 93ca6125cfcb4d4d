/* A board on USB for a virtual machine: an FX2LP or an FT232H connected to the virtual board,
 * given to QEMU's usb-redir.
 *
 *   usbredir_server SOCKET fx2|ftdi EARSHOT-BOARD CAPTURE...
 *
 * Listens on the Unix socket SOCKET and serves one connection, to its end. Each CAPTURE is what the
 * board does in one capture of the guest:
 *
 *   PROGRAM.elf:UNIT         the program, with earshot-board's --unit UNIT
 *   ...:BYTES:MS             pulled out after so many bytes and in again MS milliseconds later,
 *                            with its power on; then slowly, so that the program is not over before
 *                            the host has asked for the unit
 *   ...:BYTES:MS:off         the same, but the board is off meanwhile
 *
 * The next one is due when the guest has set the device's configuration to 0. What happened is
 * reported on standard error.
 */
#define _GNU_SOURCE /* accept4 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "board_link.h"
#include "driver/base/clock.h"
#include "ftdi_model.h"
#include "fx2_model.h"
#include "redirect.h"

#define RATE_AFTER 400000 /* bytes a second */

struct plan {
	char program[256], unit[32];
	unsigned long unplug_bytes; /* 0 not at all */
	unsigned away_ms;
	bool power_off;
};

static struct fx2_model fx2;
static struct ftdi_model ftdi;
static bool is_ftdi;
static struct board_link board;
static uint64_t plug_ms;   /* when the device is plugged in again; 0: it is not out */
static unsigned capture;   /* index of the plan */
static bool capture_begun; /* the first one */
static bool pulled;        /* out, in this capture */

static _Noreturn void fail(const char *text)
{
	fprintf(stderr, "usbredir_server: %s\n", text);
	exit(2);
}

static void parse_plan(struct plan *plan, const char *text)
{
	char power[8] = "";

	memset(plan, 0, sizeof(*plan));
	int count = sscanf(text, "%255[^:]:%31[^:]:%lu:%u:%7s", plan->program, plan->unit,
		&plan->unplug_bytes, &plan->away_ms, power);
	plan->power_off = !strcmp(power, "off");
	if (count != 2 && count != 4 && !(count == 5 && plan->power_off))
		fail("not a capture: PROGRAM.elf:UNIT[:BYTES:MILLISECONDS[:off]]");
}

static int accept_one(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(address.sun_path))
		fail("the socket's path is too long");
	strcpy(address.sun_path, path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
		fail("cannot listen on the socket");
	int connection = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (connection < 0)
		fail("nobody came");
	close(fd);
	return connection;
}

static void power_cycle_chip(void)
{
	if (is_ftdi)
		ftdi_model_power_cycle(&ftdi);
	else
		fx2_model_power_cycle(&fx2);
}

static void pull_out(struct redirect *redirect, const struct plan *plan)
{
	fprintf(stderr, "usbredir_server: out after %lu bytes of capture %u\n", board.bytes,
		capture + 1);
	redirect_unplug(redirect);
	power_cycle_chip();
	if (plan->power_off)
		board_link_power_off(&board);
	plug_ms = ear_clock_ms() + plan->away_ms;
}

static void put_in(struct redirect *redirect, const struct plan *plan)
{
	fprintf(stderr, "usbredir_server: in again\n");
	plug_ms = 0;
	board.rate = plan->power_off ? 0 : RATE_AFTER;
	redirect_plug(redirect);
}

/* Wait for something to do. The models are asked again and again: they have no file to wait for,
 * but the board's. */
static void wait_for_work(const struct redirect *redirect, int fd)
{
	struct pollfd polls[2] = {{.fd = fd, .events = POLLIN}, {.fd = board.fd, .events = POLLIN}};

	if (redirect_wants_to_send(redirect))
		polls[0].events |= POLLOUT;
	poll(polls, board.fd >= 0 && redirect_wants_data(redirect) ? 2 : 1,
		redirect_wants_data(redirect) || plug_ms ? 1 : 1000);
}

/* The guest wants the next capture: everything has its power off and on. */
static void next_capture(void)
{
	if (capture_begun) {
		board_link_power_off(&board);
		power_cycle_chip();
		capture++;
		pulled = false;
	}
	capture_begun = true;
}

static void serve(struct redirect *redirect, int fd, const struct plan *plans, unsigned count)
{
	do {
		const struct plan *plan = &plans[capture < count ? capture : count - 1];

		board.program = plan->program;
		board.unit = plan->unit;
		if (plan->unplug_bytes && !pulled && board.bytes >= plan->unplug_bytes) {
			pulled = true;
			pull_out(redirect, plan);
		}
		if (plug_ms && ear_clock_ms() >= plug_ms)
			put_in(redirect, plan);
		wait_for_work(redirect, fd);
	} while (redirect_run(redirect));
}

int main(int argc, char **argv)
{
	struct plan plans[16];
	unsigned count = argc > 4 ? (unsigned)argc - 4 : 0;

	if (count == 0 || count > 16 || (strcmp(argv[2], "fx2") && strcmp(argv[2], "ftdi")))
		fail("usage: usbredir_server SOCKET fx2|ftdi EARSHOT-BOARD CAPTURE...");
	for (unsigned i = 0; i < count; i++)
		parse_plan(&plans[i], argv[4 + i]);
	signal(SIGPIPE, SIG_IGN);
	is_ftdi = !strcmp(argv[2], "ftdi");
	board_link_init(&board, argv[3]);
	fx2_model_init(&fx2);
	fx2.link = &board.base;
	ftdi_model_init(&ftdi);
	ftdi.link = &board.base;
	int fd = accept_one(argv[1]);
	struct redirect *redirect =
		redirect_new(fd, is_ftdi ? &ftdi.base : &fx2.base, next_capture);
	redirect_plug(redirect);
	serve(redirect, fd, plans, count);
	redirect_free(redirect);
	board_link_power_off(&board);
	fx2_model_fini(&fx2);
	ftdi_model_fini(&ftdi);
	unlink(argv[1]);
	fprintf(stderr, "usbredir_server: QEMU has gone after capture %u\n", capture + 1);
	return 0;
}
