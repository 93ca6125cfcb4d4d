/* A linked list of 8192 nodes in random places: nothing is near anything. */
#include "support.h"

#define COUNT 8192

struct node {
	struct node *next;
	uint32_t value;
	uint32_t visits[2];
};

static struct node nodes[COUNT];
static uint16_t order[COUNT];

static struct node *link_randomly(uint32_t *state)
{
	int i;

	for (i = 0; i < COUNT; i++)
		order[i] = (uint16_t)i;
	for (i = COUNT - 1; i > 0; i--) {
		int j = (int)(random_next(state) % (uint32_t)(i + 1));
		uint16_t t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
	for (i = 0; i < COUNT; i++) {
		struct node *node = &nodes[order[i]];

		node->next = i + 1 < COUNT ? &nodes[order[i + 1]] : 0;
		node->value = random_next(state);
		node->visits[0] = node->visits[1] = 0;
	}
	return &nodes[order[0]];
}

static uint32_t walk(struct node *list, int slot)
{
	uint32_t sum = 0;

	for (; list; list = list->next) {
		sum += list->value;
		list->visits[slot]++;
	}
	return sum;
}

static struct node *reverse(struct node *list)
{
	struct node *done = 0;

	while (list) {
		struct node *next = list->next;

		list->next = done;
		done = list;
		list = next;
	}
	return done;
}

static struct node *merge(struct node *x, struct node *y)
{
	struct node head, *tail = &head;

	while (x && y) {
		struct node **smaller = x->value <= y->value ? &x : &y;

		tail->next = *smaller;
		tail = *smaller;
		*smaller = tail->next;
	}
	tail->next = x ? x : y;
	return head.next;
}

/* Bottom up: runs[k] is a sorted list of 2^k nodes, or empty. */
static struct node *sort(struct node *list)
{
	struct node *runs[20] = {0}, *all = 0;
	int k;

	while (list) {
		struct node *one = list;

		list = list->next;
		one->next = 0;
		for (k = 0; runs[k]; k++) {
			one = merge(runs[k], one);
			runs[k] = 0;
		}
		runs[k] = one;
	}
	for (k = 0; k < 20; k++)
		all = merge(runs[k], all);
	return all;
}

int main(void)
{
	uint32_t state = 77;
	int round, i;

	for (round = 0; round < REPEAT; round++) {
		struct node *list = link_randomly(&state), *node;
		uint32_t sum = walk(list, 0), count = 0;

		for (i = 0; i < 4; i++) {
			list = reverse(list);
			CHECK(walk(list, i & 1) == sum);
		}
		list = sort(list);
		CHECK(walk(list, 1) == sum);
		for (node = list; node; node = node->next) {
			count++;
			CHECK(node->visits[0] == 3 && node->visits[1] == 3);
			CHECK(!node->next || node->value <= node->next->value);
		}
		CHECK(count == COUNT);
	}
	return 0;
}
