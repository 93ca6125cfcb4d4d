#ifndef EAR_READER_H
#define EAR_READER_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/state_walk.h"
#include "decoder/formats/base/line_compare.h"
#include "decoder/text/snapshot.h"
#include "decoder/text/text_input.h"

/* Text formats to records. Each format has a folder with reader_<name>.c, and a row in the table of
 * decoder/formats/formats.c.
 *
 * ear_reader_next distinguishes a record, the end of the file, and an error. A line that does not
 * follow the format is passed to the report function; the reader skips it and continues, unless
 * that function returns an error. Where the line was to be a record, or a part of one, a gap record
 * (EAR_GAP_BAD_LINE, EAR_GAP_CUT_LINE) stands for it; not where a log has a line of something else,
 * as of a console.
 */
struct ear_reader;
struct ear_flow_code;

enum ear_line_kind {
	EAR_LINE_NOTE,  /* it was read, or is cut off: a warning */
	EAR_LINE_BAD,   /* it was to be a record, or a part of one, and is skipped */
	EAR_LINE_OTHER, /* it has the form of no line of the format, and is skipped */
};

/* What the cause of EAR_LINE_OTHER begins with. */
#define EAR_READER_OTHER "the line is not one of a "

/* Hears of a line that does not follow the format: its number, its offset in the text, and the
 * cause, a short sentence. Returns 0 to continue, or a negative value, which ear_reader_next then
 * returns.
 */
typedef int ear_line_report(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind);

struct ear_reader_options {
	unsigned xlen;           /* 32, 64, or 0: as the file shows */
	bool light;              /* pc, opcode, privilege and flags only */
	bool lines;              /* keep the lines of a record, for a writer that takes them
				  * (ear_writer_format.takes_lines); a reader may ignore it */
	ear_line_report *report; /* NULL: bad lines are skipped without a report */
	void *context;           /* of report */
	const char *isa;         /* instruction set, a name of ear_isa_find (disassembly.h), if
				  * the file does not name it; NULL: the format's usual one */
	const char *pattern;     /* of the format of this name: patterns, one a line
				  * (decoder/formats/pattern/line_pattern.h); NULL: none */
	/* Of branch traces: the text of the program, which stays the caller's; and the unit, as the
	 * name of one that is known, or its parameters as a JSON object; NULL: nothing is known. */
	const struct ear_flow_code *code;
	const char *unit;
};

struct ear_reader_format {
	const char *name;      /* as in -i */
	const char *extension; /* of file names, with the dot, or "" */
	const char *summary;   /* a few words for --help */
	/* Of a format that is only read: what its records can have, a set of EAR_FIELD_BIT. */
	uint64_t fields;
	/* How likely bytes[0 .. size-1], the beginning of a file, are of this format: from 0, not
	 * at all, to 100, certain. The last line may be cut off. */
	int (*detect)(const char *bytes, size_t size);
	/* Make a reader of *input, which stays the caller's. NULL if memory is short. */
	struct ear_reader *(*make)(
		struct ear_text_input *input, const struct ear_reader_options *options);
	/* Instead of detect and make, which are NULL: a trace is a folder of binary files. Make a
	 * reader of that which is open as folder; folder and *input, which has no line, stay the
	 * caller's. Returns 0 and *reader, or EAR_E_UNSUPPORTED (a folder of something else),
	 * EAR_E_NO_MEMORY, EAR_E_BAD_FILE or EAR_E_IO, and a sentence in fault[0 .. size-1]. */
	int (*open)(struct ear_reader **reader, int folder, struct ear_text_input *input,
		const struct ear_reader_options *options, char *fault, size_t size);
	/* Instead of make, which is NULL: the trace is bytes, not lines, which need options->code.
	 * Make a reader of *input, which stays the caller's. Returns 0 and *reader;
	 * EAR_E_BAD_ARGUMENT (options->unit), and a sentence in fault[0 .. size-1];
	 * EAR_E_NO_MEMORY. */
	int (*make_of_bytes)(struct ear_reader **reader, struct ear_text_input *input,
		const struct ear_reader_options *options, char *fault, size_t size);
	bool dialects; /* tools write it with more or less in it: see ear_reader_lacks (lacks.h) */
};

