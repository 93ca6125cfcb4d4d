/* The slave FIFOs between USB and the FPGA, set up and then left alone: packets pass without the
 * processor. The order of the register writes is that of the chip's manual, with a delay after each
 * that it demands. The processor only commits a short packet that the FPGA began and left, once it
 * has not grown for a while (link_watch).
 */
#include "link.h"

#include "common/protocol/ear_protocol.h"
#include "counters.h"
#include "fx2lp.h"
#include "settings.h"

#define BUFFERS    4
#define TAIL_TICKS 10

bool link_running;
uint8_t link_flags;

static uint16_t tail_size;
static uint8_t tail_ticks;

/* Between two writes to registers of the FIFOs: TRM 15.15. 16 instruction cycles are enough for the
 * slowest IFCLK; call and return are eight of them.
 */
static void sync_delay(void) __naked
{
	/* clang-format off */
	__asm
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	ret
	__endasm;
	/* clang-format on */
}

bool link_is_high_speed(void)
{
	return USBCS & USBCS_HSM;
}

/* IFCLK while the FIFOs are not connected: the chip's own, which their registers need. It comes out
 * unless the board makes it.
 */
static void disconnect(void)
{
	uint8_t clock = IFCONFIG_INTERNAL | IFCONFIG_48MHZ | IFCONFIG_PORTS;

	if (!(link_flags & EAR_USB_LINK_IFCLK_INPUT))
		clock |= IFCONFIG_OUTPUT;
	if (link_flags & EAR_USB_LINK_IFCLK_INVERTED)
		clock |= IFCONFIG_INVERTED;
	IFCONFIG = clock;
	sync_delay();
}

static void connect(void)
{
	uint8_t clock = IFCONFIG_SLAVE;

	if (!(link_flags & EAR_USB_LINK_IFCLK_INPUT))
		clock |= IFCONFIG_INTERNAL | IFCONFIG_48MHZ | IFCONFIG_OUTPUT;
	if (link_flags & EAR_USB_LINK_IFCLK_INVERTED)
		clock |= IFCONFIG_INVERTED;
	IFCONFIG = clock;
	sync_delay();
}

/* TRM 9.3.13 and the notes on REVCTL: NAK everything, manual mode, reset, give all buffers of the
 * OUT endpoint to the host, and only then automatic mode.
 */
void link_reset_fifos(void)
{
	uint8_t wide = link_flags & EAR_USB_LINK_WIDE ? FIFOCFG_WIDE : 0;
	uint8_t i;

	counters_add(COUNT_FIFO_RESETS);
	tail_size = 0;
	tail_ticks = 0;
	FIFORESET = FIFORESET_NAKALL;
	sync_delay();
	EP2FIFOCFG = wide;
	sync_delay();
	EP6FIFOCFG = wide;
	sync_delay();
	FIFORESET = FIFORESET_NAKALL | 2;
	sync_delay();
	FIFORESET = FIFORESET_NAKALL | 6;
	sync_delay();
	FIFORESET = 0;
	sync_delay();
	for (i = 0; i < BUFFERS; i++) {
		OUTPKTEND = OUTPKTEND_SKIP | 2;
		sync_delay();
	}
	EP6AUTOINLENH = link_is_high_speed() ? EAR_USB_PACKET_HIGH >> 8 : EAR_USB_PACKET_FULL >> 8;
	sync_delay();
	EP6AUTOINLENL =
		link_is_high_speed() ? EAR_USB_PACKET_HIGH & 0xFF : EAR_USB_PACKET_FULL & 0xFF;
	sync_delay();
	EP2FIFOCFG = FIFOCFG_AUTOOUT | wide;
	sync_delay();
	EP6FIFOCFG = FIFOCFG_AUTOIN | FIFOCFG_ZEROLEN | wide;
	sync_delay();
}

void link_init(void)
{
	link_flags = settings_link();
	disconnect();
	OEB = 0;
	OED = 0;
	PORTACFG = 0;
	REVCTL = REVCTL_ENH_PKT | REVCTL_DYN_OUT;
	sync_delay();
	EP1OUTCFG = EPCFG_OFF;
	EP1INCFG = EPCFG_OFF;
	EP4CFG = EPCFG_OFF;
	EP8CFG = EPCFG_OFF;
	EP2CFG = EPCFG_BULK_OUT_4;
	EP6CFG = EPCFG_BULK_IN_4;
	/* One endpoint with 16 bits would make all of FD 16 bits wide. */
	EP4FIFOCFG = 0;
	sync_delay();
	EP8FIFOCFG = 0;
	sync_delay();
	PINFLAGSAB = FLAGS_EP2_EMPTY | FLAGS_EP6_FULL;
	sync_delay();
	PINFLAGSCD = 0;
	sync_delay();
	FIFOPINPOLAR = 0;
	sync_delay();
	link_restore();
}

void link_start(uint8_t flags)
{
	link_stop();
	link_flags = flags;
	disconnect();
	link_reset_fifos();
	connect();
	link_running = true;
	counters_add(COUNT_STARTS);
}

void link_stop(void)
{
	link_running = false;
	disconnect();
}

void link_restore(void)
{
	link_stop();
	link_reset_fifos();
	link_clear_halt(EAR_USB_ENDPOINT_OUT);
	link_clear_halt(EAR_USB_ENDPOINT_IN);
}

bool link_is_halted(uint8_t endpoint)
{
	return (endpoint == EAR_USB_ENDPOINT_IN ? EP6CS : EP2CS) & EPCS_STALL;
}

void link_set_halt(uint8_t endpoint)
{
	if (endpoint == EAR_USB_ENDPOINT_IN)
		EP6CS = EPCS_STALL;
	else
		EP2CS = EPCS_STALL;
}

void link_clear_halt(uint8_t endpoint)
{
	uint8_t chosen = endpoint == EAR_USB_ENDPOINT_IN ? TOGCTL_IN | 6 : 2;

	TOGCTL = chosen;
	TOGCTL = chosen | TOGCTL_RESET;
	if (endpoint == EAR_USB_ENDPOINT_IN)
		EP6CS = 0;
	else
		EP2CS = 0;
}

void link_watch(void)
{
	uint16_t size;

	if (!link_running)
		return;
	size = (uint16_t)EP6FIFOBCH << 8 | EP6FIFOBCL;
	if (size == 0 || size != tail_size || !(EP6CS & EPCS_EMPTY)) {
		tail_size = size;
		tail_ticks = 0;
		return;
	}
	if (++tail_ticks < TAIL_TICKS)
		return;
	tail_ticks = 0;
	INPKTEND = 6;
	sync_delay();
	counters_add(COUNT_TAILS);
}
