#ifndef EP0_H
#define EP0_H

#include <stdbool.h>
#include <stdint.h>

/* Endpoint 0: one request at a time. Each is ended by exactly one of ep0_send(), ep0_acknowledge()
 * and ep0_refuse(). Every wait has an end: a new SETUP, a reset of the bus, or 1 s.
 */

struct ep0_setup {
	uint8_t type, request;
	uint16_t value, index, length;
};

extern struct ep0_setup setup;

/* Copy the SETUP packet that has come to setup. */
void ep0_begin(void);

/* Answer with size bytes (at most 64) that stand in EP0BUF, or fewer when the host wants fewer. */
void ep0_send(uint8_t size);

/* Take the next packet of the data stage to EP0BUF. False: the host has broken off, and the request
 * needs no end.
 */
bool ep0_receive(uint8_t *size);

/* Done. */
void ep0_acknowledge(void);

/* STALL, and remember why: EAR_USB_ERROR_... */
void ep0_refuse(uint8_t error);

#endif
