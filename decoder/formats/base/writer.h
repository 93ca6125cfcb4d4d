#ifndef EAR_WRITER_H
#define EAR_WRITER_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/record/field.h"
#include "decoder/text/snapshot.h"
#include "decoder/text/text_output.h"

/* Records to a text format. Each format is one file, writer_<name>.c, and one row of the
 * table in decoder/formats/formats.c.
 */
struct ear_writer;
struct ear_flow_code;

/* Where an address is in the program, for people: "main+0x4" and "fw.c:12"; "" where that is not
 * known. Safe to show. */
struct ear_writer_place {
	char symbol[256], line[256];
};

/* Options of a writer. All zero is the default. */
struct ear_writer_options {
	bool walks;       /* the source has page walks: write the columns for them, if any */
	bool no_hart;     /* Whisper CSV without the hart column, as older simulators wrote it */
	bool no_header;   /* Whisper CSV, ARMulator: only the lines of records */
	bool no_comments; /* no comment lines (comment_line.h), where the format has them */
	const char *isa;  /* what the source's instruction set is called where a format must say it;
			   * NULL: from the records */
	/* Spike: the name of the symbol at an address, or NULL; symbol NULL: no symbols */
	const char *(*symbol)(const void *context, uint64_t address);
	const void *symbols; /* its context */
	/* The place of an address, for formats that have room for it: those with comment lines
	 * write one where it changes, JSON two members; NULL: none. One thread writes then. */
	void (*place)(const void *context, uint64_t address, struct ear_writer_place *place);
	const void *places; /* its context */
	bool one_hart;      /* QEMU4V, Tarmac, ARMulator: write the records of hart and no others */
	uint16_t hart;
	/* Of branch traces: the unit to write for, as in ear_reader_options, NULL: the usual one;
	 * and the program's text, of opcodes that records lack, NULL: there is none */
	const char *unit;
	const struct ear_flow_code *code;
};

/* How the writer of a folder begins and ends. */
struct ear_writer_folder {
	/* Make a writer of the files in the folder that is open, which stays the caller's; what
	 * they held is lost. Returns 0 and *writer, or EAR_E_NO_MEMORY or EAR_E_IO (errno). */
	int (*open)(
		struct ear_writer **writer, int folder, const struct ear_writer_options *options);
	/* All records were pushed: write what is left. Returns 0, EAR_E_IO (errno), or what push
	 * returns. */
	int (*finish)(struct ear_writer *writer);
	/* Why push or finish returned EAR_E_BAD_ARGUMENT or EAR_E_FULL, a sentence, or NULL. */
	const char *(*fault)(const struct ear_writer *writer);
	/* After finish: what was written in another way than the records say, a sentence each;
	 * NULL: no more. */
	const char *(*note)(struct ear_writer *writer);
};

struct ear_writer_format {
	const char *name;      /* as in -f */
	const char *extension; /* of file names, with the dot */
	const char *summary;   /* a few words for --help */
	uint64_t fields;       /* what it can carry: a set of EAR_FIELD_BIT */
	bool comments;         /* gaps and events, as far as it carries them, are comment lines */
	bool takes_lines;      /* a record with lines of this format (source, record.h) is written
				* as they are */
	/* Make a writer; options NULL: the default. NULL if memory is short. */
	struct ear_writer *(*make)(
		struct ear_text_output *output, const struct ear_writer_options *options);
	/* Instead of make, which is NULL: a trace is a folder of binary files. */
	const struct ear_writer_folder *folder;
	/* Instead of make, which is NULL: a trace is bytes, not lines. Returns 0 and *writer;
	 * EAR_E_BAD_ARGUMENT (options->unit), and a sentence in fault[0 .. size-1];
	 * EAR_E_NO_MEMORY. */
	int (*make_of_bytes)(struct ear_writer **writer, struct ear_text_output *output,
		const struct ear_writer_options *options, char *fault, size_t size);
	/* The fields of this record that the format carries in general, but not for this one;
	 * NULL: there are none. */
	uint64_t (*unfit)(const struct ear_record *record);
	/* Write the line that names the columns; NULL: the format has none, or always writes it.
	 * With options->no_header a writer leaves it to the caller. */
	void (*header)(struct ear_text_output *output, const struct ear_writer_options *options);
};

