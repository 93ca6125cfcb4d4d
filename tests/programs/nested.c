/* Interrupts inside interrupts, on a stack of their own: mscratch holds that stack while the
 * program runs, and 0 while a handler does (nested_entry.S). A software interrupt lets the timer in
 * and the timer raises software interrupts, so handlers of both kinds lie on each other in all
 * orders, while the program sorts. */
#include "support.h"

#define TICKS    300
#define NEST_MAX 4
#define STACK    1024 /* words of the handlers' stack */
#define VALUES   64
#define ROUNDS   (12 * REPEAT)

extern void nested_entry(void);

xword nested_stack[STACK] __attribute__((aligned(16)));

static volatile uint32_t depth, deepest, ticks, raised;
static volatile uint32_t log_of_depths[32];
static uint32_t values[VALUES];

/* Handlers may be interrupted while this is on. */
static void let_others_in(uint32_t which)
{
	csr_write(mie, which);
	csr_set(mstatus, MSTATUS_MIE);
	for (volatile int i = 0; i < 20; i++)
		;
	csr_clear(mstatus, MSTATUS_MIE);
	csr_write(mie, MIE_TIMER | MIE_SOFTWARE);
}

static void on_timer(void)
{
	ticks++;
	timer_arm(TICKS + 8 * (ticks & 15));
	if (ticks % 3 == 0)
		MSIP = 1;
	if (depth < NEST_MAX && ticks % 2 == 0)
		let_others_in(MIE_TIMER | MIE_SOFTWARE);
}

static void on_software(void)
{
	MSIP = 0;
	raised++;
	if (depth < NEST_MAX)
		let_others_in(MIE_TIMER);
}

/* Called by nested_entry on the handlers' stack. */
void nested_handler(xword *frame)
{
	xword cause = csr_read(mcause);

	CHECK((uintptr_t)frame >= (uintptr_t)nested_stack &&
		(uintptr_t)frame < (uintptr_t)(nested_stack + STACK));
	depth++;
	log_of_depths[(ticks + raised) % 32] = depth;
	if (depth > deepest)
		deepest = depth;
	if (cause == CAUSE_TIMER_IRQ)
		on_timer();
	else if (cause == CAUSE_SOFTWARE_IRQ)
		on_software();
	else
		finish(__LINE__);
	depth--;
}

static void sort(uint32_t *items, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		uint32_t item = items[i];
		unsigned at = i;

		while (at > 0 && items[at - 1] > item) {
			items[at] = items[at - 1];
			at--;
		}
		items[at] = item;
	}
}

int main(void)
{
	uint32_t random = 12345;

	csr_write(mtvec, (xword)nested_entry);
	csr_write(mscratch, (xword)(nested_stack + STACK));
	csr_write(mie, MIE_TIMER | MIE_SOFTWARE);
	timer_arm(TICKS);
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned round = 0; round < ROUNDS || deepest < 3; round++) {
		for (unsigned i = 0; i < VALUES; i++)
			values[i] = random_next(&random);
		sort(values, VALUES);
		for (unsigned i = 1; i < VALUES; i++)
			CHECK(values[i - 1] <= values[i]);
		MSIP = round & 1;
	}
	csr_clear(mstatus, MSTATUS_MIE);
	timer_disarm();
	CHECK(csr_read(mscratch) == (xword)(nested_stack + STACK));
	CHECK(depth == 0 && ticks > 10 && raised > 5);
	return 0;
}
