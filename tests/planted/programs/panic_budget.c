/* kind: panic
 * first: exit code 61
 * A function of the program's own ends it; who called it, and why, is the question.
 */
#include "support.h"

struct account {
	int balance, reserved;
};
static struct account accounts[3] = {{100, 0}, {80, 0}, {50, 0}};

__attribute__((noinline)) static void panic(int code)
{
	uart_print("panic\n");
	finish(code);
}

__attribute__((noinline)) static void reserve(struct account *account, int amount)
{
	account->reserved += amount; /* BUG: not held against the balance */
}

__attribute__((noinline)) static void settle(struct account *account)
{
	if (account->reserved > account->balance)
		panic(61);
	account->balance -= account->reserved;
	account->reserved = 0;
}

int main(void)
{
	for (int day = 0; day < 5; day++) {
		for (int i = 0; i < 3; i++)
			reserve(&accounts[i], 15 + i);
		for (int i = 0; i < 3; i++)
			settle(&accounts[i]);
	}
	return 0;
}
