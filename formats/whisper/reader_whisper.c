#define _GNU_SOURCE /* memrchr */

#include "formats/whisper/reader_whisper.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "formats/base/comment_line.h"
#include "formats/text/char_mask.h"
#include "formats/text/hex_scan.h"
#include "formats/whisper/whisper_equal.h"
#include "formats/whisper/whisper_equivalent.h"
#include "formats/whisper/whisper_fast.h"
#include "formats/whisper/whisper_layout.h"
#include "formats/whisper/whisper_line.h"
#include "formats/whisper/whisper_pattern.h"
#include "formats/whisper/whisper_probe.h"

/* Lines in a row of which none was learned: it makes no sense to read others in order to. */
#define UNLEARNED 64

struct reader_whisper {
	struct ear_reader base;
	struct ear_whisper_line line;
	struct ear_whisper_layout layout;
	struct ear_whisper_patterns *patterns;
	unsigned last_hart;
	unsigned hart_end;  /* higher than any hart that was seen */
	bool learned;       /* there are patterns */
	unsigned unlearned; /* lines that were not known, since one was learned */
	bool begun;
	bool told_columns, told_comment;

	/* The block of lines in memory: at is the line to come, end the end of the last whole
	 * line that can be taken in the fast way. */
	const char *block, *at, *whole_end, *end;
	const char *known_end; /* whole_end, or block if the columns are not the usual ones */
	uint64_t block_line, block_offset;
	uint64_t line_count; /* lines of the block taken */
};

/* --- the fast way --- */

static inline void take_line(struct reader_whisper *reader, const char *next)
{
	reader->line.record.stream_offset =
		reader->block_offset + (uint64_t)(reader->at - reader->block);
	reader->line.extra.line = reader->block_line + reader->line_count;
	reader->line_count++;
	reader->at = next;
}

static inline void note_hart(struct reader_whisper *reader, unsigned hart)
{
	if (hart >= reader->hart_end)
		reader->hart_end = hart + 1;
}

/* No texts, no walks: nearly every line is like that. */
static inline void clear_extra(struct ear_whisper_line *line)
{
	const struct ear_text none = {NULL, 0};

	line->extra.walk_count = 0;
	line->extra.sources = line->extra.info = line->extra.disassembly = none;
	line->has_extra = false;
}

static void fast_texts(struct ear_whisper_line *line, const struct ear_whisper_entry *entry)
{
	bool taken = line->record.flags & EAR_RECORD_TAKEN;

	clear_extra(line);
	line->has_extra = true;
	if (entry->differ_sources)
		line->extra.sources = (struct ear_text){entry->sources, entry->sources_size};
	if (entry->differ_info[taken])
		line->extra.info = (struct ear_text){entry->info[taken], entry->info_size[taken]};
	if (entry->differ_disassembly)
		line->extra.disassembly =
			(struct ear_text){entry->spelled, entry->disassembly_size};
}

static inline bool fast_differs(const struct ear_whisper_entry *entry, bool taken)
{
	return entry->differ_sources || entry->differ_disassembly || entry->differ_info[taken];
}

/* Not traps; nor what has lists of accesses, or would jump unseen. */
static inline bool fast_learns(const struct fast *fast, const struct ear_whisper_entry *entry)
{
	return !fast->trapped && !entry->silent_jump && entry->kind != EAR_KIND_ILLEGAL &&
	       entry->kind != EAR_KIND_CACHE;
}

static void learn(struct reader_whisper *reader, const struct ear_record_access *access, bool amo,
	const struct ear_whisper_parts *parts)
{
	uint64_t filled = reader->patterns->filled;

	reader->learned = true;
	ear_whisper_pattern_add(reader->patterns, &reader->line.record, access, amo, parts);
	if (reader->patterns->filled > filled)
		reader->unlearned = 0; /* not if it is one for another */
}

