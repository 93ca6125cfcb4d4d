/* Packets that a device writes into a ring in memory behind the core's back (the packet source of
 * tests/support/iss): first polled, then with an external interrupt for each. */
#include "support.h"

#define DEVICE     ((volatile uint32_t *)0x10010000)
#define RING       (*(volatile xword *)0x10010000)
#define SLOTS      8
#define SLOT_WORDS 64

enum { RING_HIGH = 1, SLOT_COUNT, CONTROL, SENT, INTERRUPT };

static volatile uint32_t ring[SLOTS][SLOT_WORDS] __attribute__((aligned(64)));
static volatile uint32_t interrupts;
static uint32_t received, total;

void trap_handler(xword *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == CAUSE_EXTERNAL_IRQ);
	CHECK(csr_read(mip) & MIE_EXTERNAL);
	DEVICE[SENT] = 0; /* acknowledge */
	interrupts++;
}

/* Word 0 is written last, so a packet with the right number is whole. */
static void receive(uint32_t number)
{
	volatile uint32_t *slot = ring[number % SLOTS];
	uint32_t sum = 0, count, i;

	CHECK(slot[0] == number + 1);
	count = slot[1];
	CHECK(count >= 1 && count <= 60);
	for (i = 0; i < count; i++)
		sum += slot[3 + i];
	CHECK(sum == slot[2]);
	total += sum;
	received++;
}

static void start(uint32_t interrupt)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		ring[i][0] = 0;
	RING = (xword)ring;
	DEVICE[SLOT_COUNT] = SLOTS;
	DEVICE[INTERRUPT] = interrupt;
	DEVICE[CONTROL] = 1;
}

int main(void)
{
	uint32_t n, count = 400 * REPEAT;

	start(0);
	for (n = 0; n < count; n++) {
		while (ring[n % SLOTS][0] != n + 1)
			;
		receive(n);
	}
	CHECK(interrupts == 0);

	csr_write(mie, MIE_EXTERNAL);
	csr_set(mstatus, MSTATUS_MIE);
	start(1);
	for (n = 0; n < count; n++) {
		while (DEVICE[SENT] == n)
			__asm__ volatile("wfi" ::: "memory");
		receive(n);
	}
	DEVICE[CONTROL] = 0;
	CHECK(received == 2 * count && interrupts > count / 2 && total != 0);
	return 0;
}