/* For formats that can be written in chunks (writer_chunk.h): what a writer needs to know of the
 * records before fits a snapshot.
 */
struct ear_writer_cut {
	/* The state after the last record. Returns 0 or EAR_E_NO_MEMORY. */
	int (*save)(const struct ear_writer *writer, struct ear_snapshot *snapshot);
	/* Take that state. Returns 0. */
	int (*restore)(struct ear_writer *writer, const struct ear_snapshot *snapshot);
	bool shows_index; /* the text shows the index of an instruction */
	bool follows;     /* the state may change with any record; else with a header only */
};

/* What every writer begins with; for the files of its format only. */
struct ear_writer {
	struct ear_text_output *output;
	uint64_t absent; /* fields that the format carries, but not for this unit */
	int (*push)(struct ear_writer *writer, const struct ear_record *record);
	/* All records were pushed: write what is left. Returns as push. NULL: nothing is left. */
	int (*finish)(struct ear_writer *writer);
	void (*free)(struct ear_writer *writer);
	const struct ear_writer_cut *cut; /* NULL: one thread writes the whole text */
};

/* Write one record. What the format cannot carry is left out, see ear_writer_lost.
 * Returns 0; EAR_E_IO once writing has failed (output->error_number); EAR_E_UNSUPPORTED for a
 * record of a second hart, from a format that has one hart in a file (options->one_hart).
 */
static inline int ear_writer_push(struct ear_writer *writer, const struct ear_record *record)
{
	return writer->push(writer, record);
}

/* All records were pushed; before the output is flushed for the last time. Returns as
 * ear_writer_push. */
static inline int ear_writer_finish(struct ear_writer *writer)
{
	return writer->finish ? writer->finish(writer) : 0;
}

/* The fields of a record (EAR_FIELD_BIT) that a format leaves out: those that the format
 * never carries (format->fields), and those that it refuses in this record (format->unfit), such as
 * a register whose name its consumers do not know.
 */
uint64_t ear_writer_lost(const struct ear_writer_format *format, const struct ear_record *record);

/* Does a text of this format have the registers that an instruction read? */
static inline bool ear_writer_has_reads(const struct ear_writer_format *format)
{
	return format->fields & EAR_FIELD_BIT(EAR_FIELD_READ_VALUE);
}

/* Is this a gap or an event that a text of this format without comment lines does not hold? */
bool ear_writer_lacks_without_comments(
	const struct ear_writer_format *format, const struct ear_record *record);

/* For writers of one hart: which records they write. The hart is that of the options, and records
 * of others are left out; or that of the first record, and a record of another one is refused.
 */
struct ear_writer_hart {
	bool known;  /* hart is the one to write */
	bool filter; /* the options chose it */
	uint16_t hart;
};

/* options NULL: the default. */
struct ear_writer_hart ear_writer_hart(const struct ear_writer_options *options);

/* Returns 1 to write the record, 0 to leave it out, or EAR_E_UNSUPPORTED. */
int ear_writer_hart_choose(struct ear_writer_hart *hart, const struct ear_record *record);

/* The comment line "# at main fw.c:12" before an instruction whose function or line is another one
 * than that of the one before, which *last has; zero it to begin. Nothing without options->place.
 */
void ear_writer_put_place(struct ear_text_output *output, const struct ear_writer_options *options,
	struct ear_writer_place *last, const struct ear_record *record);

/* For writers that need to know nothing of the records before. */
int ear_writer_save_nothing(const struct ear_writer *writer, struct ear_snapshot *snapshot);
int ear_writer_restore_nothing(struct ear_writer *writer, const struct ear_snapshot *snapshot);

/* Free the writer; the caller flushes the output. NULL is fine. */
void ear_writer_free(struct ear_writer *writer);

#endif
