#ifndef FX2_BOARD_H
#define FX2_BOARD_H

#include <pthread.h>
#include <stdatomic.h>

#include "emulation/usb_model.h"
#include "fake_unit.h"
#include "fx2model/fx2_chip.h"

/* A board on the emulated bus: the FX2LP's model with its real firmware, and a fake unit at its
 * slave FIFO. A thread of its own lets the chip's time pass and is the hub: when the chip leaves
 * the bus or comes to it, it is unplugged or enumerated and plugged in, with the descriptors that
 * it gives.
 */

/* The chip as one device; it is another one each time it comes to the bus. */
struct fx2_board_face {
	struct usb_model base; /* first */
	struct fx2_board *board;
	char texts[3][40];
};

struct fx2_board {
	pthread_mutex_t mutex; /* for all that is not atomic */
	struct fx2_chip *chip;
	struct fake_unit unit;
	int port;

	/* What the unit does */
	unsigned frame_count; /* frames of a capture, then STOP */

	/* What was seen */
	atomic_uint plug_count; /* how often it came to the bus */

	/* Inside */
	struct fx2_board_face faces[16];
	unsigned connections; /* of the chip, when it was looked at last */
	bool plugged;
	unsigned frames_left;
	bool capturing;
	uint8_t word[EAR_CONTROL_WORD_SIZE];
	size_t word_size;
	uint8_t frame[FAKE_FRAME_MAX]; /* that did not fit yet */
	size_t frame_size;
	bool unended; /* PKTEND is due */
	pthread_t thread;
	atomic_bool quits;
};

/* Power on, at a port of the bus. The chip is bare. */
void fx2_board_open(struct fx2_board *board, int port, unsigned frame_count);

/* Power off. The test fails if the firmware did what the chip forbids. */
void fx2_board_close(struct fx2_board *board);

/* The unit loses its power and has it again; its next capture has so many frames. */
void fx2_board_renew_unit(struct fx2_board *board, unsigned frame_count);

/* From any thread: the firmware hangs; the IN endpoint halts; a field of STATUS as in fx2_device.h.
 */
void fx2_board_run_away(struct fx2_board *board);
void fx2_board_halt(struct fx2_board *board);
uint32_t fx2_board_status(struct fx2_board *board, unsigned offset);

#endif
