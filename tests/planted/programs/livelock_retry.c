/* kind: livelock
 * first: ^hang
 * says: the loop would end if \w+ [=!<>]+ \w+
 * Two halves of a protocol undo what the other did, for ever.
 */
#include "support.h"

static volatile unsigned want[2], done;

__attribute__((noinline)) static void enter(unsigned me)
{
	want[me] = 1;
	if (want[!me]) /* BUG: both give way, and neither remembers whose turn it is */
		want[me] = 0;
	else
		done++;
}

int main(void)
{
	want[0] = want[1] = 1;
	while (done < 2) {
		enter(0);
		want[0] = 1;
		enter(1);
		want[1] = 1;
	}
	return 0;
}
