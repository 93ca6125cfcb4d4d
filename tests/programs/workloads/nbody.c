/* Bodies under gravity in double precision: the energy and the momentum must stay. With soft floats
 * where there is no hardware for it. */
#include "support.h"

#define BODIES 5
#define STEP   0.001

struct body {
	double at[3], speed[3], mass;
};

static struct body bodies[BODIES];

/* By Newton's method: the C library's is not needed for it. */
static double square_root(double x)
{
	double guess = x > 1 ? x / 2 : 1, next = guess;
	int k;

	for (k = 0; k < 60; k++) {
		next = 0.5 * (guess + x / guess);
		if (next == guess)
			break;
		guess = next;
	}
	return next;
}

static double distance(const struct body *x, const struct body *y, double *d)
{
	double sum = 0.01; /* softened, so that no two get too near */
	int k;

	for (k = 0; k < 3; k++) {
		d[k] = x->at[k] - y->at[k];
		sum += d[k] * d[k];
	}
	return square_root(sum);
}

static void advance(void)
{
	double d[3];
	int i, j, k;

	for (i = 0; i < BODIES; i++) {
		for (j = i + 1; j < BODIES; j++) {
			double r = distance(&bodies[i], &bodies[j], d);
			double pull = STEP / (r * r * r);

			for (k = 0; k < 3; k++) {
				bodies[i].speed[k] -= d[k] * bodies[j].mass * pull;
				bodies[j].speed[k] += d[k] * bodies[i].mass * pull;
			}
		}
	}
	for (i = 0; i < BODIES; i++)
		for (k = 0; k < 3; k++)
			bodies[i].at[k] += STEP * bodies[i].speed[k];
}

static double energy(void)
{
	double sum = 0, d[3];
	int i, j, k;

	for (i = 0; i < BODIES; i++) {
		for (k = 0; k < 3; k++)
			sum += 0.5 * bodies[i].mass * bodies[i].speed[k] * bodies[i].speed[k];
		for (j = i + 1; j < BODIES; j++)
			sum -= bodies[i].mass * bodies[j].mass /
			       distance(&bodies[i], &bodies[j], d);
	}
	return sum;
}

int main(void)
{
	uint32_t state = 101;
	double before, after, momentum;
	int i, k;

	for (i = 0; i < BODIES; i++) {
		bodies[i].mass = 1 + (double)(random_next(&state) % 100) / 10;
		for (k = 0; k < 3; k++) {
			bodies[i].at[k] = (double)(int32_t)random_next(&state) / 1e8;
			bodies[i].speed[k] = (double)(int32_t)random_next(&state) / 1e10;
		}
	}
	before = energy();
	for (i = 0; i < 8 * REPEAT; i++)
		advance();
	after = energy();
	CHECK(after - before < 0.01 && before - after < 0.01);
	for (k = 0; k < 3; k++) {
		for (i = 0, momentum = 0; i < BODIES; i++)
			momentum += bodies[i].mass * bodies[i].speed[k];
		CHECK(momentum < 1e3 && momentum > -1e3);
	}
	return 0;
}
