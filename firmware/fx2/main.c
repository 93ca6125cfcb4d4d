/* Firmware of the FX2LP: docs/usb.md. One loop polls everything; the only interrupts are the
 * clock's and the one that ends a suspend. The data path does not pass through the processor.
 */
#include "clock.h"
#include "counters.h"
#include "eeprom.h"
#include "fpga.h"
#include "fx2lp.h"
#include "link.h"
#include "requests.h"

/* The chip's own register for the page of MOVX @Ri, which sdcc's start-up code uses; in other 8051
 * it is port 2.
 */
__sfr __at(0x92) _XPAGE;

#define LOADED_TICKS       5  /* the host ends its last request */
#define DISCONNECTED_TICKS 25 /* long enough for every hub to see it */

/* The bus is awake. sdcc wants interrupts to be known here. */
void woken(void) __interrupt(INTERRUPT_RESUME)
{
	EICON = EICON_ERESI;
}

/* A chip that booted from its EEPROM is not on the bus yet. */
static void enumerate(void)
{
	if (!(USBCS & USBCS_DISCON)) {
		clock_wait(LOADED_TICKS);
		USBCS = USBCS_DISCON | USBCS_RENUM;
		clock_wait(DISCONNECTED_TICKS);
	}
	USBIRQ = USBIRQ_ALL;
	USBCS = USBCS_RENUM;
}

/* TRM 6.4: the oscillator stops until there is traffic on the bus. */
static void sleep(void)
{
	counters_add(COUNT_SUSPENDS);
	WAKEUPCS = WAKEUPCS_FLAGS | WAKEUPCS_DPEN;
	SUSPEND = 1;
	PCON |= PCON_IDLE;
	/* clang-format off */
	__asm
	nop
	nop
	nop
	nop
	nop
	__endasm;
	/* clang-format on */
}

static void serve_bus(void)
{
	if (USBIRQ & USBIRQ_URES) {
		USBIRQ = USBIRQ_URES;
		counters_add(COUNT_BUS_RESETS);
		requests_configure(false);
	}
	if (USBIRQ & USBIRQ_SUSP) {
		USBIRQ = USBIRQ_SUSP;
		sleep();
	}
	if (USBIRQ & USBIRQ_SUDAV)
		requests_serve();
}

void main(void)
{
	uint8_t last_tick;

	CPUCS = CPUCS_48MHZ;
	CKCON = 0;
	USBIE = 0;
	EICON = EICON_ERESI;
	clock_init();
	counters_clear();
	requests_configured = false;
	fpga_init();
	eeprom_init();
	link_init();
	enumerate();
	last_tick = clock_now();
	for (;;) {
		clock_alive();
		serve_bus();
		if (clock_now() != last_tick) {
			last_tick = clock_now();
			link_watch();
		}
	}
}
