#ifndef EAR_FLIGHT_H
#define EAR_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/live/until.h"
#include "cli/output/outputs.h"
#include "cli/show/metadata.h"
#include "decoder/codec/decoder.h"
#include "library/check/checker.h"
#include "library/shot/segments.h"

/* The flight recorder of capture --ring: of a stream of any length only the newest part is kept,
 * and written to the outputs when the event has come, or the capture ends.
 *
 *   RECORDING  the oldest part is evicted; with an event that the host waits for, each
 *              record is looked at
 *   AFTER      the event was there, and some more records are wanted: nothing is evicted any more;
 *              what the ring has no room for is written to the outputs
 *   LAST       the last record that is wanted was there; the rest of its frame comes
 *   DONE       what comes now is counted and thrown away
 */
enum flight_phase { FLIGHT_RECORDING, FLIGHT_AFTER, FLIGHT_LAST, FLIGHT_DONE };

struct flight {
	/* Set before flight_open. */
	uint64_t size;      /* bytes of the stream to keep; 0: there is no flight recorder */
	const char *folder; /* for the segments; NULL: in memory, or beside the output if large */
	bool has_until;
	struct until until;
	const struct ear_span *devices; /* memory that changes by itself, for a violation */
	size_t device_count;
	bool by_unit;   /* the unit's stop trigger waits for it */
	uint64_t after; /* records wanted after it */
	struct outputs *outputs;

	/* Only read from outside. */
	enum flight_phase phase;
	bool failed; /* the cause was reported */
	bool seen;   /* the event, that is: */
	uint64_t event_index;
	char event_text[EAR_VIOLATION_TEXT_MAX]; /* of a violation, what is wrong */
	uint64_t after_count;                    /* records after it so far */
	uint64_t let_go_records; /* known when writing to the outputs has begun, as is this: */
	uint64_t let_go_bytes;
	uint64_t surplus_bytes;  /* that came when nothing was wanted any more */
	struct ear_decoder kept; /* has decoded what was written to the outputs */

	struct ear_checker *checker; /* looks for a violation; NULL: for none, or it failed */
	struct ear_segments *segments;
	char *path;           /* of their files, without the number; NULL: in memory */
	bool synced;          /* the event was there, and what led up to it is on the disk */
	bool writing;         /* to the outputs: nothing is evicted any more */
	uint64_t blind_bytes; /* at the beginning of what is kept, that cannot be decoded */
	uint8_t window[64u << 10];
	size_t window_size;
};

/* Begin. metadata is the text for capture files. Returns false after printing why not. */
bool flight_open(struct flight *flight, const char *metadata);

/* Does it need to know what records read? Then the decoder has with_reads and with_operands. */
bool flight_wants_operands(const struct flight *flight);

/* Decode and keep what begins with bytes[0 .. size-1], as ear_decoder_push does; decoder decodes
 * the whole stream. Returns as that, and 0 when the recorder failed.
 */
int flight_push(struct flight *flight, struct ear_decoder *decoder, size_t *used,
	const uint8_t *bytes, size_t size, bool final);

/* The host lost so many bytes here; 0: unknown. */
void flight_loss(struct flight *flight, uint64_t size);

/* Now and then: what is in files can be read, and with sync is on the disk. */
void flight_flush(struct flight *flight, bool sync);

/* For the progress line: how full the ring is and how far back it reaches, or how far the event is.
 */
void flight_describe(
	const struct flight *flight, const struct ear_decoder *decoder, char *text, size_t size);

/* The capture is over: everything that is kept goes to the outputs, which are not closed. */
void flight_finish(struct flight *flight);

/* Lines for the end of capture files. */
void flight_add_metadata(const struct flight *flight, struct metadata *metadata);

/* What became of every byte and of each of so many records, on stderr. */
void flight_print_summary(const struct flight *flight, uint64_t records);

/* Is something wrong with what was written? Warns. Returns an exit status. */
int flight_judge(const struct flight *flight);

void flight_close(struct flight *flight);

#endif
