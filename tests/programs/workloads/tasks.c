/* A small kernel: three tasks that pass numbers on through queues and one that only computes,
 * switched by a timer and by system calls. With USER_MODE the tasks run in U mode. */
#include "support.h"

#define TICKS       120
#define STACK_WORDS 256
#define TASKS       4
#define QUEUE_SIZE  8
#define MESSAGES    (120 * REPEAT)

#define CAUSE_ECALL_U 8
#define CAUSE_ECALL_M 11
#define MSTATUS_MPIE  0x80
#define MSTATUS_MPP   0x1800

enum { CALL_YIELD, CALL_SEND, CALL_RECEIVE, CALL_EXIT };

/* What tasks_switch.S leaves on a task's stack: word n is register x<n>, then pc and mstatus. */
enum { FRAME_A0 = 10, FRAME_A1 = 11, FRAME_A7 = 17, FRAME_PC = 32, FRAME_STATUS, FRAME_WORDS = 36 };

struct task {
	xword *frame;
	int done;
};

struct queue {
	uint32_t items[QUEUE_SIZE];
	unsigned count, first;
};

void tasks_entry(void);
void tasks_start(xword *frame) __attribute__((noreturn));
xword *tasks_schedule(xword *frame);

static struct task tasks[TASKS];
static xword stacks[TASKS][STACK_WORDS] __attribute__((aligned(16)));
static struct queue queues[2];
static int current;
static uint32_t switches, ticks;
static volatile uint32_t computed, received, sum, stop;

/* Tasks ------------------------------------------------------------------------------------ */

static xword call(xword number, xword a, xword b)
{
	register xword a0 __asm__("a0") = a;
	register xword a1 __asm__("a1") = b;
	register xword a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a7) : "memory");
	return a0;
}

static void producer(void)
{
	uint32_t n;

	for (n = 1; n <= MESSAGES; n++) {
		call(CALL_SEND, 0, n);
		if (n % 5 == 0)
			call(CALL_YIELD, 0, 0);
	}
	call(CALL_EXIT, 0, 0);
}

static void filter(void)
{
	uint32_t n;

	for (n = 0; n < MESSAGES; n++)
		call(CALL_SEND, 1, 3 * call(CALL_RECEIVE, 0, 0));
	call(CALL_EXIT, 0, 0);
}

static void consumer(void)
{
	while (received < MESSAGES) {
		sum += (uint32_t)call(CALL_RECEIVE, 1, 0);
		received++;
	}
	stop = 1;
	call(CALL_EXIT, 0, 0);
}

static void computer(void)
{
	uint32_t state = 3;

	while (!stop) {
		random_next(&state);
		computed++;
	}
	call(CALL_EXIT, 0, 0);
}

/* Kernel ----------------------------------------------------------------------------------- */

/* The next task in turn. A task that waits does its call again: the queue may have changed. */
static void choose(void)
{
	int k;

	for (k = 1; k <= TASKS; k++) {
		int next = (current + k) % TASKS;

		if (!tasks[next].done) {
			switches += next != current;
			current = next;
			return;
		}
	}
	/* All are done. */
	CHECK(received == MESSAGES && computed > 0 && switches > MESSAGES / 4);
	CHECK(sum == (uint32_t)(3ull * MESSAGES * (MESSAGES + 1) / 2));
	finish(0);
}

/* Returns 1 if the call has been done, 0 if the task must try again later. */
static int serve(xword *frame)
{
	struct queue *queue = &queues[frame[FRAME_A0] & 1];

	switch (frame[FRAME_A7]) {
	case CALL_YIELD: return 1;
	case CALL_EXIT: tasks[current].done = 1; return 1;
	case CALL_SEND:
		if (queue->count == QUEUE_SIZE)
			return 0;
		queue->items[(queue->first + queue->count++) % QUEUE_SIZE] =
			(uint32_t)frame[FRAME_A1];
		return 1;
	case CALL_RECEIVE:
		if (queue->count == 0)
			return 0;
		frame[FRAME_A0] = queue->items[queue->first];
		queue->first = (queue->first + 1) % QUEUE_SIZE;
		queue->count--;
		return 1;
	default: finish(__LINE__);
	}
}

xword *tasks_schedule(xword *frame)
{
	xword cause = csr_read(mcause), call_number = frame[FRAME_A7];

	tasks[current].frame = frame;
	if (cause == CAUSE_TIMER_IRQ) {
		ticks++;
		timer_arm(TICKS);
		choose();
	} else {
#ifdef USER_MODE
		CHECK(cause == CAUSE_ECALL_U);
#else
		CHECK(cause == CAUSE_ECALL_M);
#endif
		if (serve(frame)) {
			frame[FRAME_PC] += 4;
			if (call_number == CALL_YIELD || call_number == CALL_EXIT)
				choose();
		} else {
			choose();
		}
	}
	return tasks[current].frame;
}

static void create(int k, void (*function)(void))
{
	xword *frame = &stacks[k][STACK_WORDS - FRAME_WORDS];
	xword gp, tp;

	__asm__("mv %0, gp" : "=r"(gp));
	__asm__("mv %0, tp" : "=r"(tp));
	frame[2] = (xword)&stacks[k][STACK_WORDS];
	frame[3] = gp;
	frame[4] = tp;
	frame[FRAME_PC] = (xword)function;
#ifdef USER_MODE
	frame[FRAME_STATUS] = MSTATUS_MPIE;
#else
	frame[FRAME_STATUS] = MSTATUS_MPIE | MSTATUS_MPP;
#endif
	tasks[k].frame = frame;
}

int main(void)
{
#ifdef USER_MODE
	/* Where memory protection exists, U mode may do everything. */
	csr_write(pmpaddr0, (xword)-1);
	csr_write(pmpcfg0, 0x1f);
#endif
	create(0, producer);
	create(1, filter);
	create(2, consumer);
	create(3, computer);
	csr_write(mtvec, tasks_entry);
	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	tasks_start(tasks[0].frame);
}
