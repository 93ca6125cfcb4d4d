/* What an operating system with an interpreter would report through the event port: tasks that
 * fork, exec, map, switch and exit, methods, markers and counters; strings by pointer and by value.
 * At the end the program prints each store as "event SOURCE VALUE", and how many went to registers
 * that no port has: the truth that a trace must show. Without a port it reports nothing and prints
 * the same with the word "absent".
 *
 * The port has no header of its own for targets yet, so the few names that it takes are here.
 */
#include "support.h"

#include <stddef.h>

#define PORT   0x10020000u
#define USER   112u /* number of the first register of the user page */
#define EVENTS 600u

enum {
	SWITCH = 0,
	FORK = 1,
	EXECVE_VMSTART = 3,
	EXECVE_VMEND = 4,
	EXECVE_OFFSET = 5,
	EXECVE_EXEPATH = 6,
	EXIT = 7,
	CMDLINE = 8,
	CMDLINE_LEN = 9,
	MMAP_EXEPATH = 10,
	INIT_PID = 11,
	INIT_NAME = 12,
	CLONE = 13,
	UNMAP_START = 14,
	UNMAP_END = 15,
	NAME = 16,
	TGID = 17,
	ENABLE = 100,
	STRING = 104,
	STRING_BYTE = 105,
	METHOD_ENTRY = 112,
	METHOD_EXIT = 113,
	METHOD_EXCEPTION = 114,
	NATIVE_ENTRY = 116,
	NATIVE_EXIT = 117,
	MARK = 120,
	COUNTER = 121,
	COUNT = 122,
};

static struct {
	uint8_t source;
	uint32_t value;
} events[EVENTS];
static size_t event_count;
static uint32_t unknown_count;
static volatile uint32_t absent;
static uint32_t seed = 1;

/* Only the first read of the port may trap. */
void trap_handler(xword *frame)
{
	uint32_t pc = csr_read(mepc);

	(void)frame;
	CHECK(csr_read(mcause) == 5 && !absent);
	absent = 1;
	csr_write(mepc, pc + ((*(volatile uint16_t *)pc & 3) == 3 ? 4 : 2));
}

static volatile uint32_t *port_register(unsigned number)
{
	uint32_t offset = number < USER ? 4 * number : 0x1000 + 4 * (number - USER);

	return (volatile uint32_t *)(PORT + offset);
}

static void note(unsigned number, uint32_t value)
{
	CHECK(event_count < EVENTS);
	events[event_count].source = (uint8_t)(0x80 + number);
	events[event_count++].value = value;
}

static void event(unsigned number, uint32_t value)
{
	note(number, value);
	if (!absent)
		*port_register(number) = value;
}

static void event_byte(unsigned number, uint8_t value)
{
	note(number, value);
	if (!absent)
		*(volatile uint8_t *)port_register(number) = value;
}

static void text_event(unsigned number, const char *text)
{
	event(number, (uint32_t)text);
}

/* By value: words as long as there are four characters, then bytes. */
static void string_event(unsigned number, const char *text, size_t size)
{
	size_t i = 0;

	for (; i + 4 <= size; i += 4)
		event(STRING, (uint32_t)(uint8_t)text[i] | (uint32_t)(uint8_t)text[i + 1] << 8 |
				      (uint32_t)(uint8_t)text[i + 2] << 16 |
				      (uint32_t)(uint8_t)text[i + 3] << 24);
	for (; i < size; i++)
		event_byte(STRING_BYTE, (uint8_t)text[i]);
	event(number, 0);
}

static void map(unsigned number, uint32_t first, uint32_t size, const char *path)
{
	event(EXECVE_VMSTART, first);
	event(EXECVE_VMEND, first + size);
	event(EXECVE_OFFSET, 0);
	text_event(number, path);
}

/* An interpreter's methods: each calls the next, and some are left by an exception. */
static uint32_t method(unsigned depth)
{
	uint32_t address = 0x42000000 + 16 * depth, sum = depth;

	event(depth & 1 ? NATIVE_ENTRY : METHOD_ENTRY, address);
	for (unsigned i = random_next(&seed) & 7; i > 0; i--)
		sum = sum * 31 + i;
	if (depth > 0)
		sum += method(depth - 1);
	if (depth & 1)
		event(NATIVE_EXIT, address);
	else
		event(sum & 1 ? METHOD_EXCEPTION : METHOD_EXIT, address);
	return sum;
}

static void run_task(uint32_t pid)
{
	event(SWITCH, pid);
	event(COUNTER, pid);
	event(COUNT, method(random_next(&seed) & 3));
	event(MARK, pid << 8);
}

static void store_to_no_register(void)
{
	static const uint32_t offsets[] = {
		4 * 2, 4 * 18, 4 * 101, 4 * 111, 4 * 1023, 0x1000 + 4 * 3, 0x1000 + 4 * 16, 0x1FFC};

	for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		unknown_count++;
		if (!absent)
			*(volatile uint32_t *)(PORT + offsets[i]) = i;
	}
}

static void print_number(uint32_t value)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		uart_put("0123456789abcdef"[value >> shift & 15]);
}

int main(void)
{
	static const char arguments[] = "sh\0-c\0true";
	uint32_t enabled = *port_register(ENABLE);

	if (!absent)
		CHECK(enabled <= 1);
	event(TGID, 0);
	event(INIT_PID, 0);
	text_event(INIT_NAME, "swapper");
	map(EXECVE_EXEPATH, 0x80000000, 0x4000, "/init");
	event(SWITCH, 1);
	text_event(NAME, "init");
	for (uint32_t pid = 2; pid < 5; pid++) {
		event(TGID, pid & 1 ? 1 : pid);
		event(pid & 1 ? CLONE : FORK, pid);
		event(SWITCH, pid);
		event(CMDLINE_LEN, sizeof(arguments));
		text_event(CMDLINE, arguments);
		string_event(NAME, "worker", 6);
		map(MMAP_EXEPATH, 0x40000000 + 0x10000 * pid, 0x3000, "/lib/libc.so");
	}
	for (unsigned i = 0; i < 12 * REPEAT && event_count < EVENTS - 60; i++)
		run_task(1 + (random_next(&seed) & 3));
	store_to_no_register();
	for (uint32_t pid = 4; pid > 1; pid--) {
		event(SWITCH, pid);
		event(UNMAP_START, 0x40000000 + 0x10000 * pid);
		event(UNMAP_END, 0x40003000 + 0x10000 * pid);
		event(EXIT, (uint32_t) - (int32_t)pid);
	}
	event(SWITCH, 0);
	for (size_t i = 0; i < event_count; i++) {
		uart_print("event ");
		print_number(events[i].source);
		uart_put(' ');
		print_number(events[i].value);
		uart_put('\n');
	}
	uart_print("unknown ");
	print_number(unknown_count);
	uart_print(absent ? "\nabsent\n" : "\nthere\n");
	return 0;
}