/* A line like one that was read before. Returns false if it is not; nothing has changed then. */
static inline bool take_known(struct reader_whisper *reader)
{
	struct ear_whisper_line *line = &reader->line;
	struct ear_record *record = &line->record;
	const char *text = reader->at;
	struct ear_whisper_slot slot = ear_whisper_slot_of(text);
	const uint32_t *tags = &reader->patterns->tags[slot.first];
	const struct ear_whisper_pattern *set = &reader->patterns->ways[slot.first];
	const struct ear_whisper_pattern *pattern = tags[0] == slot.tag ? set : set + 1;
	struct fast fast;

	if (tags[pattern - set] != slot.tag || !ear_whisper_pattern_begins(pattern, text) ||
		pattern->xlen != line->xlen)
		return false;
	fast.at = text + pattern->prefix_size;
	fast.frm_after = pattern->frm;
	fast.wide = fast.target = 0;
	if (!fast_registers(&fast, line->registers) ||
		(ear_whisper_unequal(fast.at, pattern->sources) & pattern->sources_mask))
		return false;
	fast.at += pattern->sources_size;
	if (!fast_memory(&fast, line->memory, &pattern->access, pattern->amo))
		return false;
	if (!ear_whisper_pattern_ends(pattern, fast.at)) {
		if (pattern != set || tags[1] != slot.tag)
			return false;
		pattern++;
		if (!ear_whisper_pattern_begins(pattern, text) ||
			!ear_whisper_pattern_ends(pattern, fast.at) || pattern->xlen != line->xlen)
			return false;
	}
	struct ear_whisper_hart *hart = &line->harts[pattern->hart];
	if (pattern->jumped != fast.jumped || hart->frm != pattern->frm ||
		(fast.wide >> 32 && line->xlen == 32))
		return false;

	take_line(reader, fast.at + pattern->suffix_size);
	hart->frm = fast.frm_after;
	record->kind = EAR_RECORD_INSTRUCTION;
	record->hart = pattern->hart;
	record->index = hart->next_index++;
	record->xlen = pattern->xlen;
	record->privilege = pattern->privilege;
	record->opcode_size = pattern->opcode_size;
	record->fflags = fast.fflags;
	record->frm = pattern->frm;
	record->flags = pattern->flags;
	record->opcode = pattern->opcode;
	record->pc = pattern->pc;
	record->pc_physical = pattern->pc_physical;
	record->next_pc = fast.jumped ? fast.target : pattern->next_pc;
	record->cause = 0;
	record->register_count = fast.register_count;
	record->memory_count = fast.memory_count;
	if (line->has_extra)
		clear_extra(line);
	return true;
}

/* An ordinary line in the usual order of columns, whose texts are as they were for this opcode
 * before. Returns false if it is anything else; nothing has changed then.
 */
static __attribute__((noinline)) bool take_fast(struct reader_whisper *reader)
{
	struct ear_whisper_line *line = &reader->line;
	struct ear_record *record = &line->record;
	unsigned frm = line->harts[reader->last_hart].frm;
	struct fast fast = {.at = reader->at, .frm_after = (uint8_t)frm};
	struct ear_whisper_parts parts = {.begin = reader->at};
	const struct ear_whisper_entry *entry;

	if (!fast_begin(&fast))
		return false;
	fast.wide = fast.pc;
	parts.registers = fast.at;
	if (!fast_registers(&fast, line->registers))
		return false;
	parts.sources = fast.at;
	entry = ear_whisper_entry_find(line, (uint32_t)fast.opcode, line->xlen, frm);
	if (!same_text(fast.at, entry->sources, entry->sources_mask, entry->sources_size))
		return false;
	fast.at += entry->sources_size;
	if (*fast.at++ != ',')
		return false;
	parts.memory = fast.at;
	if (entry->kind == EAR_KIND_ILLEGAL || entry->kind == EAR_KIND_CACHE) {
		fast.memory_count = 0;
		if (*fast.at++ != ',')
			return false;
	} else if (!fast_memory(&fast, line->memory, &entry->access, entry->kind == EAR_KIND_AMO)) {
		return false;
	}
	fast.trapped = false;
	parts.suffix = fast.at;
	if (!fast_info(&fast, entry) || !fast_privilege(&fast) || !fast_trap(&fast))
		return false;
	if (!same_text(
		    fast.at, entry->disassembly, entry->disassembly_mask, entry->disassembly_size))
		return false;
	fast.at += entry->disassembly_size;
	if (!fast_end(&fast, reader->layout.count) || fast.at > reader->whole_end)
		return false;
	if ((fast.wide >> 32 && line->xlen == 32) || (fast.trapped && fast.jumped))
		return false;
	if (fast.hart != reader->last_hart) {
		if (line->harts[fast.hart].frm != frm)
			return false;
		reader->last_hart = fast.hart;
	}

	take_line(reader, fast.at);
	note_hart(reader, fast.hart);
	line->harts[fast.hart].frm = fast.frm_after;
	record->kind = EAR_RECORD_INSTRUCTION;
	record->hart = (uint16_t)fast.hart;
	record->index = line->harts[fast.hart].next_index++;
	record->xlen = (uint8_t)line->xlen;
	record->privilege = fast.privilege;
	record->opcode_size = entry->opcode_size;
	record->fflags = fast.fflags;
	record->frm = (uint8_t)frm;
	record->flags = fast.flags;
	record->opcode = fast.opcode;
	record->pc = fast.pc;
	record->pc_physical = fast.pc_physical;
	record->register_count = fast.register_count;
	record->memory_count = fast.memory_count;
	ear_whisper_line_flow(line, entry, fast.jumped, fast.target, fast.trapped, fast.cause);
	parts.end = fast.at;
	if (fast_differs(entry, record->flags & EAR_RECORD_TAKEN)) {
		fast_texts(line, entry);
		return true;
	}
	if (line->has_extra)
		clear_extra(line);
	if (fast_learns(&fast, entry))
		learn(reader, &entry->access, entry->kind == EAR_KIND_AMO, &parts);
	return true;
}

