/* A story for docs/why.md: two tasks add to one counter without a lock, and a switch between the
 * load and the store of one loses what the other added. The tasks are switched by rtos_switch.S. */
#include "support.h"

#define TICKS           150
#define ROUNDS          100
#define STACK_WORDS     128
#define MSTATUS_RUNNING 0x1880 /* MPP: machine mode, MPIE */

enum { CONTEXT_PC = 0, CONTEXT_STATUS = 32, CONTEXT_WORDS = 34 };

struct task {
	xword *sp; /* first: rtos_switch.S */
	volatile int done;
};

void rtos_entry(void);
void rtos_resume(void) __attribute__((noreturn));
void rtos_schedule(void);

struct task *rtos_current;
xword *rtos_stack_top;

static struct task tasks[2];
static xword stacks[2][STACK_WORDS] __attribute__((aligned(16)));
static xword scheduler_stack[128] __attribute__((aligned(16)));
static volatile uint32_t total;

void rtos_schedule(void)
{
	rtos_current = &tasks[rtos_current == &tasks[0]];
	timer_arm(TICKS);
}

static void __attribute__((noipa)) add_to_total(void)
{
	total = total + 1;
}

static void check_total(void)
{
	CHECK(total == 2 * ROUNDS);
	finish(0);
}

static void first_task(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		add_to_total();
	tasks[0].done = 1;
	while (!tasks[1].done)
		;
	check_total();
}

static void second_task(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		add_to_total();
	tasks[1].done = 1;
	for (;;)
		;
}

static void make_task(unsigned number, void (*code)(void))
{
	xword *sp = stacks[number] + STACK_WORDS - CONTEXT_WORDS, gp, tp;

	__asm__("mv %0, gp; mv %1, tp" : "=r"(gp), "=r"(tp));
	sp[CONTEXT_PC] = (xword)code;
	sp[CONTEXT_STATUS] = MSTATUS_RUNNING;
	sp[3] = gp;
	sp[4] = tp;
	tasks[number].sp = sp;
}

int main(void)
{
	make_task(0, first_task);
	make_task(1, second_task);
	rtos_stack_top = scheduler_stack + 128;
	rtos_current = &tasks[0];
	csr_write(mtvec, (xword)rtos_entry);
	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	rtos_resume();
}
