#ifndef EAR_WHISPER_PATTERN_H
#define EAR_WHISPER_PATTERN_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decoder/formats/whisper/whisper_line.h"
#include "decoder/isa/csr.h"
#include "decoder/text/char_mask.h"

/* The end of a compact record. */
struct ear_whisper_compact {
	uint32_t opcode, offset;
	uint8_t opcode_size, rd, size, flags;
};

_Static_assert(
	sizeof(struct ear_whisper_compact) == offsetof(struct ear_compact_record, flags) + 1 -
						      offsetof(struct ear_compact_record, opcode),
	"both have the same members");

/* What its lines must have to be ordinary (whisper_runs.c). */
struct ear_whisper_ordinary {
	uint64_t context;   /* of the run; 0: not looked at */
	uint64_t load_mask; /* of the bytes loaded; 0: it does not load */
	char rd_text[4];    /* "x10=" */
	unsigned char rd_mask[4];
	uint8_t rd_size;
	bool jumps, loads, stores;
	struct ear_whisper_compact compact;
};

/* Lines seen before, found by their first 16 characters: a trace runs in loops, and the lines of
 * one instruction differ only in registers and memory.
 *
 *     80000050,a2a023,   ,x10;x5;i0,   80001040=1,   s,m,,sw       x10; 0x0(x5),0\n
 *     prefix             sources                     suffix
 *
 * So pc, opcode, hart and the texts are compared as characters, which is much faster than parsing
 * them, and only registers and memory are parsed. A line that matches no pattern is parsed as an
 * ordinary line and becomes a pattern, unless it has a trap or unusual texts.
 */
struct ear_whisper_pattern {
	uint64_t pc, pc_physical;
	uint64_t next_pc; /* if it did not jump; else 0 */
	uint32_t opcode, flags;
	uint16_t hart;
	uint8_t xlen; /* 0: empty */
	uint8_t privilege, opcode_size, frm;
	bool amo;
	uint8_t effects; /* enum ear_whisper_effect */
	uint8_t prefix_size, sources_size, suffix_size;
	uint32_t prefix_mask, sources_mask; /* a bit for each character */
	uint64_t suffix_mask;
	struct ear_whisper_ordinary ordinary;
	struct ear_record_access access;
	char prefix[32], sources[32], suffix[64];
};

/* Two ways in each set: a branch has two lines, taken and not. */
#ifndef EAR_WHISPER_PATTERN_BITS /* tests/fuzz has less */
#define EAR_WHISPER_PATTERN_BITS 13
#endif
#define EAR_WHISPER_PATTERN_SETS (1u << EAR_WHISPER_PATTERN_BITS)

/* Where the parts of a line are. */
struct ear_whisper_parts {
	const char *begin, *registers, *sources, *memory, *suffix, *end;
};

/* A cache of two ways. A tag is a part of the hash of a line: where it differs, the pattern need
 * not be looked at, which in a large program is rarely in the processor's cache.
 */
struct ear_whisper_patterns {
	uint64_t refused; /* lines whose set was full */
	uint64_t filled;  /* ways in use */
	uint32_t tags[2 * EAR_WHISPER_PATTERN_SETS];
	struct ear_whisper_pattern ways[2 * EAR_WHISPER_PATTERN_SETS];
};

/* The set of a line, as the index of its first way, and its tag. */
struct ear_whisper_slot {
	size_t first;
	uint32_t tag;
};

static inline struct ear_whisper_slot ear_whisper_slot_of(const char *line)
{
	uint64_t low, high;

	memcpy(&low, line, 8);
	memcpy(&high, line + 8, 8);
	uint64_t hash = (low ^ high >> 17) * 0x9E3779B97F4A7C15u + high * 0xC2B2AE3D27D4EB4Fu;
	return (struct ear_whisper_slot){
		2 * (size_t)(hash >> (64 - EAR_WHISPER_PATTERN_BITS)), (uint32_t)(hash >> 16) | 1};
}

static inline bool ear_whisper_pattern_begins(
	const struct ear_whisper_pattern *pattern, const char *line)
{
	return (ear_unequal_mask(line, pattern->prefix) & pattern->prefix_mask) == 0;
}

static inline bool ear_whisper_pattern_ends(
	const struct ear_whisper_pattern *pattern, const char *text)
{
	if (ear_unequal_mask(text, pattern->suffix) & (uint32_t)pattern->suffix_mask)
		return false;
	return pattern->suffix_size <= 32 || (ear_unequal_mask(text + 32, pattern->suffix + 32) &
						     (uint32_t)(pattern->suffix_mask >> 32)) == 0;
}

static inline bool ear_whisper_pattern_has_sources(
	const struct ear_whisper_pattern *pattern, const char *text)
{
	return (ear_unequal_mask(text, pattern->sources) & pattern->sources_mask) == 0;
}

/* The pattern with the beginning of the line, or NULL. Of two with the same beginning, it is the
 * first. */
