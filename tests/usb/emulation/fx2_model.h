#ifndef FX2_MODEL_H
#define FX2_MODEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "driver/usb/fx2_loader.h"
#include "fake_unit.h"
#include "usb_link.h"
#include "usb_model.h"

/* An FX2LP with Earshot's firmware and a fake unit behind it, as docs/usb.md describes it, or one
 * without firmware that takes it. Every frame is a packet of its own, as the real link sends them.
 *
 * Set what it does before it is plugged in. Faults may be set at any time; each happens once.
 */
struct fx2_model {
	struct usb_model base; /* first */
	pthread_mutex_t mutex; /* for all that is not atomic */
	struct fake_unit unit;

	uint64_t test_begin_ms, tests_sent; /* of the unit's test source */
	uint64_t fpga_bytes, fpga_size;     /* of a bitstream: that came, that the FPGA wants */

	/* What it does */
	unsigned frame_count;     /* frames of the capture */
	bool ends;                /* STOP after them, as if the program had ended */
	bool endless;             /* frames without an end, until the capture is disabled */
	unsigned endless_records; /* in each of those */
	bool pattern; /* no unit: fx2_model_pattern for ever, in full packets, after START */
	uint64_t pattern_limit; /* that many bytes of it; 0 no limit */
	struct usb_link *link;  /* bytes come from here and go there; NULL: to and from unit */
	uint8_t identify[EAR_USB_IDENTIFY_SIZE];
	size_t identify_size; /* how much of it is answered */

	/* What goes wrong */
	bool bare;          /* no firmware: only FIRMWARE_LOAD works */
	bool damages_load;  /* a byte of the image is changed on the way */
	bool mute;          /* takes control words and answers nothing */
	bool garbage;       /* answers with bytes that are no frames */
	bool deaf;          /* takes no control words */
	bool never_answers; /* requests are not answered at all */
	bool refuses_start;
	atomic_int in_error;  /* errno with which the next IN packet ends, 0 none */
	atomic_int in_errors; /* that many times in a row */
	atomic_bool halts;    /* the IN endpoint halts now, until that is cleared */
	atomic_bool halts_out;
	atomic_bool halts_again;  /* and after it was cleared */
	atomic_int empty_packets; /* that many before the next data */
	atomic_bool jumbo;        /* the next packet is longer than any transfer */

	/* What was seen */
	atomic_uint start_count, stop_count, load_count;
	_Atomic uint64_t sent; /* bytes that the host took from the IN endpoint */
	atomic_bool started;   /* the processor was let go with a new image */

	/* Inside */
	uint8_t memory[0x10000];
	bool running, captured, halted_in, halted_out;
	bool link_owes_end; /* the packet before was full: an empty one follows if nothing else */
	uint8_t *queue;     /* frames for the host, each after its length in two bytes */
	size_t queue_size, queue_used, queue_room;
	uint8_t word[EAR_CONTROL_WORD_SIZE];
	size_t word_size;
	uint64_t pattern_offset;
};

/* One that works: serial number "EAR0001", no frames. */
void fx2_model_init(struct fx2_model *model);

/* One without firmware. */
void fx2_model_init_bare(struct fx2_model *model);
void fx2_model_fini(struct fx2_model *model);

/* Everything that does not survive a power cycle. */
void fx2_model_power_cycle(struct fx2_model *model);

/* The pattern's bytes: a 64-bit count, little-endian. offset and size are multiples of 8. */
void fx2_model_pattern(uint8_t *bytes, uint64_t offset, size_t size);

#endif
