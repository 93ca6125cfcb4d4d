/* A program that measures itself: mcycle and mtime around pieces of work, while timer interrupts
 * come. Whoever traces it must not change what it measures. It prints what it has seen. */
#include "support.h"

#define PIECES 24
#define TICKS  700 /* 70 microseconds between interrupts */

static volatile uint32_t interrupts;
static uint32_t buffer[64];
static uint32_t seen[PIECES][2]; /* mcycle and mtime that each piece took */

void trap_handler(uint32_t *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == CAUSE_TIMER_IRQ);
	interrupts++;
	timer_arm(TICKS);
}

static uint32_t work(uint32_t n)
{
	uint32_t state = n + 1, sum = 0;

	for (uint32_t i = 0; i < 200; i++) {
		uint32_t value = random_next(&state);
		buffer[value & 63] += value;
		sum += buffer[value >> 8 & 63] / (n % 7 + 1);
	}
	return sum;
}

static void print_number(uint32_t value)
{
	char text[11];
	unsigned at = sizeof(text) - 1;

	text[at] = '\0';
	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	uart_print(text + at);
}

int main(void)
{
	uint32_t total = 0;

	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	csr_set(mstatus, MSTATUS_MIE);
	for (uint32_t n = 0; n < PIECES * REPEAT; n++) {
		uint32_t cycles = (uint32_t)csr_read(mcycle), ticks = MTIME[0];
		total += work(n);
		seen[n % PIECES][0] = (uint32_t)csr_read(mcycle) - cycles;
		seen[n % PIECES][1] = MTIME[0] - ticks;
	}
	csr_clear(mstatus, MSTATUS_MIE);
	timer_disarm();
	CHECK(interrupts > 10);
	for (uint32_t n = 0; n < PIECES; n++) {
		print_number(seen[n][0]);
		uart_put(' ');
		print_number(seen[n][1]);
		uart_put('\n');
	}
	print_number(interrupts);
	uart_put('\n');
	CHECK(total != 0);
	return 0;
}
