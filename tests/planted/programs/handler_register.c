/* kind: a handler that changes a register
 * first: exit code|access fault
 * A short handler in assembly saves two registers and uses three.
 */
#include "support.h"

volatile unsigned beats;

__attribute__((naked, aligned(4))) static void beat(void)
{
	__asm__("addi sp, sp, -8\n\tsw t0, 0(sp)\n\tsw t1, 4(sp)");
	__asm__("la t0, beats\n\tlw t1, 0(t0)\n\taddi t1, t1, 1\n\tsw t1, 0(t0)");
	__asm__("li t0, 0x0200bff8\n\tlw t0, 0(t0)");
	__asm__("addi a5, t0, 197"); /* BUG: a5 is not saved */
	__asm__("li t0, 0x02004000\n\tsw a5, 0(t0)");
	__asm__("lw t0, 0(sp)\n\tlw t1, 4(sp)\n\taddi sp, sp, 8\n\tmret");
}

static uint8_t data[48];

__attribute__((noinline)) static unsigned digest(void)
{
	unsigned a = 1, b = 2, c = 3, d = 4;

	for (unsigned i = 0; i < sizeof(data); i++) {
		a += data[i];
		b ^= a << 1;
		c += b >> 3;
		d = d << 1 ^ c;
	}
	return a ^ b ^ c ^ d;
}

int main(void)
{
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 11 + 3);
	unsigned first = digest();
	csr_write(mtvec, beat);
	timer_arm(90);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	unsigned second = digest();
	CHECK(first == second);
	return 0;
}
