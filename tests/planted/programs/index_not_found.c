/* kind: index of a search that found nothing
 * first: wild jump
 * -1 is used as an index.
 */
#include "support.h"

struct command {
	char letter;
	void (*run)(void);
};
static volatile unsigned runs;

static void go(void)
{
	runs++;
}

static struct {
	unsigned magic[2];
	struct command commands[2];
} table = {{0x12345678, 0x20000004}, {{'a', go}, {'b', go}}};

__attribute__((noinline)) static int find(char letter)
{
	for (int i = 0; i < 2; i++)
		if (table.commands[i].letter == letter)
			return i;
	return -1; /* BAD */
}

__attribute__((noinline)) static void execute(char letter)
{
	table.commands[find(letter)].run(); /* BUG: it may be -1 */
}

int main(void)
{
	execute('b');
	execute('x');
	return 0;
}