/* For formats that can be read in chunks (parallel_reader.h): what the meaning of a line takes from
 * the lines before it fits a snapshot.
 */
struct ear_reader_cut {
	/* The state after the last line read. Returns 0 or EAR_E_NO_MEMORY. */
	int (*save)(const struct ear_reader *reader, struct ear_snapshot *snapshot);
	/* Take that state; the input gets a new block next. Returns 0. */
	int (*restore)(struct ear_reader *reader, const struct ear_snapshot *snapshot);
};

/* What a reader knows between two records, so that another one can continue there
 * (library/source/source_anchor.h). */
struct ear_reader_resume {
	/* Where the line begins that is to be taken next: its offset in the text and its number.
	 * Returns false if the reader cannot be saved here; it can after the next record. NULL:
	 * what the input says, always. */
	bool (*place)(const struct ear_reader *reader, uint64_t *offset, uint64_t *line_number);
	/* Measure, save or load all that lines change (common/state_walk.h), without the members of
	 * struct ear_reader; NULL: there is nothing. Loading is into a reader that has taken no
	 * line, of the same options, whose input stands at that line, and believes nothing: it sets
	 * walk->bad. Returns 0 or EAR_E_NO_MEMORY. */
	int (*walk)(struct ear_reader *reader, struct ear_state_walk *walk);
};

#define EAR_READER_SKIPPED_MAX 16
#define EAR_READER_HARTS_MAX   64
#define EAR_READER_WORD_SIZE   48 /* of a word that was not understood, with its 0 */

/* A hart that had a record, and the index after it. */
struct ear_reader_hart {
	uint16_t hart;
	uint64_t next_index;
};

/* Lines that were skipped, or have words that were not understood, whose gaps are still to be
 * handed out. Those inside of a record come after it; of more than EAR_READER_SKIPPED_MAX the last
 * one stands for the others. */
struct ear_reader_skipped {
	struct {
		uint64_t line, offset, bytes;
		bool cut, word;
		uint16_t hart; /* of a word's line */
	} lines[EAR_READER_SKIPPED_MAX];
	unsigned count, given;
	unsigned hart; /* of that line: the next one, in order */
	/* The report function ended the reading inside of a record, which comes first. */
	bool inside;
	struct ear_record record; /* the gap handed out */
	struct ear_record_extra extra;
};

/* What every reader begins with; for the files of its format only. */
struct ear_reader {
	struct ear_text_input *input;
	struct ear_reader_options options;
	bool has_walks;   /* the header has page walks; known once the first record was read */
	uint8_t xlen;     /* of ear_reader_xlen; 0: not known yet */
	bool guessed;     /* xlen is 32, and nothing that was read is of RV32 alone */
	bool extended;    /* xlen is 32, and 64 bits are printed of pcs and registers */
	bool no_hart;     /* the header has no column for harts */
	uint64_t lacks;   /* fields (EAR_FIELD_BIT) that the form of the lines so far cannot show */
	bool index_given; /* a line gave the index of a record; otherwise records are counted */
	const struct ear_reader_cut *cut; /* NULL: one thread reads the whole text */
	const struct ear_reader_resume *resume;
	/* As ear_reader_next, without the gaps of skipped lines; or EAR_READER_GAP. */
	int (*next)(struct ear_reader *reader, const struct ear_record **record);
	struct ear_reader_skipped skipped;
	/* Lines with words that were not understood; the first such word, and its line, or 0. */
	uint64_t words, word_line, last_word_line;
	char word[EAR_READER_WORD_SIZE];
	/* Of a format with two lines for a record: lines without the other one, and the first. */
	uint64_t unpaired, unpaired_line;
	/* The first EAR_READER_HARTS_MAX ones, and which of them had the last record. */
	struct ear_reader_hart harts[EAR_READER_HARTS_MAX];
	unsigned hart_count, hart_at;
	/* Of a format whose readers begin anywhere (cut), which knows these better: hart number i
	 * of those that had a record; false: there are not so many. NULL: as above. */
	bool (*hart)(const struct ear_reader *reader, unsigned i, struct ear_reader_hart *hart);
	/* As next: one record, or *run with *compacts, then all of a run's; valid until the next
	 * call. It can be mixed with next. NULL: next gives all. */
	int (*next_run)(struct ear_reader *reader, const struct ear_compact_run **run,
		const struct ear_compact_record **compacts, const struct ear_record **record);
	/* Add records to a run that has some, and whose last one ear_reader_next gave last, or this
	 * function: those of the lines that come next, until the run has max of them, as far as
	 * they are ordinary and continue the run. It may stop before any line, and then
	 * ear_reader_next continues there. What ear_reader_next gave is not valid any more. NULL:
	 * ear_reader_next gives all. */
	void (*add_ordinary)(struct ear_reader *reader, struct ear_compact_run *run,
		struct ear_compact_record *compacts, size_t max);
	void (*free)(struct ear_reader *reader);
	/* What is wrong with the files of a folder, a sentence, or NULL; NULL: it is a text. */
	const char *(*fault)(const struct ear_reader *reader);
	const struct ear_line_compare *line_compare; /* NULL: lines cannot be compared */
};

