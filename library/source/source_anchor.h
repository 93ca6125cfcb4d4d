#ifndef EAR_SOURCE_ANCHOR_H
#define EAR_SOURCE_ANCHOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/shot/shot_index.h"
#include "library/source/source.h"

/* Anchors: places in a trace where reading can begin, with what the reader or decoder knows there.
 *
 *     ear_source_anchor(source, &anchor);       after any record
 *     ...
 *     ear_source_seek(other, &anchor);          another source of the same file, any process
 *     ear_source_next(other, &record);          the record after the anchor
 *
 * The records after a seek are those that reading on would have given, in every field. Statistics
 * (ear_source_statistics) are not part of an anchor: after a seek they are of no use.
 *
 * An anchor may come from a file. Nothing in it is believed: ear_source_seek checks each value, and
 * a trace that is not the one that the anchor was made of gives EAR_E_BAD_FILE wherever that shows.
 * Whether it is the same file is for the caller to find out; the checksums below help.
 *
 * Sources of files that cannot be read at any offset (pipes) have no anchors. Other threads
 * (ear_source_set_jobs) and anchors exclude each other. Any number of sources of the same file, in
 * any threads, do not disturb each other if they were made with options->shared.
 */

#define EAR_ANCHOR_STATE_MAX (64u << 20) /* bytes; there is no anchor with a larger state */

struct ear_anchor {
	uint64_t position; /* records of any kind before it */
	uint64_t number;   /* instruction records before it */
	/* Where the bytes are from which the next record is made. A capture or dump: offset in the
	 * stream of the frame of the wire that the decoder is in. A text: offset of the next line
	 * in the text, unpacked. It never falls from an anchor to a later one. */
	uint64_t byte;
	/* A capture: offset in the file of the zstd frame that holds that byte, and the offset in
	 * the stream at which this frame begins. A dump or text: both are byte. */
	uint64_t file_offset, frame_byte;
	uint8_t *state; /* of malloc; its layout is in source_anchor.c */
	size_t size;
};

/* Free the state; all zero and twice are fine. */
void ear_anchor_fini(struct ear_anchor *anchor);

/* The place after the last record that was handed out; after the last of a run; before the first
 * record if none was. *anchor is overwritten; fini is right in all cases.
 *
 * The state of an anchor of the same trace has the same layout as that of another one, as long as
 * no hart appears: a zstd frame with the one before it as prefix makes it small.
 *
 * Returns 0 and *anchor.
 * Returns EAR_E_UNSUPPORTED if there is no anchor here. Anywhere: the source cannot be read at any
 *         offset, has other threads, or is a text whose reader keeps lines (options.lines). Here:
 *         after the last bytes of a capture, among the gaps that its end shows; in Tarmac between
 *         the two records that one line of registers and accesses becomes: it works after the next.
 * Returns EAR_E_NO_MEMORY.
 */
int ear_source_anchor(struct ear_source *source, struct ear_anchor *anchor);

/* Continue at an anchor: the next record is the one after it. The source is any of the same file,
 * fresh or not, with the same options, at its end or not.
 *
 * Compressed text is unpacked from its beginning each time, which takes as long as it takes; of
 * gzip and zstd alike. All else costs about what the records of one zstd frame (1 MiB of the
 * stream) cost to unpack.
 *
 * After damage a decoder may ask what only the stream from its beginning shows (whether a frame
 * came 30 MB before, a state that others lead to). Then the source goes through the whole stream up
 * to here by itself, once, and ear_source_next takes that long.
 *
 * Returns 0.
 * Returns EAR_E_BAD_FILE if this is no anchor of this file; EAR_E_UNSUPPORTED if the source cannot
 *         be read at any offset or has other threads; EAR_E_NO_MEMORY; EAR_E_IO (errno). The source
 *         cannot continue then: seek again, or free it.
 */
int ear_source_seek(struct ear_source *source, const struct ear_anchor *anchor);

/* Continue at a state that a capture file holds (shot_index.h): for those who divide a file that
 * has no anchors yet. The next record is the one after place->records records. The state must be
 * sound, which only its own checksum says; otherwise as ear_source_seek. A state lies between two
 * frames of the wire, where there is no anchor: the first is after the next record or run.
 *
 * What a state leaves out is taken as in a stream without loss before it, so the records are sure
 * only if ear_anchor_meets says so. And the stream from its beginning is never gone through: where
 * only that would show it, ear_source_next returns EAR_E_UNSUPPORTED, and the source cannot
 * continue. Returns EAR_E_UNSUPPORTED for a text, too.
 */
int ear_source_seek_place(struct ear_source *source, const struct ear_shot_place *place);

/* Is begin, where a source is that began at a state of the file, the place of end, of a source that
 * came from before? Then both give the same records from here on, or the former says that it cannot
 * (ear_source_seek_place). Both are of the same capture or dump.
 * Returns 1, 0 or EAR_E_NO_MEMORY.
 */
int ear_anchor_meets(const struct ear_anchor *end, const struct ear_anchor *begin);

/* Checksums of what the records are made of: of a capture or dump the bytes of the stream and its
 * losses, of a text its bytes, unpacked. They see any edit that a decoder could see, and also one
 * that changes the compressed file and not its contents does not matter to them.
 *
 * begin: from the anchor that could be made here. value: of all bytes from there to the end of what
 * the last record was made of. So a reader that seeks to the first anchor, begins, reads to the
 * second and asks has the same value as one that came by; for others it differs but for chance
 * (64 bits; no secret: who can choose the bytes can make them agree). Both may be asked at any
 * record at which ear_source_anchor would return 0.
 */
void ear_source_checksum_begin(struct ear_source *source);
uint64_t ear_source_checksum(struct ear_source *source);

#endif
