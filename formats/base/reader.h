#ifndef EAR_READER_H
#define EAR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/record/record.h"
#include "formats/base/line_compare.h"
#include "formats/text/snapshot.h"
#include "formats/text/text_input.h"

/* Text formats to records. Each format is one file, reader_<name>.c, and one row of the table
 * in formats/formats.c.
 *
 * Three things are told apart always: a record, the end of the file, and an error. A line that
 * cannot be read is told through the report function; the reader then goes on with the next
 * line, unless the function says no.
 */
struct ear_reader;

/* A line that does not follow the format, or hardly: where, and why in a few words. bad is false
 * for a warning (a last line that is cut off, a value that was cut to size).
 * Returns 0 to go on, or a negative value that ear_reader_next returns.
 */
typedef int ear_line_report(
	void *context, uint64_t line_number, uint64_t offset, const char *cause, bool bad);

struct ear_reader_options {
	unsigned xlen;           /* 32, 64, or 0: from the file, as far as it tells */
	bool light;              /* pc, opcode, privilege and flags only: nothing else is read */
	ear_line_report *report; /* NULL: bad lines are skipped in silence */
	void *context;           /* of report */
	const char *isa;         /* instruction set, a name of ear_isa_find (disassembly.h), where
				  * the file does not tell; NULL: what the format is made for */
};

struct ear_reader_format {
	const char *name;      /* as in -i */
	const char *extension; /* of file names, with the dot, or "" */
	const char *summary;   /* a few words for --help */
	/* How surely bytes[0 .. size-1], the beginning of a file, are of this format: 0 not, 100
	 * certainly. The last line may be cut off. */
	int (*detect)(const char *bytes, size_t size);
	/* Make a reader of *input, which stays the caller's. NULL if memory is short. */
	struct ear_reader *(*make)(
		struct ear_text_input *input, const struct ear_reader_options *options);
};

/* How a reader's text can be read in chunks (parallel_reader.h): a line means what it means
 * because of the lines before it, and that fits a snapshot.
 */
struct ear_reader_cut {
	/* Where the reader stands, behind its last line. Returns 0 or EAR_E_NO_MEMORY. */
	int (*save)(const struct ear_reader *reader, struct ear_snapshot *snapshot);
	/* Stand there, before the first line of the block that its input gets next. Returns 0. */
	int (*restore)(struct ear_reader *reader, const struct ear_snapshot *snapshot);
};

/* What every reader begins with; only reader_<name>.c looks inside. */
struct ear_reader {
	struct ear_text_input *input;
	struct ear_reader_options options;
	bool has_walks;   /* the header tells page walks; known once the first record was read */
	uint8_t xlen;     /* of ear_reader_xlen; 0: not known yet */
	bool no_hart;     /* the header has no column for harts */
	bool index_given; /* a line told the index of a record, where others are only counted */
	const struct ear_reader_cut *cut; /* NULL: one thread reads the whole text */
	int (*next)(struct ear_reader *reader, const struct ear_record **record);
	void (*free)(struct ear_reader *reader);
	const struct ear_line_compare *line_compare; /* NULL: lines cannot be compared */
};

/* The next record, valid until the next call.
 *
 * Returns 1 and *record, 0 at the end of the file, an error of ear_text_input_line,
 * EAR_E_NO_MEMORY, or what the report function returned.
 */
static inline int ear_reader_next(struct ear_reader *reader, const struct ear_record **record)
{
	return reader->next(reader, record);
}

/* Go on behind lines that are the same in the texts of two readers, or are known to make the same
 * records, without reading them as records: only as far as both are known to give the same records
 * then, and go on in the same way. The last keep such lines of each hart are left to be read. What
 * is wrong in a line that both have is not told.
 *
 * Returns how many harts had records there, which are filled in: at most EAR_EQUAL_HARTS_MAX; 0 if
 * nothing was passed.
 */
size_t ear_reader_skip_equal(struct ear_reader *reader, struct ear_reader *other,
	struct ear_equal_lines *harts, size_t keep);

/* NULL is fine. */
void ear_reader_free(struct ear_reader *reader);

/* For readers of formats whose pc has the digits of XLEN: XLEN as the user says, or as the first
 * record does whose pc has at most 8 digits or 16. What comes later does not change it: one digit
 * too many is one bad line.
 */
static inline unsigned ear_reader_xlen(struct ear_reader *reader, size_t pc_digits)
{
	unsigned xlen = pc_digits > 8 ? 64 : 32;

	if (reader->xlen)
		return reader->xlen;
	if (reader->options.xlen)
		xlen = reader->options.xlen;
	if (reader->options.xlen || pc_digits <= 8 || pc_digits == 16)
		reader->xlen = (uint8_t)xlen;
	return xlen;
}

/* Does an address or the value of an integer register fit XLEN? Some simulators show those of RV32
 * with their sign extended, which fits where the user says 32. EAR_READER_TOO_WIDE is the cause to
 * report.
 */
static inline bool ear_reader_fits(const struct ear_reader *reader, uint64_t value)
{
	return reader->xlen != 32 || value <= UINT32_MAX ||
	       (reader->options.xlen == 32 && value >> 31 == UINT64_MAX >> 31);
}

#define EAR_READER_TOO_WIDE "a value is wider than 32 bits, and XLEN is 32 (see --xlen)"

/* For readers: tell a bad line, the one taken last. Returns 0 to go on, else stop with it. */
int ear_reader_report(struct ear_reader *reader, const char *cause, bool bad);

#endif
