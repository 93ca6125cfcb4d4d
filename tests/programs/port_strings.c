/* What is easily wrong with strings and groups of stores to the event port: strings that lie in a
 * buffer of a function, strings without a byte, locks that must not be taken twice, and addresses
 * of 64 bits. Also what firmware/target/ has besides the calls of port_calls.c.
 */
#include "support.h"

#ifndef EAR_PORT_MACHINE
static int held;

/* A lock that cannot be taken twice. */
static inline void take(void)
{
	CHECK(!held);
	held = 1;
}

static inline void release(void)
{
	CHECK(held);
	held = 0;
}

#define EAR_PORT_LOCK()   take()
#define EAR_PORT_UNLOCK() release()
#endif
#include "ear_port_scheduler.h"

/* Added to addresses that are made up. */
#ifndef FAR
#define FAR 0
#endif

static struct ear_port_scheduler scheduler;
static struct ear_port_task_id red, green;

/* Nothing but the port reads this name. */
__attribute__((noipa)) static void name_worker(unsigned number)
{
	char name[4];

	name[0] = 'w';
	name[1] = (char)('0' + number);
	name[2] = '\0';
	ear_port_name(name);
}

static void schedule(void)
{
	ear_port_scheduler_begin(&scheduler, "boot");
	ear_port_scheduler_create(&scheduler, &red, "red");
	ear_port_scheduler_create(&scheduler, &green, "green");
	ear_port_scheduler_switch(&scheduler, &red);
	ear_port_scheduler_switch(&scheduler, &red);
	ear_port_scheduler_end(&scheduler, &green, 4);
	ear_port_scheduler_end(&scheduler, &red, -3);
}

int main(void)
{
	csr_set(mstatus, MSTATUS_MIE); /* no interrupt is enabled */
	ear_port_task(0, 0, "swapper");
	ear_port_task_map(FAR + 0x10000, FAR + 0x14000, 0x1000, "/init");
	ear_port_switch(1);
	name_worker(3);
	name_worker(7);
	ear_port_name("");
	ear_port_name("abcd");
	ear_port_map(FAR + 0x40000000, FAR + 0x40003000, FAR, "/lib");
	ear_port_unmap(FAR + 0x40000000, FAR + 0x40003000);
	ear_port_symbol(FAR + 0x50000000, "puts");
	ear_port_symbol_gone(FAR + 0x50000000);
	ear_port_method_enter(FAR + 0x42000000);
	ear_port_native_enter(FAR + 0x42000010);
	ear_port_native_exit(FAR + 0x42000010);
	ear_port_method_exit(FAR + 0x42000000);
	ear_port_mark_text(1, "phase", 5);
	ear_port_count(2, 3);
	schedule();
	ear_port_print("done");
	ear_port_print_decimal(12);
	ear_port_print_hex(0x1F);
	CHECK(csr_read(mstatus) & MSTATUS_MIE);
	return 0;
}