static inline const struct ear_whisper_pattern *ear_whisper_pattern_find(
	const struct ear_whisper_patterns *patterns, struct ear_whisper_slot slot, const char *line)
{
	const uint32_t *tags = &patterns->tags[slot.first];
	const struct ear_whisper_pattern *set = &patterns->ways[slot.first];
	/* A branch, which is predicted, so that the pattern is read before its tag has come. */
	const struct ear_whisper_pattern *pattern = tags[0] == slot.tag ? set : set + 1;

	return tags[pattern - set] == slot.tag && ear_whisper_pattern_begins(pattern, line)
		       ? pattern
		       : NULL;
}

/* That pattern or the other one of the set, by the end of the line, which begins at text. */
static inline const struct ear_whisper_pattern *ear_whisper_pattern_find_end(
	const struct ear_whisper_patterns *patterns, struct ear_whisper_slot slot,
	const struct ear_whisper_pattern *pattern, const char *line, const char *text)
{
	const struct ear_whisper_pattern *second = &patterns->ways[slot.first + 1];

	if (ear_whisper_pattern_ends(pattern, text))
		return pattern;
	if (pattern == second || patterns->tags[slot.first + 1] != slot.tag)
		return NULL;
	return ear_whisper_pattern_begins(second, line) && ear_whisper_pattern_ends(second, text)
		       ? second
		       : NULL;
}

/* Does its record hold in the present state of the reader? */
static inline bool ear_whisper_pattern_fits(const struct ear_whisper_pattern *pattern,
	unsigned xlen, const struct ear_whisper_hart *harts)
{
	return pattern->xlen == xlen && harts[pattern->hart].frm == pattern->frm;
}

/* The way for a new pattern, or NULL. If the set is full, only every sixteenth line replaces a
 * pattern: adding one costs more than parsing a line, and in a program with more instructions than
 * there are ways, all patterns would be replaced before they match again; so, many stay.
 */
static inline struct ear_whisper_pattern *ear_whisper_pattern_claim(
	struct ear_whisper_patterns *patterns, struct ear_whisper_slot slot)
{
	size_t way = slot.first;

	if (patterns->tags[way] != 0 && patterns->tags[++way] != 0) {
		if (patterns->refused++ % 16 != 0)
			return NULL;
		way = slot.first + (patterns->refused / 16 & 1);
	}
	patterns->filled += patterns->tags[way] == 0;
	patterns->tags[way] = slot.tag;
	return &patterns->ways[way];
}

static inline uint8_t ear_whisper_effects_of(const struct ear_record *record)
{
	uint8_t effects = record->flags & EAR_RECORD_TAKEN ? EAR_WHISPER_JUMPS : 0;

	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			record->registers[i].number == EAR_CSR_VTYPE)
			effects |= EAR_WHISPER_SETS_VTYPE;
	return effects;
}

/* Make a pattern of a line that was parsed, unless one of its parts is too long. */
static inline void ear_whisper_pattern_add(struct ear_whisper_patterns *patterns,
	const struct ear_record *record, const struct ear_record_access *access, bool amo,
	const struct ear_whisper_parts *parts)
{
	struct ear_whisper_slot slot = ear_whisper_slot_of(parts->begin);
	struct ear_whisper_pattern *made;
	size_t prefix = (size_t)(parts->registers - parts->begin);
	size_t sources = (size_t)(parts->memory - parts->sources);
	size_t suffix = (size_t)(parts->end - parts->suffix);

	if (prefix > sizeof(made->prefix) || sources > sizeof(made->sources) ||
		suffix > sizeof(made->suffix))
		return;
	made = ear_whisper_pattern_claim(patterns, slot);
	if (!made)
		return;
	*made = (struct ear_whisper_pattern){
		.pc = record->pc,
		.pc_physical = record->pc_physical,
		.next_pc = record->flags & EAR_RECORD_TAKEN ? 0 : record->next_pc,
		.opcode = (uint32_t)record->opcode,
		.flags = record->flags,
		.hart = record->hart,
		.xlen = record->xlen,
		.privilege = record->privilege,
		.opcode_size = record->opcode_size,
		.frm = record->frm,
		.amo = amo,
		.effects = ear_whisper_effects_of(record),
		.prefix_size = (uint8_t)prefix,
		.sources_size = (uint8_t)sources,
		.suffix_size = (uint8_t)suffix,
		.prefix_mask = (uint32_t)(((uint64_t)1 << prefix) - 1),
		.sources_mask = (uint32_t)(((uint64_t)1 << sources) - 1),
		.suffix_mask = suffix < 64 ? ((uint64_t)1 << suffix) - 1 : UINT64_MAX,
		.access = *access,
	};
	memcpy(made->prefix, parts->begin, prefix);
	memcpy(made->sources, parts->sources, sources);
	memcpy(made->suffix, parts->suffix, suffix);
}

#endif
