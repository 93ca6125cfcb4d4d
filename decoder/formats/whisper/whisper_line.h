#ifndef EAR_WHISPER_LINE_H
#define EAR_WHISPER_LINE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hash.h"

/* One line of a Whisper CSV, of any shape, to a record. whisper_full.c has a faster way for
 * ordinary lines, with the same result; this one is for all lines and says what is wrong.
 */

enum ear_whisper_column {
	EAR_WHISPER_PC,
	EAR_WHISPER_INST,
	EAR_WHISPER_REGISTERS,
	EAR_WHISPER_SOURCES,
	EAR_WHISPER_MEMORY,
	EAR_WHISPER_INFO,
	EAR_WHISPER_PRIVILEGE,
	EAR_WHISPER_TRAP,
	EAR_WHISPER_DISASSEMBLY,
	EAR_WHISPER_HART,
	EAR_WHISPER_FETCH_WALK,
	EAR_WHISPER_DATA_WALK,
	EAR_WHISPER_PMP, /* of its trace reader: no simulator writes it */
	EAR_WHISPER_COLUMN_COUNT
};

/* What follows from the opcode alone, kept by opcode. The texts are as the file spells them,
 * since a file spells an opcode always in the same way: they were compared with what the
 * instruction table gives when they were first seen, and differ_ says with what result.
 */
#define EAR_WHISPER_TEXT_SIZE 64 /* room of a text; a longer one is not kept */

struct ear_whisper_entry {
	uint64_t key; /* 0: empty */
	uint8_t kind; /* enum ear_inst_kind */
	uint8_t opcode_size;
	bool dynamic; /* rounds as frm says */
	bool lists;   /* memory may be a list: not for the fast ways */
	bool vector;  /* the sources depend on vtype, and on a trap */
	bool returns; /* mret and its like, and an indirect jump: only "pc=" shows the next pc */
	bool jump;    /* a direct one */
	bool silent_jump; /* c.jal: jumps, and Whisper does not show it */
	bool differ_sources, differ_disassembly, differ_info[2];
	uint8_t sources_size, disassembly_size, info_size[2];
	char info[2][4];                         /* not taken, taken; with the comma */
	uint32_t sources_mask, disassembly_mask; /* a bit for each of the first 32 characters */
	int64_t offset;                          /* of silent_jump and jump */
	struct ear_record_access access;         /* size and direction; the rest 0 */
	char sources[EAR_WHISPER_TEXT_SIZE];
	char disassembly[EAR_WHISPER_TEXT_SIZE]; /* with semicolons */
	char spelled[EAR_WHISPER_TEXT_SIZE];     /* disassembly with commas */
};

#ifndef EAR_WHISPER_CACHE_BITS /* tests/fuzz has less */
#define EAR_WHISPER_CACHE_BITS 12
#endif
#define EAR_WHISPER_CACHE_SIZE (1u << EAR_WHISPER_CACHE_BITS)
#define EAR_WHISPER_HARTS      65536u

struct ear_whisper_hart {
	uint64_t next_index;
	uint8_t frm, vtype; /* vtype: ear_vtype_pack() */
};

/* Everything that a line is parsed with and into. It is kept from line to line. */
struct ear_whisper_line {
	unsigned xlen;
	uint64_t wide; /* all addresses and register values of the line, ORed */
	const char *fault;
	struct ear_text word; /* the first that was not understood; size 0: there is none */

	struct ear_record record;
	struct ear_record_extra extra;
	bool has_extra; /* extra may hold texts or walks */
	struct ear_record_register *registers;
	struct ear_record_access *memory;
	struct ear_walk *walks;
	struct ear_walk_step *steps;
	uint8_t *bytes; /* of vector registers */
	char *spelled;  /* a disassembly that is not kept */
	size_t register_capacity, memory_capacity, walk_capacity, step_capacity;
	size_t byte_capacity, spelled_capacity;

	struct ear_whisper_hart *harts; /* EAR_WHISPER_HARTS of them, by number */
	unsigned hart_end;              /* higher than any that a line was parsed of */
	struct ear_whisper_entry *cache;
};

/* What a line does beyond its own registers and accesses. */
enum ear_whisper_effect {
	EAR_WHISPER_JUMPS = 1 << 0,      /* "pc=": next_pc is in the line */
	EAR_WHISPER_SETS_VTYPE = 1 << 1, /* "c3105=": later lines depend on it */
};

/* Registers and accesses that there is always room for. */
#define EAR_WHISPER_LINE_COUNT_MIN 64

/* Returns 0 or EAR_E_NO_MEMORY; fini is right after both. */
int ear_whisper_line_init(struct ear_whisper_line *line);
void ear_whisper_line_fini(struct ear_whisper_line *line);

/* Parse the columns of a line, those that the file lacks with text NULL. line->extra.line and
 * the record's stream_offset are the caller's, and so is the index, which is not counted on.
 *
 * Returns 0; EAR_E_BAD_FILE and why in line->fault; EAR_E_NO_MEMORY. With xlen 32, see
 * line->wide afterwards: a value that does not fit means that the hart is a 64-bit one.
 */
int ear_whisper_line_parse(
	struct ear_whisper_line *line, const struct ear_text columns[EAR_WHISPER_COLUMN_COUNT]);

/* Fill in what follows from the opcode. */
void ear_whisper_entry_fill(struct ear_whisper_entry *entry, uint64_t key, uint32_t opcode,
	unsigned xlen, unsigned frm, unsigned vtype);

/* vtype: 0 where the opcode does not use it, as record->vtype. */
static inline struct ear_whisper_entry *ear_whisper_entry_find(
	struct ear_whisper_line *line, uint32_t opcode, unsigned xlen, unsigned frm, unsigned vtype)
{
	uint64_t key = opcode | (uint64_t)xlen << 32 | (uint64_t)frm << 40 | (uint64_t)vtype << 48;
	uint32_t hash = ear_hash_slot32(opcode, EAR_WHISPER_CACHE_BITS);
	struct ear_whisper_entry *entry = &line->cache[hash];

	if (__builtin_expect(entry->key != key, 0))
		ear_whisper_entry_fill(entry, key, opcode, xlen, frm, vtype);
	return entry;
}

/* The privilege of a letter, plus 1; 0 if it is none. */
extern const uint8_t ear_whisper_privileges[256];

/* Fill in what depends on whether and where the instruction went on: flags, cause, next_pc. */
static inline void ear_whisper_line_flow(struct ear_whisper_line *line,
	const struct ear_whisper_entry *entry, bool jumped, uint64_t target, bool trapped,
	uint64_t cause)
{
	struct ear_record *record = &line->record;
	uint64_t mask = line->xlen == 32 ? UINT32_MAX : UINT64_MAX;

	record->cause = cause;
	if (trapped) {
		record->flags |= cause >> (line->xlen - 1) ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;
		record->flags |= EAR_RECORD_NO_NEXT_PC;
		record->next_pc = 0;
	} else if (jumped) {
		record->flags |= EAR_RECORD_TAKEN;
		record->next_pc = target;
	} else if (entry->silent_jump || entry->jump) {
		record->flags |= EAR_RECORD_TAKEN;
		record->next_pc = (record->pc + (uint64_t)entry->offset) & mask;
	} else if (entry->returns) {
		record->flags |= EAR_RECORD_NO_NEXT_PC;
		record->next_pc = 0;
	} else {
		record->next_pc = (record->pc + entry->opcode_size) & mask;
	}
}

#endif
