/* Programs with one planted bug each, for tests/e2e/test_why_programs.py: -DFAULT=name says which,
 * -DSEED=n draws its values. Each prints the truth about its end, a line each, before it comes to
 * it:
 *
 *   kind trap | exit | hang    what the answer of `why` is
 *   function F                 where the last instruction, or the jump that led there, is
 *   writer F                   a function that made the value which is followed
 *   root X                     that value: of the address, of the target, of an operand
 *   before X                   the register's value at the execution before
 *   stored X                   a value that the chain has
 *   calls F,G,...              the functions that are active, from the newest
 *   code N                     the exit code
 *   rounds N                   of a hang: that many at least
 *   place X, privilege P       of the last instruction: its pc, the mode
 *   off                        interrupts are off
 *
 * The trap handler adds what the core says of the trap, and what the counter of instructions is. */
#include "support.h"

#ifndef SEED
#define SEED 1
#endif

#define NOIPA __attribute__((noipa)) /* a function of its own, whose callers know nothing of it */

#define MSTATUS_MPP 0x1800ul

void FAULT(void);

static volatile uint32_t seed = SEED * 2654435761u + 1;

static NOIPA uint32_t draw(uint32_t count)
{
	uint32_t state = seed, value = random_next(&state);

	seed = state;
	return value % count;
}

/* An address without memory, a multiple of 16. */
static NOIPA xword draw_wild(void)
{
	return 0x40000000ul + draw(0x1000000) * 16;
}

/* ---- The log. ---- */

static NOIPA void say(const char *name, xword value)
{
	uart_print(name);
	uart_print(" 0x");
	for (int shift = __riscv_xlen - 4; shift >= 0; shift -= 4)
		uart_put("0123456789abcdef"[value >> shift & 15]);
	uart_put('\n');
}

static NOIPA void say_text(const char *name, const char *text)
{
	uart_print(name);
	uart_put(' ');
	uart_print(text);
	uart_put('\n');
}

static NOIPA void say_trap(const char *function, const char *writer)
{
	say_text("kind", "trap");
	say_text("function", function);
	say_text("writer", writer);
}

static xword *volatile shared;
static volatile uint32_t ticked;

void trap_handler(xword *frame)
{
	const xword cause = csr_read(mcause);

	(void)frame;
	if (cause == CAUSE_TIMER_IRQ) {
		timer_disarm();
		shared = 0;
		ticked = 1;
		return;
	}
	const xword count = csr_read(minstret);
	say("instructions", count);
	say("cause", cause);
	say("trap_value", csr_read(mtval));
	finish(255);
}

/* ---- Pointers. ---- */

struct node {
	struct node *volatile next;
	volatile xword value, weight;
};

static struct node nodes[8];

static NOIPA void link_nodes(unsigned count)
{
	for (unsigned i = 0; i < 8; i++) {
		nodes[i].next = i + 1 < count ? &nodes[i + 1] : 0;
		nodes[i].value = i;
	}
}

static NOIPA xword weigh(struct node *node)
{
	return node->weight;
}

/* The list is shorter than the loop thinks. */
void null_field(void)
{
	const unsigned count = 2 + draw(5);
	struct node *node = nodes;

	link_nodes(count);
	say_trap("weigh", "link_nodes");
	say("root", 0);
	say("before", (xword)&nodes[count - 1]);
	say_text("calls", "weigh,null_field,main");
	for (unsigned i = 0; i < 8; i++) {
		weigh(node);
		node = node->next;
	}
}

static volatile xword table[8];

static NOIPA void fill_table(unsigned wrong, xword value)
{
	for (unsigned i = 0; i < 8; i++)
		table[i] = i == wrong ? value : (xword)&nodes[i];
}

static NOIPA void store_through(xword address, xword value)
{
	*(volatile xword *)address = value;
}

void wild_pointer(void)
{
	const unsigned wrong = 1 + draw(7);
	const xword wild = draw_wild();

	fill_table(wrong, wild);
	say_trap("store_through", "fill_table");
	say("root", wild);
	say("stored", wild);
	say("before", (xword)&nodes[wrong - 1]);
	say_text("calls", "store_through,wild_pointer,main");
	for (unsigned i = 0; i < 8; i++)
		store_through(table[i], i);
}

static struct {
	volatile xword values[4];
	struct node *volatile owner;
} record;

static NOIPA void clear_values(unsigned count)
{
	for (unsigned i = 0; i <= count; i++) /* one too many */
		record.values[i] = 0;
}

