/* Equivalent lines of two Whisper CSVs, pair by pair.
 *
 * Both lines are looked up among the patterns of their readers, which must hold the same record;
 * the columns that patterns leave open (registers, memory) are compared as bytes, up to their
 * commas. So no number is parsed. Where there is no pattern, the lines must be equal up to the
 * disassembly.
 */
#include "decoder/formats/whisper/whisper_equivalent.h"

#include <stdbool.h>
#include <string.h>

#include "decoder/formats/whisper/whisper_equal.h"
#include "decoder/formats/whisper/whisper_scan.h"

_Static_assert(offsetof(struct ear_whisper_pattern, amo) ==
			       offsetof(struct ear_whisper_pattern, pc) + 38 &&
		       sizeof(struct ear_record_access) == 40,
	"the members of the record are adjacent, without padding");

/* Are the records of the two patterns the same? */
static inline bool same_record(
	const struct ear_whisper_pattern *a, const struct ear_whisper_pattern *b)
{
	return memcmp(&a->pc, &b->pc, 40) == 0 &&
	       memcmp(&a->access, &b->access, sizeof(a->access)) == 0;
}

/* Size of a column with its comma, if it is the same in both texts and has at most 32 characters;
 * else 0. */
static inline unsigned same_column(const char *a, const char *b)
{
	uint32_t commas = ear_char_mask_32(a, ',');

	if (commas == 0 || ear_unequal_mask(a, b) & (commas ^ (commas - 1)))
		return 0;
	return (unsigned)__builtin_ctz(commas) + 1;
}

/* Is there a number of more than 8 digits? Of XLEN 32 its line means more than its record. */
static inline bool is_wide(const char *column, unsigned size)
{
	uint32_t inside = ~(ear_char_mask_32(column, '=') | ear_char_mask_32(column, ';') |
			    ear_char_mask_32(column, ':') | ear_char_mask_32(column, ','));
	uint32_t run = inside & (uint32_t)(((uint64_t)1 << size) - 1);

	run &= run >> 1;
	run &= run >> 2;
	run &= run >> 4;
	return (run & run >> 1) != 0;
}

/* Is frm or fcsr among the registers, "c2=" or "c3="? The lines after depend on it. So they do on
 * vtype, "c3105=", which gives *vtype. */
static inline bool writes_frm(const char *column, unsigned size, uint8_t *vtype)
{
	uint32_t begins = (ear_char_mask_32(column, ';') << 1 | 1) & ear_char_mask_32(column, 'c') &
			  (uint32_t)(((uint64_t)1 << size) - 1);

	for (; begins; begins &= begins - 1) {
		const char *at = column + __builtin_ctz(begins);
		if ((at[1] == '2' || at[1] == '3') && at[2] == '=')
			return true;
		if (memcmp(at, "c3105=", 6) == 0)
			*vtype = ear_whisper_vtype_at(at + 6);
	}
	return false;
}

static inline bool same_start(const char *a, const char *b)
{
	return memcmp(a, b, 16) == 0;
}

/* Continue after one pair of lines. Returns false if it is not certain. */
static inline bool take_pair(
	struct ear_whisper_text *a, struct ear_whisper_text *b, struct ear_line_pair *pair)
{
	struct ear_whisper_slot slot = ear_whisper_slot_of(a->at);
	const struct ear_whisper_pattern *of_a = ear_whisper_pattern_find(a->patterns, slot, a->at),
					 *of_b;

	pair->state = 0;
	if (!of_a || !same_start(a->at, b->at) ||
		!(of_b = ear_whisper_pattern_find(b->patterns, slot, b->at)))
		return false;

