/* Signal processing in integers: a FIR filter, a chain of biquads, a lattice, vector products, and
 * a cosine transform of 8 by 8 blocks. Filters are linear; the transform keeps the energy. */
#include "support.h"

#define SAMPLES 256
#define TAPS    32

static int16_t input[SAMPLES + TAPS], other[SAMPLES + TAPS], both[SAMPLES + TAPS];
static int32_t output[3][SAMPLES];
static int16_t taps[TAPS];

static void fir(int32_t *out, const int16_t *in)
{
	int i, k;

	for (i = 0; i < SAMPLES; i++) {
		int32_t sum = 0;

		for (k = 0; k < TAPS; k++)
			sum += taps[k] * in[i + k];
		out[i] = sum;
	}
}

static int32_t biquad(int32_t x, int32_t *delay)
{
	int32_t y = x + (3 * delay[0] - delay[1]) / 8;

	delay[1] = delay[0];
	delay[0] = y;
	return y;
}

static int32_t lattice(int32_t x, int32_t *b)
{
	static const int8_t k[6] = {12, -9, 7, 5, -3, 2};
	int i;

	for (i = 5; i >= 0; i--) {
		x -= k[i] * b[i] / 32;
		b[i + 1] = b[i] + k[i] * x / 32;
	}
	b[0] = x;
	return x;
}

/* 16384 * cos((2 x + 1) u pi / 16) / 2, and over sqrt 2 for u = 0 */
static const int16_t cosines[8][8] = {
	{5793, 5793, 5793, 5793, 5793, 5793, 5793, 5793},
	{8035, 6811, 4551, 1598, -1598, -4551, -6811, -8035},
	{7568, 3135, -3135, -7568, -7568, -3135, 3135, 7568},
	{6811, -1598, -8035, -4551, 4551, 8035, 1598, -6811},
	{5793, -5793, -5793, 5793, 5793, -5793, -5793, 5793},
	{4551, -8035, 1598, 6811, -6811, -1598, 8035, -4551},
	{3135, -7568, 7568, -3135, -3135, 7568, -7568, 3135},
	{1598, -4551, 6811, -8035, 8035, -6811, 4551, -1598},
};

static void transform_rows(int32_t *out, const int32_t *in)
{
	int i, u, x;

	for (i = 0; i < 8; i++) {
		for (u = 0; u < 8; u++) {
			int32_t sum = 0;

			for (x = 0; x < 8; x++)
				sum += cosines[u][x] * in[8 * i + x];
			out[8 * u + i] = (sum + 8192) >> 14; /* transposed: twice is both ways */
		}
	}
}

static void check_transform(const int16_t *samples)
{
	int32_t block[64], half[64], done[64];
	int64_t before = 0, after = 0;
	int i;

	for (i = 0; i < 64; i++) {
		block[i] = samples[i];
		before += (int64_t)block[i] * block[i];
	}
	transform_rows(half, block);
	transform_rows(done, half);
	for (i = 0; i < 64; i++)
		after += (int64_t)done[i] * done[i];
	CHECK(after > before - before / 50 - 1000 && after < before + before / 50 + 1000);
}

static int64_t product(const int16_t *x, const int16_t *y)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < SAMPLES; i++)
		sum += (int32_t)x[i] * y[i];
	return sum;
}

int main(void)
{
	uint32_t state = 71;
	int round, i;

	for (i = 0; i < TAPS; i++)
		taps[i] = (int16_t)((int32_t)random_next(&state) >> 20);
	for (round = 0; round < REPEAT; round++) {
		int32_t delay[2][2] = {{0}}, b[7] = {0}, peak = 0;

		for (i = 0; i < SAMPLES + TAPS; i++) {
			input[i] = (int16_t)((int32_t)random_next(&state) >> 18);
			other[i] = (int16_t)((int32_t)random_next(&state) >> 18);
			both[i] = (int16_t)(input[i] + other[i]);
		}
		fir(output[0], input);
		fir(output[1], other);
		fir(output[2], both);
		for (i = 0; i < SAMPLES; i++)
			CHECK(output[0][i] + output[1][i] == output[2][i]);
		CHECK(product(both, both) ==
			product(input, input) + product(other, other) + 2 * product(input, other));
		for (i = 0; i < SAMPLES; i++) {
			int32_t y = lattice(biquad(biquad(input[i], delay[0]), delay[1]), b);

			peak = y > peak ? y : -y > peak ? -y : peak;
		}
		CHECK(peak > 100 && peak < 400000);
		for (i = 0; i + 64 <= SAMPLES; i += 64)
			check_transform(input + i);
	}
	return 0;
}
