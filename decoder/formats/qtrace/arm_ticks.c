/* The rules are tables of encodings; where they seem odd the emulator has them so. */
#include "decoder/formats/qtrace/arm_ticks.h"

#include <stdbool.h>
#include <string.h>

#define PC 15u

void ear_arm_ticks_begin(struct ear_arm_ticks *ticks)
{
	memset(ticks, 0, sizeof(*ticks));
}

static unsigned bits(uint32_t word, unsigned high, unsigned low)
{
	return word >> low & ((1u << (high - low + 1)) - 1);
}

/* Clocks until the register can be used. */
static unsigned use(const struct ear_arm_ticks *ticks, unsigned number)
{
	uint64_t ready = ticks->ready[number & 15];

	return ready > ticks->now ? (unsigned)(ready - ticks->now) : 0;
}

/* It can be used so many clocks after the instruction began. */
static void define(struct ear_arm_ticks *ticks, unsigned number, unsigned clocks)
{
	ticks->ready[number & 15] = ticks->now + clocks;
}

static unsigned end(struct ear_arm_ticks *ticks, unsigned clocks)
{
	ticks->now += clocks;
	return clocks;
}

static unsigned count_bits(uint32_t word)
{
	unsigned count = 0;

	for (; word; word &= word - 1)
		count++;
	return count;
}

