/* What `earshot` runs when it is given no program: a little of everything a trace can show.
 * It greets, sorts, hashes, makes one system call, lets the timer interrupt it, and says so. */
#include "sha256.h"
#include "support.h"

#define COUNT        120
#define MESSAGE_SIZE 640
#define CAUSE_ECALL  11
#define TICKS        200
#define DEMO_DIGEST  0x7fe573f3u /* first word of the message's SHA-256 */

static volatile uint32_t timer_interrupts, system_calls;

static void print_hex(uint32_t value)
{
	int shift;

	for (shift = 28; shift >= 0; shift -= 4)
		uart_put("0123456789abcdef"[value >> shift & 15]);
}

void trap_handler(uint32_t *frame)
{
	uint32_t cause = csr_read(mcause);

	if (cause == CAUSE_TIMER_IRQ) {
		timer_interrupts++;
		timer_disarm();
	} else if (cause == CAUSE_ECALL) {
		system_calls++;
		frame[10] = frame[10] * frame[11]; /* a0 = a0 * a1 */
		csr_write(mepc, csr_read(mepc) + 4);
	} else {
		finish(255);
	}
}

static void sort(uint32_t *v, int count)
{
	int gap, i, j;

	for (gap = count / 2; gap > 0; gap /= 2) {
		for (i = gap; i < count; i++) {
			uint32_t x = v[i];

			for (j = i; j >= gap && v[j - gap] > x; j -= gap)
				v[j] = v[j - gap];
			v[j] = x;
		}
	}
}

static void sort_numbers(void)
{
	static uint32_t numbers[COUNT];
	uint32_t state = 0xea25407;
	int i;

	for (i = 0; i < COUNT; i++)
		numbers[i] = random_next(&state);
	sort(numbers, COUNT);
	for (i = 1; i < COUNT; i++)
		CHECK(numbers[i - 1] <= numbers[i]);
	uart_print("sorted: ");
	print_hex(numbers[0]);
	uart_print(" .. ");
	print_hex(numbers[COUNT - 1]);
	uart_print("\n");
}

static void hash_message(void)
{
	static uint8_t message[MESSAGE_SIZE];
	uint32_t digest[8];
	int i;

	for (i = 0; i < MESSAGE_SIZE; i++)
		message[i] = (uint8_t)('a' + i % 26);
	sha256(digest, message, MESSAGE_SIZE);
	uart_print("sha256: ");
	for (i = 0; i < 8; i++)
		print_hex(digest[i]);
	uart_print("\n");
	CHECK(digest[0] == DEMO_DIGEST);
}

static void call_system(void)
{
	register uint32_t a0 __asm__("a0") = 6;
	register uint32_t a1 __asm__("a1") = 7;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1) : "memory");
	CHECK(a0 == 42 && system_calls == 1);
	uart_print("system call: answered\n");
}

static void wait_for_timer(void)
{
	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	/* wfi with interrupts off: one that comes between the test and wfi is not missed. */
	while (timer_interrupts == 0) {
		__asm__ volatile("wfi");
		csr_set(mstatus, MSTATUS_MIE);
		csr_clear(mstatus, MSTATUS_MIE);
	}
	CHECK(timer_interrupts == 1);
	uart_print("timer: interrupted\n");
}

int main(void)
{
	int round;

	uart_print("Hello from the core that Earshot hears.\n");
	for (round = 0; round < REPEAT; round++) {
		sort_numbers();
		hash_message();
	}
	call_system();
	wait_for_timer();
	return 0;
}
