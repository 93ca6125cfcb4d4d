/* kind: wait for a bit that never comes
 * first: ^hang
 * The transmitter is asked for the bit of the receiver.
 */
#include "support.h"

#define LINE_STATUS (*(volatile uint8_t *)0x10000005)
#define RECEIVED    0x01

static unsigned sent;

__attribute__((noinline)) static void send(char c)
{
	while (!(LINE_STATUS & RECEIVED)) /* BUG: 0x20 is the bit of the transmitter */
		;
	uart_put(c);
	sent++;
}

int main(void)
{
	send('a');
	return 0;
}
