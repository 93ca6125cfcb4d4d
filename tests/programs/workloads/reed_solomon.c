/* Reed-Solomon codes over the field of 256: encode, damage, and correct by Berlekamp and Massey,
 * Chien and Forney. */
#include "support.h"

#define DATA   100
#define PARITY 16
#define SIZE   (DATA + PARITY)

static uint8_t power[512], logarithm[256], generator[PARITY + 1];
static uint8_t sent[SIZE], received[SIZE];

static uint8_t multiply(uint8_t x, uint8_t y)
{
	return x && y ? power[logarithm[x] + logarithm[y]] : 0;
}

static uint8_t divide(uint8_t x, uint8_t y)
{
	return x ? power[logarithm[x] + 255 - logarithm[y]] : 0;
}

static void make_field(void)
{
	unsigned x = 1, i, k;

	for (i = 0; i < 255; i++) {
		power[i] = power[i + 255] = (uint8_t)x;
		logarithm[x] = (uint8_t)i;
		x = x << 1 ^ (x & 0x80 ? 0x11d : 0);
	}
	/* (x - a^0)(x - a^1)..., the highest coefficient first */
	generator[0] = 1;
	for (i = 0; i < PARITY; i++) {
		generator[i + 1] = 0;
		for (k = i + 1; k > 0; k--)
			generator[k] ^= multiply(generator[k - 1], power[i]);
	}
}

static void encode(uint8_t *word)
{
	int i, k;

	for (i = DATA; i < SIZE; i++)
		word[i] = 0;
	for (i = 0; i < DATA; i++) {
		uint8_t factor = word[i] ^ word[DATA];

		for (k = 0; k < PARITY - 1; k++)
			word[DATA + k] = word[DATA + k + 1] ^ multiply(factor, generator[k + 1]);
		word[SIZE - 1] = multiply(factor, generator[PARITY]);
	}
}

static int syndromes(const uint8_t *word, uint8_t *out)
{
	int i, k, any = 0;

	for (i = 0; i < PARITY; i++) {
		uint8_t sum = 0;

		for (k = 0; k < SIZE; k++)
			sum = multiply(sum, power[i]) ^ word[k];
		out[i] = sum;
		any |= sum;
	}
	return any;
}

/* The polynomial whose roots tell where the errors are; returns their number. */
static int locate(const uint8_t *syndrome, uint8_t *locator)
{
	uint8_t previous[PARITY + 1] = {1}, old[PARITY + 1], gap_discrepancy = 1;
	int errors = 0, gap = 1, i, k;

	for (k = 0; k <= PARITY; k++)
		locator[k] = k == 0;
	for (i = 0; i < PARITY; i++) {
		uint8_t discrepancy = syndrome[i], factor;

		for (k = 1; k <= errors; k++)
			discrepancy ^= multiply(locator[k], syndrome[i - k]);
		if (!discrepancy) {
			gap++;
			continue;
		}
		for (k = 0; k <= PARITY; k++)
			old[k] = locator[k];
		factor = divide(discrepancy, gap_discrepancy);
		for (k = gap; k <= PARITY; k++)
			locator[k] ^= multiply(factor, previous[k - gap]);
		if (2 * errors > i) {
			gap++;
			continue;
		}
		errors = i + 1 - errors;
		for (k = 0; k <= PARITY; k++)
			previous[k] = old[k];
		gap_discrepancy = discrepancy;
		gap = 1;
	}
	return errors;
}

static uint8_t evaluate(const uint8_t *polynomial, int degree, uint8_t x)
{
	uint8_t sum = 0;

	for (; degree >= 0; degree--)
		sum = multiply(sum, x) ^ polynomial[degree];
	return sum;
}

/* Returns how many places were corrected. */
static int correct(uint8_t *word)
{
	uint8_t syndrome[PARITY], locator[PARITY + 1], evaluator[PARITY] = {0};
	int errors, found = 0, i, k;

	if (!syndromes(word, syndrome))
		return 0;
	errors = locate(syndrome, locator);
	for (i = 0; i < PARITY; i++)
		for (k = 0; k <= i && k <= errors; k++)
			evaluator[i] ^= multiply(locator[k], syndrome[i - k]);
	for (i = 0; i < SIZE; i++) {
		int place = SIZE - 1 - i;
		uint8_t inverse = power[(255 - place) % 255], derivative = 0;

		if (evaluate(locator, errors, inverse))
			continue;
		for (k = 1; k <= errors; k += 2)
			derivative ^=
				multiply(locator[k], power[logarithm[inverse] * (k - 1) % 255]);
		word[i] ^= multiply(
			power[place], divide(evaluate(evaluator, PARITY - 1, inverse), derivative));
		found++;
	}
	return found;
}

int main(void)
{
	uint32_t state = 61;
	int round, i, errors;

	make_field();
	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < DATA; i++)
			sent[i] = (uint8_t)random_next(&state);
		encode(sent);
		for (i = 0; i < SIZE; i++)
			received[i] = sent[i];
		errors = round % (PARITY / 2 + 1);
		for (i = 0; i < errors; i++) /* distinct places */
			received[(13 * i + round) % SIZE] ^=
				(uint8_t)(1 + random_next(&state) % 255);
		CHECK(correct(received) == errors);
		for (i = 0; i < SIZE; i++)
			CHECK(received[i] == sent[i]);
	}
	return 0;
}