/* --- the light way --- */

static inline bool light_taken(const struct fast *fast, const char *info, unsigned xlen)
{
	if (fast->trapped)
		return false;
	if (xlen == 32 && (fast->opcode & 0xFFFFE003) == 0x2001) /* c.jal, which has no info */
		return true;
	return info[0] == 't' || info[0] == 'j' || info[0] == 'c' || info[0] == 'r';
}

static inline void take_light_record(
	struct reader_whisper *reader, const struct ear_whisper_pattern *pattern, const char *end)
{
	struct ear_whisper_line *line = &reader->line;
	struct ear_record *record = &line->record;

	take_line(reader, end);
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

/* As take_known, from both ends of the line. The line end is looked for before the pattern is
 * known, so that the next line does not wait for it; a pattern cannot be shorter than that.
 */
#define LIGHT_PREFIX_MIN 12

static inline bool take_known_light(struct reader_whisper *reader)
{
	const char *text = reader->at;
	const char *end = ear_find_line_end(text + LIGHT_PREFIX_MIN) + 1;
	struct ear_whisper_slot slot = ear_whisper_slot_of(text);
	const uint32_t *tags = &reader->patterns->tags[slot.first];
	const struct ear_whisper_pattern *pattern = &reader->patterns->ways[slot.first];

	for (int way = 0; way < 2; way++, pattern++) {
		if (tags[way] != slot.tag || !ear_whisper_pattern_begins(pattern, text) ||
			(size_t)(end - text) <
				(size_t)pattern->prefix_size + pattern->suffix_size ||
			!ear_whisper_pattern_ends(pattern, end - pattern->suffix_size))
			continue;
		if (pattern->xlen != reader->line.xlen || pattern->prefix_size < LIGHT_PREFIX_MIN)
			return false;
		take_light_record(reader, pattern, end);
		return true;
	}
	return false;
}

/* sret, mret, mnret, dret: as in the full way, where they lead is not known. */
static inline bool light_returns(const struct fast *fast)
{
	return fast->opcode == EAR_OPCODE_SRET || fast->opcode == EAR_OPCODE_MRET ||
	       fast->opcode == EAR_OPCODE_MNRET || fast->opcode == EAR_OPCODE_DRET;
}

static __attribute__((noinline)) bool take_light(struct reader_whisper *reader)
{
	struct ear_whisper_line *line = &reader->line;
	struct ear_record *record = &line->record;
	struct fast fast = {.at = reader->at};
	struct ear_whisper_parts parts = {.begin = reader->at};
	struct ear_char_marks marks;
	const char *text, *info;
	unsigned disassembly;

	if (!fast_begin(&fast))
		return false;
	text = fast.at;
	marks = ear_find_marks(text);
	ear_next_mark(&marks.commas);
	ear_next_mark(&marks.commas);
	info = text + ear_next_mark(&marks.commas) + 1;
	fast.at = text + ear_next_mark(&marks.commas) + 1;
	parts.registers = parts.sources = parts.memory = text;
	parts.suffix = info - 1; /* with the comma: "t" must not match the end of "nt" */
	ear_next_mark(&marks.commas);
	disassembly = ear_next_mark(&marks.commas) + 1;
	if (disassembly > 64 || (marks.ends && (unsigned)__builtin_ctzll(marks.ends) < disassembly))
		return false;
	fast.wide = fast.pc;
	if (!fast_privilege(&fast) || !fast_trap(&fast) || fast.at != text + disassembly)
		return false;
	if (!marks.ends) {
		text += disassembly;
		if (text >= reader->whole_end)
			return false;
		marks = ear_find_marks(text);
	}
	fast.at = text;
	if (reader->layout.count > 9)
		fast.at += ear_next_mark(&marks.commas);
	else if (marks.ends)
		fast.at += (unsigned)__builtin_ctzll(marks.ends);
	if (!marks.ends || !fast_end(&fast, reader->layout.count) || fast.at > reader->whole_end ||
		(fast.wide >> 32 && line->xlen == 32))
		return false;

	take_line(reader, fast.at);
	note_hart(reader, fast.hart);
	record->kind = EAR_RECORD_INSTRUCTION;
	record->hart = (uint16_t)fast.hart;
	record->index = line->harts[fast.hart].next_index++;
	record->xlen = (uint8_t)line->xlen;
	record->privilege = fast.privilege;
	record->opcode_size = ear_opcode_size(fast.opcode);
	record->flags = fast.flags;
	if (light_taken(&fast, info, line->xlen))
		record->flags |= EAR_RECORD_TAKEN;
	if (fast.trapped)
		record->flags |=
			fast.cause >> (line->xlen - 1) ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;
	if (fast.trapped || light_returns(&fast))
		record->flags |= EAR_RECORD_NO_NEXT_PC;
	record->cause = fast.cause;
	record->opcode = fast.opcode;
	record->pc = fast.pc;
	record->pc_physical = fast.pc_physical;
	parts.end = fast.at;
	if (!fast.trapped)
		learn(reader, &(struct ear_record_access){0}, false, &parts);
	return true;
}

/* --- lines of all kinds --- */

static int report(struct reader_whisper *reader, const char *cause, bool bad)
{
	const struct ear_reader_options *options = &reader->base.options;

	if (!options->report)
		return 0;
	return options->report(options->context, reader->line.extra.line,
		reader->line.record.stream_offset, cause, bad);
}

static int take_header(struct reader_whisper *reader)
{
	reader->known_end = reader->layout.usual ? reader->whole_end : reader->block;
	/* What ends a line may mean something else now. */
	if (reader->learned)
		memset(reader->patterns, 0, sizeof(*reader->patterns));
	reader->learned = false;
	reader->base.has_walks = ear_whisper_layout_has(&reader->layout, EAR_WHISPER_FETCH_WALK) ||
				 ear_whisper_layout_has(&reader->layout, EAR_WHISPER_DATA_WALK);
	reader->base.no_hart = !ear_whisper_layout_has(&reader->layout, EAR_WHISPER_HART);
	for (size_t i = 0; i < reader->layout.count; i++)
		if (reader->layout.columns[i] == EAR_WHISPER_COLUMN_COUNT &&
			!reader->told_columns) {
			reader->told_columns = true;
			return report(reader,
				"the header names a column that is not known; it is "
				"ignored",
				false);
		}
	return 0;
}

/* Returns 1 for a record, 0 for none, or less. */
static int take_comment_line(struct reader_whisper *reader, struct ear_text line)
{
	struct ear_record *record = &reader->line.record;

	if (!ear_comment_line_is(line.text, line.size)) {
		bool told = reader->told_comment;
		reader->told_comment = true;
		return told ? 0 : report(reader, "comments are skipped", false);
	}
	if (ear_comment_line_parse(record, line.text, line.size))
		return report(reader, "the comment line of a gap or an event cannot be read", true);

	struct ear_whisper_hart *hart = &reader->line.harts[record->hart];
	note_hart(reader, record->hart);
	reader->base.index_given = true;
	if (record->kind == EAR_RECORD_GAP && !record->u.gap.count_known &&
		!record->u.gap.at_start && record->index == 1 && hart->next_index == 0)
		record->index = 0; /* nothing was before it */
	if (record->kind == EAR_RECORD_GAP)
		hart->next_index =
			record->u.gap.count_known ? record->u.gap.last + 1 : record->index;
	record->flags = 0;
	record->register_count = 0;
	record->memory_count = 0;
	reader->line.extra = (struct ear_record_extra){.line = reader->line.extra.line};
	return 1;
}

static void leave_light(struct ear_whisper_line *line)
{
	line->extra = (struct ear_record_extra){.line = line->extra.line};
	line->record.register_count = 0;
	line->record.memory_count = 0;
	line->record.next_pc = 0;
	line->record.fflags = 0;
}

/* Returns 1 for a record, 0 for none, or less. cut: the line has no line end. */
static int take_columns(struct reader_whisper *reader, struct ear_text text, bool cut)
{
	struct ear_whisper_line *line = &reader->line;
	struct ear_text columns[EAR_WHISPER_COLUMN_COUNT + 1];
	int result;

	if (reader->layout.count == 0) {
		ear_whisper_layout_assume(&reader->layout, ear_whisper_layout_count(text));
		take_header(reader);
		result = report(reader, "there is no header: the usual columns are assumed", false);
		if (result)
			return result;
	}
	line->fault = ear_whisper_layout_split(&reader->layout, text, columns);
	result = line->fault ? EAR_E_BAD_FILE : ear_whisper_line_parse(line, columns);
	if (result == 0 && line->xlen == 32 && line->wide >> 32) {
		line->fault = EAR_READER_TOO_WIDE;
		result = EAR_E_BAD_FILE;
	}
	if (result == EAR_E_BAD_FILE)
		return cut ? report(reader, "the last line is cut off", false)
			   : report(reader, line->fault, true);
	if (result)
		return result;
	if (cut) {
		result = report(
			reader, "the last line has no line end; the file may be cut off", false);
		if (result)
			return result;
	}
	line->record.index = line->harts[line->record.hart].next_index++;
	reader->last_hart = line->record.hart;
	note_hart(reader, line->record.hart);
	if (reader->base.options.light)
		leave_light(line);
	return 1;
}

/* One line of any kind. Returns 1 for a record, 0 for none, or less. */
static int take_slow(struct reader_whisper *reader)
{
	const char *begin = reader->at;
	const char *newline = memchr(begin, '\n', (size_t)(reader->end - begin));
	const char *end = newline ? newline : reader->end;
	struct ear_text text = {begin, (size_t)(end - begin)};

	take_line(reader, newline ? newline + 1 : reader->end);
	if (text.size > 0 && end[-1] == '\r')
		text.size--;
	if (ear_whisper_trim(text).size == 0)
		return 0;
	if (*text.text == '#')
		return take_comment_line(reader, text);
	if (ear_whisper_layout_parse(&reader->layout, text))
		return take_header(reader);
	return take_columns(reader, text, !newline);
}

/* --- the file --- */

static int begin(struct reader_whisper *reader)
{
	struct ear_whisper_line *line = &reader->line;
	const char *bytes;
	size_t size;
	int result;

	reader->begun = true;
	if (reader->base.options.xlen != 0) {
		line->xlen = reader->base.options.xlen;
		return 0;
	}
	result = ear_text_input_peek(reader->base.input, &bytes, &size);
	if (result)
		return result;
	line->xlen = ear_whisper_probe_xlen(line, bytes, size);
	/* As if nothing had been read. */
	memset(line->harts, 0, line->hart_end * sizeof(*line->harts));
	leave_light(line);
	line->record.frm = 0;
	clear_extra(line);
	return 0;
}

/* The next block of lines. Returns as ear_text_input_block. */
static int next_block(struct reader_whisper *reader)
{
	struct ear_text_input *input = reader->base.input;
	size_t size;
	int result;

	if (!reader->begun) {
		result = begin(reader);
		if (result)
			return result;
	}
	if (reader->block)
		ear_text_input_count_lines(input, reader->line_count);
	reader->block = NULL;
	result = ear_text_input_block(input, &reader->at, &size);
	if (result <= 0) {
		reader->at = reader->end = reader->known_end = NULL;
		return result;
	}
	reader->block = reader->at;
	reader->end = reader->at + size;
	/* Behind a last line without its end there may be anything. */
	reader->whole_end = reader->end;
	if (reader->end[-1] != '\n')
		reader->whole_end = memrchr(reader->at, '\n', size);
	reader->whole_end = !reader->whole_end                 ? reader->at
			    : reader->whole_end == reader->end ? reader->end
							       : reader->whole_end + 1;
	reader->known_end = reader->layout.usual ? reader->whole_end : reader->at;
	reader->block_line = ear_text_input_line_number(input);
	reader->block_offset = ear_text_input_offset(input);
	reader->line_count = 0;
	return 1;
}

/* The next record from a line that is not like one before, or from a new block. */
static __attribute__((noinline)) int next_other(struct reader_whisper *reader)
{
	for (;;) {
		int result = reader->at == reader->end ? next_block(reader) : 1;
		if (result <= 0)
			return result;
		reader->unlearned++;
		if (reader->layout.usual && reader->at < reader->whole_end &&
			(reader->base.options.light ? take_light(reader) : take_fast(reader)))
			return 1;
		result = take_slow(reader);
		if (result)
			return result;
	}
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_whisper *reader = (struct reader_whisper *)base;

	*record = &reader->line.record;
	if (reader->at < reader->known_end && take_known(reader))
		return 1;
	return next_other(reader);
}

static int next_light(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_whisper *reader = (struct reader_whisper *)base;

	*record = &reader->line.record;
	if (reader->at < reader->known_end && take_known_light(reader))
		return 1;
	return next_other(reader);
}

/* --- in chunks --- */

/* What is told but once, as bits. */
static uint8_t told_bits(const struct reader_whisper *reader)
{
	return (uint8_t)(reader->told_columns | reader->told_comment << 1);
}

static int save(const struct ear_reader *base, struct ear_snapshot *snapshot)
{
	const struct reader_whisper *reader = (const struct reader_whisper *)base;
	const struct ear_whisper_layout *layout = &reader->layout;
	const struct ear_whisper_hart *harts = reader->line.harts;
	const uint8_t head[] = {(uint8_t)layout->count, layout->usual, (uint8_t)reader->line.xlen,
		told_bits(reader)};
	unsigned end = reader->hart_end;

	ear_snapshot_clear(snapshot);
	if (ear_snapshot_put(snapshot, head, sizeof(head)) ||
		ear_snapshot_put(snapshot, layout->columns, layout->count) ||
		ear_snapshot_set_harts(snapshot, end))
		return EAR_E_NO_MEMORY;
	for (unsigned hart = 0; hart < end; hart++)
		snapshot->indexes[hart] = harts[hart].next_index;
	while (end > 0 && harts[end - 1].frm == 0)
		end--;
	for (unsigned hart = 0; hart < end; hart++)
		if (ear_snapshot_put(snapshot, &harts[hart].frm, 1))
			return EAR_E_NO_MEMORY;
	return 0;
}

static int restore(struct ear_reader *base, const struct ear_snapshot *snapshot)
{
	struct reader_whisper *reader = (struct reader_whisper *)base;
	const unsigned char *head = snapshot->bytes, *frm;
	struct ear_whisper_layout layout = {.count = head[0], .usual = head[1]};

	memcpy(layout.columns, head + 4, layout.count);
	frm = head + 4 + layout.count;
	reader->begun = true;
	reader->block = reader->at = reader->end = reader->whole_end = reader->known_end = NULL;
	reader->line.xlen = head[2];
	reader->told_columns = head[3] & 1;
	reader->told_comment = head[3] >> 1 & 1;
	if (layout.count != reader->layout.count || layout.usual != reader->layout.usual ||
		memcmp(layout.columns, reader->layout.columns, layout.count) != 0) {
		reader->layout = layout;
		take_header(reader);
	}
	if (snapshot->hart_count > reader->hart_end)
		reader->hart_end = (unsigned)snapshot->hart_count;
	for (unsigned hart = 0; hart < reader->hart_end; hart++) {
		bool told = frm + hart < snapshot->bytes + snapshot->size;
		reader->line.harts[hart] = (struct ear_whisper_hart){
			ear_snapshot_index(snapshot, hart), told ? frm[hart] : 0};
	}
	return 0;
}

static const struct ear_reader_cut cut = {save, restore};

/* --- two texts --- */

/* Does what both have read so far leave them to read the same lines in the same way? */
static bool same_state(const struct ear_reader *base_a, const struct ear_reader *base_b)
{
	const struct reader_whisper *a = (const struct reader_whisper *)base_a;
	const struct reader_whisper *b = (const struct reader_whisper *)base_b;
	unsigned end = a->hart_end > b->hart_end ? a->hart_end : b->hart_end;

	if (!a->block || !b->block || !a->layout.usual || !b->layout.usual ||
		a->layout.count != b->layout.count || a->line.xlen != b->line.xlen)
		return false;
	for (unsigned hart = 0; hart < end; hart++)
		if (a->line.harts[hart].frm != b->line.harts[hart].frm)
			return false;
	return true;
}

static uint64_t offset(const struct ear_reader *base)
{
	const struct reader_whisper *reader = (const struct reader_whisper *)base;

	return reader->block_offset + (uint64_t)(reader->at - reader->block);
}

static void count_run(struct reader_whisper *reader, const struct ear_line_run *run)
{
	for (size_t i = 0; i < run->hart_count; i++) {
		note_hart(reader, run->harts[i].hart);
		reader->line.harts[run->harts[i].hart].next_index += run->harts[i].count;
	}
	reader->line_count += run->line_count;
}

static void jump(struct ear_reader *base, const struct ear_line_run *run, uint64_t size)
{
	struct reader_whisper *reader = (struct reader_whisper *)base;

	count_run(reader, run);
	ear_text_input_jump(
		base->input, offset(base) + size, reader->block_line + reader->line_count);
	reader->block = reader->at = reader->end = reader->whole_end = reader->known_end = NULL;
}

static void find_equal(const struct ear_reader *base, struct ear_line_run *run, const char *a,
	const char *b, size_t size)
{
	const struct reader_whisper *reader = (const struct reader_whisper *)base;

	ear_whisper_equal_find(run, a, b, size, reader->layout.count, 0);
}

static enum ear_line_memory memory(const struct ear_reader *base)
{
	const struct reader_whisper *reader = (const struct reader_whisper *)base;

