#ifndef EAR_OUTPUTS_H
#define EAR_OUTPUTS_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/input/port_input.h"
#include "cli/output/comments.h"
#include "decoder/formats/base/writer.h"
#include "library/parallel/writer_chunk.h"
#include "library/shot/shot.h"
#include "library/shot/shot_states.h"

#define OUTPUT_COUNT_MAX 64

/* Where a capture goes: any number of capture files and text files, written at once. */
struct output {
	const char *path;                       /* "-" is standard output */
	const struct ear_writer_format *format; /* NULL: a capture file */
	int fd;                                 /* -1 until opened */
	struct ear_shot_writer *shot;
	struct ear_shot_states states; /* written to it */
	struct ear_text_output text;
	struct ear_writer *writer;

	/* Of a format that holds one hart in a file, the files of the other harts: */
	const struct output *first; /* the file that was asked for; NULL: this one was */
	uint16_t hart;
	char *own_path; /* what path points to */
};

struct outputs {
	struct output list[OUTPUT_COUNT_MAX];
	size_t count;
	struct ear_writer_options writer_options; /* for text files */
	struct comments comments;                 /* of these */
	struct ear_shot_states states;            /* of capture files, when they begin */
	struct port_input *port; /* what folders get events of tasks from; NULL: the records
				  * have them */
	bool sync;               /* text files too are closed only when they are on the disk */
	bool failed;             /* one could not be written: it was reported, unless: */
	bool broken_pipe;        /* a reader has seen enough, such as head: no failure of ours */
};

/* The format that goes to path; *format NULL: a capture file.
 *
 * name says it, if that is not NULL. Else the ending of path does (docs/text-formats.md). Standard
 * output, and a device or pipe whose name has no ending, get the format whisper; so does any other
 * name without an ending get the format nameless, if that is not NULL. Every other name is refused.
 * Returns false after printing why.
 */
bool outputs_choose(const struct ear_writer_format **format, const char *path, const char *name,
	const char *nameless);

/* Add one; format as name of outputs_choose. Returns false after printing why not. */
bool outputs_add(struct outputs *outputs, const char *path, const char *format);

/* Open all of them; metadata is the text for capture files. Returns false after printing. */
bool outputs_open(struct outputs *outputs, const char *metadata, int level);

/* Bytes of the stream, ending at the end of a frame, for the capture files. */
void outputs_bytes(struct outputs *outputs, const uint8_t *bytes, size_t size);
void outputs_loss(struct outputs *outputs, uint64_t size);

/* decoder has decoded all bytes given so far: its state for the capture files, if one is due. */
void outputs_decoded(struct outputs *outputs, const struct ear_decoder *decoder);

/* So many bytes at most should be decoded between calls of outputs_decoded: zstd frames are then as
 * long as they should be, and states where they are wanted. */
size_t outputs_step(const struct outputs *outputs, const struct ear_decoder *decoder);

/* The state of this decoder, which can be saved, for the capture files in any case. */
void outputs_state(struct outputs *outputs, const struct ear_decoder *decoder);

/* Is there a text file, which outputs_record is for? */
bool outputs_want_records(const struct outputs *outputs);

/* Is there a folder? */
bool outputs_want_tasks(const struct outputs *outputs);

/* Is there one with the registers that an instruction read? */
bool outputs_want_reads(const struct outputs *outputs);

/* Is there one that has not failed? */
bool outputs_alive(const struct outputs *outputs);

/* A record, for the text files. Returns 0 always: a failing output does not stop the others. */
int outputs_record(struct outputs *outputs, const struct ear_record *record);

/* A chunk of the text of the first output, which is a text file, that was formatted elsewhere. */
void outputs_text(struct outputs *outputs, struct ear_writer_team *team,
	const struct ear_writer_chunk *chunk);

/* Make everything readable that was given so far. */
void outputs_flush(struct outputs *outputs);

/* Wait until everything that was flushed is on the disk. */
void outputs_sync(struct outputs *outputs);

/* Finish and close all, capture files only when they are on the disk; metadata is the text for the
 * end of capture files. outputs->failed: not everything was written.
 */
void outputs_close(struct outputs *outputs, const char *metadata);

#endif
