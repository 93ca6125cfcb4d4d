/* Tasks as in tasks.c, in a system whose handlers lie on each other (nested_entry.S): system calls
 * run with interrupts on and take exceptions of their own, and a timer interrupts both. Events are
 * reported and methods run at any depth. A task is killed by an exception, and parents wait.
 *
 * At the end it prints the truth: each event as a line "event KIND ARGUMENT...", in the order and
 * the words of a trace, then "traps NAME COUNT" for each cause, and how deep handlers were.
 */
#include "support.h"

#include <stddef.h>
#include <string.h>

/* Everything that reports does it with interrupts off, and they are then as they were. */
static xword lock(void);
static void unlock(xword kept);
#define EAR_PORT_BASE     0x10020000
#define EAR_PORT_LOCK()   xword kept_ = lock()
#define EAR_PORT_UNLOCK() unlock(kept_)
#include "ear_port.h"

#define TICKS           400
#define TASKS           12
#define STACK_WORDS     384
#define NOTES           (1000 * REPEAT)
#define ROUNDS          (3 * REPEAT)
#define MSTATUS_RUNNING 0x1880 /* MPP: machine mode, MPIE */

#define CAUSE_ILLEGAL    2
#define CAUSE_BREAKPOINT 3
#define CAUSE_ECALL_M    11

/* What nested_entry.S leaves on the stack of the handlers: word n is register x<n>. */
enum { FRAME_PC = 32, FRAME_STATUS, FRAME_OF_TASK, CONTEXT_WORDS = 34 };
enum { SP = 2, GP = 3, TP = 4, A0 = 10, A1, A2, A3, A7 = 17 };

enum {
	CALL_FORK,
	CALL_CLONE,
	CALL_EXEC,
	CALL_MAP,
	CALL_UNMAP,
	CALL_NAME,
	CALL_WAIT,
	CALL_YIELD,
	CALL_EXIT
};
enum state { FREE, READY, WAITING, ENDED, REAPED };

struct task {
	xword context[CONTEXT_WORDS];
	uint32_t pid, group, parent;
	enum state state;
};

void nested_entry(void);
void nested_handler(xword *frame);

static struct task tasks[TASKS];
static struct task *current = &tasks[0]; /* task 0 is main, which runs when no other one can */
static uint32_t task_count = 1;
static xword stacks[TASKS][STACK_WORDS] __attribute__((aligned(16)));
static xword handler_stack[1024] __attribute__((aligned(16)));
static volatile uint32_t switch_wanted, depth, depth_max;
static volatile uint32_t timer_count, ecall_count, breakpoint_count, illegal_count;

/* The truth ------------------------------------------------------------------------------------ */

/* Of the format %d is a decimal, %x a hexadecimal number, %s the text. */
static struct note {
	const char *format, *text;
	uint32_t values[3];
} notes[NOTES];
static size_t note_count;

static xword lock(void)
{
	xword kept;

	__asm__ volatile("csrrci %0, mstatus, 8" : "=r"(kept)::"memory");
	return kept & MSTATUS_MIE;
}

static void unlock(xword kept)
{
	csr_set(mstatus, kept);
}

static void note(const char *format, const char *text, uint32_t a, uint32_t b, uint32_t c)
{
	CHECK(note_count < NOTES);
	notes[note_count++] = (struct note){format, text, {a, b, c}};
}

/* Report an event and note it, with nothing between the two. */
#define REPORT(call, ...) \
	do { \
		xword kept_here = lock(); \
		call; \
		note(__VA_ARGS__); \
		unlock(kept_here); \
	} while (0)

static void print_number(uint32_t value, uint32_t base)
{
	char digits[10];
	unsigned count = 0;

	do
		digits[count++] = "0123456789abcdef"[value % base];
	while (value /= base);
	while (count > 0)
		uart_put(digits[--count]);
}

static void print_note(const struct note *note)
{
	const uint32_t *value = note->values;

	uart_print("event ");
	for (const char *c = note->format; *c; c++) {
		if (*c != '%') {
			uart_put(*c);
			continue;
		}
		c++;
		if (*c == 's') {
			uart_print(note->text);
		} else if (*c == 'x') {
			uart_print("0x");
			print_number(*value++, 16);
		} else if ((int32_t)*value < 0) {
			uart_put('-');
			print_number(-*value++, 10);
		} else {
			print_number(*value++, 10);
		}
	}
	uart_put('\n');
}

static void print_count(const char *name, uint32_t count)
{
	uart_print(name);
	uart_put(' ');
	print_number(count, 10);
	uart_put('\n');
}

