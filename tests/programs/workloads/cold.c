/* Straight code, more of it than a shadow of opcodes holds: make_cold.py writes the functions and
 * what each must return. */
#include "support.h"

struct cold {
	xword (*function)(xword x, xword y);
	xword x, y, result;
};

extern const struct cold cold_functions[];
extern const uint32_t cold_count;

int main(void)
{
	uint32_t round, i;

	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < cold_count; i++) {
			/* 7 has no divisor in common with the count, so each comes once. */
			const struct cold *cold = &cold_functions[(7 * i + round) % cold_count];

			CHECK(cold->function(cold->x, cold->y) == cold->result);
		}
	}
	return 0;
}
