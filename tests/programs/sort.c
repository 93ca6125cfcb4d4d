/* Three sorts over the same numbers: quicksort, heapsort and insertion sort must agree. */
#include "support.h"

#define COUNT 400
#define SMALL 60

static int32_t a[COUNT], b[COUNT], c[SMALL];

static void swap(int32_t *x, int32_t *y)
{
	int32_t t = *x;

	*x = *y;
	*y = t;
}

static void quicksort(int32_t *v, int low, int high)
{
	int i = low, j = high;
	int32_t pivot;

	if (low >= high)
		return;
	pivot = v[(low + high) / 2];
	while (i <= j) {
		while (v[i] < pivot)
			i++;
		while (v[j] > pivot)
			j--;
		if (i <= j)
			swap(&v[i++], &v[j--]);
	}
	quicksort(v, low, j);
	quicksort(v, i, high);
}

static void sift(int32_t *v, int root, int count)
{
	int child;

	while ((child = 2 * root + 1) < count) {
		if (child + 1 < count && v[child + 1] > v[child])
			child++;
		if (v[root] >= v[child])
			return;
		swap(&v[root], &v[child]);
		root = child;
	}
}

static void heapsort_numbers(int32_t *v, int count)
{
	int i;

	for (i = count / 2 - 1; i >= 0; i--)
		sift(v, i, count);
	for (i = count - 1; i > 0; i--) {
		swap(&v[0], &v[i]);
		sift(v, 0, i);
	}
}

static void insertion_sort(int32_t *v, int count)
{
	int i, j;

	for (i = 1; i < count; i++) {
		int32_t x = v[i];

		for (j = i; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

int main(void)
{
	uint32_t state = 0x12345678;
	int round, i;

	for (round = 0; round < REPEAT; round++) {
		uint32_t sum = 0, sorted_sum = 0;

		for (i = 0; i < COUNT; i++) {
			a[i] = b[i] = (int32_t)random_next(&state);
			sum += (uint32_t)a[i];
			if (i < SMALL)
				c[i] = a[i];
		}
		quicksort(a, 0, COUNT - 1);
		heapsort_numbers(b, COUNT);
		insertion_sort(c, SMALL);
		for (i = 0; i < COUNT; i++) {
			CHECK(a[i] == b[i]);
			CHECK(i == 0 || a[i - 1] <= a[i]);
			sorted_sum += (uint32_t)a[i];
		}
		for (i = 1; i < SMALL; i++)
			CHECK(c[i - 1] <= c[i]);
		CHECK(sum == sorted_sum);
	}
	return 0;
}
