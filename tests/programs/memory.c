/* Does with memory what a program should not, and says in mem_truth what it did: reads of a stack
 * that nothing had written, blocks that are not freed, freed twice, and never were any,
 * misaligned accesses (which trap, and are skipped), writes of code, and a deep stack in one of two
 * tasks. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define QUIET __attribute__((noinline, noclone))

enum { CAUSE_LOAD = 4, CAUSE_STORE = 6, DEPTH = 1500 };

struct truth {
	uint32_t leaked_blocks, leaked_bytes, double_frees, unknown_frees;
	uint32_t misaligned, code_writes, fresh_bytes;
	uint32_t stack_low, stack_high;
};

volatile struct truth mem_truth;
static uint8_t task_stack[4096] __attribute__((aligned(16)));
static uint32_t saved_sp;
static uint32_t code[] __attribute__((aligned(4))) = {0x00000513, 0x00008067}; /* li a0, 0; ret */
static volatile uint32_t sink;
static uint8_t odd[16];

void trap_handler(xword *frame)
{
	xword cause = csr_read(mcause), pc = csr_read(mepc);

	(void)frame;
	CHECK(cause == CAUSE_LOAD || cause == CAUSE_STORE);
	csr_write(mepc, pc + 4);
}

/* Far below what the stack has been. */
static QUIET void read_stack(void)
{
	uint32_t sp;

	__asm__ volatile("mv %0, sp" : "=r"(sp));
	sink = *(volatile uint32_t *)(sp - 0x1000);
	sink = *(volatile uint32_t *)(sp - 0x1000); /* the same bytes */
	sink = *(volatile uint8_t *)(sp - 0xff0);
	mem_truth.fresh_bytes += 5;
}

/* The allocator of this C library clears what it hands out, so these bytes are written. */
static QUIET void read_heap(void)
{
	volatile uint8_t *block = malloc(256);

	CHECK(block);
	sink = *(volatile uint32_t *)(block + 128);
	free((void *)block);
}

static QUIET void *keep(size_t size)
{
	void *block = malloc(size);

	CHECK(block);
	memset(block, 1, size);
	mem_truth.leaked_blocks++;
	mem_truth.leaked_bytes += size;
	return block;
}

/* This C library has none. What it takes from malloc is its own business. */
QUIET int posix_memalign(void **to, size_t alignment, size_t size)
{
	*to = NULL;
	void *block = malloc(size);
	CHECK(block && (uintptr_t)block % alignment == 0);
	*to = block;
	return 0;
}

static QUIET void leak(void)
{
	void *block;

	keep(40);
	keep(24);
	block = calloc(3, 20);
	CHECK(block);
	block = realloc(block, 100);
	CHECK(block);
	mem_truth.leaked_blocks++;
	mem_truth.leaked_bytes += 100;
	CHECK(posix_memalign(&block, 8, 48) == 0);
	mem_truth.leaked_blocks++;
	mem_truth.leaked_bytes += 48;
	CHECK(posix_memalign(&block, 4, 32) == 0);
	free(block);
	block = malloc(16);
	free(block);
	free(NULL);
}

static QUIET void misalign(void)
{
	for (unsigned i = 1; i < 4; i++) {
		uint32_t value;
		__asm__ volatile(
			".option push\n.option norvc\nlw %0, 0(%1)\nsw zero, 0(%1)\n.option pop"
			: "=&r"(value)
			: "r"(odd + i)
			: "memory");
		mem_truth.misaligned += 2;
	}
}

static QUIET void write_code(void)
{
	int (*run)(void) = (int (*)(void))(uintptr_t)code;

	__asm__ volatile("fence.i");
	CHECK(run() == 0);
	((volatile uint32_t *)code)[0] = 0x00700513; /* li a0, 7 */
	__asm__ volatile("fence.i");
	CHECK(run() == 7);
	mem_truth.code_writes++;
}

static QUIET __attribute__((used)) void task(void)
{
	volatile uint8_t room[DEPTH];

	room[0] = 1;
	room[DEPTH - 1] = room[0];
	uint32_t sp;
	__asm__ volatile("mv %0, sp" : "=r"(sp));
	mem_truth.stack_low = sp;
	mem_truth.stack_high = (uint32_t)(uintptr_t)(task_stack + sizeof(task_stack));
}

static QUIET void run_task(void)
{
	__asm__ volatile("sw sp, 0(%0)\n\tmv s1, %0\n\tmv sp, %1\n\tjal task\n\tlw sp, 0(s1)"
			 :
			 : "r"(&saved_sp), "r"(task_stack + sizeof(task_stack))
			 : "ra", "s1", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2",
			 "a3", "a4", "a5", "a6", "a7", "memory");
}

/* The allocator may not like it: this is the last thing that happens to the heap. */
static QUIET void wrong_free(void)
{
	static uint32_t none[8] = {0, 16};
	void *block = malloc(64);
	void *volatile again = block;

	CHECK(block);
	free(block);
	free(again);
	mem_truth.double_frees++;
	again = &none[2];
	free(again);
	mem_truth.unknown_frees++;
}

int main(void)
{
	read_stack();
	read_heap();
	leak();
	misalign();
	write_code();
	run_task();
	wrong_free();
	return 0;
}