/* Of a format's own function: no record, but skipped lines. */
#define EAR_READER_GAP 2

/* The hart had a record, and this is the index after it. */
void ear_reader_note_hart(struct ear_reader *reader, uint16_t number, uint64_t next_index);

/* The next gap of the skipped lines: of each line one for each hart that had a record. Returns 1.
 */
int ear_reader_give_gap(struct ear_reader *reader, const struct ear_record **record);

/* Where lines were skipped whose gaps are still to come: EAR_READER_GAP, or as reader->next. */
int ear_reader_next_skipped(struct ear_reader *reader, const struct ear_record **record);

/* Forget these lines, for who reads them again. */
void ear_reader_drop_skipped(struct ear_reader *reader);

/* The next record, valid until the next call.
 *
 * Returns 1 and *record, 0 at the end of the file, an error of ear_text_input_line,
 * EAR_E_NO_MEMORY, or what the report function returned.
 */
static inline int ear_reader_next(struct ear_reader *reader, const struct ear_record **record)
{
	int result = reader->skipped.count ? ear_reader_next_skipped(reader, record)
					   : reader->next(reader, record);

	if (result == EAR_READER_GAP || (result == 0 && reader->skipped.count))
		return ear_reader_give_gap(reader, record);
	if (result == 1 && !reader->cut)
		ear_reader_note_hart(reader, (*record)->hart,
			(*record)->index + ((*record)->kind == EAR_RECORD_INSTRUCTION));
	return result;
}

/* The same with a run, where the reader has such. */
static inline int ear_reader_next_run(struct ear_reader *reader, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	*run = NULL;
	if (!reader->next_run || reader->skipped.count)
		return ear_reader_next(reader, record);
	int result = reader->next_run(reader, run, compacts, record);
	if (result == 1 && *run)
		ear_reader_note_hart(reader, (*run)->hart, (*run)->first_index + (*run)->count);
	else if (result == 1)
		ear_reader_note_hart(reader, (*record)->hart,
			(*record)->index + ((*record)->kind == EAR_RECORD_INSTRUCTION));
	return result;
}

/* Are there no lines skipped whose gaps are still to come? Only then the reader can be saved. */
static inline bool ear_reader_is_settled(const struct ear_reader *reader)
{
	return reader->skipped.count == 0;
}

/* Step over lines that are equal or equivalent in the texts of two readers (line_compare.h),
 * without decoding them, as far as both readers are certain to give the same records afterwards.
 * The last keep such lines of each hart are left to be read. Bad lines that both texts have are not
 * reported.
 *
 * Returns how many harts had records in these lines, and fills in harts[]: at most
 * EAR_EQUAL_HARTS_MAX; 0 if no line was stepped over.
 */
