/* Every exception that means the same on the demo core and under QEMU: illegal instructions,
 * unknown and read-only CSRs, ecall, ebreak, and accesses outside the memory map. Each must arrive
 * with the right mcause, mepc and mtval, change no register, and return to where it should.
 * Misaligned accesses are in misaligned.c: QEMU does not trap on them. */
#include "support.h"

#define NOWHERE 0x08000000u /* an address at which neither machine has anything */

#define CAUSE_FETCH_FAULT 1
#define CAUSE_ILLEGAL     2
#define CAUSE_BREAKPOINT  3
#define CAUSE_LOAD_FAULT  5
#define CAUSE_STORE_FAULT 7
#define CAUSE_ECALL       11

static struct {
	uint32_t count, cause, value, pc, status;
} last;

/* The code at fault is skipped; after a fetch fault there is no code, so return to the caller. */
void trap_handler(uint32_t *frame)
{
	last.count++;
	last.cause = csr_read(mcause);
	last.value = csr_read(mtval);
	last.pc = csr_read(mepc);
	last.status = csr_read(mstatus) & 0x88;
	if (last.cause == CAUSE_FETCH_FAULT)
		csr_write(mepc, frame[1]);
	else
		csr_write(mepc, last.pc + ((*(uint16_t *)last.pc & 3) == 3 ? 4 : 2));
}

/* Run one instruction that traps. a0 goes in, and must come out unchanged. */
#define TRAP(code, cause_expected, value_expected) \
	do { \
		register uint32_t a0 __asm__("a0") = NOWHERE; \
		uint32_t here, count = last.count; \
		__asm__ volatile("la %1, 1f\n1: " code : "+r"(a0), "=&r"(here) : : "memory"); \
		CHECK(a0 == NOWHERE); \
		CHECK(last.count == count + 1); \
		CHECK(last.cause == (cause_expected)); \
		CHECK(last.value == (value_expected)); \
		CHECK(last.pc == here); \
	} while (0)

static void illegal(void)
{
	TRAP(".word 0xffffffff", CAUSE_ILLEGAL, 0xffffffff);
	TRAP(".word 0x0000007f", CAUSE_ILLEGAL, 0x0000007f);
	TRAP(".half 0x0000", CAUSE_ILLEGAL, 0);
	TRAP(".half 0x9c61", CAUSE_ILLEGAL, 0x9c61);         /* c.addw: RV64 only */
	TRAP(".half 0x4002", CAUSE_ILLEGAL, 0x4002);         /* c.lwsp to x0: reserved */
	TRAP(".half 0x6001", CAUSE_ILLEGAL, 0x6001);         /* c.lui with 0: reserved */
	TRAP(".half 0x8002", CAUSE_ILLEGAL, 0x8002);         /* c.jr x0: reserved */
	TRAP(".word 0x00003503", CAUSE_ILLEGAL, 0x3503);     /* ld: RV64 only */
	TRAP(".word 0x00003023", CAUSE_ILLEGAL, 0x3023);     /* sd */
	TRAP(".word 0x02051513", CAUSE_ILLEGAL, 0x02051513); /* slli by 32 */
	TRAP(".word 0xfe000533", CAUSE_ILLEGAL, 0xfe000533); /* no such OP */
	TRAP(".word 0x00052063", CAUSE_ILLEGAL, 0x00052063); /* no such branch */
}

static void system_instructions(void)
{
	TRAP("csrr a0, 0x7c0", CAUSE_ILLEGAL, 0x7c002573);
	TRAP("csrw 0x7c0, a0", CAUSE_ILLEGAL, 0x7c051073);
	TRAP("csrw mhartid, a0", CAUSE_ILLEGAL, 0xf1451073);
	TRAP("csrrsi a0, mvendorid, 1", CAUSE_ILLEGAL, 0xf110e573);
	TRAP("ecall", CAUSE_ECALL, 0);
	TRAP(".option push; .option norvc; ebreak; .option pop", CAUSE_BREAKPOINT, 0);
	TRAP("c.ebreak", CAUSE_BREAKPOINT, 0);
}

static void faults(void)
{
	TRAP("lb a0, 0(a0)", CAUSE_LOAD_FAULT, NOWHERE);
	TRAP("lh a0, 2(a0)", CAUSE_LOAD_FAULT, NOWHERE + 2);
	TRAP("lw a0, -4(a0)", CAUSE_LOAD_FAULT, NOWHERE - 4);
	TRAP("c.lw a0, 4(a0)", CAUSE_LOAD_FAULT, NOWHERE + 4);
	TRAP("lbu a0, 3(a0)", CAUSE_LOAD_FAULT, NOWHERE + 3);
	TRAP("sb a0, 1(a0)", CAUSE_STORE_FAULT, NOWHERE + 1);
	TRAP("sh a0, 2(a0)", CAUSE_STORE_FAULT, NOWHERE + 2);
	TRAP("sw a0, 0(a0)", CAUSE_STORE_FAULT, NOWHERE);
	TRAP("c.sw a0, 8(a0)", CAUSE_STORE_FAULT, NOWHERE + 8);
}

static void fetch(void)
{
	uint32_t count = last.count;

	((void (*)(void))NOWHERE)();
	CHECK(last.count == count + 1);
	CHECK(last.cause == CAUSE_FETCH_FAULT);
	CHECK(last.value == NOWHERE && last.pc == NOWHERE);
}

/* A trap saves MIE in MPIE and clears it; mret puts it back. No interrupt is enabled in mie.
 * Where there is a user mode, mret leaves it in MPP: set MPP before mstatus is read. */
static void status(void)
{
	csr_set(mstatus, MSTATUS_MIE);
	TRAP("ecall", CAUSE_ECALL, 0);
	CHECK(last.status == 0x80);
	csr_set(mstatus, 0x1800);
	CHECK((csr_read(mstatus) & 0x88) == 0x88);
	csr_clear(mstatus, MSTATUS_MIE);
	TRAP("ecall", CAUSE_ECALL, 0);
	CHECK(last.status == 0x00);
	csr_set(mstatus, 0x1800);
	CHECK((csr_read(mstatus) & 0x88) == 0x80);
}

int main(void)
{
	int round;

	for (round = 0; round < REPEAT * 20; round++) {
		illegal();
		system_instructions();
		faults();
		fetch();
		status();
	}
	CHECK(last.count == REPEAT * 20 * 31);
	return 0;
}
