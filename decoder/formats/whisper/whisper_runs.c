/* Lines of a Whisper CSV straight to the compact records of a run (struct ear_reader.add_ordinary).
 *
 * Only lines that match a pattern, as in whisper_full.c: nearly all that are executed. Whether a
 * line can be ordinary is in its pattern, but for what it says of registers and memory: so no
 * record is made, and none is looked at. Where a line ends is looked for before anything else: the
 * processor then begins with the next line while it is still at the numbers of this one, each of
 * which would have to be read to know where the next one begins. What is not taken here is left for
 * ear_whisper_next.
 */
#include <stdio.h>
#include <string.h>

#include "decoder/formats/whisper/whisper_any_line.h"
#include "decoder/formats/whisper/whisper_scan.h"
#include "decoder/isa/ordinary_opcode.h"

#define LINE_MIN 16u               /* no line that matches a pattern is shorter */
#define LINE_MAX (LINE_MIN + 128u) /* longer ones are left */
#define REST_MIN (LINE_MAX + 16u)  /* so much of the block must be left */

/* What a line says that its pattern does not. */
struct values {
	uint64_t result, target, address, stored;
};

/* Patterns --------------------------------------------------------------------------------- */

#define NEVER UINT64_MAX /* no run has this context */

/* What all records of a run have in common; not 0. */
static uint64_t context_of(unsigned hart, unsigned xlen, unsigned privilege, unsigned frm)
{
	return hart | xlen << 16 | privilege << 24 | (uint64_t)frm << 32;
}

/* Can the lines be ordinary, as far as the pattern knows? */
static bool may_be_ordinary(
	const struct ear_whisper_pattern *pattern, const struct ear_ordinary_opcode *opcode)
{
	bool taken = pattern->flags & EAR_RECORD_TAKEN, jump = opcode->flags & EAR_ORDINARY_JUMP,
	     store = opcode->flags & EAR_ORDINARY_STORE;
	uint64_t after = pattern->pc + pattern->opcode_size;

	if (pattern->xlen == 32)
		after = (uint32_t)after;
	if (!(opcode->flags & EAR_ORDINARY) || pattern->flags & ~(uint32_t)EAR_RECORD_TAKEN ||
		pattern->pc_physical || pattern->amo ||
		pattern->effects != (taken ? EAR_WHISPER_JUMPS : 0))
		return false;
	if (taken ? !(opcode->flags & EAR_ORDINARY_MOVES) : jump || pattern->next_pc != after)
		return false;
	/* What a load saw is in its register alone. */
	return opcode->size == EAR_COMPACT_NO_ACCESS ||
	       (pattern->access.size == opcode->size && pattern->access.write == store &&
		       (store || opcode->rd));
}

static void set_ordinary(
	struct ear_whisper_pattern *pattern, const struct ear_ordinary_opcode *opcode)
{
	struct ear_whisper_ordinary *ordinary = &pattern->ordinary;
	char text[8];
	int size = opcode->rd ? snprintf(text, sizeof(text), "x%d=", opcode->rd & 31) : 0;
	bool store = opcode->flags & EAR_ORDINARY_STORE,
	     load = opcode->size != EAR_COMPACT_NO_ACCESS && !store;

	memcpy(ordinary->rd_text, text, (size_t)size);
	memset(ordinary->rd_mask, 0xFF, (size_t)size);
	ordinary->rd_size = (uint8_t)size;
	ordinary->jumps = pattern->flags & EAR_RECORD_TAKEN;
	ordinary->loads = load;
	ordinary->stores = store;
	ordinary->load_mask = load ? UINT64_MAX >> (64 - 8 * opcode->size) : 0;
	ordinary->compact = (struct ear_whisper_compact){
		.opcode = pattern->opcode,
		.opcode_size = pattern->opcode_size,
		.rd = opcode->rd,
		.size = opcode->size,
		.flags = (uint8_t)((ordinary->jumps ? EAR_COMPACT_TAKEN : 0) |
				   (store ? EAR_COMPACT_WRITE : 0)),
	};
	ordinary->context =
		context_of(pattern->hart, pattern->xlen, pattern->privilege, pattern->frm);
}

static __attribute__((noinline)) void look_at(struct ear_whisper_pattern *pattern)
{
	const struct ear_ordinary_opcode opcode =
		ear_ordinary_opcode_find(pattern->opcode, pattern->xlen);

	pattern->ordinary = (struct ear_whisper_ordinary){.context = NEVER};
	if (may_be_ordinary(pattern, &opcode))
		set_ordinary(pattern, &opcode);
}

/* Lines ------------------------------------------------------------------------------------- */

static inline bool take_number(const char **at, uint64_t *value)
{
	unsigned count = ear_hex_scan(*at, value);

	*at += count;
	return count > 0;
}

static inline bool has_rd(const struct ear_whisper_ordinary *ordinary, const char *at)
{
	uint32_t text, expected, mask;

	memcpy(&text, at, 4);
	memcpy(&expected, ordinary->rd_text, 4);
	memcpy(&mask, ordinary->rd_mask, 4);
	return ((text ^ expected) & mask) == 0;
}

