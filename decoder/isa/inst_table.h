#ifndef EAR_INST_TABLE_H
#define EAR_INST_TABLE_H

#include "decoder/isa/inst.h"

/* The table on which inst.h is built, for this library and its tests only. */

/* Where the operands of an opcode are: inst_format.def has one row each. */
enum ear_inst_format {
#define FORMAT(name, fields) FORMAT_##name,
#include "decoder/isa/inst_format.def"
#undef FORMAT
	FORMAT_COUNT
};

/* Some encodings of the row are reserved: inst_reserved.def. */
#define ROW_CHECKED (1 << 15)

/* A vector instruction with a vm bit. */
#define ROW_MASKABLE (1 << 14)

/* Its format may have something to complete: inst_decode.c. */
#define ROW_OPEN (1 << 13)

#define ROW_FLAGS (ROW_CHECKED | ROW_MASKABLE | ROW_OPEN)

#define XLEN_BYTES 255 /* access_size: XLEN / 8 */

/* One row of inst_list.def. */
struct ear_inst_row {
	uint32_t match;
	uint32_t mask[2];    /* for RV32 and RV64; 0 where the instruction does not exist, and
			      * then match is not 0, so that nothing matches */
	uint16_t nonzero;    /* one of these bits must be 1, unless this is 0 */
	uint8_t format;      /* enum ear_inst_format */
	uint8_t kind;        /* enum ear_inst_kind */
	uint8_t extension;   /* enum ear_inst_extension */
	uint8_t access_size; /* bytes */
	uint16_t flags; /* EAR_INST_ROUNDS | EAR_INST_UNSIGNED | EAR_INST_FLOAT | ROW_CHECKED */
	char name[24];
};

/* Indexed by enum ear_inst_id. Row 0 matches nothing. */
extern const struct ear_inst_row ear_inst_rows[EAR_INST_COUNT];

/* The rows that an opcode can match, in the order of the list, up to a 0 (inst_decode.c). */
const uint16_t *ear_inst_candidates(uint32_t opcode);

/* Fill in operands, operand_count and imm from inst->opcode. */
void ear_inst_add_operands(struct ear_inst *inst, unsigned format);

/* How many registers an instruction of Zcmp pushes or pops. */
unsigned ear_inst_list_size(uint32_t opcode);

/* The groups that Whisper notes of each operand of a vector instruction, 0 or 1 where it writes
 * none. */
void ear_inst_shown_groups(uint8_t groups[EAR_OPERAND_MAX], const struct ear_inst *inst,
	const struct ear_inst_mode *mode);

/* True if the opcode (16 bits of it when compressed) is the instruction of this row.
 * wide is 1 for RV64, 0 for RV32.
 */
static inline bool ear_inst_row_matches(
	const struct ear_inst_row *row, uint32_t opcode, unsigned wide)
{
	return (opcode & row->mask[wide]) == row->match &&
	       (row->nonzero == 0 || (opcode & row->nonzero) != 0);
}

/* The spelling of a tool: inst_whisper.def, inst_spike.def. */
struct ear_inst_spelling {
	const char *syntax[FORMAT_COUNT];  /* template, NULL if the tool has none */
	const char *names[EAR_INST_COUNT]; /* mnemonic, NULL for the standard one */
	const char
		*sources[EAR_INST_COUNT]; /* template of the sources, NULL for all that are read */
	const struct ear_inst_alias *aliases; /* in the order of the ids */
	unsigned alias_count;
};

/* Another text for an id where (opcode & mask) == match. */
struct ear_inst_alias {
	uint32_t mask;
	uint32_t match;
	uint16_t id;
	const char *text;
};

/* Both up to a row or an id of EAR_INST_ILLEGAL: what else Whisper calls by a name (LOOSE, STRICT).
 */
extern const struct ear_inst_alias ear_inst_whisper_loose[];
extern const uint16_t ear_inst_whisper_strict[];

/* Indexed by enum ear_inst_style. */
extern const struct ear_inst_spelling ear_inst_spellings[EAR_INST_STYLE_COUNT];

#endif
