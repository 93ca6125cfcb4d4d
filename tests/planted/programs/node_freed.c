/* kind: freed node that is still in a list
 * first: ^load (access fault|address misaligned) at address
 * says: accessed as node->next \(struct node\)
 * says: the block there before it was allocated by add.* freed by forget
 * A node is freed and stays in its list, and a text takes its memory.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

struct node {
	unsigned key;
	struct node *next;
};
static struct node *first;
static volatile unsigned sum;
static char *title;

__attribute__((noinline)) static void add(unsigned key)
{
	struct node *node = malloc(sizeof(*node));

	node->key = key;
	node->next = first;
	first = node;
}

__attribute__((noinline)) static void forget(unsigned key)
{
	for (struct node *node = first; node; node = node->next)
		if (node->key == key) {
			free(node); /* BUG: it is still in the list */
			return;
		}
}

__attribute__((noinline)) static void walk(void)
{
	for (struct node *node = first; node; node = node->next)
		sum += node->key;
}

__attribute__((noinline)) static void set_title(const char *text)
{
	title = malloc(sizeof(struct node));
	memcpy(title, text, sizeof(struct node)); /* BAD: over the node */
}

int main(void)
{
	for (unsigned key = 0; key < 5; key++)
		add(key);
	walk();
	forget(2);
	set_title("warm-ups");
	walk();
	return title[0] == 0;
}
