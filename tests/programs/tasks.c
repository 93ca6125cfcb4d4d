/* A small system that reports what it does to an event port (firmware/target): tasks that a timer
 * takes the processor away from, that fork, clone, run programs, map and unmap files, trap and end,
 * and an interpreter whose methods call each other, native ones, and are left by exceptions.
 *
 * At the end it prints the truth: each event in the words of a trace ("event switch 3"), and how
 * many instructions retired, trapped and were put off by an interrupt in each task ("task 3 1234 5
 * 6"). The counts are those of minstret, read at the same distance before each switch; those of
 * mcycle are the clocks of each task ("clocks 3 5678"). For the functions go_down() and span() it
 * prints how often each task called the first one, itself included, and how many of its calls were
 * open at once ("calls 3 40 5"), and how often and for how many clocks the second one ran.
 */
#include "support.h"

#include <stddef.h>

#define EAR_PORT_LOCK()   ((void)0) /* each group of stores is in report(), without interrupts */
#define EAR_PORT_UNLOCK() ((void)0)
#include "ear_port.h"

#ifndef TICKS
#define TICKS 450 /* of a slice */
#endif
#define STACK_WORDS 256
#define SLOTS       8
#define PIDS        16
#define EVENTS_MAX  1500
#define ROUNDS      (5 * REPEAT)

#define CAUSE_BREAKPOINT 3
#define CAUSE_ECALL_M    11
#define MSTATUS_RUNNING  0x1880 /* MPP: machine mode, MPIE */

/* What rtos_switch.S leaves on a task's stack. */
enum { CONTEXT_PC = 0, CONTEXT_A0 = 10, CONTEXT_A7 = 17, CONTEXT_STATUS = 32, CONTEXT_WORDS = 34 };

enum call { YIELD, FORK, CLONE, EXIT };

struct task {
	xword *sp; /* first: rtos_switch.S */
	uint32_t pid, group;
	int used;
};

void rtos_entry(void);
void rtos_resume(void) __attribute__((noreturn));
void rtos_schedule(void);

struct task *rtos_current;
xword *rtos_stack_top;

static struct task tasks[SLOTS];
static xword stacks[SLOTS][STACK_WORDS] __attribute__((aligned(16)));
static xword scheduler_stack[128] __attribute__((aligned(16)));
static uint32_t next_pid = 1;
static volatile uint32_t ticks = TICKS; /* not in the code, which is the same for any slice */

/* The truth -------------------------------------------------------------------------------------
 */

enum kind {
	K_PROCESS,
	K_SWITCH,
	K_FORK,
	K_CLONE,
	K_EXEC,
	K_EXIT,
	K_NAME,
	K_MMAP,
	K_MUNMAP,
	K_SYMBOL,
	K_SYMBOL_GONE,
	K_ENTER,
	K_LEAVE,
	K_UNWIND,
	K_NATIVE_ENTER,
	K_NATIVE_LEAVE,
	K_NATIVE_UNWIND,
	K_MARK,
	K_COUNTER,
};

static const char *const words[] = {"process", "switch", "fork", "clone", "exec", "exit", "name",
	"mmap", "munmap", "symbol", "symbol-gone", "method-enter", "method-exit", "method-unwind",
	"native-enter", "native-exit", "native-unwind", "mark", "counter"};

static struct event {
	uint8_t kind;
	uint32_t a, b;
	const char *text;
} events[EVENTS_MAX];
static uint32_t event_count;
static uint32_t retired[PIDS], trapped[PIDS], interrupted[PIDS];
static uint32_t running, slice_begin;
static uint32_t clocks[PIDS], slice_clock;
static uint32_t calls[PIDS], depths[PIDS];
static uint32_t span_count, span_clocks;

static void note(enum kind kind, uint32_t a, uint32_t b, const char *text)
{
	CHECK(event_count < EVENTS_MAX);
	events[event_count++] = (struct event){(uint8_t)kind, a, b, text};
}

/* From here on the hart runs task pid. */
static void __attribute__((noinline)) switch_to(uint32_t pid)
{
	uint32_t now, clock;

	note(K_SWITCH, pid, 0, 0);
	__asm__ volatile("csrr %0, minstret\n\t"
			 "csrr %1, mcycle\n\t"
			 "sw %2, 0(%3)"
			 : "=&r"(now), "=&r"(clock)
			 : "r"(pid), "r"(ear_port_register(EAR_PORT_SWITCH))
			 : "memory");
	retired[running] += now - slice_begin;
	clocks[running] += clock - slice_clock;
	slice_begin = now;
	slice_clock = clock;
	running = pid;
}

