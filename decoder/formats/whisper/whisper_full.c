/* Full records from the lines of a Whisper CSV, as fast as possible.
 *
 * A trace runs in loops, so nearly every line was seen before but for its register and memory
 * values. Such a line is found by a hash of its first 16 characters, compared with its pattern as
 * characters, and only registers and memory are parsed. That takes a third of the time of parsing
 * the line from left to right, which happens when an instruction comes for the first time.
 *
 * Both ways parse into a scan and change the reader only when the whole line is understood.
 */
#include "decoder/formats/whisper/whisper_any_line.h"
#include "decoder/formats/whisper/whisper_scan.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

/* --- Lines that match a pattern --- */

#define FRM_SAME 0xFFu /* the line does not change it */

/* Registers, sources and memory of a line whose beginning matches. */
static inline bool scan_middle(struct ear_whisper_scan *scan,
	const struct ear_whisper_pattern *pattern, const struct ear_whisper_line *line)
{
	if (!scan_registers(scan, line->registers) ||
		!ear_whisper_pattern_has_sources(pattern, scan->at))
		return false;
	scan->at += pattern->sources_size;
	return scan_memory(scan, line->memory, &pattern->access, pattern->amo);
}

/* The pattern that the next line matches, with the line's values in *scan, or NULL. */
static inline const struct ear_whisper_pattern *match_line(
	const struct ear_whisper_reader *reader, struct ear_whisper_scan *scan)
{
	const struct ear_whisper_line *line = &reader->line;
	const struct ear_whisper_slot slot = ear_whisper_slot_of(reader->at);
	const struct ear_whisper_pattern *pattern =
		ear_whisper_pattern_find(reader->patterns, slot, reader->at);

	if (!pattern)
		return NULL;
	scan->at = reader->at + pattern->prefix_size;
	scan->frm_after = FRM_SAME;
	scan->wide = scan->target = 0;
	if (!scan_middle(scan, pattern, line))
		return NULL;
	pattern =
		ear_whisper_pattern_find_end(reader->patterns, slot, pattern, reader->at, scan->at);
	if (!pattern || !ear_whisper_pattern_fits(pattern, line->xlen, line->harts) ||
		pattern->effects != scan->effects || (scan->wide >> 32 && line->xlen == 32))
		return NULL;
	scan->at += pattern->suffix_size;
	return pattern;
}

static inline void fill_matched(struct ear_whisper_line *line,
	const struct ear_whisper_pattern *pattern, const struct ear_whisper_scan *scan)
{
	struct ear_record *record = &line->record;
	struct ear_whisper_hart *hart = &line->harts[pattern->hart];

	if (scan->frm_after != FRM_SAME)
		hart->frm = scan->frm_after;
	if (scan->effects & EAR_WHISPER_SETS_VTYPE)
		hart->vtype = scan->vtype_after;
	record->kind = EAR_RECORD_INSTRUCTION;
	record->hart = pattern->hart;
	record->index = hart->next_index++;
	record->xlen = pattern->xlen;
	record->privilege = pattern->privilege;
	record->opcode_size = pattern->opcode_size;
	record->fflags = scan->fflags;
	record->frm = pattern->frm;
	record->flags = pattern->flags;
	record->opcode = pattern->opcode;
	record->pc = pattern->pc;
	record->pc_physical = pattern->pc_physical;
	record->next_pc = scan->effects & EAR_WHISPER_JUMPS ? scan->target : pattern->next_pc;
	record->cause = 0;
	record->register_count = scan->register_count;
	record->memory_count = scan->memory_count;
	if (line->has_extra)
		ear_whisper_clear_extra(line);
}

/* Returns false, and nothing has changed, if the line matches no pattern. */
static inline bool take_matched(struct ear_whisper_reader *reader)
{
	struct ear_whisper_scan scan;
	const struct ear_whisper_pattern *pattern = match_line(reader, &scan);

	if (!pattern)
		return false;
	ear_whisper_take_line(reader, scan.at);
	fill_matched(&reader->line, pattern, &scan);
	return true;
}

