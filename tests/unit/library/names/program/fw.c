/* A program with what names are asked for: kinds of variables, inlined functions, lines. Tests find
 * lines by the words in their comments.
 */
#include "fw.h"

struct box box = {.count = 3,
	.handler = on_irq,
	.next = &box,
	.flags = 5,
	.delta = -3,
	.label = "lid",
	.color = BLUE};
struct box table[8];
struct box *list = &table[3];
int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
static int count = 7;
double ratio = 0.5;
char main_buffer[256];
const volatile unsigned char port = 200;

static inline int twice(int value)
{
	return value + value + count; /* LINE twice */
}

static inline int four_times(int value)
{
	return twice(twice(value)); /* LINE four_times */
}

void on_irq(int number)
{
	count += number; /* LINE on_irq */
}

__attribute__((noinline)) int compute(int first, struct box *where)
{
	int sum = first;
	for (int i = 0; i < where->count; i++)
		sum += four_times(i); /* LINE call */
	where->count = sum;
	return sum; /* LINE return */
}

/* No code here: LINE nothing */

int main(void)
{
	int local = 5;
	local += compute(local, &box); /* LINE main */
	table[3].next = &table[4];
	return local + other(local);
}

void _start(void)
{
	main();
	for (;;)
		;
}
