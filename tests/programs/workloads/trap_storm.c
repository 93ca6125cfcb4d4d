/* Almost nothing but traps: system calls, breakpoints, illegal opcodes and access faults, in turn
 * and in long runs of one kind, some of them taken inside the handler. */
#include "support.h"

#define NOWHERE 0x08000000u

#define CAUSE_ILLEGAL     2
#define CAUSE_BREAKPOINT  3
#define CAUSE_LOAD_FAULT  5
#define CAUSE_STORE_FAULT 7
#define CAUSE_ECALL       11

static volatile uint32_t counts[16];
static volatile uint32_t depth, deepest;

static void nest(void)
{
	xword pc = csr_read(mepc);

	__asm__ volatile("ecall" ::: "a0", "memory");
	csr_write(mepc, pc);
	csr_set(mstatus, 0x1800); /* MPP, for our own mret */
}

void trap_handler(xword *frame)
{
	xword cause = csr_read(mcause), pc = csr_read(mepc);
	uint16_t first = *(const uint16_t *)pc;

	CHECK(cause < 16);
	counts[cause]++;
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (cause == CAUSE_ILLEGAL && depth < 3)
		nest();
	depth--;
	frame[10]++; /* a0 counts traps */
	csr_write(mepc, pc + ((first & 3) == 3 ? 4 : 2));
}

static xword mixed(xword count)
{
	register xword a0 __asm__("a0") = count;
	register xword nowhere __asm__("a1") = NOWHERE;

	__asm__ volatile("ecall\n"
			 ".word 0xffffffff\n"
			 "c.ebreak\n"
			 "lw zero, 0(%1)\n"
			 ".half 0\n"
			 "sb zero, 3(%1)\n"
			 "ecall\n"
			 "csrrw zero, 0x7c0, zero\n"
			 : "+r"(a0)
			 : "r"(nowhere)
			 : "memory");
	return a0;
}

static xword run_of_one(xword count, uint32_t length)
{
	register xword a0 __asm__("a0") = count;

	while (length-- > 0)
		__asm__ volatile("ecall" : "+r"(a0) : : "memory");
	return a0;
}

int main(void)
{
	uint32_t round;
	xword count = 0;

	for (round = 0; round < 20 * REPEAT; round++) {
		count = mixed(count);
		count = run_of_one(count, 16);
	}
	CHECK(count == 24 * round);
	CHECK(counts[CAUSE_ILLEGAL] == 3 * round && counts[CAUSE_BREAKPOINT] == round);
	CHECK(counts[CAUSE_LOAD_FAULT] == round && counts[CAUSE_STORE_FAULT] == round);
	CHECK(counts[CAUSE_ECALL] == 21 * round && deepest == 2);
	return 0;
}
