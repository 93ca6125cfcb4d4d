/* Capture files, and what is left of them.
 *
 * A frame is in memory as a whole before it is believed. Whatever is wrong with it, the search for
 * the next one begins one byte after its magic, so damage to one frame never takes another one
 * with it: a size that a flipped bit made too large would jump over everything that comes after.
 */
#include <assert.h>
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common/protocol/bytes.h"
#include "common/stop.h"
#include "library/shot/ftdi_packet.h"
#include "library/shot/shot.h"
#include "library/shot/shot_format.h"
#include "library/shot/shot_reader_internal.h"
#include "library/shot/shot_repair.h"

#define LEAST_AT_ONCE  1024u        /* bytes of the stream that come out of a call of zstd */
#define FTDI_SIZE      4096u        /* bytes that show the packets of an FTDI chip */
#define HEADER_SIZE    8u           /* magic and size of a skippable frame */
#define FRAME_KEPT_MAX (4u << 20)   /* zstd frames up to this size are kept until they are done */
#define OTHER_SIZE_MAX (128u << 10) /* skippable frames of others up to this are checked */
#define INDEX_SIZE_MAX (64u << 20)
#define WINDOW_LOG_MAX 25 /* 32 MiB: a hostile file cannot ask for more memory */

#define SCRIPT_SIZE_MIN  (EAR_SHOT_TAG_SIZE + EAR_SHOT_LINE_DIFF_HEADER)
#define SCRIPT_SIZE_MAX  (SCRIPT_SIZE_MIN + ZSTD_COMPRESSBOUND(EAR_SHOT_LINE_DIFF_MAX))
#define STATE_SIZE_MIN   (EAR_SHOT_TAG_SIZE + EAR_SHOT_STATE_HEADER)
#define DELTA_SIZE_MIN   (EAR_SHOT_TAG_SIZE + EAR_SHOT_DELTA_HEADER)
#define REPAIR_SIZE_MIN  (EAR_SHOT_TAG_SIZE + EAR_SHOT_REPAIR_HEADER)
#define REPAIR_WIDTH_MAX (64u << 10)
#define STATE_SIZE_MAX   (STATE_SIZE_MIN + ZSTD_COMPRESSBOUND(EAR_SHOT_STATE_MAX))

int ear_shot_reader_new(
	struct ear_shot_reader **reader, int fd, const uint8_t *prefix, size_t prefix_size)
{
	_Static_assert(EAR_SHOT_PREFIX_MAX <= EAR_SHOT_INPUT_SIZE, "a prefix fits the input");
	_Static_assert(FRAME_KEPT_MAX >= 2 * EAR_SHOT_INPUT_SIZE, "a frame that is kept can grow");
	assert(prefix_size <= EAR_SHOT_PREFIX_MAX);

	struct ear_shot_reader *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;

	made->fd = fd;
	made->context = ZSTD_createDCtx();
	made->input = malloc(EAR_SHOT_INPUT_SIZE);
	if (!made->context || !made->input) {
		ear_shot_reader_free(made);
		return EAR_E_NO_MEMORY;
	}
	ZSTD_DCtx_setParameter(made->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	if (prefix_size > 0)
		memcpy(made->input, prefix, prefix_size);
	made->filled = made->prefix_size = prefix_size;
	made->capacity = EAR_SHOT_INPUT_SIZE;
	*reader = made;
	return 0;
}

void ear_shot_reader_free(struct ear_shot_reader *reader)
{
	if (!reader)
		return;
	ZSTD_freeDCtx(reader->context);
	free(reader->input);
	free(reader->facts[0]);
	free(reader->facts[1]);
	free(reader->diff.bytes);
	free(reader->packed);
	free(reader->plain);
	free(reader->starts);
	free(reader);
}

/* Only the first fault is kept: those after it are often its consequences. */
__attribute__((format(printf, 2, 3))) static void set_fault(
	struct ear_shot_reader *reader, const char *format, ...)
{
	va_list arguments;

