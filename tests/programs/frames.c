/* Frames of all kinds, under a timer: recursion of one function and of two, tail calls, calls
 * through pointers and switch tables, arrays of variable size, frames of more than an immediate,
 * longjmp over all of these, tasks that give up the processor by a call, a function called on
 * another stack. frames_switch.S has what C cannot say. */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#define TICKS      200
#define ROUNDS     (16 * REPEAT)
#define NOT_INLINE __attribute__((noinline))
/* Says itself when it begins and ends. */
#define OWN_LOG __attribute__((noinline, no_instrument_function))

void frames_switch(xword **from, xword *to);
void frames_call_on(void (*function)(void), xword *stack);

static volatile uint32_t sum, ticks;
static jmp_buf out;
static volatile int throws = 1;

void trap_handler(xword *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == CAUSE_TIMER_IRQ);
	ticks++;
	timer_arm(TICKS + 64 * (ticks & 7));
}

static uint32_t leaf(uint32_t x)
{
	return x * 2654435761u >> 3;
}

/* -- Recursion -- */

static NOT_INLINE uint32_t ackermann(uint32_t m, uint32_t n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static uint32_t is_odd(uint32_t n);

static NOT_INLINE uint32_t is_even(uint32_t n)
{
	return n == 0 ? 1 : is_odd(n - 1) + (leaf(n) & 0);
}

static NOT_INLINE uint32_t is_odd(uint32_t n)
{
	return n == 0 ? 0 : is_even(n - 1) + (leaf(n) & 0);
}

/* -- Tail calls: the frame goes over to the next function. Not with routines that save registers.
 * -- */

#ifdef NO_TAILS
static NOT_INLINE uint32_t chain_of_tails(uint32_t x)
{
	return leaf(x);
}
#else
static OWN_LOG uint32_t tail_last(uint32_t x)
{
	csr_set(mstatus, MSTATUS_MIE);
	sum += leaf(x);
	csr_clear(mstatus, MSTATUS_MIE);
	LOG(exit, tail_last);
	return x;
}

static OWN_LOG uint32_t tail_middle(uint32_t x)
{
	csr_set(mstatus, MSTATUS_MIE);
	sum += is_even(x & 7);
	csr_clear(mstatus, MSTATUS_MIE);
	LOG(tail, tail_last);
	return tail_last(x + 1);
}

static OWN_LOG uint32_t tail_first(uint32_t x)
{
	csr_clear(mstatus, MSTATUS_MIE);
	LOG(enter, tail_first);
	if (x & 1)
		sum += leaf(x);
	LOG(tail, tail_middle);
	return tail_middle(x + 1);
}

static NOT_INLINE uint32_t chain_of_tails(uint32_t x)
{
	uint32_t result = tail_first(x);

	csr_set(mstatus, MSTATUS_MIE);
	return result;
}
#endif

/* -- Frames -- */

static NOT_INLINE uint32_t variable(uint32_t count)
{
	volatile uint32_t items[count + 1];

	for (uint32_t i = 0; i <= count; i++)
		items[i] = leaf(i + count);
	return count > 3 ? variable(count / 2) + items[count] : items[0];
}

static NOT_INLINE uint32_t large(uint32_t depth)
{
	volatile uint32_t items[700]; /* 2800 bytes: no immediate adds that */

	items[depth] = depth;
	items[699] = leaf(depth);
	return depth ? large(depth - 1) + items[699] : items[0];
}

static NOT_INLINE uint32_t add_all(unsigned count, ...)
{
	uint32_t result = 0;
	va_list list;

	va_start(list, count);
	while (count--)
		result += leaf(va_arg(list, uint32_t));
	va_end(list);
	return result;
}

/* -- Indirect calls -- */

static NOT_INLINE uint32_t by_switch(uint32_t x)
{
	switch (x % 7) {
	case 0: return leaf(x);
	case 1: return is_even(x % 5);
	case 2: return variable(x % 9);
	case 3: return large(x % 2);
	case 4: return add_all(3, x, x + 1, x + 2);
	case 5: return ackermann(1, x % 3);
	default: return chain_of_tails(x);
	}
}

static NOT_INLINE uint32_t by_label(uint32_t x)
{
	static void *const labels[] = {&&add, &&multiply, &&call, &&done};
	static const uint8_t program[] = {0, 1, 2, 0, 2, 1, 3};
	const uint8_t *at = program;

next:
	goto *labels[*at++];
add:
	x += 3;
	goto next;
multiply:
	x *= 5;
	goto next;
call:
	x += by_switch(x);
	goto next;
done:
	return x;
}

static NOT_INLINE uint32_t apply(uint32_t (*const *table)(uint32_t), unsigned count, uint32_t x)
{
	uint32_t result = 0;

	for (unsigned i = 0; i < count; i++)
		result += table[i](x + i);
	return result;
}

/* -- longjmp, over everything that lies between -- */

static NOT_INLINE uint32_t throw_from(uint32_t depth)
{
	volatile uint32_t items[depth + 1];

	items[depth] = leaf(depth);
	if (depth == 0) {
		csr_clear(mstatus, MSTATUS_MIE);
		if (throws)
			longjmp(out, 1);
		return 0;
	}
	return throw_from(depth - 1) + items[depth];
}

static NOT_INLINE uint32_t land(uint32_t depth)
{
	if (setjmp(out)) {
		LOG(landed, land);
		csr_set(mstatus, MSTATUS_MIE);
		return leaf(depth);
	}
	return throw_from(depth) + by_switch(depth);
}

static NOT_INLINE uint32_t land_deeper(uint32_t depth)
{
	return depth % 4 ? land_deeper(depth - 1) + 1 : land(ticks % 6);
}

/* -- Tasks that switch by a call -- */

#define TASKS        3
#define STACK_WORDS  1024
#define SWITCH_WORDS 16 /* what frames_switch saves; word 0 is the return address */

static xword stacks[TASKS][STACK_WORDS] __attribute__((aligned(16)));
static xword *saved[TASKS + 1]; /* the last one is main */
static volatile unsigned current = TASKS;
static volatile unsigned done;

/* To task next; main is TASKS. */
static NOT_INLINE void give_to(unsigned next)
{
	unsigned from = current;

	csr_clear(mstatus, MSTATUS_MIE);
	current = next;
	LOG(task, next == TASKS ? LOG_MAIN : next);
	frames_switch(&saved[from], saved[next]);
	csr_set(mstatus, MSTATUS_MIE);
}

static NOT_INLINE uint32_t walk(uint32_t depth)
{
	uint32_t result = leaf(depth);

	if (depth % 3 == 1)
		give_to((current + 1) % (TASKS + 1));
	return depth ? walk(depth - 1) + result : by_switch(result);
}

static void task(void)
{
	csr_set(mstatus, MSTATUS_MIE);
	for (;;) {
		sum += walk(3 + current * 2);
		done++;
		give_to(TASKS);
	}
}

static void begin_task(unsigned number)
{
	saved[number] = stacks[number] + STACK_WORDS - SWITCH_WORDS;
	saved[number][0] = (xword)task;
}

/* -- On another stack -- */

static xword other_stack[512] __attribute__((aligned(16)));

static void on_other_stack(void)
{
	sum += ackermann(1, 2) + variable(5);
}

int main(void)
{
	static uint32_t (*const table[])(uint32_t) = {
		by_switch, by_label, chain_of_tails, land_deeper};

	timer_arm(TICKS);
	csr_write(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned i = 0; i < TASKS; i++)
		begin_task(i);
	for (unsigned round = 0; round < ROUNDS; round++) {
		CHECK(ackermann(2, 2) == 7);
		CHECK(is_even(round) == !(round & 1));
		sum += apply(table, sizeof(table) / sizeof(table[0]), round);
		frames_call_on(on_other_stack, other_stack + 512);
		give_to(round % TASKS);
		if (round % 4 == 3) /* the memory of a task serves for a new one */
			begin_task(round % TASKS);
	}
	csr_clear(mstatus, MSTATUS_MIE);
	timer_disarm();
	CHECK(ticks > 10 && done > 2);
	return 0;
}
