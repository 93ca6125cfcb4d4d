/* Preloaded into a program: its allocation number FAIL_ALLOCATION fails, and with FAIL_FOR=all
 * every one after it. FAIL_COUNT names a file that gets the number of allocations at the end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_ulong count;
static unsigned long failing;
static bool counting, all;

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("FAIL_ALLOCATION"), *how = getenv("FAIL_FOR");

	failing = number ? strtoul(number, NULL, 10) : 0;
	all = how && strcmp(how, "all") == 0;
	counting = true;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	char text[32];

	counting = false;
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	int size = snprintf(text, sizeof(text), "%lu\n", atomic_load(&count));
	if (fd >= 0 && write(fd, text, (size_t)size) != size)
		_exit(99);
}

static bool fails(void)
{
	if (!counting)
		return false;
	unsigned long now = atomic_fetch_add(&count, 1) + 1;
	if (failing == 0 || (all ? now < failing : now != failing))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
	return fails() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
	return fails() ? NULL : __libc_realloc(block, size);
}