static unsigned max(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* --- ARM --- */

/* Multiplications, exchanges, and accesses to halfwords. */
static unsigned arm_extra(struct ear_arm_ticks *ticks, uint32_t word)
{
	unsigned rn = bits(word, 19, 16), rd = bits(word, 15, 12), rs = bits(word, 11, 8),
		 rm = bits(word, 3, 0), t = 1;
	bool accumulate = word >> 21 & 1, load = word >> 20 & 1;

	if ((word & 0x0FC000F0) == 0x00000090) {
		if (!accumulate && rd != 0)
			return 1;
		return t + (accumulate ? use(ticks, rd) : 0) + 2 + use(ticks, rm) + use(ticks, rs);
	}
	if ((word & 0x0F8000F0) == 0x00800090) {
		if (accumulate)
			t += use(ticks, rd) + use(ticks, rn);
		return t + 3 + use(ticks, rm) + use(ticks, rs);
	}
	if ((word & 0x0FD00FF0) == 0x01000090) {
		t += 1 + use(ticks, rm);
		define(ticks, rs, t + 1);
		return t;
	}
	if ((word & 0x0E400FF0) == 0x00000090 || (word & 0x0E400FF0) == 0x00400090) {
		t += use(ticks, rn) + (word & 0x00400000 ? 0 : use(ticks, rm));
		if (load)
			define(ticks, rd, t + 2);
		return t;
	}
	if ((word & 0x0E500FD0) == 0x001000D0 || (word & 0x0E5000D0) == 0x005000D0) {
		t += use(ticks, rn) + (word & 0x00400000 ? 0 : use(ticks, rm));
		define(ticks, rd, t + 2);
	}
	return t;
}

static unsigned arm_data(const struct ear_arm_ticks *ticks, uint32_t word)
{
	unsigned rn = bits(word, 19, 16), rs = bits(word, 11, 8), rm = bits(word, 3, 0);

	if ((word & 0x0F900000) == 0x01000000)
		return (word & 0x0FB0FFF0) == 0x0120F000 || (word & 0x0FFFFFF0) == 0x01200010 ||
				       (word & 0x0FFF0FF0) == 0x01600010 ||
				       (word & 0x0FFFFFF0) == 0x01200030
			       ? 1 + use(ticks, rm)
			       : 1;
	return 1 + use(ticks, rn) + use(ticks, rm) + (word & 0x10 ? 1 + use(ticks, rs) : 0);
}

static unsigned arm_access(struct ear_arm_ticks *ticks, uint32_t word)
{
	unsigned rd = bits(word, 15, 12), t = 1 + use(ticks, bits(word, 19, 16));

	if (word >> 25 & 1)
		t += use(ticks, bits(word, 3, 0));
	if (!(word >> 20 & 1))
		return t;
	if (rd == PC)
		return 5;
	define(ticks, rd, t + 1);
	return t;
}

static unsigned arm_block(struct ear_arm_ticks *ticks, uint32_t word)
{
	unsigned count = count_bits(word & 0xFFFF), t = max(2, count);

	if (!(word >> 20 & 1))
		return t;
	if (word >> PC & 1)
		t = count + 4;
	for (unsigned number = 0; number < PC; number++)
		if (word >> number & 1)
			define(ticks, number, t);
	return t;
}

static unsigned arm_clocks(struct ear_arm_ticks *ticks, uint32_t word)
{
	if (word >> 28 == 0xF)
		return word >> 25 == 0x7D ? 3 : 1;
	switch (bits(word, 27, 25)) {
	case 0: return (word & 0x90) == 0x90 ? arm_extra(ticks, word) : arm_data(ticks, word);
	case 1: return (word & 0x01900000) == 0x01900000 ? 1 : 1 + use(ticks, bits(word, 15, 12));
	case 2: return arm_access(ticks, word);
	case 3: return word & 0x10 ? 1 : arm_access(ticks, word);
	case 4: return arm_block(ticks, word);
	case 6: return word >> 20 & 1 ? 1 + use(ticks, bits(word, 19, 16)) : 1;
	default: return 1;
	}
}

unsigned ear_arm_ticks_arm(struct ear_arm_ticks *ticks, uint32_t word)
{
	return end(ticks, arm_clocks(ticks, word));
}

/* --- Thumb --- */

/* High registers, and jumps to one. */
static unsigned thumb_high(const struct ear_arm_ticks *ticks, unsigned h)
{
	if (!(h & 0x400))
		return 1 + 2 * use(ticks, bits(h, 5, 3));
	if (bits(h, 9, 8) < 3)
		return 1 + use(ticks, (h & 7) | (h >> 4 & 8)) + use(ticks, bits(h, 6, 3));
	return (h & 0xFF07) == 0x4700 ? 3 + use(ticks, bits(h, 6, 3)) : 1;
}

/* Accesses with two registers. */
static unsigned thumb_access(struct ear_arm_ticks *ticks, unsigned h)
{
	unsigned rd = bits(h, 2, 0), kind = bits(h, 11, 9);
	unsigned t = 1 + use(ticks, bits(h, 5, 3)) + use(ticks, bits(h, 8, 6));

	if (kind < 3)
		return t + use(ticks, rd);
	define(ticks, rd, t + (kind == 4 ? 1 : 2));
	return t;
}

/* The registers of the list are stored, or loaded. */
static unsigned thumb_list(struct ear_arm_ticks *ticks, unsigned list, unsigned clocks, bool load)
{
	unsigned t = clocks;

	for (unsigned number = 0; number < 9; number++)
		if (list >> number & 1 && !load)
			t += use(ticks, number);
	for (unsigned number = 0; number < 9; number++)
		if (list >> number & 1 && load)
			define(ticks, number, t);
	return t;
}

static unsigned thumb_stack(struct ear_arm_ticks *ticks, unsigned h)
{
	if ((h & 0xFF00) == 0xB000)
		return 1 + use(ticks, 14);
	if ((h & 0x0600) != 0x0400)
		return 1;
	return thumb_list(ticks, h & 0x1FF, max(2, count_bits(h & 0x1FF)), h & 0x800);
}

static unsigned thumb_load(struct ear_arm_ticks *ticks, unsigned h, unsigned late)
{
	unsigned t = 1 + use(ticks, bits(h, 5, 3));

	define(ticks, bits(h, 2, 0), t + late);
	return t;
}

static unsigned thumb_clocks(struct ear_arm_ticks *ticks, unsigned h)
{
	unsigned kind = h >> 11;

	switch (kind) {
	case 0:
	case 1:
	case 2: return 1 + use(ticks, bits(h, 5, 3));
	case 3: return 1 + use(ticks, bits(h, 5, 3)) + (h & 0x400 ? 0 : use(ticks, bits(h, 8, 6)));
	case 5:
	case 6:
	case 7: return 1 + use(ticks, bits(h, 10, 8));
	case 8: return thumb_high(ticks, h);
	case 9: define(ticks, bits(h, 10, 8), 2); return 1;
	case 10:
	case 11: return thumb_access(ticks, h);
	case 12:
	case 14:
	case 16: return 1 + use(ticks, bits(h, 2, 0)) + use(ticks, bits(h, 5, 3));
	case 13: return thumb_load(ticks, h, 1);
	case 15:
	case 17: return thumb_load(ticks, h, 2);
	case 18:
	case 20:
	case 21: return 1 + use(ticks, bits(h, 9, 8));
	case 19: define(ticks, bits(h, 9, 8), 2); return 1;
	case 22:
	case 23: return thumb_stack(ticks, h);
	case 24:
	case 25:
		return thumb_list(ticks, h & 0xFF,
			max(2, count_bits(h & 0xFF)) + use(ticks, bits(h, 10, 8)), kind == 25);
	case 26:
	case 27: return bits(h, 11, 8) >= 14 ? 1 : 3;
	case 28:
	case 31: return 3;
	case 29: return h & 1 ? 1 : 3;
	default: return 1;
	}
}

unsigned ear_arm_ticks_thumb(struct ear_arm_ticks *ticks, uint16_t halfword)
{
	return end(ticks, thumb_clocks(ticks, halfword));
}
