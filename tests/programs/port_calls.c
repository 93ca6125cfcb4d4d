/* The calls of firmware/target/ear_port.h, each in a function of its own that is named after it and
 * gets what the call needs in registers, so that a trace shows what it stores and how many
 * instructions it takes.
 */
#include "support.h"

#include "ear_port_scheduler.h"

#define CALL(name, ...) static __attribute__((noipa)) void call_##name(__VA_ARGS__)

static uint32_t tracing;

CALL(tracing, void)
{
	tracing = ear_port_tracing();
}

CALL(start, void)
{
	ear_port_start();
}

CALL(stop, void)
{
	ear_port_stop();
}

CALL(task, uint32_t group, uint32_t pid, const char *name)
{
	ear_port_task(group, pid, name);
}

CALL(switch, uint32_t pid)
{
	ear_port_switch(pid);
}

CALL(fork, uint32_t group, uint32_t pid)
{
	ear_port_fork(group, pid);
}

CALL(clone, uint32_t group, uint32_t pid)
{
	ear_port_clone(group, pid);
}

CALL(exec, const char *arguments, size_t size)
{
	ear_port_exec(arguments, size);
}

CALL(exit, int32_t code)
{
	ear_port_exit(code);
}

CALL(name, const char *name)
{
	ear_port_name(name);
}

CALL(map, uintptr_t start, uintptr_t end, uintptr_t offset, const char *path)
{
	ear_port_map(start, end, offset, path);
}

CALL(task_map, uintptr_t start, uintptr_t end, uintptr_t offset, const char *path)
{
	ear_port_task_map(start, end, offset, path);
}

CALL(unmap, uintptr_t start, uintptr_t end)
{
	ear_port_unmap(start, end);
}

CALL(symbol, uintptr_t address, const char *name)
{
	ear_port_symbol(address, name);
}

CALL(symbol_gone, uintptr_t address)
{
	ear_port_symbol_gone(address);
}

CALL(method_enter, uintptr_t address)
{
	ear_port_method_enter(address);
}

CALL(method_exit, uintptr_t address)
{
	ear_port_method_exit(address);
}

CALL(method_unwind, uintptr_t address)
{
	ear_port_method_unwind(address);
}

CALL(native_enter, uintptr_t address)
{
	ear_port_native_enter(address);
}

CALL(native_exit, uintptr_t address)
{
	ear_port_native_exit(address);
}

CALL(native_unwind, uintptr_t address)
{
	ear_port_native_unwind(address);
}

CALL(mark, uint32_t number)
{
	ear_port_mark(number);
}

CALL(mark_text, uint32_t number, const char *text, size_t size)
{
	ear_port_mark_text(number, text, size);
}

CALL(count, uint32_t counter, uint32_t value)
{
	ear_port_count(counter, value);
}

CALL(print, const char *text)
{
	ear_port_print(text);
}

CALL(print_decimal, uint32_t number)
{
	ear_port_print_decimal(number);
}

CALL(print_hex, uint32_t number)
{
	ear_port_print_hex(number);
}

CALL(scheduler_create, struct ear_port_scheduler *scheduler, struct ear_port_task_id *task,
	const char *name)
{
	ear_port_scheduler_create(scheduler, task, name);
}

CALL(scheduler_switch, struct ear_port_scheduler *scheduler, const struct ear_port_task_id *task)
{
	ear_port_scheduler_switch(scheduler, task);
}

/* Instrumented: the hooks report it. */
__attribute__((noinline)) uint32_t traced_function(uint32_t value);

int main(void)
{
	static const char arguments[] = "sh\0-c\0two words";
	static struct ear_port_scheduler scheduler = {.last_pid = 3, .current_pid = 1};
	static struct ear_port_task_id task;

	call_tracing();
	CHECK(tracing == 1);
	call_start();
	call_task(1, 1, "init");
	call_task_map(0x10000, 0x14000, 0, "/init");
	call_switch(1);
	call_fork(2, 2);
	call_clone(1, 3);
	call_name("first");
	call_exec(arguments, sizeof(arguments));
	call_map(0x40000000, 0x40003000, 0x1000, "/lib/libc.so");
	call_unmap(0x40000000, 0x40001000);
	call_symbol(0xBF000000, "module_init");
	call_symbol_gone(0xBF000000);
	call_method_enter(0x42000000);
	call_native_enter(0x42000010);
	call_native_exit(0x42000010);
	call_native_enter(0x42000020);
	call_native_unwind(0x42000020);
	call_method_unwind(0x42000000);
	call_method_enter(0x42000030);
	call_method_exit(0x42000030);
	call_mark(7);
	call_mark_text(8, "frame 1", 7);
	call_count(3, 40);
	CHECK(traced_function(4) == 10);
	call_exit(-2);
	call_scheduler_create(&scheduler, &task, "fourth");
	call_scheduler_switch(&scheduler, &task);
	call_print("done");
	call_print_decimal(12);
	call_print_hex(0x1F);
	call_stop();
	return 0;
}