/* --- Ordinary lines --- */

/* A line on its way to a record: its values, where its parts are, and what the opcode implies. */
struct ordinary {
	struct ear_whisper_scan scan;
	struct ear_whisper_parts parts;
	const struct ear_whisper_entry *entry;
	unsigned frm, vtype; /* of the hart, before the line */
};

static inline bool scan_front(struct ordinary *line, struct ear_record_register *registers)
{
	struct ear_whisper_scan *scan = &line->scan;

	if (!scan_pc_inst(scan))
		return false;
	scan->wide = scan->pc;
	line->parts.registers = scan->at;
	return scan_registers(scan, registers);
}

/* The text must be as it was for this opcode before. */
static inline bool scan_sources(struct ordinary *line)
{
	const struct ear_whisper_entry *entry = line->entry;
	struct ear_whisper_scan *scan = &line->scan;

	line->parts.sources = scan->at;
	if (!same_text(scan->at, entry->sources, entry->sources_mask, entry->sources_size))
		return false;
	scan->at += entry->sources_size;
	return *scan->at++ == ',';
}

static inline bool scan_accesses(struct ordinary *line, struct ear_record_access *memory)
{
	const struct ear_whisper_entry *entry = line->entry;
	struct ear_whisper_scan *scan = &line->scan;

	line->parts.memory = scan->at;
	if (!entry->lists)
		return scan_memory(scan, memory, &entry->access, entry->kind == EAR_KIND_AMO);
	scan->memory_count = 0;
	return *scan->at++ == ',';
}

static inline bool scan_back(struct ordinary *line, size_t columns)
{
	const struct ear_whisper_entry *entry = line->entry;
	struct ear_whisper_scan *scan = &line->scan;

	scan->trapped = false;
	line->parts.suffix = scan->at;
	if (!scan_info(scan, entry) || !scan_privilege(scan) || !scan_trap(scan))
		return false;
	if (!same_text(
		    scan->at, entry->disassembly, entry->disassembly_mask, entry->disassembly_size))
		return false;
	scan->at += entry->disassembly_size;
	return scan_end(scan, columns);
}

/* Parse the next line. The hart comes last, and the rounding mode before it is needed to parse: so
 * the hart of the line before is assumed, and has_state checks it.
 */
static inline bool scan_line(struct ear_whisper_reader *reader, struct ordinary *line)
{
	if (!scan_front(line, reader->line.registers))
		return false;
	uint32_t opcode = (uint32_t)line->scan.opcode;
	line->entry = ear_whisper_entry_find(&reader->line, opcode, reader->line.xlen, line->frm,
		ear_opcode_uses_vtype(opcode) ? line->vtype : 0);
	return scan_sources(line) && scan_accesses(line, reader->line.memory) &&
	       scan_back(line, reader->layout.count) && line->scan.at <= reader->whole_end;
}

/* Were the rounding mode and vtype those of the line's hart? */
static inline bool has_state(const struct ear_whisper_reader *reader, const struct ordinary *line)
{
	const struct ear_whisper_hart *hart = &reader->line.harts[line->scan.hart];

	return line->scan.hart == reader->last_hart ||
	       (hart->frm == line->frm && hart->vtype == line->vtype);
}

