/* What every test program needs: the devices of the demo system, checks, and the way out.
 *
 * The addresses are those of QEMU's `virt` machine, so a program runs unchanged on both.
 * A program checks itself and ends with exit code 0 only when everything was right; any other
 * code is the line of the check that failed. */
#ifndef EAR_PROGRAM_SUPPORT_H
#define EAR_PROGRAM_SUPPORT_H

#include <stdint.h>

#ifndef REPEAT
#define REPEAT 1 /* how often the program does its work; scales the length of the run */
#endif

typedef unsigned long xword; /* what a register holds: XLEN bits; on RV32 that is uint32_t */

#define MSIP     (*(volatile uint32_t *)0x02000000)
#define MTIMECMP ((volatile uint32_t *)0x02004000)
#define MTIME    ((volatile uint32_t *)0x0200bff8)

/* mtime counts 10 million a second on both machines. */
#define CAUSE_IRQ          (1ul << (__riscv_xlen - 1))
#define CAUSE_SOFTWARE_IRQ (CAUSE_IRQ | 3)
#define CAUSE_TIMER_IRQ    (CAUSE_IRQ | 7)
#define CAUSE_EXTERNAL_IRQ (CAUSE_IRQ | 11)
#define MIE_SOFTWARE       0x008
#define MIE_TIMER          0x080
#define MIE_EXTERNAL       0x800
#define MSTATUS_MIE        0x008

#define csr_read(name) \
	({ \
		xword value_; \
		__asm__ volatile("csrr %0, " #name : "=r"(value_)); \
		value_; \
	})
#define csr_write(name, value) __asm__ volatile("csrw " #name ", %0" ::"r"(value) : "memory")
#define csr_set(name, bits)    __asm__ volatile("csrs " #name ", %0" ::"r"(bits) : "memory")
#define csr_clear(name, bits)  __asm__ volatile("csrc " #name ", %0" ::"r"(bits) : "memory")

/* End the program. 0 means that everything was right. Does not return. */
void finish(int code) __attribute__((noreturn));

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			finish(__LINE__); \
	} while (0)

void uart_put(char c);
void uart_print(const char *text);

/* Called by trap_entry with all registers of the interrupted code; word n is register x<n>.
 * The default ends the program with code 255. A program with traps of its own defines it. */
void trap_handler(xword *frame);

/* Arm the timer interrupt `ticks` from now. */
void timer_arm(uint32_t ticks);
void timer_disarm(void);

/* For the truth about call stacks: with -DCALL_LOG the programs that are built with call_log.c say
 * by stores what they enter and leave; tests/truth/call_log.c knows what each means. */
#define LOG_MAIN 15 /* the task that runs first */
#ifdef CALL_LOG
extern volatile xword log_enter, log_exit, log_landed, log_tail, log_task, log_next_task;
#define LOG(what, value) (log_##what = (xword)(value))
#else
#define LOG(what, value) ((void)0)
#endif

/* A small generator of numbers that look random; the same on every run. */
static inline uint32_t random_next(uint32_t *state)
{
	uint32_t x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	*state = x;
	return x;
}

#endif
