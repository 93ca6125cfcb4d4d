/* The event port for the software that runs on the traced core: tasks, address spaces, methods,
 * markers and counters, each by one to a few stores (docs/event-port.md).
 *
 *     #define EAR_PORT_BASE 0x10020000
 *     #include "ear_port.h"
 *
 *     ear_port_switch(next->pid);
 *
 * Needs ear_protocol.h beside it, and nothing else: no library, no memory. C99 and C++.
 *
 * Before it is included may be defined:
 *   EAR_PORT_BASE       address of the window; both pages
 *   EAR_PORT_USER_BASE  address of the user page, where a process has only that mapped
 *   EAR_PORT_LOCK(), EAR_PORT_UNLOCK()
 *                       around each group of stores, never one inside of another: whatever keeps
 *                       other users of the port away; nothing by default. What needs one says so
 *   EAR_PORT_MACHINE    that is: interrupts are off (mstatus.MIE), and then as they were. For one
 *                       RISC-V hart in machine mode
 *   EAR_PORT_BY_VALUE   strings travel themselves, in ear_port.c, instead of their address. For
 *                       software whose strings the trace cannot know: it traces from the middle
 *                       of a run, and they are in no ELF file
 *   EAR_PORT_OFF        nothing is stored: all functions are empty
 *
 * Without a port at the address a store may trap, so ask for it before, or define EAR_PORT_OFF.
 */
#ifndef EAR_TARGET_PORT_H
#define EAR_TARGET_PORT_H

#include <stddef.h>
#include <stdint.h>

#include "ear_protocol.h"

#if defined(EAR_PORT_MACHINE) && !defined(EAR_PORT_OFF)
#define EAR_PORT_LOCK() \
	uintptr_t ear_port_kept; \
	__asm__ volatile("csrrci %0, mstatus, 8" : "=r"(ear_port_kept)::"memory")
#define EAR_PORT_UNLOCK() __asm__ volatile("csrs mstatus, %0" ::"r"(ear_port_kept & 8) : "memory")
#endif

#ifndef EAR_PORT_LOCK
#define EAR_PORT_LOCK()   ((void)0)
#define EAR_PORT_UNLOCK() ((void)0)
#endif

#ifndef EAR_PORT_USER_BASE
#define EAR_PORT_USER_BASE (EAR_PORT_BASE + 0x1000)
#endif

/* What was written to memory is there before the store that says so: the bytes of a string. */
#ifdef __GNUC__
#define EAR_PORT_BARRIER() __asm__ volatile("" ::: "memory")
#else
#define EAR_PORT_BARRIER() ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* In ear_port.c: a string by value for the register that takes it, of size bytes; to the user page
 * if number is one of its registers, which then gets value. The caller has the lock. */
void ear_port_send(unsigned number, uint32_t value, const char *text, size_t size);

/* A register by its number. */
static inline volatile uint32_t *ear_port_register(unsigned number)
{
#ifdef EAR_PORT_BASE
	if (number < EAR_PORT_USER)
		return (volatile uint32_t *)(uintptr_t)(EAR_PORT_BASE + 4 * number);
#endif
	return (volatile uint32_t *)(uintptr_t)(EAR_PORT_USER_BASE + 4 * (number - EAR_PORT_USER));
}

static inline void ear_port_store(unsigned number, uint32_t value)
{
#ifdef EAR_PORT_OFF
	(void)number;
	(void)value;
#else
	EAR_PORT_BARRIER();
	*ear_port_register(number) = value;
#endif
}

/* Store an address: of 64 bits in two parts, the upper one only if it is not 0. */
static inline void ear_port_address(unsigned number, uintptr_t address)
{
#if UINTPTR_MAX > UINT32_MAX
	if (address >> 32)
		ear_port_store(number < EAR_PORT_USER ? EAR_PORT_HIGH : EAR_PORT_USER_HIGH,
			(uint32_t)(address >> 32));
#endif
	ear_port_store(number, (uint32_t)address);
}