size_t ear_reader_skip_equal(struct ear_reader *reader, struct ear_reader *other,
	struct ear_equal_lines *harts, size_t keep);

/* NULL is fine. */
void ear_reader_free(struct ear_reader *reader);

/* For readers of formats whose pc has the digits of XLEN: XLEN as the user says, or as the first
 * record does whose pc has at most 8 digits or 16. A later pc of 16 digits takes 32 back, which a
 * first line that lacks its beginning may have shown; one digit too many is one bad line.
 */
static inline unsigned ear_reader_xlen(struct ear_reader *reader, size_t pc_digits)
{
	unsigned xlen = pc_digits > 8 ? 64 : 32;

	if (reader->xlen &&
		(reader->xlen == 64 || reader->options.xlen || reader->extended || pc_digits != 16))
		return reader->xlen;
	if (reader->options.xlen)
		xlen = reader->options.xlen;
	if (reader->options.xlen || pc_digits <= 8 || pc_digits == 16)
		reader->xlen = (uint8_t)xlen;
	return xlen;
}

/* Does an address or the value of an integer register fit XLEN? Some simulators show those of RV32
 * with their sign extended, which fits where the user says 32, or the beginning shows it
 * (extended). EAR_READER_TOO_WIDE is the cause to report.
 */
static inline bool ear_reader_fits(const struct ear_reader *reader, uint64_t value)
{
	return reader->xlen != 32 || value <= UINT32_MAX ||
	       ((reader->options.xlen == 32 || reader->extended) &&
		       value >> 31 == UINT64_MAX >> 31);
}

/* XLEN 32 was a guess: does a value show that it is 64? One of 9 digits may have one too many. Then
 * XLEN is 64 from here on, which the caller reports. */
static inline bool ear_reader_take_back_32(struct ear_reader *reader, uint64_t value)
{
	if (!reader->guessed || value >> 36 == 0)
		return false;
	reader->guessed = reader->extended = false;
	reader->xlen = 64;
	return true;
}

#define EAR_READER_IS_64    "XLEN is 64 from here on; the lines before were read as RV32 (see --xlen)"
#define EAR_READER_TOO_WIDE "a value is wider than 32 bits, and XLEN is 32 (see --xlen)"

/* For readers: a word of the line taken last, which is of this hart, was not understood. The rest
 * of the line is a record, or a part of one, and is used; a gap of EAR_GAP_WORD comes beside it.
 * For the end of word the caller need not care: it is cut at the first blank.
 */
void ear_reader_word(struct ear_reader *reader, unsigned hart, struct ear_text word);

/* The same for a line with this number and offset, for readers that count lines themselves. */
void ear_reader_word_at(struct ear_reader *reader, uint64_t line_number, uint64_t offset,
	unsigned hart, struct ear_text word);

/* For readers: a line lacks the other one of its record. */
static inline void ear_reader_unpaired(struct ear_reader *reader, uint64_t line)
{
	if (reader->unpaired++ == 0)
		reader->unpaired_line = line;
}

/* For readers: report the line taken last. Returns 0 to continue, else the value to stop with. */
int ear_reader_report(struct ear_reader *reader, const char *cause, enum ear_line_kind kind);

/* The same for a line with this number and offset, for readers that count lines themselves. */
int ear_reader_report_at(const struct ear_reader *reader, uint64_t line_number, uint64_t offset,
	const char *cause, enum ear_line_kind kind);

/* For readers: report the line taken last, which was to be a record, or a part of one, and note it
 * as a gap. open: a record is begun, which the gap comes after. A last line without its line end is
 * cut off, whatever is wrong with it. Returns 0 to continue, else the value to stop with, which is
 * EAR_READER_GAP if the gap comes now.
 */
int ear_reader_skip(struct ear_reader *reader, const char *cause, bool open);

/* The same for a line with this number, offset and size in bytes; cut: it has no line end. */
int ear_reader_skip_at(struct ear_reader *reader, uint64_t line_number, uint64_t offset,
	uint64_t bytes, const char *cause, bool cut, bool open);

#endif