	const char *at_a = a->at + of_a->prefix_size, *at_b = b->at + of_b->prefix_size;
	unsigned size = same_column(at_a, at_b);
	if (size == 0 || (size > 1 && (writes_frm(at_a, size, &pair->state) ||
					      (a->xlen == 32 && is_wide(at_a, size)))))
		return false;
	at_a += size;
	at_b += size;
	if (ear_unequal_mask(at_a, of_a->sources) & of_a->sources_mask ||
		ear_unequal_mask(at_b, of_b->sources) & of_b->sources_mask)
		return false;
	at_a += of_a->sources_size;
	at_b += of_b->sources_size;
	size = same_column(at_a, at_b);
	if (size == 0 || (size > 1 && (ear_char_mask_32(at_a, ';') & ((1u << (size - 1)) - 1) ||
					      (a->xlen == 32 && is_wide(at_a, size)))))
		return false;
	at_a += size;
	at_b += size;
	of_a = ear_whisper_pattern_find_end(a->patterns, slot, of_a, a->at, at_a);
	of_b = ear_whisper_pattern_find_end(b->patterns, slot, of_b, b->at, at_b);
	if (!of_a || !of_b || !same_record(of_a, of_b) ||
		!ear_whisper_pattern_fits(of_a, a->xlen, a->harts) ||
		!ear_whisper_pattern_fits(of_b, b->xlen, b->harts))
		return false;
	pair->hart = of_a->hart;
	a->at = at_a + of_a->suffix_size;
	b->at = at_b + of_b->suffix_size;
	return true;
}

/* Are the columns before the hart equal, but for the disassembly, which is the last of the nine and
 * of no effect on the record? */
static bool same_body(const char *a, size_t size_a, const char *b, size_t size_b)
{
	size_t size = size_a < size_b ? size_a : size_b, same = 0;
	unsigned commas = 0;

	while (same < size) {
		uint32_t unequal = ear_unequal_mask(a + same, b + same);
		uint32_t equal = unequal ? (unequal & -unequal) - 1 : UINT32_MAX;
		if (size - same < 32)
			equal &= (1u << (size - same)) - 1;
		for (uint32_t found = ear_char_mask_32(a + same, ',') & equal; found;
			found &= found - 1)
			commas++;
		if (equal != UINT32_MAX) {
			same += (unsigned)__builtin_ctz(~equal);
			break;
		}
		same += 32;
	}
	if (same == size_a && same == size_b)
		return true;
	return commas == 8 && !memchr(a + same, ',', size_a - same) &&
	       !memchr(b + same, ',', size_b - same);
}

/* As take_pair, of lines that are equal up to the disassembly. */
static __attribute__((noinline)) bool take_equal_pair(
	struct ear_whisper_text *a, struct ear_whisper_text *b, struct ear_line_pair *pair)
{
	struct ear_whisper_line_end of_a, of_b;
	const char *next_a = ear_whisper_equal_line(a->at, a->end, a->columns, &of_a);
	const char *next_b = ear_whisper_equal_line(b->at, b->end, b->columns, &of_b);

	if (!next_a || !next_b || of_a.hart != of_b.hart || a->xlen != b->xlen ||
		a->harts[of_a.hart].frm != b->harts[of_b.hart].frm ||
		a->harts[of_a.hart].vtype != b->harts[of_b.hart].vtype)
		return false;
	if (!same_body(a->at, (size_t)(of_a.body - a->at), b->at, (size_t)(of_b.body - b->at)))
		return false;
	pair->hart = (uint16_t)of_a.hart;
	pair->state = of_a.vtype;
	a->at = next_a;
	b->at = next_b;
	return true;
}

size_t ear_whisper_equivalent_find(struct ear_line_pair *pairs, size_t max,
	const struct ear_whisper_text *a, const struct ear_whisper_text *b, size_t *budget)
{
	struct ear_whisper_text at_a = *a, at_b = *b;
	size_t count = 0;

	while (count < max && at_a.at < at_a.end && at_b.at < at_b.end) {
		struct ear_line_pair *pair = &pairs[count];
		if (!take_pair(&at_a, &at_b, pair)) {
			if (*budget == 0 || !take_equal_pair(&at_a, &at_b, pair))
				break;
			--*budget;
		}
		pair->end[0] = (uint32_t)(at_a.at - a->at);
		pair->end[1] = (uint32_t)(at_b.at - b->at);
		count++;
	}
	return count;
}
