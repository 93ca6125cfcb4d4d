/* Code that writes code: formulas are translated to instructions, made visible with fence.i and
 * called; an evaluation without translation must agree. */
#include "support.h"

#define STEPS     24
#define FUNCTIONS 16

enum { ADD_CONSTANT, ADD, SUB, XOR, AND, SHIFT_LEFT, MULTIPLY, OPERATIONS };

struct step {
	uint8_t operation;
	int16_t constant;
};

static struct step formulas[FUNCTIONS][STEPS];
static uint32_t code[FUNCTIONS][STEPS + 2] __attribute__((aligned(16)));

static uint32_t type_i(uint32_t opcode, uint32_t funct3, int constant)
{
	return (uint32_t)constant << 20 | 10 << 15 | funct3 << 12 | 10 << 7 | opcode;
}

/* a0 = a0 operation a1 */
static uint32_t type_r(uint32_t funct7, uint32_t funct3)
{
	return funct7 << 25 | 11 << 20 | 10 << 15 | funct3 << 12 | 10 << 7 | 0x33;
}

static void translate(const struct step *formula, uint32_t *out)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		switch (formula[i].operation) {
		case ADD_CONSTANT: *out++ = type_i(0x13, 0, formula[i].constant); break;
		case ADD: *out++ = type_r(0, 0); break;
		case SUB: *out++ = type_r(0x20, 0); break;
		case XOR: *out++ = type_r(0, 4); break;
		case AND: *out++ = type_r(0, 7); break;
		case SHIFT_LEFT: *out++ = type_i(0x13, 1, formula[i].constant & 3); break;
		default: *out++ = type_r(1, 0); break;
		}
	}
	*out++ = 0x00008067; /* ret */
	__asm__ volatile("fence.i" ::: "memory");
}

static xword evaluate(const struct step *formula, xword x, xword y)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		switch (formula[i].operation) {
		case ADD_CONSTANT: x += (xword)(long)formula[i].constant; break;
		case ADD: x += y; break;
		case SUB: x -= y; break;
		case XOR: x ^= y; break;
		case AND: x &= y; break;
		case SHIFT_LEFT: x <<= formula[i].constant & 3; break;
		default: x *= y; break;
		}
	}
	return x;
}

int main(void)
{
	uint32_t state = 41, round, n;
	int i;

	for (round = 0; round < 60 * REPEAT; round++) {
		/* One function is new, the others are as they were. */
		n = round % FUNCTIONS;
		for (i = 0; i < STEPS; i++) {
			formulas[n][i].operation = (uint8_t)(random_next(&state) % OPERATIONS);
			formulas[n][i].constant = (int16_t)(random_next(&state) % 4096 - 2048);
		}
		translate(formulas[n], code[n]);
		for (i = 0; i < FUNCTIONS && i <= (int)round; i++) {
			xword x = random_next(&state), y = random_next(&state) | 1;

			CHECK(((xword(*)(xword, xword))code[i])(x, y) ==
				evaluate(formulas[i], x, y));
		}
	}
	return 0;
}
