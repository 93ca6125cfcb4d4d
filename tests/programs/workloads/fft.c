/* Fast Fourier transform and matrices in double precision: forth and back gives the signal again,
 * and a matrix times its inverse is the unit matrix. */
#include "support.h"

#define SIZE 256
#define N    12

static double re[SIZE], im[SIZE], signal[SIZE];
static double cosine[SIZE / 2], sine[SIZE / 2];
static double matrix[N][N], left[N][N], inverse[N][N];

static double absolute(double x)
{
	return x < 0 ? -x : x;
}

/* Powers of e^(-2 pi i / SIZE), by angle addition from the first one. */
static void make_roots(void)
{
	const double c = 0.99969881869620425, s = 0.024541228522912288; /* of 2 pi / 256 */
	int k;

	cosine[0] = 1;
	sine[0] = 0;
	for (k = 1; k < SIZE / 2; k++) {
		cosine[k] = cosine[k - 1] * c - sine[k - 1] * s;
		sine[k] = sine[k - 1] * c + cosine[k - 1] * s;
	}
}

static void transform(int back)
{
	int i, j, k, half;

	for (i = 1, j = 0; i < SIZE; i++) {
		int bit = SIZE / 2;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			double t = re[i];

			re[i] = re[j];
			re[j] = t;
			t = im[i];
			im[i] = im[j];
			im[j] = t;
		}
	}
	for (half = 1; half < SIZE; half *= 2) {
		for (i = 0; i < SIZE; i += 2 * half) {
			for (k = 0; k < half; k++) {
				double wr = cosine[k * (SIZE / 2 / half)];
				double wi = sine[k * (SIZE / 2 / half)] * (back ? 1 : -1);
				double xr = re[i + k + half], xi = im[i + k + half];
				double tr = wr * xr - wi * xi, ti = wr * xi + wi * xr;

				re[i + k + half] = re[i + k] - tr;
				im[i + k + half] = im[i + k] - ti;
				re[i + k] += tr;
				im[i + k] += ti;
			}
		}
	}
}

static void invert(void)
{
	int i, j, k;

	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++)
			inverse[i][j] = i == j;
	for (k = 0; k < N; k++) {
		double pivot = left[k][k];

		for (j = 0; j < N; j++) {
			left[k][j] /= pivot;
			inverse[k][j] /= pivot;
		}
		for (i = 0; i < N; i++) {
			double factor = left[i][k];

			if (i == k)
				continue;
			for (j = 0; j < N; j++) {
				left[i][j] -= factor * left[k][j];
				inverse[i][j] -= factor * inverse[k][j];
			}
		}
	}
}

static void check_inverse(void)
{
	int i, j, k;

	for (i = 0; i < N; i++) {
		for (j = 0; j < N; j++) {
			double sum = 0;

			for (k = 0; k < N; k++)
				sum += matrix[i][k] * inverse[k][j];
			CHECK(absolute(sum - (i == j)) < 1e-9);
		}
	}
}

int main(void)
{
	uint32_t state = 64;
	int round, i, j;

	make_roots();
	for (round = 0; round < REPEAT; round++) {
		double power = 0, spectrum = 0;

		for (i = 0; i < SIZE; i++) {
			signal[i] = re[i] = (double)(int32_t)random_next(&state) / 65536.0;
			im[i] = 0;
			power += signal[i] * signal[i];
		}
		transform(0);
		for (i = 0; i < SIZE; i++)
			spectrum += re[i] * re[i] + im[i] * im[i];
		CHECK(absolute(spectrum / SIZE - power) < power * 1e-9);
		transform(1);
		for (i = 0; i < SIZE; i++)
			CHECK(absolute(re[i] / SIZE - signal[i]) < 1e-6);

		for (i = 0; i < N; i++)
			for (j = 0; j < N; j++)
				matrix[i][j] = left[i][j] =
					(double)(random_next(&state) % 1000) + (i == j ? 20000 : 0);
		invert();
		check_inverse();
	}
	return 0;
}
