/* kind: list that is changed while it is walked
 * first: exit code
 * A timer that is removed leads the walk into the list of free ones.
 */
#include "support.h"

struct timer {
	struct timer *next;
	unsigned due;
};
static struct timer timers[6], *active, *unused;
static volatile unsigned fired;

__attribute__((noinline)) static void add(struct timer *timer, unsigned due)
{
	timer->due = due;
	timer->next = active;
	active = timer;
}

__attribute__((noinline)) static void remove_timer(struct timer *timer)
{
	struct timer **link = &active;

	while (*link != timer)
		link = &(*link)->next;
	*link = timer->next;
	timer->next = unused; /* BAD: of the other list from now on */
	unused = timer;
}

__attribute__((noinline)) static void tick(unsigned now)
{
	for (struct timer *timer = active; timer;
		timer = timer->next) { /* BUG: it may be removed */
		if (timer->due > now)
			continue;
		fired++;
		remove_timer(timer);
	}
}

int main(void)
{
	for (unsigned i = 0; i < 6; i++)
		add(&timers[i], i < 3 ? 5 : 50);
	tick(1);
	CHECK(fired == 0);
	tick(10);
	CHECK(fired == 3);
	return 0;
}
