/* Lines over a UART that is often busy, polled, while timer interrupts come all the time. */
#include "support.h"

#define TICKS 400
#define LINES 60

static volatile uint32_t interrupts;
static volatile uint32_t characters;

void trap_handler(xword *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == CAUSE_TIMER_IRQ);
	interrupts++;
	timer_arm(TICKS + (interrupts * 37) % 200);
}

static void put(char c)
{
	uart_put(c);
	characters++;
}

static void put_number(uint32_t n)
{
	char digits[10];
	int count = 0;

	do {
		digits[count++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (count)
		put(digits[--count]);
}

static uint32_t digits_of(uint32_t n)
{
	uint32_t count = 1;

	while (n >= 10) {
		n /= 10;
		count++;
	}
	return count;
}

int main(void)
{
	uint32_t line, expected = 0, seen, state = 6, work = 0;

	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	csr_set(mstatus, MSTATUS_MIE);
	for (line = 0; line < LINES * REPEAT; line++) {
		put_number(line);
		put(' ');
		seen = interrupts;
		put_number(seen);
		put('\n');
		expected += digits_of(line) + digits_of(seen) + 2;
		do {
			work += random_next(&state);
		} while (work & 0x3f);
	}
	CHECK(characters == expected);
	seen = interrupts;
	while (interrupts < seen + 3)
		__asm__ volatile("wfi" ::: "memory");
	csr_clear(mstatus, MSTATUS_MIE);
	CHECK(interrupts >= 3);
	return 0;
}
