/* Light records from the lines of a Whisper CSV: pc, opcode, privilege, trap, hart and whether a
 * branch was taken; registers, memory and texts are passed over.
 *
 * A line that matches a pattern is compared from both ends, so what is between them is not looked
 * at. An ordinary line is not parsed from left to right either: one look at 64 characters finds all
 * commas, and only the columns between the right ones are read.
 */
#include "decoder/formats/whisper/whisper_any_line.h"
#include "decoder/formats/whisper/whisper_scan.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/char_mask.h"

/* --- Lines that match a pattern --- */

/* The line end is looked for before the pattern is known, so that the next line need not wait for
 * it; no line that matches a pattern can be shorter than this.
 */
#define PREFIX_MIN 12

static inline bool matches(
	const struct ear_whisper_pattern *pattern, const char *text, const char *end)
{
	size_t size = (size_t)pattern->prefix_size + pattern->suffix_size;

	return ear_whisper_pattern_begins(pattern, text) && (size_t)(end - text) >= size &&
	       ear_whisper_pattern_ends(pattern, end - pattern->suffix_size);
}

static inline void fill_matched(
	struct ear_whisper_line *line, const struct ear_whisper_pattern *pattern)
{
	struct ear_record *record = &line->record;

	record->kind = EAR_RECORD_INSTRUCTION;
	record->hart = pattern->hart;
	record->index = line->harts[pattern->hart].next_index++;
	record->xlen = pattern->xlen;
	record->privilege = pattern->privilege;
	record->opcode_size = pattern->opcode_size;
	record->flags = pattern->flags;
	record->cause = 0;
	record->opcode = pattern->opcode;
	record->pc = pattern->pc;
	record->pc_physical = pattern->pc_physical;
}

/* Returns false, and nothing has changed, if the line matches no pattern. */
static inline bool take_matched(struct ear_whisper_reader *reader)
{
	const char *text = reader->at;
	const char *end = ear_find_line_end(text + PREFIX_MIN) + 1;
	const struct ear_whisper_slot slot = ear_whisper_slot_of(text);
	const uint32_t *tags = &reader->patterns->tags[slot.first];
	const struct ear_whisper_pattern *pattern = &reader->patterns->ways[slot.first];

	for (int way = 0; way < 2; way++, pattern++) {
		if (tags[way] != slot.tag || !matches(pattern, text, end))
			continue;
		if (pattern->xlen != reader->line.xlen || pattern->prefix_size < PREFIX_MIN)
			return false;
		ear_whisper_take_line(reader, end);
		fill_matched(&reader->line, pattern);
		return true;
	}
	return false;
}

/* --- Ordinary lines --- */

struct ordinary {
	struct ear_whisper_scan scan;
	struct ear_whisper_parts parts;
	const char *info; /* the column of kinds: "t", "nt", "j", ... */
};

/* The columns from the registers to the privilege and the trap, by their commas. Returns where the
 * disassembly begins, and in *marks the commas and line ends after that; NULL if the line is not
 * an ordinary one.
 */
static inline const char *scan_columns(
	struct ordinary *line, struct ear_char_marks *marks, const char *whole_end)
{
	struct ear_whisper_scan *scan = &line->scan;
	const char *text = scan->at;
	unsigned disassembly;

	*marks = ear_find_marks(text);
	ear_next_mark(&marks->commas); /* registers */
	ear_next_mark(&marks->commas); /* sources */
	line->info = text + ear_next_mark(&marks->commas) + 1;
	scan->at = text + ear_next_mark(&marks->commas) + 1;
	line->parts.registers = line->parts.sources = line->parts.memory = text;
	line->parts.suffix =
		line->info - 1;        /* with the comma: "t" must not match the end of "nt" */
	ear_next_mark(&marks->commas); /* privilege */
	disassembly = ear_next_mark(&marks->commas) + 1;
	if (disassembly > 64 ||
		(marks->ends && (unsigned)__builtin_ctzll(marks->ends) < disassembly))
		return NULL;
	if (!scan_privilege(scan) || !scan_trap(scan) || scan->at != text + disassembly)
		return NULL;
	if (marks->ends)
		return text;
	text += disassembly;
	if (text >= whole_end)
		return NULL;
	*marks = ear_find_marks(text);
	return marks->ends ? text : NULL;
}

