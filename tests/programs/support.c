#include "support.h"

#include <stddef.h>

#define EXIT_REGISTER    (*(volatile uint32_t *)0x00100000)
#define EXIT_PASS        0x5555u
#define EXIT_FAIL        0x3333u
#define UART_DATA        (*(volatile uint8_t *)0x10000000)
#define UART_LINE_STATUS (*(volatile uint8_t *)0x10000005)
#define UART_READY       0x20

void finish(int code)
{
	EXIT_REGISTER = code == 0 ? EXIT_PASS : (uint32_t)code << 16 | EXIT_FAIL;
	for (;;)
#ifdef NO_CSRS
		;
#else
		__asm__ volatile("wfi");
#endif
}

void uart_put(char c)
{
	while (!(UART_LINE_STATUS & UART_READY))
		;
	UART_DATA = (uint8_t)c;
}

void uart_print(const char *text)
{
	while (*text)
		uart_put(*text++);
}

__attribute__((weak)) void trap_handler(xword *frame)
{
	(void)frame;
	finish(255);
}

void timer_disarm(void)
{
	MTIMECMP[1] = 0xffffffff;
	MTIMECMP[0] = 0xffffffff;
}

void timer_arm(uint32_t ticks)
{
	uint32_t high, low;

	do {
		high = MTIME[1];
		low = MTIME[0];
	} while (high != MTIME[1]);
	timer_disarm(); /* so that no half-written value fires */
	MTIMECMP[0] = low + ticks;
	MTIMECMP[1] = high + (low + ticks < low);
}
