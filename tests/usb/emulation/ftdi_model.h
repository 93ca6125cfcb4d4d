#ifndef FTDI_MODEL_H
#define FTDI_MODEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "fake_unit.h"
#include "usb_link.h"
#include "usb_model.h"

/* An FT232H with a fake unit at its FIFO. In synchronous FIFO mode it sends what the unit
 * gives, in packets of 512 bytes, two of them status; when there is nothing, a packet with status
 * only comes after each latency period. In any other mode there is only status.
 */
struct ftdi_model {
	struct usb_model base; /* first */
	pthread_mutex_t mutex;
	struct fake_unit unit;

	uint64_t test_begin_ms, tests_sent; /* of the unit's test source */

	/* What it does */
	unsigned frame_count;
	bool ends, endless, mute;
	bool pattern;          /* no unit: a 64-bit count for ever */
	struct usb_link *link; /* bytes come from here and go there; NULL: to and from unit */
	size_t stale;          /* bytes of something else in front of everything */
	uint8_t channel; /* what the EEPROM says of channel A: 0 UART, 1 FIFO; 0xFF: it is empty */
	unsigned eeprom_words; /* 64 or 128 (default); 0: there is none */

	/* What goes wrong */
	atomic_bool overruns; /* the next packet has the overrun bit */
	atomic_int in_error;  /* errno of the next IN packet, 0 none */
	atomic_bool halts;    /* the IN endpoint halts */
	atomic_int runts;     /* so many packets with a single byte before the next data */
	int refuse_request;   /* this request is refused; -1 none */
	bool forgets;         /* the EEPROM keeps nothing that is written */

	/* What was seen */
	atomic_int mode;          /* the high byte of the last SET_BITMODE */
	atomic_int reads_at_mode; /* IN requests seen by the chip before SYNCFF was set */
	atomic_uint mode_count, flush_count, latency, flow;
	unsigned eeprom_writes;
	uint16_t eeprom[128];

	/* Inside */
	bool captured, halted, has_eeprom; /* eeprom[] is filled */
	uint8_t *queue;
	size_t queue_size, queue_used, queue_room;
	uint8_t word[EAR_CONTROL_WORD_SIZE];
	size_t word_size;
	uint64_t status_ms, pattern_offset;
};

/* One that works: serial number "FT0001", no frames. */
void ftdi_model_init(struct ftdi_model *model);
void ftdi_model_fini(struct ftdi_model *model);

/* The checksum of the words before the last one. */
uint16_t ftdi_model_checksum(const uint16_t *words, unsigned count);
void ftdi_model_power_cycle(struct ftdi_model *model);

#endif
