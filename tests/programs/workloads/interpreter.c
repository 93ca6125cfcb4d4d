/* A stack machine in a dispatch loop, running a sieve and a recursive function in its own code. */
#include "support.h"

enum {
	PUSH, /* the next byte */
	LOAD, /* variable in the next byte */
	STORE,
	GET, /* memory[top] */
	PUT, /* memory[top] = next */
	ADD,
	SUB,
	MUL,
	LESS,
	JUMP, /* to the address in the next byte */
	JUMP_IF_NOT,
	CALL,
	RETURN, /* with the top as the result, dropping one argument */
	ARGUMENT,
	HALT,
};

#define SIEVE_SIZE 250

static const uint8_t sieve[] = {
	/*  0 */ PUSH,
	2,
	STORE,
	0, /* i = 2 */
	/*  4 */ LOAD,
	0,
	PUSH,
	SIEVE_SIZE,
	LESS, /* while i < size */
	/*  9 */ JUMP_IF_NOT,
	52,
	/* 11 */ LOAD,
	0,
	GET,
	JUMP_IF_NOT,
	18, /* if not marked */
	/* 16 */ JUMP,
	43,
	/* 18 */ LOAD,
	2,
	PUSH,
	1,
	ADD,
	STORE,
	2, /*   count++ */
	/* 25 */ LOAD,
	0,
	LOAD,
	0,
	ADD,
	STORE,
	1, /*   j = i + i */
	/* 32 */ LOAD,
	1,
	PUSH,
	SIEVE_SIZE,
	LESS, /*   while j < size */
	/* 37 */ JUMP_IF_NOT,
	43,
	/* 39 */ JUMP,
	53,
	HALT,
	HALT,
	/* 43 */ LOAD,
	0,
	PUSH,
	1,
	ADD,
	STORE,
	0, /* i++ */
	/* 50 */ JUMP,
	4,
	/* 52 */ HALT,
	/* 53 */ PUSH,
	1,
	LOAD,
	1,
	PUT, /*     memory[j] = 1 */
	/* 58 */ LOAD,
	1,
	LOAD,
	0,
	ADD,
	STORE,
	1, /*     j += i */
	/* 65 */ JUMP,
	32,
};

static const uint8_t fibonacci[] = {
	/*  0 */ PUSH,
	15,
	CALL,
	7,
	STORE,
	0,
	HALT,
	/*  7 */ ARGUMENT,
	PUSH,
	2,
	LESS,
	JUMP_IF_NOT,
	15,
	/* 13 */ ARGUMENT,
	RETURN,
	/* 15 */ ARGUMENT,
	PUSH,
	1,
	SUB,
	CALL,
	7,
	/* 21 */ ARGUMENT,
	PUSH,
	2,
	SUB,
	CALL,
	7,
	/* 27 */ ADD,
	RETURN,
};

static int32_t stack[256], variables[4], memory[256];

static void run(const uint8_t *code)
{
	int32_t *top = stack; /* *top is the next free place */
	int frame = 0, frames[64],
	    depth = 0; /* place of the argument; return addresses beside it */
	int back[64];
	int pc = 0;

	for (;;) {
		switch (code[pc++]) {
		case PUSH: *top++ = code[pc++]; break;
		case LOAD: *top++ = variables[code[pc++]]; break;
		case STORE: variables[code[pc++]] = *--top; break;
		case GET: top[-1] = memory[top[-1]]; break;
		case PUT:
			top -= 2;
			memory[top[1]] = top[0];
			break;
		case ADD: top--, top[-1] += top[0]; break;
		case SUB: top--, top[-1] -= top[0]; break;
		case MUL: top--, top[-1] *= top[0]; break;
		case LESS: top--, top[-1] = top[-1] < top[0]; break;
		case JUMP: pc = code[pc]; break;
		case JUMP_IF_NOT: pc = *--top ? pc + 1 : code[pc]; break;
		case CALL:
			frames[depth] = frame;
			back[depth++] = pc + 1;
			frame = (int)(top - stack) - 1;
			pc = code[pc];
			break;
		case RETURN:
			stack[frame] = top[-1];
			top = stack + frame + 1;
			frame = frames[--depth];
			pc = back[depth];
			break;
		case ARGUMENT: *top++ = stack[frame]; break;
		default: return;
		}
	}
}

int main(void)
{
	int round, i;

	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < 256; i++)
			memory[i] = 0;
		variables[2] = 0;
		run(sieve);
		CHECK(variables[2] == 53); /* primes below 250 */
		run(fibonacci);
		CHECK(variables[0] == 610);
	}
	return 0;
}