/* A branch whose info is blank: nobody knows whether it was taken. */
static inline bool may_branch(uint64_t opcode)
{
	uint64_t compressed = opcode & EAR_OPCODE_C_MASK;

	return ear_opcode_major(opcode) == EAR_OPCODE_BRANCH || compressed == EAR_OPCODE_C_BEQZ ||
	       compressed == EAR_OPCODE_C_BNEZ;
}

static inline bool scan_line(const struct ear_whisper_reader *reader, struct ordinary *line)
{
	struct ear_whisper_scan *scan = &line->scan;
	size_t columns = reader->layout.count;
	struct ear_char_marks marks;

	if (!scan_pc_inst(scan))
		return false;
	scan->wide = scan->pc;
	const char *text = scan_columns(line, &marks, reader->whole_end);
	if (!text || (*line->info == ',' && may_branch(scan->opcode)))
		return false;
	scan->at = text + (columns > 9 ? ear_next_mark(&marks.commas)
				       : (unsigned)__builtin_ctzll(marks.ends));
	return scan_end(scan, columns) && scan->at <= reader->whole_end &&
	       !(scan->wide >> 32 && reader->line.xlen == 32);
}

static inline bool is_taken(const struct ordinary *line, unsigned xlen)
{
	const char *info = line->info;

	if (line->scan.trapped)
		return false;
	if (xlen == 32 && (line->scan.opcode & 0xFFFFE003) == 0x2001) /* c.jal, which has no info */
		return true;
	return info[0] == 't' || info[0] == 'j' || info[0] == 'c' || info[0] == 'r';
}

/* sret, mret, mnret, dret: where they lead is not known, as in full records. */
static inline bool is_return(uint64_t opcode)
{
	return opcode == EAR_OPCODE_SRET || opcode == EAR_OPCODE_MRET ||
	       opcode == EAR_OPCODE_MNRET || opcode == EAR_OPCODE_DRET;
}

static inline uint32_t flags_of(const struct ordinary *line, unsigned xlen)
{
	const struct ear_whisper_scan *scan = &line->scan;
	uint32_t flags = scan->flags;

	if (is_taken(line, xlen))
		flags |= EAR_RECORD_TAKEN;
	if (scan->trapped)
		flags |= scan->cause >> (xlen - 1) ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;
	if (scan->trapped || is_return(scan->opcode))
		flags |= EAR_RECORD_NO_NEXT_PC;
	return flags;
}

static inline void fill_ordinary(struct ear_whisper_line *line, const struct ordinary *ordinary)
{
	const struct ear_whisper_scan *scan = &ordinary->scan;
	struct ear_record *record = &line->record;

	record->kind = EAR_RECORD_INSTRUCTION;
	record->hart = (uint16_t)scan->hart;
	record->index = line->harts[scan->hart].next_index++;
	record->xlen = (uint8_t)line->xlen;
	record->privilege = scan->privilege;
	record->opcode_size = ear_opcode_size(scan->opcode);
	record->flags = flags_of(ordinary, line->xlen);
	record->cause = scan->cause;
	record->opcode = scan->opcode;
	record->pc = scan->pc;
	record->pc_physical = scan->pc_physical;
}

static __attribute__((noinline)) bool take_ordinary(struct ear_whisper_reader *reader)
{
	struct ordinary line = {.scan = {.at = reader->at}, .parts = {.begin = reader->at}};

	if (!scan_line(reader, &line))
		return false;
	ear_whisper_take_line(reader, line.scan.at);
	ear_whisper_note_hart(reader, line.scan.hart);
	fill_ordinary(&reader->line, &line);
	line.parts.end = line.scan.at;
	if (!line.scan.trapped)
		ear_whisper_add_pattern(reader, &(struct ear_record_access){0}, false, &line.parts);
	return true;
}

int ear_whisper_next_light(struct ear_reader *base, const struct ear_record **record)
{
	struct ear_whisper_reader *reader = (struct ear_whisper_reader *)base;

	*record = &reader->line.record;
	/* A line end comes after the shortest prefix: the last line may be shorter than that. */
	if (reader->usual_end - reader->at > PREFIX_MIN && take_matched(reader))
		return 1;
	return ear_whisper_next_other(reader, take_ordinary);
}
