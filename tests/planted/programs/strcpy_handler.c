/* kind: buffer overflow by strcpy
 * first: wild jump
 * A name is longer than its room, and the function pointer after it is called.
 */
#include <string.h>

#include "support.h"

struct client {
	char name[8];
	void (*on_close)(struct client *client);
};
static struct client clients[3];
static volatile int closed;

static void count(struct client *client)
{
	closed += client->name[0];
}

__attribute__((noinline)) static void open_client(int i, const char *name)
{
	clients[i].on_close = count;
	strcpy(clients[i].name, name); /* BUG: 8 bytes */
}

int main(void)
{
	open_client(0, "anna");
	open_client(1, "bartholomew");
	open_client(2, "cem");
	for (int i = 0; i < 3; i++)
		clients[i].on_close(&clients[i]);
	return closed == 0;
}
