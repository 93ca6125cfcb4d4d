/* A story for docs/why.md: a recursion is deeper than the stack is large, and writes over a
 * variable below it. Built with a stack of 1 KiB and no heap, so that .bss is below the stack. */
#include "support.h"

static struct {
	uint32_t results[16];
	void (*volatile on_done)(uint32_t depth);
} parser;

static void __attribute__((noipa)) done(uint32_t depth)
{
	parser.results[0] = depth;
}

/* Depth of nested brackets: one activation for each. */
static uint32_t __attribute__((noipa)) parse(const char **text)
{
	uint32_t depth = 1, inner;

	while (*(*text)++ == '(') {
		inner = parse(text);
		if (inner >= depth)
			depth = inner + 1;
	}
	return depth;
}

#define TEN "(((((((((("

int main(void)
{
	const char *at = TEN TEN TEN TEN TEN TEN "(((((";
	uint32_t depth;

	parser.on_done = done;
	depth = parse(&at);
	parser.on_done(depth);
	return 0;
}