/* The kernel ----------------------------------------------------------------------------------- */

static struct task *next_task(void)
{
	uint32_t at = current->pid;

	for (uint32_t i = 0; i < task_count; i++) {
		at = at + 1 < task_count ? at + 1 : 1;
		if (at < task_count && tasks[at].state == READY)
			return &tasks[at];
	}
	return &tasks[0];
}

static void copy_context(xword *to, const xword *from)
{
	for (unsigned i = 0; i < CONTEXT_WORDS; i++)
		to[i] = from[i];
}

/* The frame is that of the task which was interrupted: it becomes that of the next one. */
static void switch_task(xword *frame)
{
	struct task *next = next_task();

	switch_wanted = 0;
	if (next == current)
		return;
	copy_context(current->context, frame);
	current = next;
	REPORT(ear_port_switch(next->pid), "switch %d", NULL, next->pid, 0, 0);
	copy_context(frame, next->context);
}

static void begin(xword *context, uint32_t pid, xword code)
{
	xword gp, tp;

	__asm__("mv %0, gp; mv %1, tp" : "=r"(gp), "=r"(tp));
	memset(context, 0, CONTEXT_WORDS * sizeof(context[0]));
	context[SP] = (xword)(stacks[pid] + STACK_WORDS);
	context[GP] = gp;
	context[TP] = tp;
	context[FRAME_PC] = code;
	context[FRAME_STATUS] = MSTATUS_RUNNING;
}

static uint32_t make_task(xword code, int is_clone)
{
	uint32_t pid = task_count++;
	struct task *task = &tasks[pid];

	CHECK(pid < TASKS);
	begin(task->context, pid, code);
	task->pid = pid;
	task->group = is_clone ? current->group : pid;
	task->parent = current->pid;
	if (is_clone)
		REPORT(ear_port_clone(task->group, pid), "clone %d %d", NULL, task->group, pid, 0);
	else
		REPORT(ear_port_fork(task->group, pid), "fork %d %d", NULL, task->group, pid, 0);
	task->state = READY;
	return pid;
}

static void end_task(int32_t code)
{
	REPORT(ear_port_exit(code), "exit %d", NULL, (uint32_t)code, 0, 0);
	current->state = ENDED;
	if (tasks[current->parent].state == WAITING)
		tasks[current->parent].state = READY;
	switch_wanted = 1;
}

/* The pid of a child that has ended; 0 if there is no child; else the call is made again later. */
static void wait_for_child(xword *frame)
{
	uint32_t children = 0;

	for (uint32_t i = 1; i < task_count; i++) {
		if (tasks[i].parent != current->pid || tasks[i].state == REAPED)
			continue;
		children++;
		if (tasks[i].state == ENDED) {
			tasks[i].state = REAPED;
			frame[A0] = i;
			return;
		}
	}
	frame[A0] = 0;
	if (children > 0) {
		current->state = WAITING;
		frame[FRAME_PC] -= 4;
		switch_wanted = 1;
	}
}

/* Work in a handler, long enough for a timer to come, and an exception inside of it. */
static void look_up(const char *path)
{
	uint32_t hash = 0;

	for (unsigned i = 0; i < 60; i++)
		for (const char *c = path; *c; c++)
			hash = hash * 31 + (uint8_t)*c;
	__asm__ volatile("ebreak" ::"r"(hash));
}

/* exec: code, arguments with their size, and the same as a trace shows them. */
static void exec(xword *frame)
{
	const char *arguments = (const char *)frame[A1], *shown = (const char *)frame[A3];
	xword code = frame[A0], size = frame[A2];

	REPORT(ear_port_exec(arguments, size), "exec %s", shown, 0, 0, 0);
	begin(frame, current->pid, code);
}

static void system_call(xword *frame)
{
	xword start = frame[A0], end = frame[A1];
	const char *path = (const char *)frame[A2];

	switch (frame[A7]) {
	case CALL_FORK: frame[A0] = make_task(frame[A0], 0); break;
	case CALL_CLONE: frame[A0] = make_task(frame[A0], 1); break;
	case CALL_EXEC: exec(frame); break;
	case CALL_MAP:
		look_up(path);
		REPORT(ear_port_map(start, end, 0x1000, path), "mmap %x %x %x %s", path, start, end,
			0x1000);
		break;
	case CALL_UNMAP:
		REPORT(ear_port_unmap(start, end), "munmap %x %x", NULL, start, end, 0);
		break;
	case CALL_NAME:
		path = (const char *)start;
		REPORT(ear_port_name(path), "name %d %s", path, current->pid, 0, 0);
		break;
	case CALL_WAIT: wait_for_child(frame); break;
	case CALL_YIELD: switch_wanted = 1; break;
	case CALL_EXIT: end_task((int32_t)start); break;
	default: finish(__LINE__);
	}
}

