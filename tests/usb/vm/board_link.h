#ifndef BOARD_LINK_H
#define BOARD_LINK_H

#include <sys/types.h>

#include "usb_link.h"

/* The virtual board behind an emulated chip: earshot-board, a process that starts when the host
 * starts the stream and is ended by board_link_power_off. While the host does not read, some KiB
 * wait in the socket, and then the board's link is not ready: the core stalls.
 */
struct board_link {
	struct usb_link base; /* first */
	const char *board;    /* path of earshot-board */
	const char *program;  /* for the next start: path of an ELF file */
	const char *unit;     /* and --unit */
	unsigned long bytes;  /* that the host took since the board's power came on */
	unsigned long rate; /* at most so many bytes a second until the host has written a register;
			     * 0 no limit */

	/* Inside */
	uint64_t paced_ms; /* until when the bytes that were read are paid for */
	int fd;            /* -1: no board */
	pid_t pid;
};

void board_link_init(struct board_link *link, const char *board);

/* The board loses its power. Nothing if there is none. */
void board_link_power_off(struct board_link *link);

#endif
