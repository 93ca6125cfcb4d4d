#ifndef EP0_H
#define EP0_H

#include <stdbool.h>
#include <stdint.h>

/* Endpoint 0: one request at a time. Exactly one of ep0_send(), ep0_acknowledge() and ep0_refuse()
 * ends each request. Every wait is bounded: by a new SETUP, a reset of the bus, or 1 s.
 */

struct ep0_setup {
	uint8_t type, request;
	uint16_t value, index, length;
};

extern struct ep0_setup setup;

/* Copy the SETUP packet that came into setup. */
void ep0_begin(void);

/* Answer with the size bytes in EP0BUF (at most 64), or fewer if the host wants fewer. */
void ep0_send(uint8_t size);

/* Receive the next packet of the data stage into EP0BUF. False: the host has abandoned the request,
 * which needs no end.
 */
bool ep0_receive(uint8_t *size);

/* The request is done and has no answer. */
void ep0_acknowledge(void);

/* STALL, and remember why: EAR_USB_ERROR_... */
void ep0_refuse(uint8_t error);

#endif
