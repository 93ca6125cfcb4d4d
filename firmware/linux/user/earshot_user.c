/* Stores to the user page, which /dev/earshot maps.
 *
 * Registers that keep a number are shared by all threads, so a group of stores is under a lock: a
 * flag that is waited for without the kernel, because a group is a few stores.
 */
#include "earshot_user.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES 4096u

int ear_user_open(struct ear_user_port *port, const char *path)
{
	port->page = NULL;
	atomic_flag_clear(&port->busy);
	int file = open(path ? path : "/dev/earshot", O_RDWR | O_CLOEXEC);
	if (file < 0)
		return errno;
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	int problem = page == MAP_FAILED ? errno : 0;
	close(file);
	if (!problem)
		port->page = page;
	return problem;
}

void ear_user_close(struct ear_user_port *port)
{
	if (port->page)
		munmap((void *)(uintptr_t)port->page, PAGE_BYTES);
	port->page = NULL;
}

static void begin_group(struct ear_user_port *port)
{
	while (atomic_flag_test_and_set_explicit(&port->busy, memory_order_acquire))
		;
}

static void end_group(struct ear_user_port *port)
{
	atomic_flag_clear_explicit(&port->busy, memory_order_release);
}

static void store(struct ear_user_port *port, uint32_t number, uint32_t value)
{
	port->page[number - EAR_PORT_USER] = value;
}

/* Under the lock even without upper bits: those of another thread may have been written. */
static void store_address(struct ear_user_port *port, uint32_t number, uint64_t address)
{
	if (!port->page)
		return;
	begin_group(port);
	if (address >> 32)
		store(port, EAR_PORT_USER_HIGH, (uint32_t)(address >> 32));
	store(port, number, (uint32_t)address);
	end_group(port);
}

void ear_user_method_enter(struct ear_user_port *port, uint64_t address)
{
	store_address(port, EAR_PORT_METHOD_ENTRY, address);
}

void ear_user_method_exit(struct ear_user_port *port, uint64_t address)
{
	store_address(port, EAR_PORT_METHOD_EXIT, address);
}

void ear_user_method_unwind(struct ear_user_port *port, uint64_t address)
{
	store_address(port, EAR_PORT_METHOD_EXCEPTION, address);
}

void ear_user_native_enter(struct ear_user_port *port, uint64_t address)
{
	store_address(port, EAR_PORT_NATIVE_ENTRY, address);
}

void ear_user_native_exit(struct ear_user_port *port, uint64_t address)
{
	store_address(port, EAR_PORT_NATIVE_EXIT, address);
}

void ear_user_native_unwind(struct ear_user_port *port, uint64_t address)
{
	store_address(port, EAR_PORT_NATIVE_EXCEPTION, address);
}

/* The zero byte at the end travels as well; those that fill the last word do no harm. */
static void store_text(struct ear_user_port *port, const char *text)
{
	uint32_t word = 0;
	unsigned int shift = 0;

	for (size_t i = 0; text[i]; i++) {
		word |= (uint32_t)(unsigned char)text[i] << shift;
		shift += 8;
		if (shift < 32)
			continue;
		store(port, EAR_PORT_USER_STRING, word);
		word = 0;
		shift = 0;
	}
	store(port, EAR_PORT_USER_STRING, word);
}

void ear_user_mark_text(struct ear_user_port *port, uint32_t number, const char *text)
{
	if (!port->page)
		return;
	begin_group(port);
	store_text(port, text);
	store(port, EAR_PORT_MARK, number);
	end_group(port);
}

void ear_user_count(struct ear_user_port *port, uint32_t counter, uint32_t value)
{
	if (!port->page)
		return;
	begin_group(port);
	store(port, EAR_PORT_COUNTER, counter);
	store(port, EAR_PORT_COUNT, value);
	end_group(port);
}