static void __attribute__((noinline))
report(enum kind kind, uint32_t a, uint32_t b, const char *text, size_t size)
{
	uint32_t status = csr_read(mstatus);

	csr_clear(mstatus, MSTATUS_MIE);
	switch (kind) {
	case K_PROCESS: ear_port_task(a, b, text); break;
	case K_FORK: ear_port_fork(a, b); break;
	case K_CLONE: ear_port_clone(a, b); break;
	case K_EXEC: ear_port_exec(text, size); break;
	case K_EXIT: ear_port_exit((int32_t)a); break;
	case K_NAME: ear_port_name(text); break;
	case K_MMAP: ear_port_map(a, b, 0x1000, text); break;
	case K_MUNMAP: ear_port_unmap(a, b); break;
	case K_SYMBOL: ear_port_symbol(a, text); break;
	case K_SYMBOL_GONE: ear_port_symbol_gone(a); break;
	case K_ENTER: ear_port_method_enter(a); break;
	case K_LEAVE: ear_port_method_exit(a); break;
	case K_UNWIND: ear_port_method_unwind(a); break;
	case K_NATIVE_ENTER: ear_port_native_enter(a); break;
	case K_NATIVE_LEAVE: ear_port_native_exit(a); break;
	case K_NATIVE_UNWIND: ear_port_native_unwind(a); break;
	case K_MARK: ear_port_mark_text(a, text, size); break;
	case K_COUNTER: ear_port_count(a, b); break;
	default: CHECK(0);
	}
	if (kind == K_EXEC)
		b = (uint32_t)size;
	note(kind, a, kind >= K_ENTER && kind <= K_NATIVE_UNWIND ? running : b, text);
	if (status & MSTATUS_MIE)
		csr_set(mstatus, MSTATUS_MIE);
}

static void print_decimal(int32_t number)
{
	uint32_t value = number < 0 ? 0 - (uint32_t)number : (uint32_t)number;
	char digits[10];
	unsigned count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	uart_print(number < 0 ? " -" : " ");
	while (count > 0)
		uart_put(digits[--count]);
}

