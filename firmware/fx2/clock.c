/* Time and watchdog on timer 2. The watchdog is software, because the chip has none: the interrupt
 * counts down and jumps to address 0 itself. Its count survives such a restart in memory that the
 * start-up code does not clear, marked by a magic number.
 */
#include "clock.h"

#define WATCHDOG_TICKS 200
#define TIMER_RELOAD   (65536u - 40000u) /* 48 MHz / 12 / 100 */
#define KEPT_MAGIC     0xEA57u

/* Survives a restart: the start-up code does not clear this memory. */
static volatile __xdata __at(0xE000) struct {
	uint16_t magic;
	uint16_t watchdog_count;
} kept;

static volatile uint8_t now;
static volatile uint32_t uptime;
static volatile uint8_t watchdog_left;

void clock_init(void)
{
	if (kept.magic != KEPT_MAGIC) {
		kept.magic = KEPT_MAGIC;
		kept.watchdog_count = 0;
	}
	watchdog_left = WATCHDOG_TICKS;
	RCAP2L = TIMER_RELOAD & 0xFF;
	RCAP2H = TIMER_RELOAD >> 8;
	TL2 = TIMER_RELOAD & 0xFF;
	TH2 = TIMER_RELOAD >> 8;
	T2CON = T2CON_TR2;
	ET2 = 1;
	EA = 1;
}

/* RETI ends an interrupt that may be active, and returns to the address 0 on the stack. The
 * start-up code relies on register bank 0, which a reset of the chip would have selected.
 */
void clock_restart(void) __naked
{
	/* clang-format off */
	__asm
	clr	_EA
	mov	psw,#0
	mov	sp,#0x60
	clr	a
	push	acc
	push	acc
	reti
	__endasm;
	/* clang-format on */
}

void clock_tick(void) __interrupt(INTERRUPT_TIMER2) __using(1)
{
	TF2 = 0;
	now++;
	uptime++;
	if (--watchdog_left == 0) {
		if (kept.watchdog_count != 0xFFFF)
			kept.watchdog_count++;
		/* clang-format off */
		__asm
		ljmp	_clock_restart
		__endasm;
		/* clang-format on */
	}
}

uint8_t clock_now(void)
{
	return now;
}

uint32_t clock_uptime(void)
{
	uint32_t value;

	ET2 = 0;
	value = uptime;
	ET2 = 1;
	return value;
}

bool clock_passed(uint8_t start, uint8_t ticks)
{
	return (uint8_t)(now - start) > ticks;
}

void clock_wait(uint8_t ticks)
{
	uint8_t start = now;

	while (!clock_passed(start, ticks))
		;
}

void clock_alive(void)
{
	watchdog_left = WATCHDOG_TICKS;
}

uint16_t clock_watchdog_count(void)
{
	return kept.watchdog_count;
}