static inline void fill_ordinary(struct ear_whisper_line *line, const struct ordinary *ordinary)
{
	const struct ear_whisper_scan *scan = &ordinary->scan;
	struct ear_whisper_hart *hart = &line->harts[scan->hart];
	struct ear_record *record = &line->record;

	hart->frm = scan->frm_after;
	if (scan->effects & EAR_WHISPER_SETS_VTYPE)
		hart->vtype = scan->vtype_after;
	record->kind = EAR_RECORD_INSTRUCTION;
	record->hart = (uint16_t)scan->hart;
	record->index = hart->next_index++;
	record->xlen = (uint8_t)line->xlen;
	record->privilege = scan->privilege;
	record->opcode_size = ordinary->entry->opcode_size;
	record->fflags = scan->fflags;
	record->frm = (uint8_t)ordinary->frm;
	record->vtype = (uint8_t)ordinary->vtype;
	record->flags = scan->flags;
	record->opcode = scan->opcode;
	record->pc = scan->pc;
	record->pc_physical = scan->pc_physical;
	record->register_count = scan->register_count;
	record->memory_count = scan->memory_count;
	ear_whisper_line_flow(line, ordinary->entry, scan->effects & EAR_WHISPER_JUMPS,
		scan->target, scan->trapped, scan->cause);
}

static inline bool has_texts(const struct ear_whisper_entry *entry, bool taken)
{
	return entry->differ_sources || entry->differ_disassembly || entry->differ_info[taken];
}

/* Texts that are not those of the instruction table stay with the record. */
static void fill_texts(struct ear_whisper_line *line, const struct ear_whisper_entry *entry)
{
	bool taken = line->record.flags & EAR_RECORD_TAKEN;

	ear_whisper_clear_extra(line);
	line->has_extra = true;
	if (entry->differ_sources)
		line->extra.sources = (struct ear_text){entry->sources, entry->sources_size};
	if (entry->differ_info[taken])
		line->extra.info = (struct ear_text){entry->info[taken], entry->info_size[taken]};
	if (entry->differ_disassembly)
		line->extra.disassembly =
			(struct ear_text){entry->spelled, entry->disassembly_size};
}

/* Traps do not become patterns, nor what has lists of accesses, jumps without showing it, or
 * depends on vtype. */
static inline bool can_be_pattern(const struct ordinary *line)
{
	const struct ear_whisper_entry *entry = line->entry;

	return !line->scan.trapped && !entry->silent_jump && !entry->lists && !entry->vector;
}

static __attribute__((noinline)) bool take_ordinary(struct ear_whisper_reader *reader)
{
	struct ear_whisper_line *line = &reader->line;
	struct ordinary ordinary = {.scan = {.at = reader->at},
		.parts = {.begin = reader->at},
		.frm = line->harts[reader->last_hart].frm,
		.vtype = line->harts[reader->last_hart].vtype};

	ordinary.scan.frm_after = (uint8_t)ordinary.frm;
	if (!scan_line(reader, &ordinary) || !has_state(reader, &ordinary) ||
		(ordinary.scan.wide >> 32 && line->xlen == 32) ||
		(ordinary.scan.trapped &&
			(ordinary.scan.effects & EAR_WHISPER_JUMPS || ordinary.entry->vector)))
		return false;

	reader->last_hart = ordinary.scan.hart;
	ear_whisper_take_line(reader, ordinary.scan.at);
	ear_whisper_note_hart(reader, ordinary.scan.hart);
	fill_ordinary(line, &ordinary);
	ordinary.parts.end = ordinary.scan.at;
	if (has_texts(ordinary.entry, line->record.flags & EAR_RECORD_TAKEN)) {
		fill_texts(line, ordinary.entry);
		return true;
	}
	if (line->has_extra)
		ear_whisper_clear_extra(line);
	if (can_be_pattern(&ordinary))
		ear_whisper_add_pattern(reader, &ordinary.entry->access,
			ordinary.entry->kind == EAR_KIND_AMO, &ordinary.parts);
	return true;
}

int ear_whisper_next(struct ear_reader *base, const struct ear_record **record)
{
	struct ear_whisper_reader *reader = (struct ear_whisper_reader *)base;

	*record = &reader->line.record;
	if (reader->at < reader->usual_end && take_matched(reader))
		return 1;
	return ear_whisper_next_other(reader, take_ordinary);
}