static void print_address(uint32_t value)
{
	int shift = 28;

	uart_print(" 0x");
	while (shift > 0 && value >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		uart_put("0123456789abcdef"[value >> shift & 15]);
}

static void print_event(const struct event *event)
{
	uart_print("event ");
	uart_print(words[event->kind]);
	switch (event->kind) {
	case K_PROCESS:
	case K_FORK:
	case K_CLONE:
	case K_COUNTER:
		print_decimal((int32_t)event->a);
		print_decimal((int32_t)event->b);
		break;
	case K_EXIT:
	case K_SWITCH:
	case K_MARK: print_decimal((int32_t)event->a); break;
	case K_NAME: print_decimal((int32_t)event->b); break;
	case K_MMAP:
	case K_MUNMAP:
		print_address(event->a);
		print_address(event->b);
		break;
	case K_SYMBOL:
	case K_SYMBOL_GONE: print_address(event->a); break;
	case K_EXEC:
		for (uint32_t at = 0; at < event->b; at++)
			if (at == 0 || event->text[at - 1] == '\0') {
				uart_put(' ');
				uart_print(event->text + at);
			}
		break;
	default:
		print_decimal((int32_t)event->b);
		print_address(event->a);
		break;
	}
	if (event->kind == K_MMAP)
		uart_print(" 0x1000");
	if (event->text && event->kind != K_EXEC) {
		uart_put(' ');
		uart_print(event->text);
	}
	uart_put('\n');
}

static void print_numbers(const char *name, uint32_t a, uint32_t b, uint32_t c)
{
	uart_print(name);
	print_decimal((int32_t)a);
	print_decimal((int32_t)b);
	print_decimal((int32_t)c);
	uart_put('\n');
}

static void __attribute__((noreturn)) end_system(void)
{
	timer_disarm();
	switch_to(0);
	for (uint32_t i = 0; i < event_count; i++)
		print_event(&events[i]);
	for (uint32_t pid = 1; pid < next_pid; pid++) {
		uart_print("task");
		print_decimal((int32_t)pid);
		print_decimal((int32_t)retired[pid]);
		print_decimal((int32_t)trapped[pid]);
		print_decimal((int32_t)interrupted[pid]);
		uart_put('\n');
		uart_print("clocks");
		print_decimal((int32_t)pid);
		print_decimal((int32_t)clocks[pid]);
		uart_put('\n');
		print_numbers("calls", pid, calls[pid], depths[pid]);
	}
	print_numbers("span", span_count, span_clocks, 0);
	finish(0);
}

/* The scheduler ----------------------------------------------------------------------------------
 */

static uint32_t make_task(uint32_t group, void (*code)(void))
{
	unsigned slot = 0;
	xword gp, tp;

	while (slot < SLOTS && tasks[slot].used)
		slot++;
	CHECK(slot < SLOTS && next_pid < PIDS);
	uint32_t pid = next_pid++;
	xword *sp = stacks[slot] + STACK_WORDS - CONTEXT_WORDS;

	__asm__("mv %0, gp; mv %1, tp" : "=r"(gp), "=r"(tp));
	sp[CONTEXT_PC] = (xword)code;
	sp[CONTEXT_STATUS] = MSTATUS_RUNNING;
	sp[3] = gp;
	sp[4] = tp;
	tasks[slot] = (struct task){.sp = sp, .pid = pid, .group = group ? group : pid, .used = 1};
	return pid;
}

/* The system call that the current task made. */
static void serve(xword *context)
{
	void (*code)(void) = (void (*)(void))context[CONTEXT_A0];
	uint32_t pid;

	switch (context[CONTEXT_A7]) {
	case YIELD: return;
	case FORK:
		pid = make_task(0, code);
		report(K_FORK, pid, pid, 0, 0);
		context[CONTEXT_A0] = pid;
		return;
	case CLONE:
		pid = make_task(rtos_current->group, code);
		report(K_CLONE, rtos_current->group, pid, 0, 0);
		context[CONTEXT_A0] = pid;
		return;
	case EXIT:
		report(K_EXIT, context[CONTEXT_A0], 0, 0, 0);
		rtos_current->used = 0;
		return;
	default: CHECK(0);
	}
}

/* Called by rtos_entry on the scheduler's stack. */
void rtos_schedule(void)
{
	xword cause = csr_read(mcause), *context = rtos_current->sp;
	unsigned at = (unsigned)(rtos_current - tasks);

	if (cause == CAUSE_TIMER_IRQ) {
		interrupted[running]++;
	} else {
		trapped[running]++;
		context[CONTEXT_PC] += 4;
		if (cause == CAUSE_BREAKPOINT)
			return; /* a task looked what happens: it goes on */
		CHECK(cause == CAUSE_ECALL_M);
		serve(context);
	}
	for (unsigned i = 0; i < SLOTS; i++) {
		at = (at + 1) % SLOTS;
		if (tasks[at].used)
			break;
	}
	if (!tasks[at].used)
		end_system();
	rtos_current = &tasks[at];
	if (rtos_current->pid != running)
		switch_to(rtos_current->pid);
	timer_arm(ticks);
}

static uint32_t call(enum call number, uint32_t argument)
{
	register xword a0 __asm__("a0") = argument;
	register xword a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
	return (uint32_t)a0;
}

static void __attribute__((noreturn)) end_task(int code)
{
	for (;;)
		call(EXIT, (uint32_t)code);
}

/* The tasks --------------------------------------------------------------------------------------
 */

static uint32_t work(uint32_t n)
{
	return n < 2 ? n : work(n - 1) + work(n - 2);
}

/* A call of which the task may be switched away from; none of them is a loop or a jump. */
static uint32_t __attribute__((noinline)) go_down(uint32_t levels, uint32_t depth)
{
	uint32_t result = 1;

	calls[running]++;
	if (depth > depths[running])
		depths[running] = depth;
	if (levels > 0)
		result += go_down(levels - 1, depth + 1);
	__asm__ volatile("" : "+r"(result));
	return result;
}

/* Clocks between two reads of mcycle, which nothing interrupts. */
static void __attribute__((noinline)) span(uint32_t rounds)
{
	uint32_t begin, end;

	__asm__ volatile("csrr %0, mcycle\n"
			 "1:\taddi %2, %2, -1\n\t"
			 "bnez %2, 1b\n\t"
			 "csrr %1, mcycle"
			 : "=&r"(begin), "=&r"(end), "+r"(rounds));
	span_count++;
	span_clocks += end - begin;
}

static void walk(uint32_t levels)
{
	uint32_t status = csr_read(mstatus);

	CHECK(go_down(levels, 1) == levels + 1);
	csr_clear(mstatus, MSTATUS_MIE);
	span(5 * levels + 1);
	if (status & MSTATUS_MIE)
		csr_set(mstatus, MSTATUS_MIE);
}

/* Bytes of a program: a number is pushed, + and * take two; a to c call a method, n a native one, x
 * raises an exception that b catches. */
static const char *const methods[] = {"12+b*", "34*c5+", "6n7+x"};
#define METHOD(number) (0x42000000u + 0x40u * (number))
#define NATIVE         0x43000000u

static uint32_t interpret(unsigned number, uint32_t depth, int *raised)
{
	uint32_t stack[6] = {0}, count = 0;

	report(K_ENTER, METHOD(number), 0, 0, 0);
	for (const char *at = methods[number]; *at && !*raised; at++) {
		if (*at >= '0' && *at <= '9') {
			stack[count++] = (uint32_t)(*at - '0');
		} else if (*at == '+' || *at == '*') {
			count--;
			stack[count - 1] = *at == '+' ? stack[count - 1] + stack[count]
						      : stack[count - 1] * stack[count];
		} else if (*at == 'n') {
			report(K_NATIVE_ENTER, NATIVE, 0, 0, 0);
			stack[count - 1] += work(5);
			report(depth & 1 ? K_NATIVE_UNWIND : K_NATIVE_LEAVE, NATIVE, 0, 0, 0);
		} else if (*at == 'x') {
			*raised = depth & 1;
		} else {
			stack[count++] = interpret((unsigned)(*at - 'a'), depth, raised);
			if (number == 1)
				*raised = 0;
		}
	}
	report(*raised ? K_UNWIND : K_LEAVE, METHOD(number), 0, 0, 0);
	return stack[0];
}

static void interpreter(void)
{
	static const char arguments[] = "/bin/vm\0-v";

	report(K_EXEC, 0, 0, arguments, sizeof(arguments));
	report(K_MMAP, 0x42000000, 0x42002000, "/app/classes.dex", 0);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		int raised = 0;
		uint32_t result = interpret(0, i, &raised);
		CHECK(!raised && result > 0);
		report(K_COUNTER, 7, result, 0, 0);
	}
	report(K_MUNMAP, 0x42000000, 0x42002000, 0, 0);
	end_task(0);
}

