#ifndef EAR_ETRACE_STREAM_H
#define EAR_ETRACE_STREAM_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/state_walk.h"
#include "decoder/flow/flow_code.h"
#include "decoder/formats/etrace/etrace_frame.h"
#include "decoder/formats/etrace/etrace_unit.h"

/* The bytes of a trace to records: frames, packets, and a decoder for each source of packets.
 *
 *     for (;;) {
 *             while (ear_etrace_stream_next(stream, &record))
 *                     use(record);
 *             taken = ear_etrace_stream_take(stream, bytes, size, offset, end);
 *     }
 */
struct ear_etrace_stream;

#define EAR_ETRACE_SOURCES_MAX 64u

/* unit, which is valid, and code stay the caller's. Returns 0 and *stream, or EAR_E_NO_MEMORY. */
int ear_etrace_stream_new(struct ear_etrace_stream **stream, const struct ear_etrace_unit *unit,
	const struct ear_flow_code *code);
void ear_etrace_stream_free(struct ear_etrace_stream *stream); /* NULL is fine */

/* Bytes that ear_etrace_stream_take needs to take any. */
#define EAR_ETRACE_TAKE_SIZE EAR_ETRACE_FRAME_MAX

/* Take what is at the front of bytes[0 .. size-1], which are at offset of the trace. All records
 * were handed out. end: nothing follows these bytes.
 * Returns the bytes taken; 0 once if ear_etrace_stream_next has to be called first, if size is less
 * than EAR_ETRACE_TAKE_SIZE and more bytes are needed, or if size is 0; EAR_E_NO_MEMORY; EAR_E_FULL
 * if there are more sources than EAR_ETRACE_SOURCES_MAX. */
int ear_etrace_stream_take(struct ear_etrace_stream *stream, const uint8_t *bytes, size_t size,
	uint64_t offset, bool end);

/* Everything was taken. Returns 0 or EAR_E_NO_MEMORY. */
int ear_etrace_stream_end(struct ear_etrace_stream *stream, uint64_t offset);

/* The next record, valid until the next call. Returns 1; 0 if there is none before more is taken.
 */
int ear_etrace_stream_next(struct ear_etrace_stream *stream, const struct ear_record **record);

/* The same; *run is not NULL if it is not one record but all of a run, with *compacts. */
int ear_etrace_stream_next_run(struct ear_etrace_stream *stream, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record);

/* What was wrong with the packet taken last, a sentence, or NULL; once. */
const char *ear_etrace_stream_fault(struct ear_etrace_stream *stream);

/* Did any source have a synchronisation? Without one nothing can be decoded. */
bool ear_etrace_stream_started(const struct ear_etrace_stream *stream);

/* Measure, save or load what bytes change. Only where ear_etrace_stream_is_settled. Returns 0 or
 * EAR_E_NO_MEMORY. */
bool ear_etrace_stream_is_settled(const struct ear_etrace_stream *stream);
int ear_etrace_stream_walk(struct ear_etrace_stream *stream, struct ear_state_walk *walk);

#endif