	if (reader->fault[0])
		return;
	va_start(arguments, format);
	vsnprintf(reader->fault, sizeof(reader->fault), format, arguments);
	va_end(arguments);
}

static size_t unread(const struct ear_shot_reader *reader)
{
	return reader->filled - reader->position;
}

static uint64_t file_offset(const struct ear_shot_reader *reader)
{
	return reader->input_offset + reader->position;
}

/* Move what is needed to the front, and have room for wanted unread bytes and for a good read. */
static int make_room(struct ear_shot_reader *reader, size_t wanted)
{
	size_t from = reader->kept ? reader->kept_from : reader->position;

	memmove(reader->input, reader->input + from, reader->filled - from);
	reader->input_offset += from;
	reader->filled -= from;
	reader->position -= from;
	reader->kept_from = 0;

	size_t needed = reader->position + wanted;
	if (needed < reader->filled + EAR_SHOT_INPUT_SIZE / 2)
		needed = reader->filled + EAR_SHOT_INPUT_SIZE / 2;
	if (needed <= reader->capacity)
		return 0;
	if (reader->kept && reader->position > 0 && needed > FRAME_KEPT_MAX) {
		reader->kept = false; /* too long to be one of ours */
		return make_room(reader, wanted);
	}
	size_t capacity = needed > 2 * reader->capacity ? needed : 2 * reader->capacity;
	uint8_t *input = realloc(reader->input, capacity);
	if (!input)
		return EAR_E_NO_MEMORY;
	reader->input = input;
	reader->capacity = capacity;
	return 0;
}

/* One read of the bytes at this offset of the file, which come next. */
static ssize_t read_some(
	const struct ear_shot_reader *reader, uint8_t *bytes, size_t size, uint64_t offset)
{
	ssize_t got;

	if (ear_stop_wait(reader->fd) != 0)
		return -1;
	do
		got = reader->at_offsets ? pread(reader->fd, bytes, size, (off_t)offset)
					 : read(reader->fd, bytes, size);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Have at least wanted unread bytes, or all that the file still holds. */
static int fill(struct ear_shot_reader *reader, size_t wanted)
{
	if (unread(reader) >= wanted || reader->end_of_file)
		return 0;

	int result = make_room(reader, wanted);
	while (result == 0 && unread(reader) < wanted && !reader->end_of_file) {
		size_t room = reader->capacity - reader->filled;
		if (reader->again > 0 && reader->again < room)
			room = reader->again;
		ssize_t got = read_some(reader, reader->input + reader->filled, room,
			reader->input_offset + reader->filled);
		if (got < 0)
			return EAR_E_IO;
		reader->again -= (size_t)got < reader->again ? (size_t)got : reader->again;
		reader->end_of_file = got == 0;
		reader->filled += (size_t)got;
	}
	return result;
}

static int end_early(struct ear_shot_reader *reader, const char *where)
{
	set_fault(reader, "cut off at byte %" PRIu64 ", inside %s", file_offset(reader), where);
	reader->last_was_seek_table = false;
	reader->step = STATE_END;
	return 0;
}

static bool is_frame_magic(uint32_t magic)
{
	return magic == EAR_SHOT_ZSTD_MAGIC || (magic & ~0xFu) == EAR_SHOT_SKIPPABLE_FIRST;
}

static uint32_t magic_at(const struct ear_shot_reader *reader)
{
	return ear_load_le32(reader->input + reader->position);
}

/* Is the last line a checksum that is wrong? Files of older versions have none. */
static bool facts_are_damaged(const uint8_t *text, size_t size)
{
	char line[EAR_SHOT_CHECK_SIZE + 1];

	if (size < EAR_SHOT_CHECK_SIZE ||
		memcmp(text + size - EAR_SHOT_CHECK_SIZE, EAR_SHOT_CHECK_KEY,
			strlen(EAR_SHOT_CHECK_KEY)) != 0)
		return false;
	size -= EAR_SHOT_CHECK_SIZE;
	snprintf(line, sizeof(line), EAR_SHOT_CHECK_KEY "%08x\n", (unsigned)crc32_z(0, text, size));
	return memcmp(text + size, line, EAR_SHOT_CHECK_SIZE) != 0;
}

static int keep_facts(struct ear_shot_reader *reader, const uint8_t *text, size_t size)
{
	char *copy = malloc(size + 1);
	if (!copy)
		return EAR_E_NO_MEMORY;

	if (facts_are_damaged(text, size))
		set_fault(reader, "the facts at byte %" PRIu64 " are damaged: a value may be wrong",
			reader->frame_offset);
	memcpy(copy, text, size);
	copy[size] = '\0';
	char **place = &reader->facts[reader->facts[0] != NULL];
	free(*place);
	*place = copy;
	return 0;
}

/* Bounds of the size of frames with our tags. */
static const struct tag {
	char name[EAR_SHOT_TAG_SIZE + 1];
	size_t least, most;
	size_t packed_at; /* a zstd frame begins here in the content and ends with it; 0: none */
} tags[] = {
	{EAR_SHOT_TAG_FACTS, EAR_SHOT_TAG_SIZE, EAR_SHOT_TAG_SIZE + EAR_SHOT_FACTS_MAX, 0},
	{EAR_SHOT_TAG_LOSS, EAR_SHOT_TAG_SIZE + 8, EAR_SHOT_TAG_SIZE + 8, 0},
	{EAR_SHOT_TAG_LINE_DIFF, SCRIPT_SIZE_MIN, SCRIPT_SIZE_MAX, SCRIPT_SIZE_MIN},
	{EAR_SHOT_TAG_STATE, STATE_SIZE_MIN, STATE_SIZE_MAX, STATE_SIZE_MIN},
	{EAR_SHOT_TAG_DELTA, DELTA_SIZE_MIN, STATE_SIZE_MAX, DELTA_SIZE_MIN},
	{EAR_SHOT_TAG_REPAIR, REPAIR_SIZE_MIN + 1, REPAIR_SIZE_MIN + REPAIR_WIDTH_MAX, 0},
	{EAR_SHOT_TAG_INDEX, EAR_SHOT_TAG_SIZE, INDEX_SIZE_MAX, 0},
};

/* The frame at the position, if it has a tag of ours and 12 bytes of it are there; else NULL. */
static const struct tag *find_tag(const struct ear_shot_reader *reader)
{
	const uint8_t *name = reader->input + reader->position + HEADER_SIZE;

	if (unread(reader) < HEADER_SIZE + EAR_SHOT_TAG_SIZE || magic_at(reader) != EAR_SHOT_MAGIC)
		return NULL;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (memcmp(name, tags[i].name, EAR_SHOT_TAG_SIZE) == 0)
			return &tags[i];
	return NULL;
}

/* Does a frame begin, or the file end, so many bytes from here? Returns 1, 0 or an error. */
static int is_followed(struct ear_shot_reader *reader, size_t size)
{
	int result = fill(reader, size + 4);

	if (result || unread(reader) < size)
		return result;
	if (unread(reader) < size + 4)
		return 1; /* the file ends here, or inside the next header */
	return is_frame_magic(ear_load_le32(reader->input + reader->position + size));
}

/* The size of a frame of ours by the zstd frame in it. Returns 1, 0 if there is none, an error. */
static int measure_packed(struct ear_shot_reader *reader, const struct tag *tag, size_t *size)
{
	size_t before = HEADER_SIZE + tag->packed_at, wanted = OTHER_SIZE_MAX;

	while (tag->packed_at > 0) {
		int result = fill(reader, before + wanted);
		if (result || unread(reader) <= before)
			return result;
		size_t packed = ZSTD_findFrameCompressedSize(
			reader->input + reader->position + before, unread(reader) - before);
		if (!ZSTD_isError(packed)) {
			*size = before + packed;
			return is_followed(reader, *size);
		}
		if (reader->end_of_file || wanted > tag->most)
			break;
		wanted *= 4;
	}
	return 0;
}

/* Does the content say itself that it ends here, whatever comes after it? */
static bool ends_here(const struct ear_shot_reader *reader, const struct tag *tag, size_t size)
{
	const uint8_t *content = reader->input + reader->position + HEADER_SIZE;

	if (unread(reader) < HEADER_SIZE + size)
		return false;
	if (tag->packed_at > 0)
		return ZSTD_findFrameCompressedSize(content + tag->packed_at,
			       size - tag->packed_at) == size - tag->packed_at;
	if (strcmp(tag->name, EAR_SHOT_TAG_FACTS) == 0)
		return content[size - 1] == '\n';
	if (strcmp(tag->name, EAR_SHOT_TAG_REPAIR) == 0)
		return ear_load_le32(content + EAR_SHOT_TAG_SIZE + 4) == size - REPAIR_SIZE_MIN;
	return tag->least == tag->most;
}

/* The size of the skippable frame at the position with its header, which is there. Returns 1 and
 * *size; 0 if what its header says cannot be; an error.
 */
static int measure_skippable(struct ear_shot_reader *reader, bool searching, uint64_t *size)
{
	const uint32_t said = ear_load_le32(reader->input + reader->position + 4);
	int result = fill(reader, HEADER_SIZE + EAR_SHOT_TAG_SIZE);
	const struct tag *tag = find_tag(reader);
	bool fits = tag && said >= tag->least && said <= tag->most;
	size_t found = HEADER_SIZE + (size_t)said;

	*size = found;
	if (result)
		return result;
	if (!tag && said > OTHER_SIZE_MAX)
		return !searching; /* whatever it is */
	if (fits || said <= OTHER_SIZE_MAX)
		result = is_followed(reader, found);
	if (result == 0 && fits)
		result = ends_here(reader, tag, said);
	if (result != 0 || !tag)
		return result;
	result = measure_packed(reader, tag, &found);
	*size = found;
	if (result == 1)
		set_fault(reader, "the size of the skippable frame at byte %" PRIu64 " is damaged",
			file_offset(reader));
	return result;
}

/* A frame that cannot be read begins at the position: look for the next one. */
static int give_up(struct ear_shot_reader *reader, size_t *count)
{
	reader->position++;
	reader->kept = false;
	reader->step = STATE_SEARCHING;
	*count = 0;
	return EAR_SHOT_LOSS;
}

/* zstd was short of memory, which is no damage. */
static bool is_memory_error(size_t result)
{
	return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

/* Decompress to at most most bytes; prefix: what was compressed with, NULL if nothing. NULL if that
 * cannot be done: *result says why, and a fault is set if the bytes are damaged.
 */
static uint8_t *unpack_after(struct ear_shot_reader *reader, const uint8_t *prefix,
	size_t prefix_size, const uint8_t *packed, size_t packed_size, size_t most, size_t *size,
	int *result)
{
	unsigned long long declared = ZSTD_getFrameContentSize(packed, packed_size);
	uint8_t *bytes = declared <= most ? malloc((size_t)declared + 1) : NULL;
	size_t unpacked = 0;

	*size = (size_t)declared;
	*result = declared <= most && !bytes ? EAR_E_NO_MEMORY : EAR_E_BAD_FILE;
	if (bytes && prefix) {
		ZSTD_DCtx_reset(reader->context, ZSTD_reset_session_only);
		ZSTD_DCtx_refPrefix(reader->context, prefix, prefix_size);
	}
	if (bytes)
		unpacked = ZSTD_decompressDCtx(reader->context, bytes, *size, packed, packed_size);
	if (bytes && unpacked == *size)
		return bytes;
	if (bytes && is_memory_error(unpacked))
		*result = EAR_E_NO_MEMORY;
	free(bytes);
	if (*result == EAR_E_NO_MEMORY)
		return NULL;
	set_fault(
		reader, "the skippable frame at byte %" PRIu64 " is damaged", reader->frame_offset);
	return NULL;
}

static uint8_t *unpack(struct ear_shot_reader *reader, const uint8_t *packed, size_t packed_size,
	size_t most, size_t *size, int *result)
{
	return unpack_after(reader, NULL, 0, packed, packed_size, most, size, result);
}

/* The take functions get the content of a frame, of a size that its tag allows. */
static int take_line_diff(struct ear_shot_reader *reader, const uint8_t *content, size_t size)
{
	struct ear_shot_line_diff *diff = &reader->diff;
	const uint8_t *head = content + EAR_SHOT_TAG_SIZE,
		      *packed = head + EAR_SHOT_LINE_DIFF_HEADER;
	int result;

	free(diff->bytes);
	*diff = (struct ear_shot_line_diff){.first = ear_load_le64(head),
		.count = ear_load_le64(head + 8),
		.format = head[16],
		.flags = head[17]};
	diff->bytes = unpack(reader, packed, size - (size_t)(packed - content),
		EAR_SHOT_LINE_DIFF_MAX, &diff->size, &result);
	if (diff->bytes)
		return EAR_SHOT_LINE_DIFF;
	*diff = (struct ear_shot_line_diff){.format = 0};
	return result == EAR_E_NO_MEMORY ? result : 0;
}

struct ear_shot_line_diff ear_shot_reader_line_diff(struct ear_shot_reader *reader)
{
	struct ear_shot_line_diff diff = reader->diff;

	reader->diff = (struct ear_shot_line_diff){.format = 0};
	return diff;
}

/* States ------------------------------------------------------------------------------------ */

/* It is unpacked if somebody wants it, or a delta comes. */
static int take_state(struct ear_shot_reader *reader, const uint8_t *content, size_t size)
{
	uint8_t *copy = malloc(size);

	if (!copy)
		return EAR_E_NO_MEMORY;
	memcpy(copy, content, size);
	free(reader->packed);
	reader->packed = copy;
	reader->packed_size = size;
	memcpy(reader->head, content + EAR_SHOT_TAG_SIZE, sizeof(reader->head));
	reader->known = KNOWN_PACKED;
	reader->known_cut = false;
	reader->is_delta = false;
	return EAR_SHOT_STATE;
}

static void know(struct ear_shot_reader *reader, uint8_t *plain, size_t size)
{
	free(reader->plain);
	reader->plain = plain;
	reader->plain_size = size;
	reader->known = plain ? KNOWN_PLAIN : KNOWN_BROKEN;
}

/* Returns 0 or EAR_E_NO_MEMORY. */
static int unpack_state(struct ear_shot_reader *reader)
{
	size_t size = 0;
	int result = 0;

	if (reader->known != KNOWN_PACKED)
		return 0;
	uint8_t *plain = unpack(reader, reader->packed + STATE_SIZE_MIN,
		reader->packed_size - STATE_SIZE_MIN, EAR_SHOT_STATE_MAX, &size, &result);
	if (!plain && result == EAR_E_NO_MEMORY)
		return result;
	know(reader, plain, size);
	return 0;
}

static int take_delta(struct ear_shot_reader *reader, const uint8_t *content, size_t size)
{
	const uint8_t *head = content + EAR_SHOT_TAG_SIZE;
	size_t plain_size = 0;
	int result = unpack_state(reader);

	if (result)
		return result;
	memcpy(reader->head, head + 4, sizeof(reader->head));
	reader->crc = ear_load_le32(head);
	reader->is_delta = true;
	if (reader->known != KNOWN_PLAIN) {
		reader->known = KNOWN_BROKEN;
		return EAR_SHOT_STATE;
	}
	uint8_t *plain =
		unpack_after(reader, reader->plain, reader->plain_size, content + DELTA_SIZE_MIN,
			size - DELTA_SIZE_MIN, EAR_SHOT_STATE_MAX, &plain_size, &result);
	if (!plain && result == EAR_E_NO_MEMORY)
		return result;
	know(reader, plain, plain_size);
	return EAR_SHOT_STATE;
}

int ear_shot_reader_state(struct ear_shot_reader *reader, struct ear_shot_state *state)
{
	int result = unpack_state(reader);
	if (result)
		return result;
	if (reader->known != KNOWN_PLAIN) {
		reader->unsure |= reader->known_cut;
		return EAR_E_BAD_FILE;
	}
	if (reader->is_delta) {
		uLong crc = crc32_z(0, reader->head, sizeof(reader->head));
		if (crc32_z(crc, reader->plain, reader->plain_size) != reader->crc) {
			reader->known = KNOWN_BROKEN;
			return EAR_E_BAD_FILE;
		}
	}
	*state = (struct ear_shot_state){.stream_offset = ear_load_le64(reader->head),
		.instructions = ear_load_le64(reader->head + 8),
		.records = ear_load_le64(reader->head + 16),
		.bytes = malloc(reader->plain_size + 1),
		.size = reader->plain_size};
	if (!state->bytes)
		return EAR_E_NO_MEMORY;
	memcpy(state->bytes, reader->plain, reader->plain_size);
	return 0;
}

bool ear_shot_reader_state_is_broken(const struct ear_shot_reader *reader)
{
	return reader->known == KNOWN_BROKEN;
}

void ear_shot_reader_give_state(struct ear_shot_reader *reader, uint8_t *bytes, size_t size)
{
	know(reader, bytes, size);
	reader->known_cut = false;
	reader->is_delta = false;
}

/* The parity of the bytes that come next, a zstd frame: what is damaged there is made good before
 * they are looked at. A parity that does not fit them is of no use, and no fault: they are, or it.
 * One inside of what another is for is not used: each byte is looked at for one parity only.
 */
static int take_parity(struct ear_shot_reader *reader, const uint8_t *content, size_t size)
{
	const uint8_t *head = content + EAR_SHOT_TAG_SIZE;
	uint32_t frame_size = ear_load_le32(head), width = ear_load_le32(head + 4);
	uint32_t crc = ear_load_le32(head + 8);
	size_t wrong = 0;

	reader->parity_offset = reader->frame_offset;
	reader->parity_end = file_offset(reader);
	if (width != size - REPAIR_SIZE_MIN || frame_size == 0 || frame_size > FRAME_KEPT_MAX ||
		reader->parity_end < reader->repaired_to)
		return 0;
	reader->repaired_to = reader->parity_end + frame_size;
	uint8_t *parity = malloc(width);
	if (!parity)
		return EAR_E_NO_MEMORY;
	memcpy(parity, content + REPAIR_SIZE_MIN, width);
	int result = fill(reader, frame_size);
	if (result == 0 && unread(reader) >= frame_size &&
		ear_shot_repair(reader->input + reader->position, frame_size, parity, width, crc,
			&wrong) == EAR_SHOT_REPAIR_DONE &&
		!reader->mended[0])
		snprintf(reader->mended, sizeof(reader->mended),
			"byte %" PRIu64 " is damaged: it was made good by the parity in the file",
			file_offset(reader) + wrong);
	free(parity);
	return result;
}

/* Frames ------------------------------------------------------------------------------------ */

/* A frame with a tag of ours, size bytes without its header, is in the input and done with. */
static int take_tagged(struct ear_shot_reader *reader, const uint8_t *content, size_t size,
	const char *tag, size_t *count)
{
	if (strcmp(tag, EAR_SHOT_TAG_LINE_DIFF) == 0)
		return take_line_diff(reader, content, size);
	if (strcmp(tag, EAR_SHOT_TAG_STATE) == 0)
		return take_state(reader, content, size);
	if (strcmp(tag, EAR_SHOT_TAG_REPAIR) == 0)
		return take_parity(reader, content, size);
	if (strcmp(tag, EAR_SHOT_TAG_DELTA) == 0)
		return take_delta(reader, content, size);
	if (strcmp(tag, EAR_SHOT_TAG_FACTS) == 0)
		return keep_facts(reader, content + EAR_SHOT_TAG_SIZE, size - EAR_SHOT_TAG_SIZE);
	if (strcmp(tag, EAR_SHOT_TAG_LOSS) != 0)
		return 0;
	*count = (size_t)ear_load_le64(content + EAR_SHOT_TAG_SIZE);
	return EAR_SHOT_LOSS;
}

static bool any_frame_after(const struct ear_shot_reader *reader, size_t from)
{
	for (size_t at = from; at + 4 <= reader->filled; at++)
		if (is_frame_magic(ear_load_le32(reader->input + at)))
			return true;
	return false;
}

/* A skippable frame begins here; its 8 header bytes are in the input. */
static int take_skippable(struct ear_shot_reader *reader, size_t *count)
{
	bool seek_table = magic_at(reader) == EAR_SHOT_SEEK_MAGIC;
	uint64_t size;
	int result = measure_skippable(reader, false, &size);

	if (result < 0)
		return result;
	if (result == 0 && reader->end_of_file && unread(reader) < size &&
		!any_frame_after(reader, reader->position + 1)) {
		reader->position = reader->filled;
		return end_early(reader, "a skippable frame");
	}
	if (result == 0) {
		set_fault(reader, "the skippable frame at byte %" PRIu64 " is damaged",
			file_offset(reader));
		return give_up(reader, count);
	}
	const struct tag *tag = find_tag(reader);
	if (tag && size - HEADER_SIZE >= tag->least && size - HEADER_SIZE <= tag->most) {
		const uint8_t *content = reader->input + reader->position + HEADER_SIZE;
		reader->position += (size_t)size;
		return take_tagged(reader, content, (size_t)size - HEADER_SIZE, tag->name, count);
	}
	reader->last_was_seek_table = seek_table;
	reader->position += HEADER_SIZE;
	reader->skip = size - HEADER_SIZE;
	reader->step = STATE_SKIPPING;
	return 0;
}

/* A zstd frame begins. The last one that began here gave no byte. Before the array grows, those are
 * dropped whose bytes nobody has any more. Returns 0 or EAR_E_NO_MEMORY.
 */
static int add_start(struct ear_shot_reader *reader)
{
	struct ear_shot_start *starts = reader->starts;
	size_t count = reader->start_count, old = 0;

	if (count > 0 && starts[count - 1].stream_offset == reader->stream_offset)
		count--;
	if (count == reader->start_capacity) {
		while (old + 1 < count && starts[old + 1].stream_offset + EAR_SHOT_PLACES_KEPT <=
						  reader->stream_offset)
			old++;
		count -= old;
	}
	if (old > 0)
		memmove(starts, starts + old, count * sizeof(*starts));
	if (2 * count >= reader->start_capacity) {
		size_t capacity = 2 * reader->start_capacity + 8;
		starts = realloc(starts, capacity * sizeof(*starts));
		if (!starts)
			return EAR_E_NO_MEMORY;
		reader->starts = starts;
		reader->start_capacity = capacity;
	}
	starts[count] = (struct ear_shot_start){reader->parity_end == reader->frame_offset
							? reader->parity_offset
							: reader->frame_offset,
		reader->stream_offset};
	reader->start_count = count + 1;
	return 0;
}

/* The step functions return EAR_SHOT_LOSS, EAR_SHOT_LINE_DIFF, an error, or 0 to continue with the
 * state that they set; bytes of the stream show as *count.
 */
static int step_between(struct ear_shot_reader *reader, size_t *count)
{
	int result = fill(reader, HEADER_SIZE);
	if (result)
		return result;

	reader->frame_offset = file_offset(reader);
	if (unread(reader) == 0) {
		reader->step = STATE_END;
		return 0;
	}
	if (unread(reader) < HEADER_SIZE) {
		reader->position = reader->filled;
		return end_early(reader, "a frame header");
	}
	if (!is_frame_magic(magic_at(reader))) {
		set_fault(reader, "no zstd frame begins at byte %" PRIu64, file_offset(reader));
		reader->step = STATE_SEARCHING;
		*count = 0;
		return EAR_SHOT_LOSS;
	}
	if (magic_at(reader) != EAR_SHOT_ZSTD_MAGIC)
		return take_skippable(reader, count);

	ZSTD_DCtx_reset(reader->context, ZSTD_reset_session_only);
	reader->last_was_seek_table = false;
	reader->kept = true;
	reader->kept_from = reader->position;
	reader->step = STATE_IN_FRAME;
	return add_start(reader);
}

static int step_skipping(struct ear_shot_reader *reader)
{
	while (reader->skip > 0) {
		int result = fill(reader, 1);
		if (result)
			return result;
		if (unread(reader) == 0)
			return end_early(reader, "a skippable frame");
		size_t part = unread(reader) < reader->skip ? unread(reader) : (size_t)reader->skip;
		reader->position += part;
		reader->skip -= part;
	}
	reader->step = STATE_BETWEEN;
	return 0;
}

static int step_searching(struct ear_shot_reader *reader)
{
	for (;;) {
		int result = fill(reader, HEADER_SIZE);
		if (result)
			return result;
		if (unread(reader) < HEADER_SIZE) {
			reader->position = reader->filled;
			reader->step = STATE_END;
			return 0;
		}
		uint64_t size;
		bool found = magic_at(reader) == EAR_SHOT_ZSTD_MAGIC;
		if (!found && is_frame_magic(magic_at(reader))) {
			result = measure_skippable(reader, true, &size);
			if (result < 0)
				return result;
			found = result == 1;
		}
		if (found) {
			reader->step = STATE_BETWEEN;
			return 0;
		}
		reader->position++;
	}
}

/* The zstd frame being read is damaged. How far zstd came says nothing: a size in it that is too
 * large takes the frames after it for a part of this one.
 */
static int lose_frame(struct ear_shot_reader *reader, const char *why, size_t *count)
{
	set_fault(reader, "the zstd frame at byte %" PRIu64 " is damaged: %s", reader->frame_offset,
		why);
	reader->unsure |= reader->jumped;
	if (reader->kept)
		reader->position = reader->kept_from;
	else if (unread(reader) == 0)
		reader->position--; /* nothing is passed over */
	return give_up(reader, count);
}

/* Decompress into buffer. *count bytes came out; the state changes at the frame's end. With an
 * error zstd does not say what came out in the same call. So near the start of the stream, where
 * blocks are small, little comes out of a call.
 */
static int step_in_frame(
	struct ear_shot_reader *reader, uint8_t *buffer, size_t size, size_t *count)
{
	const uint64_t most = LEAST_AT_ONCE + reader->stream_offset / 8;
	ZSTD_outBuffer output = {buffer, size < most ? size : (size_t)most, 0};

	while (output.pos == 0 && reader->step == STATE_IN_FRAME) {
		int result = fill(reader, 1);
		if (result)
			return result;
		bool no_input = unread(reader) == 0;
		ZSTD_inBuffer input = {reader->input, reader->filled, reader->position};
		size_t left = ZSTD_decompressStream(reader->context, &output, &input);
		if (ZSTD_isError(left) && is_memory_error(left))
			return EAR_E_NO_MEMORY;
		if (ZSTD_isError(left))
			return lose_frame(reader, ZSTD_getErrorName(left), count);
		reader->position = input.pos;
		if (left == 0) {
			reader->step = STATE_BETWEEN;
			reader->kept = false;
		} else if (no_input && output.pos == 0) {
			if (reader->kept && any_frame_after(reader, reader->kept_from + 1))
				return lose_frame(reader, "it has no end", count);
			reader->kept = false;
			end_early(reader, "a zstd frame");
		}
	}
	*count = output.pos;
	return 0;
}

bool ear_shot_is_capture(const uint8_t *bytes, size_t size)
{
	static const uint8_t tag[] = {'E', 'F', 'C', 'T', 'f', 'o', 'r', 'm', 'a', 't', ':', ' '};
	unsigned wrong = 0;

	if (size >= 4 && ear_load_le32(bytes) == EAR_SHOT_MAGIC)
		return true;
	/* With a byte that is damaged it still is. */
	for (size_t i = 0; i < sizeof(tag) && size >= EAR_SHOT_PROOF_SIZE; i++)
		wrong += bytes[HEADER_SIZE + i] != tag[i];
	return size >= EAR_SHOT_PROOF_SIZE && wrong <= 1;
}

void ear_shot_reader_strip_ftdi(struct ear_shot_reader *reader)
{
	reader->ftdi = true;
}

static int begin_ftdi(struct ear_shot_reader *reader)
{
	int result = fill(reader, FTDI_SIZE);

	if (result)
		return result;
	reader->ftdi_packet = ear_ftdi_packet(reader->input + reader->position, unread(reader));
	if (reader->ftdi_packet == 0)
		set_fault(reader, "it has no status bytes of an FTDI chip");
	reader->step = STATE_RAW;
	return 0;
}

/* Packets without their first two bytes. */
static int step_ftdi(struct ear_shot_reader *reader, uint8_t *buffer, size_t size, size_t *count)
{
	int result = fill(reader, 1);

	if (result == 0 && unread(reader) == 0)
		reader->step = STATE_END;
	while (unread(reader) > 0 && *count < size) {
		const size_t at = file_offset(reader) % reader->ftdi_packet;
		size_t part = at < 2 ? 2 - at : reader->ftdi_packet - at;
		if (part > unread(reader))
			part = unread(reader);
		if (at >= 2 && part > size - *count)
			part = size - *count;
		if (at >= 2)
			memcpy(buffer + *count, reader->input + reader->position, part);
		*count += at >= 2 ? part : 0;
		reader->position += part;
	}
	return result;
}

static int step_start(struct ear_shot_reader *reader)
{
	int result = fill(reader, 4);
	if (result)
		return result;
	result = fill(reader, EAR_SHOT_PROOF_SIZE);
	if (result)
		return result;
	if (reader->ftdi)
		return begin_ftdi(reader);
	reader->is_shot = ear_shot_is_capture(reader->input + reader->position, unread(reader)) ||
			  (unread(reader) >= 4 && is_frame_magic(magic_at(reader)));
	reader->step = reader->is_shot ? STATE_BETWEEN : STATE_RAW;
	return 0;
}

/* What is in the input already first, then straight from the file. */
static int step_raw(struct ear_shot_reader *reader, uint8_t *buffer, size_t size, size_t *count)
{
	if (reader->ftdi_packet > 0)
		return step_ftdi(reader, buffer, size, count);
	if (unread(reader) > 0) {
		*count = unread(reader) < size ? unread(reader) : size;
		memcpy(buffer, reader->input + reader->position, *count);
		reader->position += *count;
		return 0;
	}
	ssize_t got = read_some(reader, buffer, size, reader->stream_offset);
	if (got < 0)
		return EAR_E_IO;
	*count = (size_t)got;
	if (got == 0)
		reader->step = STATE_END;
	return 0;
}

int ear_shot_reader_next(
	struct ear_shot_reader *reader, uint8_t *buffer, size_t size, size_t *count)
{
	assert(size > 0);
	*count = 0;
	while (reader->step != STATE_END) {
		int result = 0;
		switch (reader->step) {
		case STATE_START: result = step_start(reader); break;
		case STATE_RAW: result = step_raw(reader, buffer, size, count); break;
		case STATE_BETWEEN: result = step_between(reader, count); break;
		case STATE_SKIPPING: result = step_skipping(reader); break;
		case STATE_SEARCHING: result = step_searching(reader); break;
		case STATE_IN_FRAME: result = step_in_frame(reader, buffer, size, count); break;
		case STATE_END: break;
		}
		if (result)
			return result;
		reader->stream_offset += *count;
		if (*count > 0)
			return EAR_SHOT_BYTES;
	}
	return EAR_SHOT_END;
}
