/* A story for docs/why.md: a name that is too long runs into the pointer behind it, and much later
 * that pointer is used. */
#include "support.h"

struct counter {
	uint32_t messages, bytes;
};

struct session {
	char name[8];
	struct counter *counter;
};

static struct counter counters[3];
static struct session sessions[3];

/* The length of the name is not checked. */
static void __attribute__((noipa)) set_name(struct session *session, const char *name)
{
	char *to = session->name;

	while ((*to++ = *name++))
		;
}

static void __attribute__((noipa)) receive(struct session *session, uint32_t size)
{
	session->counter->messages++;
	session->counter->bytes += size;
}

int main(void)
{
	static const char *const names[] = {"alice", "bob", "christopher"};

	for (unsigned i = 0; i < 3; i++) {
		sessions[i].counter = &counters[i];
		set_name(&sessions[i], names[i]);
	}
	for (unsigned round = 0; round < 20; round++)
		for (unsigned i = 0; i < 3; i++)
			receive(&sessions[round < 15 ? i % 2 : i], round * 7 + i);
	return 0;
}
