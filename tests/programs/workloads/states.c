/* State machines: a car's window with its buttons, end switches and obstacle sensor, run by a
 * statechart; a number scanner by tables; and a protocol parser by a switch. */
#include "support.h"

enum window { CLOSED, OPENING, OPEN, CLOSING, STOPPED, REVERSING, BLOCKED, WINDOW_STATES };

struct inputs {
	uint8_t up, down, top, bottom, obstacle, power;
};

struct window_state {
	enum window state;
	int position; /* 0 closed .. 100 open */
	uint32_t timer, reversals, moves;
};

static uint32_t visits[WINDOW_STATES];

static void enter(struct window_state *w, enum window state)
{
	w->state = state;
	w->timer = 0;
	visits[state]++;
}

static void window_step(struct window_state *w, const struct inputs *in)
{
	w->timer++;
	if (!in->power) {
		if (w->state != STOPPED && w->state != CLOSED && w->state != OPEN)
			enter(w, STOPPED);
		return;
	}
	switch (w->state) {
	case CLOSED:
		if (in->down)
			enter(w, OPENING);
		break;
	case OPENING:
		w->position++;
		w->moves++;
		if (in->bottom || w->position == 100)
			enter(w, OPEN);
		else if (!in->down && w->timer > 3)
			enter(w, STOPPED);
		break;
	case OPEN:
		if (in->up)
			enter(w, CLOSING);
		break;
	case CLOSING:
		if (in->obstacle && w->position > 4) {
			w->reversals++;
			enter(w, REVERSING);
			break;
		}
		w->position--;
		w->moves++;
		if (in->top || w->position == 0)
			enter(w, CLOSED);
		else if (!in->up && w->timer > 3)
			enter(w, STOPPED);
		break;
	case STOPPED:
		if (w->position == 0)
			enter(w, CLOSED);
		else if (w->position == 100)
			enter(w, OPEN);
		else if (in->up && !in->down)
			enter(w, CLOSING);
		else if (in->down && !in->up)
			enter(w, OPENING);
		break;
	case REVERSING:
		if (w->position < 100) {
			w->position++;
			w->moves++;
		}
		if (w->timer == 10 || w->position == 100)
			enter(w, w->reversals % 8 == 0 ? BLOCKED : STOPPED);
		break;
	case BLOCKED:
		if (w->timer > 20 && !in->up && !in->down)
			enter(w, STOPPED);
		break;
	default: finish(__LINE__);
	}
}

static void window(uint32_t *random, int steps)
{
	struct window_state w = {.state = CLOSED};
	struct inputs in = {0};
	int i;

	for (i = 0; i < steps; i++) {
		uint32_t x = random_next(random);

		if (x % 16 == 0) {
			in.up = x >> 8 & 1;
			in.down = x >> 9 & 1;
		}
		in.power = (x >> 10 & 63) != 0;
		in.obstacle = (x >> 16 & 63) == 0;
		in.top = w.position == 1;
		in.bottom = w.position == 99;
		window_step(&w, &in);
		CHECK(w.position >= 0 && w.position <= 100);
		CHECK(w.state != CLOSED || w.position == 0);
	}
}

/* Numbers such as -12.5e+3, by a table of states and kinds of characters. */
enum scan { START, SIGN, WHOLE, POINT, FRACTION, MARK, EXPONENT_SIGN, EXPONENT, BAD, SCAN_STATES };

static const uint8_t scan_table[SCAN_STATES][5] = {
	/*           digit     sign           point  e     other */
	[START] = {WHOLE, SIGN, POINT, BAD, BAD},
	[SIGN] = {WHOLE, BAD, POINT, BAD, BAD},
	[WHOLE] = {WHOLE, BAD, FRACTION, MARK, BAD},
	[POINT] = {FRACTION, BAD, BAD, BAD, BAD},
	[FRACTION] = {FRACTION, BAD, BAD, MARK, BAD},
	[MARK] = {EXPONENT, EXPONENT_SIGN, BAD, BAD, BAD},
	[EXPONENT_SIGN] = {EXPONENT, BAD, BAD, BAD, BAD},
	[EXPONENT] = {EXPONENT, BAD, BAD, BAD, BAD},
	[BAD] = {BAD, BAD, BAD, BAD, BAD},
};

static int kind_of(char c)
{
	if (c >= '0' && c <= '9')
		return 0;
	switch (c) {
	case '+':
	case '-': return 1;
	case '.': return 2;
	case 'e':
	case 'E': return 3;
	default: return 4;
	}
}

static int is_number(const char *text)
{
	unsigned state = START;

	while (*text)
		state = scan_table[state][kind_of(*text++)];
	return state == WHOLE || state == FRACTION || state == EXPONENT;
}

static void scan(void)
{
	static const char *const texts[] = {"0", "-12.5e+3", ".5", "7.", "1e9", "e5", "1e", "--1",
		"3.14.15", "+", "12a", "99999E-12", ""};
	static const uint8_t good[] = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0};
	unsigned i;

	for (i = 0; i < sizeof(good); i++)
		CHECK(is_number(texts[i]) == good[i]);
}

/* Frames of the kind 7e length data sum, with 7d before a byte that stands for itself. */
static uint32_t parse(const uint8_t *bytes, int size, uint32_t *sum)
{
	enum { IDLE, LENGTH, DATA, ESCAPED, SUM } state = IDLE;
	uint32_t frames = 0, length = 0, total = 0;
	int i;

	for (i = 0; i < size; i++) {
		uint8_t b = bytes[i];

		switch (state) {
		case IDLE: state = b == 0x7e ? LENGTH : IDLE; break;
		case LENGTH:
			length = b;
			total = 0;
			state = length ? DATA : SUM;
			break;
		case DATA:
			if (b == 0x7d) {
				state = ESCAPED;
				break;
			}
			/* fall through */
		case ESCAPED:
			total += b;
			state = --length ? DATA : SUM;
			break;
		case SUM:
			if ((total & 0xff) == b) {
				frames++;
				*sum += total;
			}
			state = IDLE;
			break;
		}
	}
	return frames;
}

static void frames(uint32_t *random)
{
	static uint8_t bytes[1200];
	uint32_t expected = 0, sum = 0;
	int size = 0, count = 0, i;

	while (size < 1000) {
		int length = (int)(random_next(random) % 40);
		uint32_t total = 0;

		bytes[size++] = 0x7e;
		bytes[size++] = (uint8_t)length;
		for (i = 0; i < length; i++) {
			uint8_t b = (uint8_t)random_next(random);

			if (b == 0x7d)
				bytes[size++] = 0x7d;
			bytes[size++] = b;
			total += b;
		}
		bytes[size++] = (uint8_t)total;
		expected += total;
		count++;
	}
	CHECK(parse(bytes, size, &sum) == (uint32_t)count && sum == expected);
}

int main(void)
{
	uint32_t state = 7, i;
	int round;

	for (round = 0; round < REPEAT; round++) {
		window(&state, 1000);
		scan();
		frames(&state);
	}
	for (i = 0; i < WINDOW_STATES; i++)
		CHECK(visits[i] > 0 || REPEAT < 20);
	return 0;
}
