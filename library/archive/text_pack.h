#ifndef EAR_TEXT_PACK_H
#define EAR_TEXT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/reader.h"
#include "decoder/formats/base/writer.h"

/* One block of a file as a frame, and back. docs/archive.md, section 3.
 *
 *   text -> reader -> records -> stream -> records -> writer -> lines
 *     |                                                           |
 *     \------------ line diff: what makes the text of the lines --/
 *
 * A frame is the stream with the line diff, or the block by zstd -19 alone, whichever is smaller. A
 * records frame is unpacked again and compared before it is accepted, so a fault of a reader or a
 * writer makes an archive larger, never wrong.
 */

#define EAR_TEXT_PACK_BLOCK_MAX ((size_t)256 << 20) /* bytes of a block */
#define EAR_TEXT_PACK_HEAD_MAX  ((size_t)4096)      /* bytes of a form's head */

/* What all blocks of a file have in common. All zero: a file that is not a text of a format. */
struct ear_text_form {
	const struct ear_reader_format *reader;
	const struct ear_writer_format *writer; /* of the same text; NULL: there is none */
	/* The lines before the first record, such as those that name the columns: readers of later
	 * blocks get them first. Empty, if there are more than EAR_TEXT_PACK_HEAD_MAX. */
	char head[EAR_TEXT_PACK_HEAD_MAX];
	size_t head_size;
};

/* The form of a file that begins with bytes[0 .. size-1]. Returns 0 or EAR_E_NO_MEMORY. */
int ear_text_form_find(struct ear_text_form *form, const char *bytes, size_t size);

/* Bytes in memory that grow. All zero is an empty one; free(bytes) ends it. */
struct ear_pack_bytes {
	uint8_t *bytes;
	size_t size, capacity;
};

/* Pack a block, text[0 .. size-1], size 1 to EAR_TEXT_PACK_BLOCK_MAX. first: it is the first one of
 * its file. *frame gets the frame in place of what it held; *records says if it has records.
 * Returns 0 or EAR_E_NO_MEMORY.
 */
int ear_text_pack(struct ear_pack_bytes *frame, bool *records, const struct ear_text_form *form,
	bool first, const char *text, size_t size);

/* Room for size bytes more. Returns false if memory is short. */
bool ear_pack_bytes_reserve(struct ear_pack_bytes *to, size_t size);

/* What a frame says of itself. */
struct ear_frame_info {
	size_t frame_size; /* bytes of the frame */
	bool records;
	bool text;          /* there is one: not a table (object_table.h) */
	uint64_t text_size; /* of the block */
	char format[32];    /* of records */
};

/* Look at the frame that bytes[0 .. size-1] begin with. Returns 0, or EAR_E_BAD_FILE if none does,
 * or not all of it is there. */
int ear_frame_look(struct ear_frame_info *info, const uint8_t *bytes, size_t size);

/* The block of a frame, in place of what *text held. Returns 0, EAR_E_NO_MEMORY, or EAR_E_BAD_FILE:
 * the frame is damaged, or its block is not what this version's writer makes of it. */
int ear_text_unpack(struct ear_pack_bytes *text, const uint8_t *frame, size_t size);

#endif