	if (!reader->block || !reader->layout.usual)
		return EAR_LINE_MEMORY_NONE;
	return reader->unlearned >= UNLEARNED ? EAR_LINE_MEMORY_SETTLED : EAR_LINE_MEMORY_GROWING;
}

static struct ear_whisper_text text_of(
	const struct reader_whisper *reader, struct ear_line_range range)
{
	return (struct ear_whisper_text){.at = range.at,
		.end = range.end,
		.patterns = reader->patterns,
		.harts = reader->line.harts,
		.columns = reader->layout.count,
		.xlen = reader->line.xlen};
}

static size_t find_equivalent(const struct ear_reader *base_a, struct ear_line_range range_a,
	const struct ear_reader *base_b, struct ear_line_range range_b, struct ear_line_pair *pairs,
	size_t max, size_t *budget)
{
	const struct ear_whisper_text a = text_of((const struct reader_whisper *)base_a, range_a);
	const struct ear_whisper_text b = text_of((const struct reader_whisper *)base_b, range_b);

	return ear_whisper_equivalent_find(pairs, max, &a, &b, budget);
}

static void pass_lines(struct reader_whisper *reader, const struct ear_line_run *run, size_t size)
{
	count_run(reader, run);
	reader->at += size;
}

/* The pairs counted, without the last keep of each hart. Returns false if there are too many harts.
 */
static bool count_pairs(
	struct ear_line_run *run, const struct ear_line_pair *pairs, size_t count, size_t keep)
{
	struct ear_whisper_leave leave;

