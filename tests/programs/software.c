/* Software interrupts through a vector table: raised at once, held back by mstatus and by mie, and
 * nested. On the demo core the store that raises one is the last instruction before the handler. */
#include "support.h"

#define DEPTH       4
#define CAUSE_ECALL 11

extern const char vectors[];

static volatile uint32_t interrupts, calls, depth, deepest;

/* Raise the interrupt and continue when the handler has cleared it: QEMU, when it does not
 * single-step, takes interrupts only where a block of code ends. */
static void raise_interrupt(void)
{
	MSIP = 1;
	while (MSIP)
		;
}

void trap_handler(uint32_t *frame)
{
	uint32_t pc = csr_read(mepc), cause = csr_read(mcause);

	if (cause == CAUSE_ECALL) {
		calls++;
		frame[10] += 1; /* a0 */
		csr_write(mepc, pc + 4);
		return;
	}
	CHECK(cause == CAUSE_SOFTWARE_IRQ);
	CHECK(csr_read(mtval) == 0);
	MSIP = 0;
	interrupts++;
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (depth < DEPTH) {
		/* Nest: this handler is interrupted in turn, then continues where it was. */
		csr_set(mstatus, MSTATUS_MIE);
		raise_interrupt();
		csr_clear(mstatus, MSTATUS_MIE);
		csr_write(mepc, pc);
		csr_set(mstatus, 0x1880); /* MPP and MPIE, for our own mret */
	}
	depth--;
}

static uint32_t call(uint32_t x)
{
	register uint32_t a0 __asm__("a0") = x;

	__asm__ volatile("ecall" : "+r"(a0)::"memory");
	return a0;
}

int main(void)
{
	uint32_t round, expected = 0;

	csr_write(mtvec, vectors + 1);
	CHECK(csr_read(mtvec) == (uint32_t)vectors + 1);
	csr_write(mie, MIE_SOFTWARE);

	for (round = 0; round < 40 * REPEAT; round++) {
		/* At once. */
		csr_set(mstatus, MSTATUS_MIE);
		raise_interrupt();
		expected += DEPTH;
		CHECK(interrupts == expected);

		/* Held back by mstatus.MIE. */
		csr_clear(mstatus, MSTATUS_MIE);
		MSIP = 1;
		CHECK(csr_read(mip) & MIE_SOFTWARE);
		CHECK(interrupts == expected);
		csr_set(mstatus, MSTATUS_MIE);
		expected += DEPTH;
		CHECK(interrupts == expected);

		/* Held back by mie, then withdrawn. */
		csr_write(mie, 0);
		MSIP = 1;
		CHECK(interrupts == expected);
		MSIP = 0;
		csr_write(mie, MIE_SOFTWARE);
		CHECK(interrupts == expected);
		CHECK(!(csr_read(mip) & MIE_SOFTWARE));

		/* An exception goes to the base of the table. */
		CHECK(call(round) == round + 1);
	}
	CHECK(calls == round && deepest == DEPTH && depth == 0);
	return 0;
}
