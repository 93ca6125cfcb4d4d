#ifndef EAR_WHISPER_READER_H
#define EAR_WHISPER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/reader.h"
#include "decoder/formats/whisper/whisper_layout.h"
#include "decoder/formats/whisper/whisper_line.h"
#include "decoder/formats/whisper/whisper_pattern.h"

/* The state of the reader of Whisper CSVs, shared by its files and by nothing else:
 *
 *   reader_whisper.c    the reader put together
 *   whisper_any_line.c  blocks of lines; headers, comment lines, lines of any shape
 *   whisper_full.c      full records: lines that match a pattern, and ordinary lines
 *   whisper_light.c     light records, likewise
 *   whisper_runs.c      ordinary lines as compact records of a run
 *   whisper_resume.c    the state as a snapshot, for several threads, and for anchors
 *   whisper_compare.c   two texts, compared without decoding
 *
 * A line is tried in three ways, from the fastest to the most general one; each either takes the
 * whole line, or changes nothing and leaves it to the next:
 *
 *   1. It matches a pattern (whisper_pattern.h): compared, not parsed, but for registers and
 * memory.
 *   2. It is ordinary (whisper_scan.h): parsed from left to right; becomes a pattern.
 *   3. Any line: cut into columns (whisper_layout.h) and parsed with causes (whisper_line.h).
 */
struct ear_whisper_reader {
	struct ear_reader base;
	struct ear_whisper_line line;
	struct ear_whisper_layout layout;
	struct ear_whisper_patterns *patterns;
	unsigned last_hart;
	unsigned hart_end;  /* higher than any hart that was seen */
	bool has_patterns;  /* some lines became patterns */
	unsigned unmatched; /* lines without a pattern since the last one was added */
	bool begun;
	bool columns_reported, comment_reported, pmp_reported; /* warnings that are given once */

	/* The block of lines in memory: at is the next line, end the end of the block, whole_end
	 * the end of its last whole line. */
	const char *block, *at, *whole_end, *end;
	const char *usual_end; /* whole_end, or block if the columns are not the usual ones */
	uint64_t block_line, block_offset;
	uint64_t line_count; /* lines of the block taken */
};

/* ear_reader.next for full and for light records. */
int ear_whisper_next(struct ear_reader *base, const struct ear_record **record);
int ear_whisper_next_light(struct ear_reader *base, const struct ear_record **record);

/* ear_reader.add_ordinary, for full records. */
void ear_whisper_add_ordinary(struct ear_reader *base, struct ear_compact_run *run,
	struct ear_compact_record *compacts, size_t max);

extern const struct ear_reader_cut ear_whisper_cut;
extern const struct ear_reader_resume ear_whisper_resume;
extern const struct ear_line_compare ear_whisper_line_compare;

static inline void ear_whisper_take_line(struct ear_whisper_reader *reader, const char *next)
{
	reader->line.record.stream_offset =
		reader->block_offset + (uint64_t)(reader->at - reader->block);
	reader->line.extra.line = reader->block_line + reader->line_count;
	reader->line_count++;
	reader->at = next;
}

static inline void ear_whisper_note_hart(struct ear_whisper_reader *reader, unsigned hart)
{
	if (hart >= reader->hart_end)
		reader->hart_end = hart + 1;
}

/* Until the next block is read, there are no lines in memory. */
static inline void ear_whisper_drop_block(struct ear_whisper_reader *reader)
{
	reader->block = reader->at = reader->end = NULL;
	reader->whole_end = reader->usual_end = NULL;
}

/* No texts, no walks: nearly every line is like that. */
static inline void ear_whisper_clear_extra(struct ear_whisper_line *line)
{
	const struct ear_text none = {NULL, 0};

	line->extra.walk_count = 0;
	line->extra.sources = line->extra.info = line->extra.disassembly = none;
	line->has_extra = false;
}

/* The line taken last becomes a pattern. */
static inline void ear_whisper_add_pattern(struct ear_whisper_reader *reader,
	const struct ear_record_access *access, bool amo, const struct ear_whisper_parts *parts)
{
	uint64_t filled = reader->patterns->filled;

	reader->has_patterns = true;
	ear_whisper_pattern_add(reader->patterns, &reader->line.record, access, amo, parts);
	if (reader->patterns->filled > filled)
		reader->unmatched = 0; /* not if it has replaced another one */
}

#endif
