/* kind: stack overflow into data
 * first: ^stack overflow
 * Deep calls with a large local array write over a list.
 */
#include <string.h>

#include "support.h"

extern char __heap_end[];
struct entry {
	struct entry *next;
	unsigned key;
};
static struct entry *entries;
static char *top;

__attribute__((noinline)) static void add(unsigned key)
{
	if (!top)
		top = __heap_end;
	top -= sizeof(struct entry);
	struct entry *entry = (struct entry *)(void *)top;
	*entry = (struct entry){entries, key};
	entries = entry;
}

__attribute__((noinline)) static unsigned visit(const char *path, unsigned level)
{
	char name[200]; /* BUG: 45 levels of it are more than the stack has */

	memset(name, 'a' + (int)level % 20, sizeof(name)); /* BAD */
	if (level == 0)
		return (unsigned char)path[5];
	return visit(name, level - 1) + (unsigned char)name[4];
}

__attribute__((noinline)) static unsigned keys(void)
{
	unsigned sum = 0;

	for (const struct entry *entry = entries; entry; entry = entry->next)
		sum += entry->key;
	return sum;
}

int main(void)
{
	for (unsigned i = 0; i < 50; i++)
		add(i);
	unsigned before = keys();
	unsigned names = visit("/home", 42);
	return keys() != before || names == 0;
}
