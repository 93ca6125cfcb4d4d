/* kind: return address overwritten
 * first: wild jump
 * A local array is shorter than the field that is copied into it.
 */
#include <string.h>

#include "support.h"

static const char *const lines[] = {"id=12", "id=345", "id=90123456789012345678901234567890"};

__attribute__((noinline)) static unsigned add(unsigned sum, const char *digit)
{
	__asm__ volatile("" ::: "memory");
	return sum + (unsigned)(*digit - '0');
}

__attribute__((noinline)) static unsigned value(const char *line)
{
	char digits[8];
	unsigned sum = 0;

	strcpy(digits, line + 3); /* BUG: without a limit */
	for (unsigned i = 0; i < 8 && digits[i]; i++)
		sum = add(sum, digits + i);
	return sum;
}

int main(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 3; i++)
		sum += value(lines[i]);
	return sum == 0;
}
