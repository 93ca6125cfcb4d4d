#ifndef EAR_ARCHIVE_H
#define EAR_ARCHIVE_H

#include "decoder/codec/record_encoder.h"
#include "decoder/formats/base/reader.h"
#include "decoder/formats/base/writer.h"
#include "decoder/text/text_input.h"
#include "library/shot/shot.h"

/* Packs a text into a capture file so that it can be given back byte for byte.
 * docs/file-format.md, section 6.
 *
 *   block of lines -> reader -> records -> encoder -> frames -> capture file
 *         |                                              |
 *         |                                           decoder -> records -> lines
 *         \---------------- compared: line diff -> capture file ----------------/
 *
 * What was written is decoded again at once, and the line diff applied to it: a block is accepted
 * only if it comes back as it was.
 *
 * Memory: one block, its lines, and at most one segment of stream and line diff, 1 MiB each and
 * what a block adds.
 */
struct ear_archive;

struct ear_archive_options {
	const struct ear_reader_format *format; /* one that ear_archive_can pack */
	const struct ear_writer_format *writer; /* the one with the same name */
	struct ear_reader_options reader;
	struct ear_record_encoder_options encoder;
	uint64_t state_interval; /* ear_shot_states_init */
};

struct ear_archive_statistics {
	uint64_t records;         /* instructions in the stream */
	uint64_t text_bytes;      /* of the text */
	uint64_t wire_bytes;      /* of the stream */
	uint64_t line_diff_bytes; /* of all line diffs, before they are compressed */
};

/* Can texts of this format be packed so? */
bool ear_archive_can(const struct ear_reader_format *format);

/* Write to *shot, which stays the caller's and gets nothing else until ear_archive_finish.
 * Returns 0 and *archive, to be freed, or EAR_E_NO_MEMORY.
 */
int ear_archive_new(struct ear_archive **archive, struct ear_shot_writer *shot,
	const struct ear_archive_options *options);
void ear_archive_free(struct ear_archive *archive);

/* The next block of the text.
 *
 * Returns 0; an error of ear_shot_writer_push, what the report function returned,
 * EAR_E_NO_MEMORY; or EAR_E_BAD_FILE if what was written does not come back: that is a fault of
 * this program.
 */
int ear_archive_push(struct ear_archive *archive, const struct ear_text_block *block);

/* The text has ended. Returns as push; shot is not finished. */
int ear_archive_finish(struct ear_archive *archive);

const struct ear_archive_statistics *ear_archive_statistics(const struct ear_archive *archive);

#endif
