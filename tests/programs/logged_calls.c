/* Calls that say of themselves what they were given and what they returned: arguments of all kinds,
 * recursion, tail calls, longjmp, and interrupts with calls of their own.
 *
 * Each function stores a mark of what comes, its number, and the values, a word each. What the
 * handler does is stored elsewhere, since an interrupt may come between a call and its log. */
#include "support.h"

#include <setjmp.h>
#include <stdbool.h>

#define ROUNDS   (6 * REPEAT)
#define INTERVAL 300

enum { CALLED = 0x1000, RETURNED = 0x2000, TAIL = 0x3000 };

enum function {
	FIBONACCI,
	NARROW,
	WIDE,
	PAINT,
	MEASURE,
	SCALE,
	MOVE,
	GROW,
	CENTER,
	MANY,
	APPLY,
	FIRST,
	SECOND,
	LEAP,
	NOTHING,
	ON_TIMER,
	COUNT_TICK,
	MIX,
};

enum color { RED, GREEN = 5, BLUE = -3 };

struct point {
	int16_t x, y;
	int32_t z;
};

struct weight {
	float weight;
	int32_t count;
};

struct plane {
	double x, y;
};

struct box {
	struct point low, high;
};

volatile uint32_t log_word, log_handler;

#define QUIET __attribute__((noinline, noclone))

static inline void say(uint32_t word)
{
	log_word = word;
}

static inline void say_wide(uint64_t value)
{
	say((uint32_t)value);
	say((uint32_t)(value >> 32));
}

static inline uint32_t bits(float number)
{
	union {
		float number;
		uint32_t bits;
	} both = {number};

	return both.bits;
}

static inline uint64_t wide_bits(double number)
{
	union {
		double number;
		uint64_t bits;
	} both = {number};

	return both.bits;
}

static jmp_buf out;
static volatile uint32_t ticks;
static volatile bool leaps;

static QUIET unsigned fibonacci(unsigned n)
{
	unsigned result;

	say(CALLED | FIBONACCI);
	say(n);
	result = n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
	say(RETURNED | FIBONACCI);
	say(result);
	return result;
}

static QUIET signed char narrow(unsigned char a, signed char b, uint16_t c, int16_t d, bool e)
{
	signed char result = (signed char)(a + b + c + d + e);

	say(CALLED | NARROW);
	say(a);
	say((uint32_t)b);
	say(c);
	say((uint32_t)d);
	say(e);
	say(RETURNED | NARROW);
	say((uint32_t)result);
	return result;
}

static QUIET uint64_t wide(int64_t a, char b, uint64_t c)
{
	uint64_t result = (uint64_t)a * 3 + c + (unsigned char)b;

	say(CALLED | WIDE);
	say_wide((uint64_t)a);
	say((uint32_t)b);
	say_wide(c);
	say(RETURNED | WIDE);
	say_wide(result);
	return result;
}

static QUIET enum color paint(enum color color)
{
	enum color result = color == RED ? GREEN : color == GREEN ? BLUE : RED;

	say(CALLED | PAINT);
	say((uint32_t)color);
	say(RETURNED | PAINT);
	say((uint32_t)result);
	return result;
}

static QUIET unsigned measure(const char *text, unsigned *length)
{
	unsigned result = 0;

	say(CALLED | MEASURE);
	say((uint32_t)(uintptr_t)text);
	say((uint32_t)(uintptr_t)length);
	while (text[result])
		result++;
	*length = result;
	say(RETURNED | MEASURE);
	say(result);
	return result;
}

static QUIET double scale(float a, double b)
{
	double result = (double)a * b;

	say(CALLED | SCALE);
	say(bits(a));
	say_wide(wide_bits(b));
	say(RETURNED | SCALE);
	say_wide(wide_bits(result));
	return result;
}

static QUIET struct point move(struct point point, int by)
{
	struct point result = {(int16_t)(point.x + by), (int16_t)(point.y - by), point.z * by};

	say(CALLED | MOVE);
	say((uint32_t)point.x);
	say((uint32_t)point.y);
	say((uint32_t)point.z);
	say((uint32_t)by);
	say(RETURNED | MOVE);
	say((uint32_t)result.x);
	say((uint32_t)result.y);
	say((uint32_t)result.z);
	return result;
}

/* Where there are registers for them, numbers of a structure are in these. */
static QUIET struct plane mix(struct weight weight, struct plane plane, float last)
{
	struct plane result = {plane.x * (double)weight.weight, plane.y - (double)last};

	say(CALLED | MIX);
	say(bits(weight.weight));
	say((uint32_t)weight.count);
	say_wide(wide_bits(plane.x));
	say_wide(wide_bits(plane.y));
	say(bits(last));
	say(RETURNED | MIX);
	say_wide(wide_bits(result.x));
	say_wide(wide_bits(result.y));
	return result;
}

