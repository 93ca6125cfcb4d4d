/* kind: wrong member of a union
 * first: (load|store) (access fault|address misaligned)
 * A message with a number is taken for one with a pointer.
 */
#include "support.h"

struct message {
	unsigned kind;
	union {
		unsigned number;
		const char *text;
	};
};
static struct message messages[2];
static volatile unsigned length;

__attribute__((noinline)) static void send_number(struct message *message, unsigned number)
{
	message->kind = 2;
	message->number = number; /* BAD */
}

__attribute__((noinline)) static void send_text(struct message *message, const char *text)
{
	message->kind = 1;
	message->text = text;
}

__attribute__((noinline)) static unsigned length_of(const struct message *message)
{
	unsigned size = 0;

	if (message->kind) /* BUG: a number has a kind, too */
		while (message->text[size])
			size++;
	return size;
}

int main(void)
{
	send_text(&messages[0], "hello");
	send_number(&messages[1], 0x7000);
	for (int i = 0; i < 2; i++)
		length += length_of(&messages[i]);
	return 0;
}