/* "x10=8000;pc=80000000,", as far as the pattern has it, and sets result and target. */
static inline bool scan_changes(
	const char **text, const struct ear_whisper_ordinary *ordinary, struct values *values)
{
	const char *at = *text;

	if (ordinary->rd_size) {
		if (!has_rd(ordinary, at))
			return false;
		at += ordinary->rd_size;
		if (!take_number(&at, &values->result))
			return false;
		if (ordinary->jumps && *at++ != ';')
			return false;
	}
	if (ordinary->jumps) {
		if (at[0] != 'p' || at[1] != 'c' || at[2] != '=')
			return false;
		at += 3;
		if (!take_number(&at, &values->target))
			return false;
	}
	*text = at + 1;
	return *at == ',';
}

/* "80001040=1,", likewise. */
static inline bool scan_access(
	const char **text, const struct ear_whisper_ordinary *ordinary, struct values *values)
{
	const char *at = *text;

	if (ordinary->loads | ordinary->stores) {
		if (!take_number(&at, &values->address))
			return false;
		if (ordinary->stores && (*at++ != '=' || !take_number(&at, &values->stored)))
			return false;
	}
	*text = at + 1;
	return *at == ',';
}

/* After the line end of the line; NULL: it is too long. */
static inline const char *find_end(const char *line)
{
	const char *text = line + LINE_MIN;
	uint64_t ends = ear_char_mask(text, '\n');

	if (!ends) {
		text += 64;
		ends = ear_char_mask(text, '\n');
		if (!ends)
			return NULL;
	}
	return text + __builtin_ctzll(ends) + 1;
}

static inline bool is_of(
	const struct ear_whisper_pattern *pattern, const char *line, const char *end)
{
	return ear_whisper_pattern_begins(pattern, line) && end - line >= pattern->suffix_size &&
	       ear_whisper_pattern_ends(pattern, end - pattern->suffix_size);
}

/* The pattern of the line, or NULL. */
static inline struct ear_whisper_pattern *find_pattern(
	struct ear_whisper_patterns *patterns, const char *line, const char *end)
{
	const struct ear_whisper_slot slot = ear_whisper_slot_of(line);
	struct ear_whisper_pattern *pattern = &patterns->ways[slot.first];
	const uint32_t *tags = &patterns->tags[slot.first];

	if (tags[0] == slot.tag && is_of(pattern, line, end))
		return pattern;
	pattern++;
	return tags[1] == slot.tag && is_of(pattern, line, end) ? pattern : NULL;
}

static inline void fill(struct ear_compact_record *compact,
	const struct ear_whisper_pattern *pattern, const struct values *values)
{
	const struct ear_whisper_ordinary *ordinary = &pattern->ordinary;

	compact->pc = pattern->pc;
	compact->next_pc = ordinary->jumps ? values->target : pattern->next_pc;
	compact->result = values->result;
	compact->address = values->address;
	compact->data = values->stored | (values->result & ordinary->load_mask);
	memcpy(&compact->opcode, &ordinary->compact, sizeof(ordinary->compact));
}

/* The compact record of the line, which is to come at next_pc, with that context. Returns where the
 * next line begins, or NULL. */
static inline const char *take_line(struct ear_whisper_patterns *patterns, const char *line,
	uint64_t context, uint64_t next_pc, struct ear_compact_record *compact)
{
	const char *end = find_end(line), *at;
	struct ear_whisper_pattern *pattern = end ? find_pattern(patterns, line, end) : NULL;
	struct values values = {0};

	if (!pattern || pattern->pc != next_pc)
		return NULL;
	if (pattern->ordinary.context == 0)
		look_at(pattern);
	if (pattern->ordinary.context != context)
		return NULL;
	at = line + pattern->prefix_size;
	if (!scan_changes(&at, &pattern->ordinary, &values) ||
		!ear_whisper_pattern_has_sources(pattern, at))
		return NULL;
	at += pattern->sources_size;
	if (!scan_access(&at, &pattern->ordinary, &values) || at + pattern->suffix_size != end)
		return NULL;
	/* The value stored may be any, as in other lines. */
	if (pattern->xlen == 32 && (values.result | values.target | values.address) >> 32)
		return NULL;
	fill(compact, pattern, &values);
	return end;
}

void ear_whisper_add_ordinary(struct ear_reader *base, struct ear_compact_run *run,
	struct ear_compact_record *compacts, size_t max)
{
	struct ear_whisper_reader *reader = (struct ear_whisper_reader *)base;
	struct ear_whisper_hart *hart = &reader->line.harts[run->hart];
	uint64_t context = context_of(run->hart, run->xlen, run->privilege, run->frm);
	const char *at = reader->at;
	size_t count = run->count;
	uint64_t next_pc = compacts[count - 1].next_pc;

	if (hart->next_index != run->first_index + count || hart->frm != run->frm ||
		reader->line.xlen != run->xlen)
		return;
	while (count < max && reader->usual_end - at >= (ptrdiff_t)REST_MIN) {
		const char *next =
			take_line(reader->patterns, at, context, next_pc, &compacts[count]);
		if (!next)
			break;
		at = next;
		next_pc = compacts[count++].next_pc;
	}
	reader->line_count += count - run->count;
	hart->next_index += count - run->count;
	reader->at = at;
	run->count = count;
}
