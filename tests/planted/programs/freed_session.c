/* kind: use after free
 * first: wild jump
 * says: in a block of 24 bytes at .* allocated by message
 * says: accessed as sessions\[1\]->closed \(struct session\)
 * says: the block there before it was allocated by open_session.* freed by close_session
 * A session is freed, and its table still has it when a message takes the memory.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

struct session {
	int id;
	void (*closed)(struct session *session);
	char peer[16];
};
static struct session *sessions[3];
static volatile int count;

static void on_closed(struct session *session)
{
	count += session->id;
}

__attribute__((noinline)) static void open_session(int i)
{
	struct session *session = malloc(sizeof(*session));

	*session = (struct session){i, on_closed, "peer"};
	sessions[i] = session;
}

__attribute__((noinline)) static void close_session(int i)
{
	sessions[i]->closed(sessions[i]);
	free(sessions[i]); /* BUG: sessions[i] is still set */
}

__attribute__((noinline)) static char *message(const char *text)
{
	return strcpy(malloc(24), text);
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		open_session(i);
	close_session(1);
	char *text = message("HELO mail.example.org");
	for (int i = 0; i < 3; i++)
		close_session(i);
	return text[0] == 0;
}