	*run = (struct ear_line_run){.hart_count = 0};
	for (; run->line_count < count; run->line_count++)
		if (!ear_line_run_count(run, pairs[run->line_count].hart, 1))
			return false;
	ear_whisper_leave_begin(&leave, run, keep);
	while (leave.open > 0)
		ear_whisper_leave_line(&leave, run, pairs[run->line_count - 1].hart);
	ear_whisper_leave_end(run);
	return true;
}

static size_t skip_equivalent(struct reader_whisper *a, struct reader_whisper *b,
	struct ear_equal_lines *harts, size_t keep)
{
	struct ear_line_pair pairs[EAR_LINE_PAIRS_MAX];
	const struct ear_line_range range_a = {a->at, a->known_end},
				    range_b = {b->at, b->known_end};
	struct ear_line_run run;

	if (memory(&a->base) == EAR_LINE_MEMORY_NONE || memory(&b->base) == EAR_LINE_MEMORY_NONE)
		return 0;
	bool settled = memory(&a->base) == EAR_LINE_MEMORY_SETTLED ||
		       memory(&b->base) == EAR_LINE_MEMORY_SETTLED;
	size_t budget = settled ? EAR_LINE_PAIRS_MAX : 0;
	size_t count = find_equivalent(
		&a->base, range_a, &b->base, range_b, pairs, EAR_LINE_PAIRS_MAX, &budget);
	if (settled && EAR_LINE_PAIRS_MAX - budget > count / 8)
		a->unlearned = b->unlearned = 0;
	if (!count_pairs(&run, pairs, count, keep) || run.line_count == 0)
		return 0;
	const struct ear_line_pair *last = &pairs[run.line_count - 1];
	pass_lines(a, &run, last->end[0]);
	pass_lines(b, &run, last->end[1]);
	memcpy(harts, run.harts, run.hart_count * sizeof(*harts));
	return run.hart_count;
}

static size_t skip(struct ear_reader *base_a, struct ear_reader *base_b,
	struct ear_equal_lines *harts, size_t keep)
{
	struct reader_whisper *a = (struct reader_whisper *)base_a;
	struct reader_whisper *b = (struct reader_whisper *)base_b;
	struct ear_line_run run;

