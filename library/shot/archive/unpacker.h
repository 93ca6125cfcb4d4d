#ifndef EAR_UNPACKER_H
#define EAR_UNPACKER_H

#include "decoder/formats/base/writer.h"
#include "library/parallel/parallel_writer.h"
#include "library/shot/archive/comment_filter.h"
#include "library/shot/archive/line_diff.h"
#include "library/shot/shot.h"

/* The records and the line diffs of a capture file to text: to the text that the file was packed
 * from (archive.h), or, where there is no line diff or another format is wanted, to what a writer
 * makes of the records. Several threads may format.
 *
 *   records -> writer, or several -> lines -> line diff -> output
 *
 * With writer.no_comments the comment lines of a packed text are removed after the line diff.
 */
struct ear_unpacker_options {
	const struct ear_writer_format *format;
	struct ear_writer_options writer;
	unsigned jobs;             /* threads, the caller's included */
	ear_comment_sink *comment; /* no_comments: removed lines; NULL: not wanted */
	void *comment_context;
};

struct ear_unpacker {
	struct ear_unpacker_options options;
	struct ear_text_output *output;
	struct ear_text_output lines, crlf; /* on their way through a line diff */
	struct ear_writer *writer;          /* one of these two */
	struct ear_parallel_writer *parallel;
	struct ear_shot_line_diff diff; /* format 0: none has come */
	struct ear_line_diff_cursor cursor;
	struct ear_text_output whole; /* with comments, before they are removed */
	struct ear_comment_filter filter;
	bool suppressed;
	uint64_t bad_line_diffs; /* that could not be followed */
};

/* output stays the caller's. Returns 0 or EAR_E_NO_MEMORY; fini is right in both cases. */
int ear_unpacker_init(struct ear_unpacker *unpacker, struct ear_text_output *output,
	const struct ear_unpacker_options *options);
void ear_unpacker_fini(struct ear_unpacker *unpacker);

/* The records that come next have this line diff, which goes over to the unpacker. Line diffs for
 * another format are not used. Returns 0, EAR_E_NO_MEMORY or an error of output.
 */
int ear_unpacker_line_diff(struct ear_unpacker *unpacker, struct ear_shot_line_diff diff);

/* Is there a line diff, so that the text is one that was packed? */
bool ear_unpacker_has_line_diff(const struct ear_unpacker *unpacker);

/* A record. Returns as ear_writer_push, perhaps for one before. */
int ear_unpacker_push(struct ear_unpacker *unpacker, const struct ear_record *record);

/* A run of records, if that is worth while: with several threads. Returns as push, or 1: nothing is
 * done, push them one by one. */
int ear_unpacker_push_run(struct ear_unpacker *unpacker, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts);

/* The text of all records so far goes to output, which is not flushed. Returns 0 or an error. */
int ear_unpacker_flush(struct ear_unpacker *unpacker);

/* The same at the end of the text. */
int ear_unpacker_finish(struct ear_unpacker *unpacker);

/* suppressed: what the records pushed from here on become does not go to output, but the line diff
 * is followed. When that ends, a line diff's text begins with a header. Returns 0 or an error.
 */
int ear_unpacker_suppress(struct ear_unpacker *unpacker, bool suppressed);

#endif