/* The result is too large for registers. */
static QUIET struct box grow(int by, struct point point)
{
	struct box result = {point, {(int16_t)(point.x + by), (int16_t)(point.y + by), point.z}};

	say(CALLED | GROW);
	say((uint32_t)by);
	say((uint32_t)point.x);
	say((uint32_t)point.y);
	say((uint32_t)point.z);
	say(RETURNED | GROW);
	return result;
}

/* So is the argument. */
static QUIET int center(struct box box, int add)
{
	int result = (box.low.x + box.high.x) / 2 + add;

	say(CALLED | CENTER);
	say((uint32_t)add);
	say(RETURNED | CENTER);
	say((uint32_t)result);
	return result;
}

/* The last ones are on the stack. */
static QUIET int many(int a, int b, int c, int d, int64_t e, int f, int64_t g, int h)
{
	int result = a + b + c + d + (int)e + f + (int)g + h;

	say(CALLED | MANY);
	say((uint32_t)a);
	say((uint32_t)b);
	say((uint32_t)c);
	say((uint32_t)d);
	say_wide((uint64_t)e);
	say((uint32_t)f);
	say_wide((uint64_t)g);
	say((uint32_t)h);
	say(RETURNED | MANY);
	say((uint32_t)result);
	return result;
}

static QUIET unsigned apply(unsigned (*function)(unsigned), unsigned argument)
{
	unsigned result;

	say(CALLED | APPLY);
	say((uint32_t)(uintptr_t)function);
	say(argument);
	result = function(argument) + 1;
	say(RETURNED | APPLY);
	say(result);
	return result;
}

/* Ends where it began: by a tail call. */
static QUIET unsigned second(unsigned x, unsigned y)
{
	say(CALLED | SECOND);
	say(x);
	say(y);
	say(TAIL | SECOND);
	return fibonacci(x + y);
}

static QUIET unsigned first(unsigned x)
{
	say(CALLED | FIRST);
	say(x);
	say(TAIL | FIRST);
	return second(x, 2);
}

static QUIET int leap(int depth)
{
	int result;

	say(CALLED | LEAP);
	say((uint32_t)depth);
	if (depth == 0 && leaps)
		longjmp(out, 9);
	result = depth == 0 ? 0 : leap(depth - 1) + 1;
	say(RETURNED | LEAP);
	say((uint32_t)result);
	return result;
}

static QUIET void nothing(void)
{
	say(CALLED | NOTHING);
	__asm__ volatile("");
	say(RETURNED | NOTHING);
}

static QUIET uint32_t count_tick(uint32_t before)
{
	log_handler = CALLED | COUNT_TICK;
	log_handler = before;
	log_handler = RETURNED | COUNT_TICK;
	log_handler = before + 1;
	return before + 1;
}

static QUIET void on_timer(xword cause)
{
	log_handler = CALLED | ON_TIMER;
	log_handler = (uint32_t)cause;
	ticks = count_tick(ticks);
	timer_arm(INTERVAL);
	log_handler = RETURNED | ON_TIMER;
}

void trap_handler(xword *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == CAUSE_TIMER_IRQ);
	on_timer(csr_read(mcause));
}

static void work(unsigned round)
{
	static const char *const texts[] = {"", "a word", "\"quoted\" \\ text\n"};
	char changing[] = {'x', 0};
	struct point point = {(int16_t)round, -2, 7};
	unsigned length;

	CHECK(fibonacci(6) == 8);
	narrow((unsigned char)(250 + round), -7, 65530, -30000, round & 1);
	wide(-5 - (int64_t)round, 'q', UINT64_C(0x123456789abcdef0) + round);
	paint(paint(paint((enum color)7)));
	CHECK(measure(texts[round % 3], &length) == length);
	CHECK(measure(changing, &length) == 1);
	scale(1.5f * (float)round, -0.1);
	mix((struct weight){0.5f, -1}, (struct plane){3, (double)round}, 0.25f);
	point = move(point, 3);
	struct box box = grow((int)round, point);
	center(box, -1);
	many(1, -2, 3, -4, INT64_C(-5000000000), 6, 7, 8);
	CHECK(apply(fibonacci, 3) == 3);
	apply(first, 1);
	first(round % 3);
	leaps = round & 1;
	if (setjmp(out) == 0)
		leap(4);
	nothing();
}

int main(void)
{
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	timer_arm(INTERVAL);
	for (unsigned round = 0; round < ROUNDS; round++)
		work(round);
	csr_clear(mstatus, MSTATUS_MIE);
	CHECK(ticks > 0);
	return 0;
}
