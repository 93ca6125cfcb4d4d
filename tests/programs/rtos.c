/* Preemptive tasks: the scheduler saves a task's sp in its control block and runs on a stack of its
 * own (rtos_switch.S). A timer takes the processor away, a system call gives it away; tasks
 * recurse, sort, fill buffers byte by byte, and wait for each other. */
#include "support.h"

#define TICKS       300
#define STACK_WORDS 256
#define TASKS       4
#define WORK        (6 * REPEAT)

#define CAUSE_ECALL_M   11
#define MSTATUS_RUNNING 0x1880 /* MPP: machine mode, MPIE */

/* What rtos_switch.S leaves on a task's stack. */
enum { CONTEXT_PC = 0, CONTEXT_STATUS = 32, CONTEXT_WORDS = 34 };

struct task {
	xword *sp; /* first: rtos_switch.S */
	const char *name;
	uint32_t runs;
	int done;
};

void rtos_entry(void);
void rtos_resume(void) __attribute__((noreturn));
void rtos_schedule(void);

struct task *rtos_current;
xword *rtos_stack_top;

static struct task tasks[TASKS];
static xword stacks[TASKS][STACK_WORDS] __attribute__((aligned(16)));
static xword scheduler_stack[128] __attribute__((aligned(16)));
static volatile uint32_t preempted, yielded;
static uint8_t box[8];
static volatile unsigned box_count;
static uint32_t found[TASKS];

static void yield(void)
{
	__asm__ volatile("ecall" ::: "memory");
}

static struct task *next_task(void)
{
	unsigned at = (unsigned)(rtos_current - tasks);

	for (unsigned i = 0; i < TASKS; i++) {
		at = (at + 1) % TASKS;
		if (!tasks[at].done)
			return &tasks[at];
	}
	finish(preempted > 5 && yielded > 5 ? 0 : __LINE__);
}

/* Called by rtos_entry on the scheduler's stack. */
void rtos_schedule(void)
{
	xword cause = csr_read(mcause);

	if (cause == CAUSE_TIMER_IRQ) {
		preempted++;
	} else {
		CHECK(cause == CAUSE_ECALL_M);
		yielded++;
		rtos_current->sp[CONTEXT_PC] += 4;
	}
	rtos_current = next_task();
	rtos_current->runs++;
	timer_arm(TICKS);
	LOG(next_task, rtos_current - tasks);
}

static void end_task(uint32_t result)
{
	found[rtos_current - tasks] = result;
	rtos_current->done = 1;
	for (;;)
		yield();
}

static uint32_t fibonacci(uint32_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void recurse(void)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < WORK; i++)
		sum += fibonacci(9);
	CHECK(sum == WORK * 34);
	end_task(sum);
}

static void send(void)
{
	for (unsigned i = 0; i < WORK * 20; i++) {
		while (box_count == sizeof(box))
			yield();
		csr_clear(mstatus, MSTATUS_MIE);
		box[box_count++] = (uint8_t)i;
		csr_set(mstatus, MSTATUS_MIE);
	}
	end_task(WORK);
}

static void receive(void)
{
	uint32_t sum = 0, wanted = 0;

	for (unsigned i = 0; i < WORK * 20; i++) {
		while (box_count == 0)
			yield();
		csr_clear(mstatus, MSTATUS_MIE);
		sum += box[--box_count];
		csr_set(mstatus, MSTATUS_MIE);
		wanted += (uint8_t)i;
	}
	CHECK(sum == wanted);
	end_task(sum);
}

static void shuffle(void)
{
	uint16_t local[24]; /* on the task's own stack */
	uint32_t random = 99;

	for (unsigned round = 0; round < WORK; round++) {
		for (unsigned i = 0; i < 24; i++)
			local[i] = (uint16_t)random_next(&random);
		for (unsigned i = 1; i < 24; i++)
			for (unsigned k = i; k > 0 && local[k - 1] > local[k]; k--) {
				uint16_t other = local[k];

				local[k] = local[k - 1];
				local[k - 1] = other;
			}
		for (unsigned i = 1; i < 24; i++)
			CHECK(local[i - 1] <= local[i]);
	}
	end_task(local[0]);
}

static void make_task(unsigned number, const char *name, void (*code)(void))
{
	xword *sp = stacks[number] + STACK_WORDS - CONTEXT_WORDS, gp, tp;

	__asm__("mv %0, gp; mv %1, tp" : "=r"(gp), "=r"(tp));
	sp[CONTEXT_PC] = (xword)code;
	sp[CONTEXT_STATUS] = MSTATUS_RUNNING;
	sp[3] = gp;
	sp[4] = tp;
	tasks[number] = (struct task){.sp = sp, .name = name};
}

int main(void)
{
	make_task(0, "recurse", recurse);
	make_task(1, "send", send);
	make_task(2, "receive", receive);
	make_task(3, "shuffle", shuffle);
	rtos_stack_top = scheduler_stack + 128;
	rtos_current = &tasks[0];
	csr_write(mtvec, (xword)rtos_entry);
	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	LOG(task, 0);
	rtos_resume();
}
