/* Linked lists and a heap: allocate, link, reverse, merge sort, free in odd order. */
#include "support.h"

#include <stdlib.h>

struct node {
	struct node *next;
	uint32_t value;
	uint32_t padding[4];
};

static struct node *build(int count, uint32_t *state)
{
	struct node *list = NULL;

	while (count-- > 0) {
		struct node *node = malloc(sizeof(*node) - 4 * (random_next(state) % 4));

		CHECK(node != NULL);
		node->value = random_next(state);
		node->next = list;
		list = node;
	}
	return list;
}

static struct node *reverse(struct node *list)
{
	struct node *done = NULL;

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

static struct node *sort(struct node *list)
{
	struct node *slow = list, *fast;

	if (!list || !list->next)
		return list;
	for (fast = list->next; fast && fast->next; fast = fast->next->next)
		slow = slow->next;
	fast = slow->next;
	slow->next = NULL;
	return merge(sort(list), sort(fast));
}

/* Free every other node, then the rest, so that the heap has holes to join. */
static void destroy(struct node *list)
{
	struct node *node, *next;

	for (node = list; node && node->next; node = node->next) {
		next = node->next;
		node->next = next->next;
		free(next);
	}
	for (; list; list = next) {
		next = list->next;
		free(list);
	}
}

int main(void)
{
	uint32_t state = 2026;
	int round;

	for (round = 0; round < REPEAT * 3; round++) {
		struct node *list = build(200, &state), *node;
		uint32_t sum = 0, count = 0;

		for (node = list; node; node = node->next)
			sum += node->value;
		list = sort(reverse(list));
		for (node = list; node; node = node->next) {
			sum -= node->value;
			count++;
			CHECK(!node->next || node->value <= node->next->value);
		}
		CHECK(sum == 0 && count == 200);
		destroy(list);
	}
	return 0;
}
