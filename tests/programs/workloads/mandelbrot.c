/* The Mandelbrot set in single precision and in fixed point: both must draw nearly the same. */
#include "support.h"

#define WIDTH  48
#define HEIGHT 24
#define LIMIT  60

static uint8_t image[HEIGHT][WIDTH];

static int escape(float cr, float ci)
{
	float zr = 0, zi = 0;
	int n;

	for (n = 0; n < LIMIT; n++) {
		float r2 = zr * zr, i2 = zi * zi;

		if (r2 + i2 > 4)
			break;
		zi = 2 * zr * zi + ci;
		zr = r2 - i2 + cr;
	}
	return n;
}

/* 4.28 bits */
static int escape_fixed(int32_t cr, int32_t ci)
{
	int64_t zr = 0, zi = 0;
	int n;

	for (n = 0; n < LIMIT; n++) {
		int64_t r2 = zr * zr >> 28, i2 = zi * zi >> 28;

		if (r2 + i2 > (INT64_C(4) << 28))
			break;
		zi = (zr * zi >> 27) + ci;
		zr = r2 - i2 + cr;
	}
	return n;
}

int main(void)
{
	int round, x, y;

	for (round = 0; round < REPEAT; round++) {
		int different = 0, inside = 0;

		for (y = 0; y < HEIGHT; y++) {
			for (x = 0; x < WIDTH; x++) {
				float cr = (float)(x - 32) / 16, ci = (float)(y - 12) / 10;
				int n = escape(cr, ci);

				image[y][x] = (uint8_t)n;
				inside += n == LIMIT;
				different += n != escape_fixed((int32_t)(cr * (1 << 28)),
							  (int32_t)(ci * (1 << 28)));
			}
		}
		CHECK(different < WIDTH * HEIGHT / 20);
		CHECK(inside > 150 && inside < 400);
		for (x = 0; x < WIDTH; x++) /* symmetric about the real axis */
			CHECK(image[10][x] == image[14][x]);
	}
	return 0;
}