void off_by_one(void)
{
	record.owner = &nodes[draw(8)];
	say_trap("weigh", "clear_values");
	say("root", 0);
	say("before", (xword)record.owner);
	say_text("calls", "weigh,off_by_one,main");
	weigh(record.owner);
	clear_values(4);
	weigh(record.owner);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

static NOIPA void leave_values(xword value)
{
	volatile xword locals[16];

	for (unsigned i = 0; i < 16; i++)
		locals[i] = value;
}

static NOIPA xword use_unset(void)
{
	volatile xword locals[16];

	return *(volatile xword *)locals[8];
}

#pragma GCC diagnostic pop

void uninitialised(void)
{
	const xword wild = draw_wild();

	leave_values(wild);
	say_trap("use_unset", "leave_values");
	say("root", wild);
	say("stored", wild);
	leave_values(wild);
	use_unset();
}

static NOIPA xword scale(uint32_t count)
{
	return (xword)(int32_t)(count * 0x10000000u); /* 4 bits of it are lost */
}

static NOIPA xword load_at(xword base, xword offset)
{
	return *(volatile xword *)(base + offset);
}

/* The size of a table overflows: the end of it is before its begin. */
void overflow(void)
{
	const uint32_t count = 16 * (1 + draw(0x100)) + 0xa + draw(4);
	const xword base = (xword)table, offset = scale(count);

	say_trap("load_at", "scale");
	say("root", base + offset);
	say("stored", offset);
	scale(count);
	load_at(base, scale(count));
}

static NOIPA xword average(xword sum, xword count)
{
	return sum / count;
}

static NOIPA xword load_element(xword index)
{
	return *(volatile uint16_t *)(index & ~(xword)1);
}

/* The quotient of a division by 0 has all bits set. */
void divide(void)
{
	const xword sum = draw(1000);

	say_trap("load_element", "average");
	say("root", ~(xword)1);
	say("stored", ~(xword)0);
	load_element(average(sum, shared ? 1 : 0));
}

static NOIPA char scan_back(const volatile char *text)
{
	while (*--text != '/')
		;
	return *text;
}

/* Runs out of the memory at its lower end. */
void run_off(void)
{
	const char *begin = (const char *)0x80000001 + draw(8);

	say_trap("scan_back", "scan_back");
	scan_back(begin);
}

static NOIPA uint32_t load_packed(const void *at)
{
	return *(const volatile uint32_t *)at;
}

static uint8_t message[64] __attribute__((aligned(4)));

static NOIPA const void *next_field(const uint8_t *at, unsigned size)
{
	return at + size;
}

/* A field of 1 to 3 bytes comes first. */
void misaligned(void)
{
	const void *field = next_field(message, 1 + draw(3));

	say_trap("load_packed", "next_field");
	say("root", (xword)field);
	say("before", (xword)message);
	load_packed(message);
	load_packed(field);
}

/* ---- Functions. ---- */

static NOIPA void callback(void)
{
}

static void (*volatile handlers[4])(void);
static volatile xword limits[2];

static NOIPA void set_handlers(unsigned count, xword value)
{
	for (unsigned i = 0; i < count; i++)
		handlers[i] = i < 3 ? callback : (void (*)(void))value;
}

static NOIPA void call_handler(unsigned index)
{
	handlers[index]();
	ticked = 0; /* no tail call */
}

void wrong_function(void)
{
	const xword wild = draw_wild();

	set_handlers(4, wild);
	say_trap("call_handler", "set_handlers");
	say("root", wild);
	say("stored", wild);
	say("before", (xword)callback);
	for (unsigned i = 0; i < 4; i++)
		call_handler(i);
}

static NOIPA void fill(volatile uint8_t *to, uint8_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		to[i] = value;
}

static NOIPA void receive(unsigned count, uint8_t value)
{
	volatile uint8_t buffer[16];

	fill(buffer, value, count);
}

/* The return address is written over. */
void smashed(void)
{
	const uint8_t value = (uint8_t)(0x42 + 2 * draw(16));

	say_trap("receive", "fill");
	say("root", (xword)(~(xword)0 / 255 * value));
	say("stored", value);
	receive(8, value);
	receive(96, value);
}

static struct object {
	void (*volatile call)(void);
	volatile xword data[3];
} objects[2];
static unsigned free_count = 2;

static NOIPA struct object *take_object(void)
{
	return &objects[--free_count];
}

static NOIPA void give_object(struct object *object)
{
	(void)object;
	free_count++;
}

static NOIPA void write_text(struct object *object, xword text)
{
	object->call = (void (*)(void))text;
	object->data[0] = text;
}

static NOIPA void call_object(struct object *object)
{
	object->call();
	ticked = 0;
}

void use_after_free(void)
{
	const xword wild = draw_wild();
	struct object *object = take_object();

	object->call = callback;
	say_trap("call_object", "write_text");
	say("root", wild);
	say("stored", wild);
	say("before", (xword)callback);
	call_object(object);
	give_object(object);
	write_text(take_object(), wild);
	call_object(object);
}

/* What was freed twice is given out twice. */
void double_free(void)
{
	const xword wild = draw_wild();
	struct object *object = take_object();

	give_object(object);
	give_object(object);
	struct object *one = take_object();
	take_object()->call = callback;
	free_count++;
	struct object *other = take_object();
	one->call = callback;
	say_trap("call_object", "write_text");
	say("root", wild);
	say("before", (xword)callback);
	call_object(other == one ? one : other);
	write_text(other, wild);
	call_object(other);
}

static uint32_t code[8];

static NOIPA void patch(unsigned index, uint32_t word)
{
	((volatile uint32_t *)code)[index] = word;
	__asm__ volatile("fence.i" ::: "memory");
}

static NOIPA void call_code(void)
{
	((void (*)(void))code)();
	ticked = 0;
}

/* An instruction is replaced by none: all bits of these are 1. */
void illegal(void)
{
	const unsigned index = draw(4);

	for (unsigned i = 0; i < 7; i++)
		patch(i, 0x00000013); /* nop */
	patch(7, 0x00008067);         /* ret */
	call_code();
	say_text("kind", "trap");
	say_text("writer", "patch");
	say("stored", 0xffffffffu);
	say("place", (xword)&code[index]);
	patch(index, 0xffffffffu);
	call_code();
}

static volatile uint32_t zeros[8];

static NOIPA void choose(unsigned which)
{
	handlers[0] = which ? callback : (void (*)(void))(xword)zeros;
}

/* Data that are no code. */
void data_as_code(void)
{
	choose(1);
	say_trap("call_handler", "choose");
	say("root", (xword)zeros);
	say("before", (xword)callback);
	call_handler(0);
	choose(0);
	call_handler(0);
}

static NOIPA void set_return(xword address)
{
	csr_write(mepc, address);
}

static NOIPA void leave(void)
{
	csr_set(mstatus, MSTATUS_MPP);
	__asm__ volatile("mret");
}

/* mepc is wrong at an mret. */
void bad_return(void)
{
	const xword wild = draw_wild();

	say_trap("leave", "set_return");
	say("root", wild);
	say("stored", wild);
	set_return(wild);
	leave();
}

static NOIPA void set_stack(xword top)
{
	limits[0] = top;
}

/* Another stack, which is not there. The handler has it too: it traps again and again. */
void bad_stack(void)
{
	const xword wild = draw_wild();

	say_trap("bad_stack", "set_stack");
	say("root", wild);
	say("stored", wild);
	set_stack(wild);
	__asm__ volatile("mv sp, %0\n\tsw zero, -16(sp)" ::"r"(limits[0]) : "memory");
}

/* ---- Interrupts. ---- */

static NOIPA void wait_tick(void)
{
	while (!ticked)
		;
}

static NOIPA void enable_timer(void)
{
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	timer_arm(400 + draw(100));
}

static NOIPA xword load_shared(void)
{
	return ((struct node *)shared)->weight;
}

/* The handler of an interrupt takes away what was just looked at. */
void race(void)
{
	shared = (xword *)&nodes[draw(8)];
	say_trap("load_shared", "trap_handler");
	say("root", 0);
	say("before", (xword)shared);
	load_shared();
	enable_timer();
	if (shared) {
		wait_tick();
		load_shared();
	}
}

static NOIPA void mask(void)
{
	csr_clear(mstatus, MSTATUS_MIE);
}

/* Waits for an interrupt that cannot come. */
void masked(void)
{
	say_text("kind", "hang");
	say_text("function", "wait_tick");
	say_text("writer", "mask");
	say("off", 1);
	say("root", 0);
	say("rounds", 200);
	say_text("calls", "wait_tick,masked,main");
	enable_timer();
	mask();
	wait_tick();
}

/* Nobody sets the flag. */
void flag(void)
{
	say_text("kind", "hang");
	say_text("function", "wait_tick");
	say("root", 0);
	say("rounds", 200);
	say_text("calls", "wait_tick,flag,main");
	wait_tick();
}

static NOIPA void sleep_until(xword tick)
{
	while (limits[0] != tick)
		__asm__ volatile("wfi");
}

/* Sleeps with all interrupts off. */
void asleep(void)
{
	say_text("kind", "hang");
	say_text("function", "sleep_until");
	say_text("calls", "sleep_until,asleep,main");
	sleep_until(1 + draw(9));
}

/* ---- Exits. ---- */

static NOIPA void set_limit(xword value)
{
	limits[1] = value;
}

static NOIPA void check_limit(xword expected)
{
	if (limits[1] != expected)
		finish(42);
}

void assertion(void)
{
	const xword value = 1 + draw(1000);

	say_text("kind", "exit");
	say_text("function", "finish");
	say_text("branch", "check_limit");
	say_text("writer", "set_limit");
	say("stored", value + 1);
	say("code", 42);
	say_text("calls", "finish,check_limit,assertion,main");
	set_limit(value);
	check_limit(value);
	set_limit(value + 1);
	check_limit(value);
}

static NOIPA int result_of(unsigned value)
{
	return (int)(value % 100) + 1;
}

void exit_code(void)
{
	const unsigned value = draw(1000);

	say_text("kind", "exit");
	say_text("function", "finish");
	say_text("writer", "result_of");
	say("code", value % 100 + 1);
	finish(result_of(value));
}

static NOIPA void in_user(void)
{
	csr_read(mstatus);
}

/* A CSR that user mode may not read. */
void forbidden(void)
{
	say_text("kind", "trap");
	say_text("function", "in_user");
	say_text("privilege", "u");
	csr_write(mepc, (xword)in_user);
	csr_clear(mstatus, MSTATUS_MPP);
	__asm__ volatile("mret");
}

int main(void)
{
	volatile uint8_t room[256]; /* what is written beyond a frame stays in the memory */

	room[0] = 0;
	FAULT();
	return room[0];
}
