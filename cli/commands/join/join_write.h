#ifndef CLI_JOIN_WRITE_H
#define CLI_JOIN_WRITE_H

#include <earshot/trace.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/commands/join/join_part.h"
#include "cli/input/input.h"
#include "decoder/codec/decoder.h"
#include "library/shot/excerpt.h"
#include "library/shot/shot.h"

/* Parts to one capture file. */
struct join {
	int argc; /* of the command line, for the metadata */
	char **argv;
	const char *output;
	int fd;
	struct join_part *parts;
	size_t count;
	bool quiet;

	struct ear_shot_writer *writer;
	struct ear_excerpt *excerpt;
	bool begun;                        /* whether the file begins with a state is known */
	uint64_t written;                  /* records of any kind */
	uint64_t instructions;             /* of these */
	uint64_t gaps;                     /* that were put in */
	bool unpacked;                     /* a line diff was passed over */
	const struct join_part *reference; /* the part that the last record is of; NULL: none */
	uint64_t last;                     /* number of the last instruction, if they have one */
	bool known[JOIN_HARTS];            /* the hart has had a record, */
	uint64_t expected[JOIN_HARTS];     /* and its next one has this index */

	/* The part that is read. */
	struct join_part *part;
	struct input input;
	struct ear_decoder decoder;
	uint64_t position;        /* of its next record */
	bool continues;           /* it begins with the record that comes next */
	bool seen[JOIN_HARTS];    /* harts that had a record in it */
	struct ear_trace *before; /* what is written is compared with it, to its end; NULL: over */
	uint64_t compared;        /* records of any kind */
	double last_progress;
	bool reported; /* why it cannot be joined was printed */
	int status;    /* of the command */
};

/* Join the parts, which are in their order, and finish the file. Returns an exit status. */
int join_write(struct join *join);
void join_fini(struct join *join);

#endif
