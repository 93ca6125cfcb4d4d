/* Endpoint 0 by polling. A host may abandon a request at any time with a new SETUP or a bus reset;
 * each function looks for that before it touches the endpoint, so an answer never goes to the wrong
 * request.
 */
#include "ep0.h"

#include "clock.h"
#include "counters.h"
#include "fx2lp.h"

struct ep0_setup setup;

/* The host has begun something else. */
static bool is_broken_off(void)
{
	return USBIRQ & (USBIRQ_SUDAV | USBIRQ_URES);
}

/* A SETUP that comes while another is copied makes SUDAV again, and the copy begins anew. The chip
 * and sdcc both have the low byte first.
 */
void ep0_begin(void)
{
	uint8_t i;

	do {
		USBIRQ = USBIRQ_SUDAV;
		for (i = 0; i < sizeof(setup); i++)
			((uint8_t *)&setup)[i] = SETUPDAT[i];
	} while (USBIRQ & USBIRQ_SUDAV);
}

void ep0_send(uint8_t size)
{
	if (is_broken_off()) {
		counters_add(COUNT_ABANDONED);
		return;
	}
	if (setup.length < size)
		size = (uint8_t)setup.length;
	EP0BCH = 0;
	EP0BCL = size;
	EP0CS = EP0CS_HSNAK;
}

bool ep0_receive(uint8_t *size)
{
	uint8_t start = clock_now();

	if (!is_broken_off()) {
		EP0BCL = 0; /* any value: the buffer is free */
		while ((EP0CS & EP0CS_BUSY) && !is_broken_off() &&
			!clock_passed(start, TICKS_SECOND))
			;
		if (!(EP0CS & EP0CS_BUSY) && !is_broken_off()) {
			*size = EP0BCL;
			clock_alive();
			return true;
		}
	}
	counters_add(COUNT_ABANDONED);
	return false;
}

void ep0_acknowledge(void)
{
	if (is_broken_off())
		counters_add(COUNT_ABANDONED);
	else
		EP0CS = EP0CS_HSNAK;
}

void ep0_refuse(uint8_t error)
{
	last_error = error;
	counters_add(COUNT_REFUSED);
	if (!is_broken_off())
		EP0CS = EP0CS_HSNAK | EPCS_STALL;
}
