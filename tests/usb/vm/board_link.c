/* earshot-board in a child process, over a socket pair whose buffers are the FIFO of the emulated
 * chip. The socket is never blocking, so a full one is a link that is not ready.
 */
#define _GNU_SOURCE /* SOCK_CLOEXEC, SOCK_NONBLOCK */
#include "board_link.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/protocol/control_word.h"
#include "driver/base/clock.h"

#define BOARD_FD    3
#define SOCKET_SIZE 4096      /* the kernel makes a bit more of it */
#define CHIP_SIZE   (4 * 512) /* what the chip's own FIFO holds */

static void fail(const char *what)
{
	fprintf(stderr, "board_link: %s: %s\n", what, strerror(errno));
	exit(1);
}

static _Noreturn void run_board(const struct board_link *link, int fd)
{
	char number[8];

	snprintf(number, sizeof(number), "%d", BOARD_FD);
	if (dup2(fd, BOARD_FD) == BOARD_FD)
		execl(link->board, link->board, link->program, "--fd", number, "--unit", link->unit,
			"--uart", "/dev/null", (char *)NULL);
	_exit(127);
}

static void power_on(struct board_link *link)
{
	int fds[2], size = SOCKET_SIZE;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		fail("socketpair");
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	link->pid = fork();
	if (link->pid < 0)
		fail("fork");
	if (link->pid == 0) {
		/* dup2 to itself would leave it to be closed by exec. */
		run_board(link, fds[1] == BOARD_FD ? dup(fds[1]) : fds[1]);
	}
	close(fds[1]);
	link->fd = fds[0];
	link->bytes = 0;
}

void board_link_power_off(struct board_link *link)
{
	if (link->fd < 0)
		return;
	close(link->fd);
	link->fd = -1;
	kill(link->pid, SIGKILL);
	waitpid(link->pid, NULL, 0);
	link->bytes = 0;
	link->rate = 0;
}

/* -- The chip's side -- */

static void link_begin(struct usb_link *base)
{
	struct board_link *link = (struct board_link *)base;
	uint8_t old[CHIP_SIZE];

	if (link->fd < 0)
		return power_on(link);
	ssize_t thrown = read(link->fd, old, sizeof(old));
	(void)thrown; /* nothing there is as good */
}

static void link_end(struct usb_link *base)
{
	(void)base; /* nobody reads: the board waits */
}

static size_t link_read(struct usb_link *base, uint8_t *bytes, size_t size)
{
	struct board_link *link = (struct board_link *)base;
	uint64_t now_ms = ear_clock_ms();

	if (link->fd < 0 || (link->rate > 0 && now_ms < link->paced_ms))
		return 0;
	ssize_t count = read(link->fd, bytes, size);
	if (count <= 0) /* nothing now, or the program is over */
		return 0;
	link->bytes += (size_t)count;
	if (link->rate > 0)
		link->paced_ms = now_ms + (uint64_t)count * 1000 / link->rate;
	return (size_t)count;
}

static size_t link_write(struct usb_link *base, const uint8_t *bytes, size_t size)
{
	struct board_link *link = (struct board_link *)base;
	struct ear_control_word word;

	if (size == EAR_CONTROL_WORD_SIZE && ear_control_word_parse(&word, bytes) >= 0 &&
		word.operation == EAR_CONTROL_WORD_WRITE)
		link->rate = 0;
	ssize_t count = link->fd < 0 ? -1 : send(link->fd, bytes, size, MSG_NOSIGNAL);

	return count < 0 ? 0 : (size_t)count;
}

void board_link_init(struct board_link *link, const char *board)
{
	*link = (struct board_link){
		.base = {link_begin, link_end, link_read, link_write}, .board = board, .fd = -1};
}