/* The same of a register that makes an event alone. Two parts need the lock. */
static inline void ear_port_single(unsigned number, uintptr_t address)
{
#if UINTPTR_MAX > UINT32_MAX
	if (address >> 32) {
		EAR_PORT_LOCK();
		ear_port_address(number, address);
		EAR_PORT_UNLOCK();
		return;
	}
#endif
	ear_port_store(number, (uint32_t)address);
}

/* Markers and counters, methods: also from the user page ----------------------------------------
 */

static inline void ear_port_mark(uint32_t number)
{
	ear_port_store(EAR_PORT_MARK, number);
}

/* With a text of its own, by value: 1 store for each 4 bytes. Needs the lock. */
static inline void ear_port_mark_text(uint32_t number, const char *text, size_t size)
{
	EAR_PORT_LOCK();
	ear_port_send(EAR_PORT_MARK, number, text, size);
	EAR_PORT_UNLOCK();
}

/* The value of a counter. Needs the lock. */
static inline void ear_port_count(uint32_t counter, uint32_t value)
{
	EAR_PORT_LOCK();
	ear_port_store(EAR_PORT_COUNTER, counter);
	ear_port_store(EAR_PORT_COUNT, value);
	EAR_PORT_UNLOCK();
}

/* A method of an interpreter begins, returns, is left by an exception; address is any number that
 * names it. Native methods are those that are not interpreted. */
static inline void ear_port_method_enter(uintptr_t address)
{
	ear_port_single(EAR_PORT_METHOD_ENTRY, address);
}

static inline void ear_port_method_exit(uintptr_t address)
{
	ear_port_single(EAR_PORT_METHOD_EXIT, address);
}

static inline void ear_port_method_unwind(uintptr_t address)
{
	ear_port_single(EAR_PORT_METHOD_EXCEPTION, address);
}

static inline void ear_port_native_enter(uintptr_t address)
{
	ear_port_single(EAR_PORT_NATIVE_ENTRY, address);
}

static inline void ear_port_native_exit(uintptr_t address)
{
	ear_port_single(EAR_PORT_NATIVE_EXIT, address);
}

static inline void ear_port_native_unwind(uintptr_t address)
{
	ear_port_single(EAR_PORT_NATIVE_EXCEPTION, address);
}

/* Tasks: only with the kernel page ---------------------------------------------------------------
 *
 * A string must stay as it is until its store has retired; it ends with a zero byte.
 */
#ifdef EAR_PORT_BASE

/* Nonzero while a capture runs. */
static inline uint32_t ear_port_tracing(void)
{
#ifdef EAR_PORT_OFF
	return 0;
#else
	return *ear_port_register(EAR_PORT_ENABLE);
#endif
}

static inline void ear_port_start(void)
{
	ear_port_store(EAR_PORT_ENABLE, 1);
}

static inline void ear_port_stop(void)
{
	ear_port_store(EAR_PORT_ENABLE, 0);
}

/* A register that takes a string. The caller has the lock. */
static inline void ear_port_text(unsigned number, const char *text)
{
#ifdef EAR_PORT_BY_VALUE
	size_t size = 0;

	while (text[size])
		size++;
	ear_port_send(number, 0, text, size);
#else
	ear_port_address(number, (uintptr_t)text);
#endif
}

/* The hart runs this task from now on. */
static inline void ear_port_switch(uint32_t pid)
{
	ear_port_store(EAR_PORT_SWITCH, pid);
}

/* A task that was there before. */
static inline void ear_port_task(uint32_t group, uint32_t pid, const char *name)
{
	EAR_PORT_LOCK();
	ear_port_store(EAR_PORT_TGID, group);
	ear_port_store(EAR_PORT_INIT_PID, pid);
	ear_port_text(EAR_PORT_INIT_NAME, name);
	EAR_PORT_UNLOCK();
}

/* The current task has a child with an address space of its own; one that shares it. */
static inline void ear_port_fork(uint32_t group, uint32_t pid)
{
	EAR_PORT_LOCK();
	ear_port_store(EAR_PORT_TGID, group);
	ear_port_store(EAR_PORT_FORK, pid);
	EAR_PORT_UNLOCK();
}

