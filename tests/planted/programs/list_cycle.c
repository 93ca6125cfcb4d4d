/* kind: list with a cycle
 * first: ^hang
 * says: the loop would end if a\d == 0
 * A node that is in the list is put into it once more.
 */
#include "support.h"

struct job {
	struct job *next;
	unsigned cost;
};
static struct job jobs[5], *head;

__attribute__((noinline)) static void submit(struct job *job)
{
	job->next = head; /* BUG: it may be in the list */
	head = job;
}

__attribute__((noinline)) static unsigned cost(void)
{
	unsigned sum = 0;

	for (const struct job *job = head; job; job = job->next)
		sum += job->cost;
	return sum;
}

int main(void)
{
	for (unsigned i = 0; i < 5; i++) {
		jobs[i].cost = i + 1;
		submit(&jobs[i]);
	}
	submit(&jobs[2]);
	return cost() == 0;
}
