#ifndef EAR_CUT_H
#define EAR_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/codec/decoder.h"
#include "library/shot/excerpt.h"
#include "library/shot/shot.h"

/* A part of a capture file as a capture file: 'earshot decode --from N --to M -o PART.shot'. */
struct cut {
	bool wanted; /* else nothing here is used */
	int argc;    /* of the command line, for the metadata */
	char **argv;

	bool begun;    /* the first record of the part comes next, or has come */
	bool unpacked; /* a line diff was passed over: the part has no text of its own */
	struct ear_shot_writer *writer;
	struct ear_excerpt *excerpt;
	uint64_t first, last; /* numbers of instruction records; meaningful if there are any */
	bool any;
	uint64_t count; /* records of any kind */
};

/* Begin the file, once the metadata of the capture that reader reads are known. name is that of the
 * capture. Returns 0, EAR_E_IO (errno) or EAR_E_NO_MEMORY.
 */
int cut_open(struct cut *cut, int fd, const char *name, const struct ear_shot_reader *reader,
	const struct ear_decoder *decoder);

/* The part begins after what decoder has decoded. Returns as ear_excerpt_begin. */
int cut_begin(struct cut *cut);

/* The record that the decoder has just made is in the part; number is that of an instruction.
 * Returns as ear_excerpt_push.
 */
int cut_push(struct cut *cut, const struct ear_record *record, uint64_t number);

/* The end of the file. whole: all that was wanted is in it. Returns 0, EAR_E_IO or EAR_E_NO_MEMORY.
 */
int cut_finish(struct cut *cut, bool whole);

/* The marks of the capture that are in the part, which is finished and closed. from: the number of
 * its first instruction. Returns false after printing what could not be kept. */
bool cut_marks(const struct cut *cut, const char *path, const char *output, uint64_t from);
void cut_fini(struct cut *cut);

#endif