static inline void ear_port_clone(uint32_t group, uint32_t pid)
{
	EAR_PORT_LOCK();
	ear_port_store(EAR_PORT_TGID, group);
	ear_port_store(EAR_PORT_CLONE, pid);
	EAR_PORT_UNLOCK();
}

/* The current task begins a program: arguments one after the other, each with its zero byte. */
static inline void ear_port_exec(const char *arguments, size_t size)
{
	EAR_PORT_LOCK();
	ear_port_store(EAR_PORT_CMDLINE_LEN, (uint32_t)size);
#ifdef EAR_PORT_BY_VALUE
	ear_port_send(EAR_PORT_CMDLINE, 0, arguments, size);
#else
	ear_port_address(EAR_PORT_CMDLINE, (uintptr_t)arguments);
#endif
	EAR_PORT_UNLOCK();
}

/* The current task ends; it has a name. */
static inline void ear_port_exit(int32_t code)
{
	ear_port_store(EAR_PORT_EXIT, (uint32_t)code);
}

static inline void ear_port_name(const char *name)
{
#ifdef EAR_PORT_BY_VALUE
	EAR_PORT_LOCK();
	ear_port_text(EAR_PORT_NAME, name);
	EAR_PORT_UNLOCK();
#else
	ear_port_single(EAR_PORT_NAME, (uintptr_t)name);
#endif
}

/* number: what makes an event of it, EAR_PORT_MMAP_EXEPATH or EAR_PORT_EXECVE_EXEPATH. */
static inline void ear_port_mapping(
	unsigned number, uintptr_t start, uintptr_t end, uintptr_t offset, const char *path)
{
	EAR_PORT_LOCK();
	ear_port_address(EAR_PORT_EXECVE_VMSTART, start);
	ear_port_address(EAR_PORT_EXECVE_VMEND, end);
	ear_port_address(EAR_PORT_EXECVE_OFFSET, offset);
	ear_port_text(number, path);
	EAR_PORT_UNLOCK();
}

/* The current task maps a file from start to end - 1; what it had mapped there is gone. */
static inline void ear_port_map(uintptr_t start, uintptr_t end, uintptr_t offset, const char *path)
{
	ear_port_mapping(EAR_PORT_MMAP_EXEPATH, start, end, offset, path);
}

/* The task of the last ear_port_task had that mapped. */
static inline void ear_port_task_map(
	uintptr_t start, uintptr_t end, uintptr_t offset, const char *path)
{
	ear_port_mapping(EAR_PORT_EXECVE_EXEPATH, start, end, offset, path);
}

static inline void ear_port_unmap(uintptr_t start, uintptr_t end)
{
	EAR_PORT_LOCK();
	ear_port_address(EAR_PORT_UNMAP_START, start);
	ear_port_address(EAR_PORT_UNMAP_END, end);
	EAR_PORT_UNLOCK();
}

/* Code that is loaded while the system runs has this symbol; it is gone. */
static inline void ear_port_symbol(uintptr_t address, const char *name)
{
	EAR_PORT_LOCK();
	ear_port_address(EAR_PORT_DYN_SYM_ADDR, address);
	ear_port_text(EAR_PORT_DYN_SYM, name);
	EAR_PORT_UNLOCK();
}

static inline void ear_port_symbol_gone(uintptr_t address)
{
	ear_port_single(EAR_PORT_REMOVE_ADDR, address);
}

/* For the user who looks at the trace. */
static inline void ear_port_print(const char *text)
{
	EAR_PORT_LOCK();
	ear_port_text(EAR_PORT_PRINT_STR, text);
	EAR_PORT_UNLOCK();
}

static inline void ear_port_print_decimal(uint32_t number)
{
	ear_port_store(EAR_PORT_PRINT_NUM_DEC, number);
}

static inline void ear_port_print_hex(uint32_t number)
{
	ear_port_store(EAR_PORT_PRINT_NUM_HEX, number);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
