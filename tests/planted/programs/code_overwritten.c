/* kind: code overwritten by data
 * first: overwritten code
 * A log that is full continues at a wrong place, which is code.
 */
#include "support.h"

__attribute__((noinline, aligned(4))) static uint32_t mix(uint32_t x)
{
	x ^= x << 7;
	return x * 0x9e3779b1u;
}

static uint32_t log_room[4];
static uint32_t *log_end = log_room;

__attribute__((noinline)) static void log_add(uint32_t value)
{
	if (log_end == log_room + 4)
		log_end = (uint32_t *)(uintptr_t)mix; /* BUG: not the log's begin */
	*log_end++ = value;                           /* BAD */
}

int main(void)
{
	uint32_t sum = 1;

	for (uint32_t i = 0; i < 8; i++) {
		sum = mix(sum + i);
		log_add(i << 24);
	}
	return sum == 0;
}
