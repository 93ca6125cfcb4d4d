/* User mode: system calls, what is forbidden there, counters that the kernel allows or not, and a
 * kernel that emulates an instruction. No time in it: every run is the same. */
#include "support.h"

#define CAUSE_ILLEGAL 2
#define CAUSE_ECALL_U 8
#define MSTATUS_MPP   0x1800
#define OPCODE_SUM    0x0000000bu /* ours: a0 = a0 + a1, emulated */

enum { CALL_ADD, CALL_ALLOW, CALL_EXIT };

static volatile uint32_t calls, refused, emulated;
static uint8_t user_stack[1024] __attribute__((aligned(16)));

static uint32_t opcode_at(xword pc)
{
	const uint16_t *half = (const uint16_t *)pc;

	return (half[0] & 3) == 3 ? half[0] | (uint32_t)half[1] << 16 : half[0];
}

static void serve(xword *frame)
{
	calls++;
	switch (frame[17]) { /* a7 */
	case CALL_ADD: frame[10] += frame[11]; break;
	case CALL_ALLOW: csr_write(mcounteren, frame[10]); break;
	default: finish(calls == frame[10] && refused && emulated ? 0 : __LINE__);
	}
}

void trap_handler(xword *frame)
{
	xword cause = csr_read(mcause), pc = csr_read(mepc);

	if (cause == CAUSE_ECALL_U) {
		serve(frame);
	} else {
		CHECK(cause == CAUSE_ILLEGAL);
		if (opcode_at(pc) == OPCODE_SUM) {
			frame[10] += frame[11];
			emulated++;
		} else {
			frame[10] = 0;
			refused++;
		}
	}
	csr_write(mepc, pc + ((opcode_at(pc) & 3) == 3 ? 4 : 2));
}

static xword call(xword number, xword a, xword b)
{
	register xword a0 __asm__("a0") = a;
	register xword a1 __asm__("a1") = b;
	register xword a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a7) : "memory");
	return a0;
}

static xword sum(xword a, xword b)
{
	register xword a0 __asm__("a0") = a;
	register xword a1 __asm__("a1") = b;

	__asm__ volatile(".word 0x0000000b" : "+r"(a0) : "r"(a1) : "memory");
	return a0;
}

/* 1 before an instruction that is refused becomes 0. */
#define REFUSED(text) \
	do { \
		register xword a0 __asm__("a0") = 1; \
		__asm__ volatile(text : "+r"(a0)::"memory"); \
		CHECK(a0 == 0); \
	} while (0)

static void user_main(void)
{
	uint32_t round, state = 19;
	xword expected = 0;

	for (round = 0; round < 100 * REPEAT; round++) {
		xword x = random_next(&state), y = random_next(&state);

		CHECK(call(CALL_ADD, x, y) == x + y);
		CHECK(sum(x, y) == x + y);
		REFUSED("csrr a0, mstatus");
		REFUSED("csrw mscratch, a0");
		REFUSED("mret");
		call(CALL_ALLOW, 0, 0);
		REFUSED("rdinstret a0");
		call(CALL_ALLOW, 4, 0);
		/* Allowed now; the value is not looked at, so that all machines agree. */
		__asm__ volatile("rdinstret zero");
		expected += 3;
	}
	CHECK(refused == 4 * round && emulated == round);
	call(CALL_EXIT, expected + 1, 0);
}

int main(void)
{
	csr_write(pmpaddr0, (xword)-1);
	csr_write(pmpcfg0, 0x1f);
	csr_clear(mstatus, MSTATUS_MPP);
	csr_write(mepc, user_main);
	__asm__ volatile("mv sp, %0\n mret" ::"r"(user_stack + sizeof(user_stack)) : "memory");
	__builtin_unreachable();
}
