#ifndef EAR_SOURCE_H
#define EAR_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/codec/decoder.h"
#include "decoder/formats/base/reader.h"
#include "decoder/formats/base/writer.h"
#include "decoder/record/operands.h"
#include "library/parallel/parallel_reader.h"
#include "library/shot/shot.h"

/* Records from a file of any kind: a capture file, a raw dump of the wire, or a text format,
 * plain or compressed. What convert, diff and grep read.
 */
struct ear_source;

struct ear_source_options {
	const char *format; /* name of a text format, or "shot"; NULL: from the contents */
	struct ear_reader_options reader;
	/* Read a plain file at offsets, from its beginning: fd's own position is neither used nor
	 * changed, so that any number of sources can read from the same fd, in any threads. Without
	 * meaning for what cannot be read so (a pipe). */
	bool shared;
	bool ftdi_status; /* a dump of an FTDI chip: ear_shot_reader_strip_ftdi */
	/* For what is wrong with a file of which nothing can be read, a sentence; may be NULL. */
	char *fault;
	size_t fault_size;
};

/* Read from fd, which stays the caller's and may be a pipe.
 *
 * Returns 0 and the source in *source, to be freed.
 * Returns EAR_E_BAD_ARGUMENT for an unknown format name, EAR_E_UNSUPPORTED if the contents are of
 *         no known format, EAR_E_BAD_FILE (damaged at its beginning), EAR_E_NO_PROGRAM (a branch
 *         trace without options->reader.code), EAR_E_NO_MEMORY, EAR_E_IO (errno). options->fault
 *         has the cause, if it is known; of EAR_E_BAD_ARGUMENT only if it is about the unit.
 */
int ear_source_new(struct ear_source **source, int fd, const struct ear_source_options *options);
void ear_source_free(struct ear_source *source);

/* The next record, valid until the next call.
 *
 * Returns 1 and *record; 0 at the end; EAR_E_IO, EAR_E_NO_MEMORY, EAR_E_BAD_FILE (ear_source_fault
 * says why), or what the reader's report function returned.
 */
int ear_source_next(struct ear_source *source, const struct ear_record **record);

/* A layer over the records of a source, which adds to them: it takes them from beneath, and hands
 * out as many in the same order, perhaps later. */
struct ear_source_layer {
	/* Returns as ear_source_next. */
	int (*next)(struct ear_source_layer *layer, struct ear_source *source,
		const struct ear_record **record);
	void (*free)(struct ear_source_layer *layer);
};

/* Makes the layer of a source, and a new one each time it is read from its beginning again. */
struct ear_source_layers {
	/* Returns 0 or an error of ear_source_next. */
	int (*make)(struct ear_source_layer **layer, const void *context);
	const void *context;
};

/* Before any record was read; layers stays the caller's. There are no runs then, no other threads,
 * and no anchors but that of the beginning. Returns 0 or as make. */
int ear_source_set_layers(struct ear_source *source, const struct ear_source_layers *layers);

/* For the layer: the next record beneath it. */
int ear_source_next_beneath(struct ear_source *source, const struct ear_record **record);

/* Records as they come fastest: a run of compact ones where the decoder has such, else one. */
struct ear_source_run {
	/* Not NULL: a run (earshot/record.h), all of it handed out; valid until the next call. */
	const struct ear_compact_run *run;
	const struct ear_compact_record *compacts;
	/* Of the run, what each record read; NULL: not known. */
	const struct ear_operands *operands;
	const struct ear_record *record; /* else one record */
};

/* As ear_source_next, with which it can be mixed. Branch traces have runs. Captures and dumps
 * have them only if records are complete in that form: not with ear_source_with_reads (but with
 * ear_source_with_operands), and not where the capture was made from a text that did not show all
 * fields. An anchor inside of a run can only be made with ear_source_next.
 *
 * Returns 1 and *run, 0 at the end, or an error as ear_source_next.
 */
int ear_source_next_run(struct ear_source *source, struct ear_source_run *run);

/* Add to a run of ordinary records, whose last one came last, those that come next, at most until
 * it has max (as ear_reader.add_ordinary); none if the reader cannot, or another thread reads. */
void ear_source_add_ordinary(struct ear_source *source, struct ear_compact_run *run,
	struct ear_compact_record *compacts, size_t max);

/* Records of any kind, and instruction records, handed out since the beginning of the trace: also
 * after a seek. */
uint64_t ear_source_position(const struct ear_source *source);
uint64_t ear_source_number(const struct ear_source *source);

/* Read with other threads from the next ear_source_next on. jobs: threads, the caller's included;
 * with 1 nothing changes. With 2, or where the file cannot be read in chunks, one thread reads
 * ahead (read_ahead.h); with more, jobs - 1 of them read chunks, if no record was read yet
 * (ordered_reader.h). Everything is as it is with one thread.
 */
