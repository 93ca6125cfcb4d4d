/* The program in the block RAM of the iCE40 board: 2 KiB for everything, no M extension.
 * Greets, then sorts, makes a system call and takes a software interrupt, REPEAT times. */
#include "support.h"

#define COUNT       24
#define CAUSE_ECALL 11

static volatile uint32_t interrupts, calls;
static uint16_t numbers[COUNT];

void trap_handler(uint32_t *frame)
{
	uint32_t cause = csr_read(mcause);

	(void)frame;
	if (cause == CAUSE_SOFTWARE_IRQ) {
		MSIP = 0;
		interrupts++;
	} else {
		CHECK(cause == CAUSE_ECALL);
		calls++;
		csr_write(mepc, csr_read(mepc) + 4);
	}
}

static void sort(uint16_t *v, int count)
{
	int i, j;

	for (i = 1; i < count; i++) {
		uint16_t x = v[i];

		for (j = i; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

int main(void)
{
	uint32_t state = 8, round;
	int i;

	uart_print("Hello from the board.\n");
	csr_write(mie, MIE_SOFTWARE);
	csr_set(mstatus, MSTATUS_MIE);
	for (round = 1; round <= 20 * REPEAT; round++) {
		for (i = 0; i < COUNT; i++)
			numbers[i] = (uint16_t)random_next(&state);
		sort(numbers, COUNT);
		for (i = 1; i < COUNT; i++)
			CHECK(numbers[i - 1] <= numbers[i]);
		__asm__ volatile("ecall" ::: "memory");
		MSIP = 1;
		while (MSIP)
			;
		CHECK(calls == round && interrupts == round);
	}
	uart_print("Done.\n");
	return 0;
}
