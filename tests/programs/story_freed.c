/* A story for docs/why.md: a timer keeps a pointer to a connection that was freed, and the memory
 * has another owner when the timer fires. */
#include "support.h"

#include <stddef.h>

#define BLOCKS 4

/* A pool of blocks of one size; a free one begins with the next one. */
static union block {
	union block *next;
	uint32_t words[6];
} blocks[BLOCKS], *free_blocks;

struct connection {
	uint32_t number;
	void (*on_timeout)(struct connection *connection);
};

struct message {
	char text[24];
};

static struct connection *timers[2];
static uint32_t timeouts;

static void *__attribute__((noipa)) take(void)
{
	union block *block = free_blocks;

	free_blocks = block->next;
	return block;
}

static void __attribute__((noipa)) give_back(void *memory)
{
	union block *block = memory;

	block->next = free_blocks;
	free_blocks = block;
}

static void __attribute__((noipa)) count_timeout(struct connection *connection)
{
	timeouts += connection->number;
}

static struct connection *__attribute__((noipa)) open_connection(uint32_t number)
{
	struct connection *connection = take();

	connection->number = number;
	connection->on_timeout = count_timeout;
	timers[number] = connection;
	return connection;
}

/* Its timer stays. */
static void __attribute__((noipa)) close_connection(struct connection *connection)
{
	give_back(connection);
}

static struct message *__attribute__((noipa)) new_message(const char *text)
{
	struct message *message = take();

	for (unsigned i = 0; (message->text[i] = text[i]); i++)
		;
	return message;
}

static void __attribute__((noipa)) run_timers(void)
{
	for (unsigned i = 0; i < 2; i++)
		timers[i]->on_timeout(timers[i]);
}

int main(void)
{
	struct connection *first;

	for (unsigned i = 0; i < BLOCKS; i++)
		give_back(&blocks[i]);
	first = open_connection(0);
	open_connection(1);
	run_timers();
	close_connection(first);
	new_message("hello, world");
	run_timers();
	return 0;
}