void ear_source_set_jobs(struct ear_source *source, unsigned jobs);

/* Before any record was read: the file in chunks, see parallel_reader.h. ear_source_next is of no
 * more use then; the rest is.
 * Returns as ear_parallel_reader_new.
 */
int ear_source_read_chunks(struct ear_source *source, struct ear_parallel_reader **parallel,
	const struct ear_parallel_options *options);

/* Before any record was read: the text itself, in blocks, see ear_text_input_take_block. Returns as
 * that, or EAR_E_UNSUPPORTED if the source is no text.
 */
int ear_source_take_block(struct ear_source *source, struct ear_text_block *block);

/* What reads the text, NULL if it is none, and how. */
const struct ear_reader_format *ear_source_text_format(const struct ear_source *source);
const struct ear_reader_options *ear_source_reader_options(const struct ear_source *source);

/* Takes the line diff of the records that come next (docs/file-format.md, section 6), which goes
 * over to it. Returns 0, or an error that ear_source_next returns.
 */
typedef int ear_source_line_diff_sink(void *context, struct ear_shot_line_diff diff);

/* Before any record was read, with one job: hand over the line diffs of a capture file. */
void ear_source_set_line_diff_sink(
	struct ear_source *source, ear_source_line_diff_sink *sink, void *context);

/* Before any record was read: those of a capture file shall have the registers that they read
 * (extra->reads). It takes longer. */
void ear_source_with_reads(struct ear_source *source);

/* As ear_source_with_reads, and ear_source_next_run still has runs, with operands beside them. */
void ear_source_with_operands(struct ear_source *source);

/* ear_reader_skip_equal of two sources; 0 if one is not a text, or other threads read it. */
size_t ear_source_skip_equal(struct ear_source *source, struct ear_source *other,
	struct ear_equal_lines *harts, size_t keep);

/* Let other threads find equal lines too, for ear_source_skip_equal of the same two sources, before
 * any record was read. other must stay until source is stopped. Returns as ear_equal_ahead_new.
 */
int ear_source_compare_ahead(struct ear_source *source, struct ear_source *other, unsigned jobs);

/* Wait for the other threads, if there are, and end them: before the statistics or the fault is
 * asked for, unless ear_source_next has returned the end or an error. */
void ear_source_stop(struct ear_source *source);

/* Name of the format, "shot" for capture files and dumps of the wire. */
const char *ear_source_format(const struct ear_source *source);

/* The fields (EAR_FIELD_BIT, field.h) that the source of a capture file or dump did not have: what
 * the text did not that it was made from, and what the unit says that its retire port does not.
 * Known once the first record was read. 0 of a text. */
uint64_t ear_source_absent(const struct ear_source *source);

/* The fields (EAR_FIELD_BIT, field.h) that a capture file or dump can carry: what its unit was
 * built with, and what the text says that it was made from. Before any record was read; it looks as
 * far as the first one, and what is wrong with it ear_source_next reports. EAR_FIELDS_ALL where no
 * UNIT came before the first record. Of a text: all but what its beginning shows that its tool
 * leaves out (ear_reader_lacks).
 */
uint64_t ear_source_carried(struct ear_source *source);

/* Options for a writer that writes the columns that this source has. Known once
 * the first record was read.
 */
void ear_source_writer_options(const struct ear_source *source, struct ear_writer_options *options);

/* What a capture file says about itself before its first record (docs/file-format.md, section 3),
 * into text[0 .. size-1], cut to fit. May be asked before the first record is read. Returns its
 * length, EAR_E_BAD_ARGUMENT if it does not say that, or an error of reading.
 */
int ear_source_fact(struct ear_source *source, const char *key, char *text, size_t size);

/* The statistics of a capture file or dump; NULL for a text format. */
const struct ear_decoder_statistics *ear_source_statistics(const struct ear_source *source);

/* The reader of a text; NULL: it is none. After the end, or after ear_source_stop. */
const struct ear_reader *ear_source_reader(const struct ear_source *source);

/* What is wrong with the file as far as it was read, a sentence, or NULL. */
const char *ear_source_fault(const struct ear_source *source);

/* Is it a text from which a byte order mark, colours, prefixes or UTF-16 were taken away? */
bool ear_source_is_cleaned(const struct ear_source *source);

/* What was damaged in a capture file and made good, as ear_shot_reader_mended, or NULL. */
const char *ear_source_mended(const struct ear_source *source);

/* The position of *record, the last record of this source: "line 12" or "stream byte 345". */
void ear_source_place(
	const struct ear_source *source, const struct ear_record *record, char *text, size_t size);

#endif
