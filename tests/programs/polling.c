/* Registers of devices that are read again and again and change in between: the timer's count, the
 * UART's status, pending interrupts. What was read lies in memory and registers afterwards. */
#include "support.h"

#define STATUS (*(volatile uint8_t *)0x10000005)
#define DATA   (*(volatile uint8_t *)0x10000000)
#define ROUNDS (300 * REPEAT)

static uint32_t times[32], waits[32];
static uint8_t states[64];
static volatile uint32_t flag;

static uint64_t now(void)
{
	uint32_t high, low;

	do {
		high = MTIME[1];
		low = MTIME[0];
	} while (high != MTIME[1]);
	return (uint64_t)high << 32 | low;
}

/* As uart_put, but with what it saw. */
static uint32_t put(char c)
{
	uint32_t count = 0;

	for (;;) {
		uint8_t state = STATUS;

		states[count++ % 64] = state;
		if (state & 0x20)
			break;
	}
	DATA = (uint8_t)c;
	states[count % 64] = STATUS; /* busy: the byte is on its way */
	return count;
}

int main(void)
{
	uint64_t last = now();

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t time = now();

		CHECK(time >= last);
		last = time;
		times[round % 32] = (uint32_t)time;
		waits[round % 32] = put((char)('a' + round % 26));
		MSIP = 1;
		while (!(csr_read(mip) & MIE_SOFTWARE))
			;
		flag = MSIP;
		MSIP = 0;
		while (csr_read(mip) & MIE_SOFTWARE)
			;
		CHECK(flag == 1 && MSIP == 0);
		timer_arm(20);
		while (!(csr_read(mip) & MIE_TIMER))
			;
		timer_disarm();
	}
	put('\n');
	return 0;
}
