/* kind: member that is not initialised
 * first: access fault|misaligned
 * The text may leave out the register, and then it has what the stack had.
 */
#include "support.h"

struct config {
	unsigned speed;
	unsigned *reg;
};
static unsigned regs[8];

__attribute__((noinline)) static void parse(struct config *config, const char *text)
{
	for (; *text; text++) {
		if (*text == 's')
			config->speed = (unsigned)(text[1] - '0');
		if (*text == 'r')
			config->reg = &regs[text[1] & 7];
	}
}

__attribute__((noinline)) static unsigned stir(unsigned seed)
{
	volatile unsigned work[16];

	for (unsigned i = 0; i < 16; i++)
		work[i] = seed * 0x1357u + i * 0x10101u;
	return work[3];
}

__attribute__((noinline)) static void apply(const char *text)
{
	struct config config; /* BUG: not initialised */

	parse(&config, text);
	*config.reg = config.speed; /* BAD */
}

int main(void)
{
	apply("s3 r4");
	stir(9);
	apply("s5");
	return 0;
}