	/* At the end of a block the next record brings the next one. */
	if (a->at >= a->known_end || b->at >= b->known_end)
		return 0;
	if (!same_state(base_a, base_b))
		return skip_equivalent(a, b, harts, keep);
	size_t size_a = (size_t)(a->known_end - a->at), size_b = (size_t)(b->known_end - b->at);
	ear_whisper_equal_find(
		&run, a->at, b->at, size_a < size_b ? size_a : size_b, a->layout.count, keep);
	if (run.line_count == 0)
		return skip_equivalent(a, b, harts, keep);
	pass_lines(a, &run, run.size);
	pass_lines(b, &run, run.size);
	memcpy(harts, run.harts, run.hart_count * sizeof(*harts));
	return run.hart_count;
}

static const struct ear_line_compare line_compare = {
	.skip = skip,
	.same_state = same_state,
	.offset = offset,
	.jump = jump,
	.find_equal = find_equal,
	.memory = memory,
	.find_equivalent = find_equivalent,
};

static void free_reader(struct ear_reader *base)
{
	struct reader_whisper *reader = (struct reader_whisper *)base;

	ear_whisper_line_fini(&reader->line);
	free(reader->patterns);
	free(reader);
}

struct ear_reader *ear_reader_whisper_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct reader_whisper *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->base = (struct ear_reader){.input = input,
		.options = *options,
		.next = options->light ? next_light : next,
		.free = free_reader,
		.cut = &cut,
		.line_compare = &line_compare};
	reader->patterns = calloc(1, sizeof(*reader->patterns));
	if (ear_whisper_line_init(&reader->line) || !reader->patterns) {
		free_reader(&reader->base);
		return NULL;
	}
	return &reader->base;
}

/* A header is certain. Without one, a line that begins with two numbers and has as many columns
 * as there can be is likely.
 */
int ear_reader_whisper_detect(const char *bytes, size_t size)
{
	while (size > 0) {
		const char *newline = memchr(bytes, '\n', size);
		struct ear_text text = {bytes, newline ? (size_t)(newline - bytes) : size};
		struct ear_whisper_layout layout;
		size_t columns;

		size -= text.size + (newline != NULL);
		bytes += text.size + 1;
		if (text.size > 0 && text.text[text.size - 1] == '\r')
			text.size--;
		if (ear_whisper_trim(text).size == 0 || ear_comment_line_is(text.text, text.size))
			continue;
		if (ear_whisper_layout_parse(&layout, text))
			return 100;
		columns = ear_whisper_layout_count(text);
		if (columns != 9 && columns != 10 && columns != 12)
			return 0;
		size_t digits = strspn(text.text, "0123456789abcdef:");
		return digits > 0 && text.text[digits] == ',' ? 60 : 0;
	}
	return 0;
}
