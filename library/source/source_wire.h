#ifndef EAR_SOURCE_WIRE_H
#define EAR_SOURCE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/checksum.h"
#include "decoder/codec/decoder.h"
#include "decoder/record/absent_fields.h"
#include "library/shot/window.h"

/* The part of a source (source.h) that reads a capture file or a dump: bytes of a window to the
 * decoder, and what the file says between them. It is used by source.c and source_anchor.c, whose
 * headers say what is what.
 */
struct ear_source_wire {
	struct ear_window window;
	struct ear_decoder decoder;
	uint64_t window_byte; /* of the unused bytes of the window in the stream, as it was read.
			       * The decoder takes its own count from a state of the file. */
	bool begun;
	bool short_of_memory; /* a piece of the file is lost for good: so is reading on */
	struct ear_absent_fields absent;
	int (*line_diff_sink)(void *context, struct ear_shot_line_diff diff);
	void *line_diff_context;

	uint64_t position, number; /* records handed out: of any kind, instruction records */
	bool redoing;              /* it goes through the stream from its beginning, to be sure */
	bool unsure;               /* it began at a state of the file, and never does */

	bool summing;
	struct ear_checksum checksum;
	uint64_t summed;  /* the checksum has the stream up to here, */
	uint64_t loss_at; /* and its losses up to 1 before this */
};

/* shared: see struct ear_source_options. Returns as ear_window_init; fini is right in all cases. */
int ear_source_wire_init(struct ear_source_wire *wire, int fd, const uint8_t *prefix, size_t size,
	bool partial, bool shared);
void ear_source_wire_fini(struct ear_source_wire *wire);

/* Have the facts of the file, and its first bytes. Returns 0 or an error. */
int ear_source_wire_begin(struct ear_source_wire *wire);

/* The next record, or with run NULL or a run of the decoder. As ear_source_next_run. */
int ear_source_wire_next(struct ear_source_wire *wire, const struct ear_record **record);
int ear_source_wire_next_run(struct ear_source_wire *wire, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record);

/* Continue before the first record. */
void ear_source_wire_rewind(struct ear_source_wire *wire);

/* An anchor's parts. As ear_source_anchor and ear_source_seek. */
struct ear_source_wire_place {
	uint64_t position, number, byte, file_offset, frame_byte;
};

int ear_source_wire_save(const struct ear_source_wire *wire, struct ear_source_wire_place *place,
	uint8_t **state, size_t *size);
int ear_source_wire_load(struct ear_source_wire *wire, const struct ear_source_wire_place *place,
	const uint8_t *state, size_t size);

/* Continue at a state of the file, which lies at file_offset; frame_byte is not used. As
 * ear_source_seek_place. */
int ear_source_wire_load_place(
	struct ear_source_wire *wire, const struct ear_source_wire_place *place);

void ear_source_wire_sum(struct ear_source_wire *wire);
uint64_t ear_source_wire_checksum(struct ear_source_wire *wire);

#endif
