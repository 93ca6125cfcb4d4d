/* kind: heap overflow into a neighbour
 * first: heap overflow: (store|load) (access fault|address misaligned) at address
 * says: accessed as ports\[0\]->output \(struct port\)
 * says: in a block of \d+ bytes at .* allocated by add_port
 * A label is longer than the block that it is copied to, and the next block is a port.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

struct port {
	volatile unsigned *output;
	unsigned value;
};
static struct port *ports[2];
static char *labels[2];
static volatile unsigned outputs[2];

__attribute__((noinline)) static void add_port(int i, const char *label, unsigned room)
{
	labels[i] = malloc(room);
	ports[i] = malloc(sizeof(struct port));
	ports[i]->output = &outputs[i];
	ports[i]->value = 1;
	(void)label;
}

__attribute__((noinline)) static void rename_port(int i, const char *label)
{
	for (int k = 0; label[k]; k++)
		labels[i][k] = label[k]; /* BUG: nothing compares the length */
}

__attribute__((noinline)) static void refresh(void)
{
	for (int i = 0; i < 2; i++)
		*ports[i]->output = ports[i]->value;
}

int main(void)
{
	add_port(0, "in", 12);
	add_port(1, "out", 12);
	refresh();
	rename_port(0, "temperature-of-the-second-pump-of-all");
	refresh();
	return 0;
}