static void thread(void)
{
	report(K_NAME, 0, running, "worker", 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		CHECK(work(8) == 21);
		walk(i + 3);
		__asm__ volatile(".option push\n.option norvc\nebreak\n.option pop" ::: "memory");
	}
	end_task(-3);
}

static void shell(void)
{
	static const char arguments[] = "sh\0-c\0make";

	report(K_EXEC, 0, 0, arguments, sizeof(arguments));
	report(K_MMAP, 0x40000000, 0x40004000, "/lib/libc.so", 0);
	report(K_SYMBOL, 0x40000100, 0, "printf", 0);
	call(CLONE, (uint32_t)thread);
	for (unsigned i = 0; i < ROUNDS; i++) {
		CHECK(work(7) == 13);
		walk(i);
		report(K_MARK, i, 0, "round", 5);
		call(YIELD, 0);
	}
	report(K_SYMBOL_GONE, 0x40000100, 0, 0, 0);
	report(K_MUNMAP, 0x40000000, 0x40004000, 0, 0);
	end_task(2);
}

static void init(void)
{
	report(K_NAME, 0, running, "init", 0);
	for (unsigned round = 0; round < 2; round++) {
		call(FORK, (uint32_t)shell);
		call(FORK, (uint32_t)interpreter);
		for (unsigned i = 0; i < 30 * ROUNDS; i++)
			call(YIELD, 0);
	}
	end_task(0);
}

int main(void)
{
	rtos_stack_top = scheduler_stack + 128;
	csr_write(mtvec, (xword)rtos_entry);
	report(K_PROCESS, 0, 0, "kernel", 0);
	uint32_t pid = make_task(0, init);
	report(K_FORK, pid, pid, 0, 0);
	rtos_current = &tasks[0];
	csr_write(mie, MIE_TIMER);
	switch_to(pid);
	timer_arm(ticks);
	rtos_resume();
}