static void breakpoint(xword *frame)
{
	volatile uint32_t sum = 0;

	breakpoint_count++;
	frame[FRAME_PC] += (*(uint16_t *)frame[FRAME_PC] & 3) == 3 ? 4 : 2;
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned i = 0; i < 40; i++)
		sum += i;
	csr_clear(mstatus, MSTATUS_MIE);
}

/* Called by nested_entry, interrupts off. Only what comes from a task leads to another task. */
void nested_handler(xword *frame)
{
	xword cause = csr_read(mcause);

	if (++depth > depth_max)
		depth_max = depth;
	switch (cause) {
	case CAUSE_TIMER_IRQ:
		timer_count++;
		switch_wanted = 1;
		timer_arm(TICKS);
		break;
	case CAUSE_ECALL_M:
		ecall_count++;
		frame[FRAME_PC] += 4;
		csr_set(mstatus, MSTATUS_MIE);
		system_call(frame);
		csr_clear(mstatus, MSTATUS_MIE);
		break;
	case CAUSE_BREAKPOINT: breakpoint(frame); break;
	case CAUSE_ILLEGAL:
		illegal_count++;
		CHECK(depth == 1 && current->pid != 0);
		end_task(-4);
		break;
	default: finish(__LINE__);
	}
	depth--;
	if (frame[FRAME_OF_TASK] && switch_wanted)
		switch_task(frame);
}

static xword call(xword number, xword a, xword b, xword c, xword d)
{
	register xword a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
	register xword a3 __asm__("a3") = d, a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
	return a0;
}

#define sys_fork(code)  call(CALL_FORK, (xword)(code), 0, 0, 0)
#define sys_clone(code) call(CALL_CLONE, (xword)(code), 0, 0, 0)
#define sys_exec(code, bytes, shown) \
	call(CALL_EXEC, (xword)(code), (xword)(bytes), sizeof(bytes), (xword)(shown))
#define sys_map(start, end, path) call(CALL_MAP, start, end, (xword)(path), 0)
#define sys_unmap(start, end)     call(CALL_UNMAP, start, end, 0, 0)
#define sys_name(name)            call(CALL_NAME, (xword)(name), 0, 0, 0)
#define sys_wait()                call(CALL_WAIT, 0, 0, 0, 0)
#define sys_yield()               call(CALL_YIELD, 0, 0, 0, 0)
#define sys_exit(code)            call(CALL_EXIT, (xword)(code), 0, 0, 0)

/* The interpreter ------------------------------------------------------------------------------ */

/* CALL fails as its method does; TRY goes on. */
enum { OP_RETURN, OP_ADD, OP_WORK, OP_CALL, OP_TRY, OP_NATIVE, OP_THROW_IF_ODD };

static const uint8_t method_sum[] = {OP_ADD, 7, OP_WORK, 9, OP_NATIVE, 0, OP_RETURN};
static const uint8_t method_check[] = {OP_WORK, 3, OP_THROW_IF_ODD, OP_ADD, 4, OP_RETURN};
static const uint8_t method_middle[] = {OP_CALL, 0, OP_CALL, 1, OP_NATIVE, 1, OP_RETURN};
static const uint8_t method_main[] = {OP_TRY, 2, OP_ADD, 1, OP_TRY, 2, OP_CALL, 0, OP_RETURN};
static const uint8_t *const methods[] = {method_sum, method_check, method_middle, method_main};

/* What runs does not change for a task: it is itself. */
#define REPORT_METHOD(what, kind, address) \
	REPORT(ear_port_##what((uintptr_t)(address)), kind " %d %x", NULL, current->pid, \
		(uint32_t)(address), 0)

/* Native methods: they return 0, or 1 if they failed. */
static int native_mix(uint32_t *sum)
{
	for (unsigned i = 0; i < 10; i++)
		*sum = *sum * 31 + i;
	return 0;
}

static int native_wait(uint32_t *sum)
{
	sys_yield();
	return *sum % 3 == 0;
}

static int (*const natives[])(uint32_t *) = {native_mix, native_wait};

static int run_native(unsigned number, uint32_t *sum)
{
	int (*native)(uint32_t *) = natives[number];

	REPORT_METHOD(native_enter, "native-enter", native);
	int failed = native(sum);
	if (failed)
		REPORT_METHOD(native_unwind, "native-unwind", native);
	else
		REPORT_METHOD(native_exit, "native-exit", native);
	return failed;
}

