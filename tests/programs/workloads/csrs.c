/* Control and status registers: what can be written, what stays, and how counters count. Not for
 * QEMU, whose counters are its own. */
#include "support.h"

#define set_and_read(name, value) \
	({ \
		csr_write(name, (xword)(value)); \
		csr_read(name); \
	})

static void plain_registers(uint32_t *state)
{
	xword x = random_next(state), swapped;

	CHECK(set_and_read(mscratch, x) == x);
	__asm__ volatile("csrrw %0, mscratch, %1" : "=r"(swapped) : "r"(~x));
	CHECK(swapped == x && csr_read(mscratch) == ~x);
	__asm__ volatile("csrrs %0, mscratch, %1" : "=r"(swapped) : "r"(x));
	CHECK(swapped == ~x && csr_read(mscratch) == (xword)-1);
	__asm__ volatile("csrrc %0, mscratch, %1" : "=r"(swapped) : "r"(x));
	CHECK(swapped == (xword)-1 && csr_read(mscratch) == ~x);
	__asm__ volatile("csrrwi %0, mscratch, 21" : "=r"(swapped));
	__asm__ volatile("csrrsi %0, mscratch, 10" : "=r"(swapped));
	CHECK(swapped == 21);
	__asm__ volatile("csrrci %0, mscratch, 1" : "=r"(swapped));
	CHECK(swapped == 31 && csr_read(mscratch) == 30);
	CHECK(set_and_read(mcause, x) == x && set_and_read(mtval, x) == x);
}

static void registers_with_rules(uint32_t *state)
{
	xword x = random_next(state), table = csr_read(mtvec);

	CHECK(set_and_read(mepc, x) == (x & ~(xword)1));
	CHECK(set_and_read(mtvec, x | 3) == table); /* a reserved mode changes nothing */
	CHECK(set_and_read(mtvec, (x & ~(xword)3) | 1) == ((x & ~(xword)3) | 1));
	csr_write(mtvec, table);
	CHECK(set_and_read(mie, x) == (x & 0x888));
	csr_write(mie, 0);
	CHECK((set_and_read(mstatus, 0x88) & 0x88) == 0x88);
	CHECK((set_and_read(mstatus, 0x80) & 0x88) == 0x80);
	csr_write(mip, (xword)-1);
	CHECK(!(csr_read(mip) & MIE_SOFTWARE));
	MSIP = 1;
	CHECK(csr_read(mip) & MIE_SOFTWARE);
	MSIP = 0;
	CHECK(!(csr_read(mip) & MIE_SOFTWARE));
	CHECK(csr_read(misa) & 1 << ('i' - 'a'));
	csr_write(misa, 0);
	CHECK(csr_read(misa) & 1 << ('i' - 'a'));
	CHECK(csr_read(mhartid) == 0 && set_and_read(mhpmcounter3, x) == 0);
	CHECK(set_and_read(mhpmevent31, x) == 0);
}

static void counters(uint32_t *state)
{
	xword x = random_next(state), first, second;

	/* The write does not count itself, each instruction after it counts one. */
	__asm__ volatile("csrw minstret, %2\n"
			 "csrr %0, minstret\n"
			 "nop\n"
			 "csrr %1, minstret"
			 : "=&r"(first), "=&r"(second)
			 : "r"(x));
	CHECK(first == x && second == x + 2);
	/* The instruction that stops it still counts, the one that starts it does not. */
	__asm__ volatile("csrw minstret, zero\n"
			 "csrsi mcountinhibit, 4\n"
			 "csrr %0, minstret\n"
			 "nop\n"
			 "csrci mcountinhibit, 4\n"
			 "csrr %1, minstret"
			 : "=&r"(first), "=&r"(second));
	CHECK(first == 1 && second == 1);
#if __riscv_xlen == 32
	csr_write(minstreth, 5);
	CHECK(csr_read(minstreth) == 5 && csr_read(instreth) == 5);
	csr_write(minstreth, 0);
	CHECK(csr_read(mstatush) == 0);
#endif
	first = csr_read(mcycle);
	second = csr_read(cycle);
	CHECK(second - first > 0 && second - first < 1000);
	csr_write(mcountinhibit, 1);
	CHECK(csr_read(mcycle) == csr_read(mcycle));
	csr_write(mcycle, 77);
	CHECK(csr_read(mcycle) == 77);
	csr_write(mcountinhibit, 0);
	first = csr_read(time);
	CHECK(csr_read(time) - first < 1000);
}

int main(void)
{
	uint32_t state = 6, round;

	for (round = 0; round < 100 * REPEAT; round++) {
		plain_registers(&state);
		registers_with_rules(&state);
		counters(&state);
	}
	return 0;
}
