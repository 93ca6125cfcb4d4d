/* Sorting 64 KiB of numbers: quicksort and heapsort, far jumps through memory. */
#include "support.h"

#define COUNT 16384

static uint32_t a[COUNT], b[COUNT];

static void swap(uint32_t *x, uint32_t *y)
{
	uint32_t t = *x;

	*x = *y;
	*y = t;
}

static void quick(uint32_t *v, int low, int high)
{
	while (low < high) {
		uint32_t pivot = v[(low + high) / 2];
		int i = low, j = high;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j)
				swap(&v[i++], &v[j--]);
		}
		quick(v, low, j);
		low = i;
	}
}

static void sift(uint32_t *v, int root, int count)
{
	uint32_t value = v[root];
	int child;

	while ((child = 2 * root + 1) < count) {
		if (child + 1 < count && v[child + 1] > v[child])
			child++;
		if (value >= v[child])
			break;
		v[root] = v[child];
		root = child;
	}
	v[root] = value;
}

static void heap(uint32_t *v, int count)
{
	int i;

	for (i = count / 2 - 1; i >= 0; i--)
		sift(v, i, count);
	for (i = count - 1; i > 0; i--) {
		swap(&v[0], &v[i]);
		sift(v, 0, i);
	}
}

int main(void)
{
	uint32_t state = 5;
	int round, i;

	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < COUNT; i++)
			a[i] = b[i] = random_next(&state);
		quick(a, 0, COUNT - 1);
		heap(b, COUNT);
		for (i = 0; i < COUNT; i++) {
			CHECK(a[i] == b[i]);
			CHECK(i == 0 || a[i - 1] <= a[i]);
		}
	}
	return 0;
}