static void work(unsigned count, uint32_t *sum)
{
	for (unsigned i = 0; i < 4 * count; i++)
		*sum ^= *sum << 1 ^ i;
}

static int run_method(unsigned number, uint32_t *sum);

/* One instruction. Returns 1 if it throws. */
static int step(const uint8_t *code, uint32_t *sum)
{
	switch (code[0]) {
	case OP_ADD: *sum += code[1]; return 0;
	case OP_WORK: work(code[1], sum); return 0;
	case OP_CALL: return run_method(code[1], sum);
	case OP_TRY: run_method(code[1], sum); return 0;
	case OP_NATIVE: return run_native(code[1], sum);
	default: return *sum & 1;
	}
}

/* Returns 1 if an exception left the method. */
static int run_method(unsigned number, uint32_t *sum)
{
	const uint8_t *code = methods[number];

	REPORT_METHOD(method_enter, "method-enter", methods[number]);
	for (; *code != OP_RETURN; code += *code == OP_THROW_IF_ODD ? 1 : 2)
		if (step(code, sum)) {
			REPORT_METHOD(method_unwind, "method-unwind", methods[number]);
			return 1;
		}
	REPORT_METHOD(method_exit, "method-exit", methods[number]);
	return 0;
}

static uint32_t interpret(uint32_t seed)
{
	uint32_t sum = seed;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		REPORT(ear_port_mark(round), "mark %d \"\"", NULL, round, 0, 0);
		run_method(3, &sum);
	}
	return sum;
}

/* The tasks ------------------------------------------------------------------------------------ */

static void worker(void)
{
	uint32_t pid = current->pid, start = 0x40000000 + (pid << 16);

	sys_map(start, start + 0x4000, "/lib/libm.so");
	sys_map(start + 0x8000, start + 0x9000, "/data/app@vm@core.jar");
	uint32_t sum = interpret(pid);
	__asm__ volatile("ebreak");
	sys_unmap(start + 0x2000, start + 0x4000);
	sys_exit(sum & 0x7F);
}

static void begin_worker(void)
{
	static const char arguments[] = "worker\0--fast";

	sys_exec(worker, arguments, "worker --fast");
}

static void crash(void)
{
	sys_name("crash");
	__asm__ volatile(".half 0");
}

static void shell(void)
{
	sys_fork(begin_worker);
	sys_fork(begin_worker);
	sys_fork(crash);
	while (sys_wait())
		;
	sys_exit(-2);
}

static void begin_shell(void)
{
	static const char arguments[] = "sh\0-c\0worker";

	sys_exec(shell, arguments, "sh -c worker");
}

static void logger(void)
{
	uint32_t state = 5;

	sys_name("logger");
	for (uint32_t i = 0; i < 8 * ROUNDS; i++) {
		uint32_t value = random_next(&state) >> 8;
		REPORT(ear_port_count(3, value), "counter %d %d \"\"", NULL, 3, value, 0);
		work(20, &value);
		if (i % 4 == 3)
			sys_yield();
	}
	sys_exit(0);
}

static void service(void)
{
	sys_name("service");
	interpret(99);
	sys_exit(0);
}

static void init(void)
{
	sys_name("init");
	sys_map(0x10000, 0x14000, "/init");
	sys_fork(begin_shell);
	sys_clone(logger);
	sys_fork(service);
	while (sys_wait())
		;
	sys_exit(0);
}

int main(void)
{
	CHECK(ear_port_tracing() <= 1);
	REPORT(ear_port_task(0, 0, "swapper"), "process %d %d %s", "swapper", 0, 0, 0);
	REPORT(ear_port_symbol(0xBF000000, "module"), "symbol %x %s", "module", 0xBF000000, 0, 0);
	csr_write(mscratch, (xword)(handler_stack + 1024));
	csr_write(mtvec, (xword)nested_entry);
	make_task((xword)init, 0);
	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	csr_set(mstatus, MSTATUS_MIE);
	while (tasks[1].state != ENDED)
		sys_yield();
	csr_clear(mstatus, MSTATUS_MIE);
	REPORT(ear_port_symbol_gone(0xBF000000), "symbol-gone %x", NULL, 0xBF000000, 0, 0);
	for (size_t i = 0; i < note_count; i++)
		print_note(&notes[i]);
	print_count("traps timer", timer_count);
	print_count("traps ecall", ecall_count);
	print_count("traps breakpoint", breakpoint_count);
	print_count("traps illegal", illegal_count);
	print_count("depth", depth_max);
	return 0;
}
