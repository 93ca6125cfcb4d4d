/* Slave serial configuration of the FPGA by bit-banging. The shift loops are unrolled assembler,
 * since they are all the time that loading takes. PROG is open drain in software: its latch stays 0
 * and only the output is switched on and off. Every failure releases the pins.
 */
#include "fpga.h"

#include "clock.h"
#include "common/protocol/ear_protocol.h"
#include "fx2lp.h"

#define PROG_BIT    0x01
#define CCLK_BIT    0x80
#define DIN_BIT     0x01
#define PROG_TICKS  1
#define CLEAR_TICKS 10
#define END_CLOCKS  4096
#define LAST_CLOCKS 64

#define INIT PA1
#define DONE PA3
#define CCLK PA7
#define DIN  PB0

bool fpga_loading;
__xdata uint32_t fpga_bytes;

static uint8_t fpga_flags;

void fpga_release(void)
{
	OEA = 0;
	OEB = 0;
	fpga_loading = false;
}

void fpga_init(void)
{
	IOA = 0;
	IOB = 0;
	fpga_release();
}

bool fpga_done(void)
{
	return DONE;
}

static bool init_is_low(void)
{
	return !(fpga_flags & EAR_USB_FPGA_NO_INIT) && !INIT;
}

uint8_t fpga_begin(uint8_t flags)
{
	uint8_t start;
	bool went_low;

	fpga_flags = flags;
	fpga_bytes = 0;
	fpga_loading = true;
	CCLK = 0;
	OEB = DIN_BIT;
	OEA = PROG_BIT | CCLK_BIT;
	clock_wait(PROG_TICKS);
	went_low = init_is_low();
	OEA = CCLK_BIT;
	clock_alive();
	start = clock_now();
	if (flags & EAR_USB_FPGA_NO_INIT) {
		clock_wait(PROG_TICKS);
		return EAR_USB_ERROR_NONE;
	}
	while (init_is_low() && !clock_passed(start, CLEAR_TICKS))
		;
	if (went_low && !init_is_low())
		return EAR_USB_ERROR_NONE;
	fpga_release();
	return EAR_USB_ERROR_FPGA_NO_INIT;
}

/* The first size bytes of EP0BUF, bit by bit: data, then a pulse of the clock. 64 cycles of 83 ns
 * per byte.
 */
static void shift_high_first(uint8_t size) __naked
{
	(void)size;
	/* clang-format off */
	__asm
	mov	r2,dpl
	mov	dptr,#0xE740
shift_high$:
	movx	a,@dptr
	inc	dptr
	rlc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rlc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rlc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rlc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rlc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rlc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rlc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rlc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	djnz	r2,shift_high$
	ret
	__endasm;
	/* clang-format on */
}

static void shift_low_first(uint8_t size) __naked
{
	(void)size;
	/* clang-format off */
	__asm
	mov	r2,dpl
	mov	dptr,#0xE740
shift_low$:
	movx	a,@dptr
	inc	dptr
	rrc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rrc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rrc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rrc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rrc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rrc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rrc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	rrc	a
	mov	_PB0,c
	setb	_PA7
	clr	_PA7
	djnz	r2,shift_low$
	ret
	__endasm;
	/* clang-format on */
}

uint8_t fpga_write(uint8_t size)
{
	if (fpga_flags & EAR_USB_FPGA_LSB_FIRST)
		shift_low_first(size);
	else
		shift_high_first(size);
	fpga_bytes += size;
	if (!init_is_low())
		return EAR_USB_ERROR_NONE;
	fpga_release();
	return EAR_USB_ERROR_FPGA_CRC;
}

uint8_t fpga_end(void)
{
	bool damaged, done;
	uint16_t i;

	DIN = 1;
	for (i = 0; i < END_CLOCKS && !DONE; i++) {
		CCLK = 1;
		CCLK = 0;
	}
	damaged = init_is_low();
	done = DONE;
	for (i = 0; i < LAST_CLOCKS; i++) {
		CCLK = 1;
		CCLK = 0;
	}
	fpga_release();
	if (done)
		return EAR_USB_ERROR_NONE;
	return damaged ? EAR_USB_ERROR_FPGA_CRC : EAR_USB_ERROR_FPGA_NOT_DONE;
}
