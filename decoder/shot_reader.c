#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common/error.h"
#include "common/stop.h"
#include "decoder/shot.h"
#include "decoder/shot_format.h"
#include "protocol/bytes.h"

#define INPUT_SIZE     (256u << 10)
#define HEADER_SIZE    8u /* magic and size of a skippable frame */
#define WINDOW_LOG_MAX 25 /* 32 MiB: a hostile file cannot ask for more memory */

#define SCRIPT_SIZE_MIN (EAR_SHOT_TAG_SIZE + EAR_SHOT_SCRIPT_HEADER)
#define SCRIPT_SIZE_MAX (SCRIPT_SIZE_MIN + ZSTD_COMPRESSBOUND(EAR_SHOT_SCRIPT_MAX))
#define STATE_SIZE_MIN  (EAR_SHOT_TAG_SIZE + EAR_SHOT_STATE_HEADER)
#define STATE_SIZE_MAX  (STATE_SIZE_MIN + ZSTD_COMPRESSBOUND(EAR_SHOT_STATE_MAX))

enum reader_state {
	STATE_START,     /* nothing was read: .shot or raw dump? */
	STATE_RAW,       /* raw dump: everything is stream */
	STATE_BETWEEN,   /* a frame header comes */
	STATE_IN_FRAME,  /* inside a zstd frame */
	STATE_SKIPPING,  /* inside a skippable frame that is not ours */
	STATE_SEARCHING, /* behind damage: looking for a frame header */
	STATE_END,
};

struct ear_shot_reader {
	int fd;
	enum reader_state step; /* what comes next */
	ZSTD_DCtx *context;
	uint8_t *input; /* input[position .. filled-1] is unread */
	size_t position, filled;
	uint64_t input_offset; /* of input[0] in the file */
	uint64_t frame_offset; /* of the frame being read */
	bool end_of_file;
	uint64_t skip;            /* STATE_SKIPPING: bytes to go */
	bool last_was_seek_table; /* of the frames read so far */
	bool is_shot;
	char *facts[2]; /* first and last, NUL-terminated, or NULL */
	char fault[160];

	struct ear_shot_script script; /* came last, not taken */
	uint8_t *state;                /* content of the ESNP frame that came last, or NULL */
	size_t state_size;
};

int ear_shot_reader_new(
	struct ear_shot_reader **reader, int fd, const uint8_t *prefix, size_t prefix_size)
{
	_Static_assert(EAR_SHOT_PREFIX_MAX <= INPUT_SIZE, "a prefix fits the input");
	assert(prefix_size <= EAR_SHOT_PREFIX_MAX);

	struct ear_shot_reader *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;

	made->fd = fd;
	made->context = ZSTD_createDCtx();
	made->input = malloc(INPUT_SIZE);
	if (!made->context || !made->input) {
		ear_shot_reader_free(made);
		return EAR_E_NO_MEMORY;
	}
	ZSTD_DCtx_setParameter(made->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	if (prefix_size > 0)
		memcpy(made->input, prefix, prefix_size);
	made->filled = prefix_size;
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
	free(reader->script.bytes);
	free(reader->state);
	free(reader);
}

/* Only the first fault is kept: those behind it are often its consequences. */
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

/* Have at least wanted unread bytes, or all that the file still holds. */
static int fill(struct ear_shot_reader *reader, size_t wanted)
{
	assert(wanted <= INPUT_SIZE);
	if (unread(reader) >= wanted || reader->end_of_file)
		return 0;

	memmove(reader->input, reader->input + reader->position, unread(reader));
	reader->input_offset += reader->position;
	reader->filled -= reader->position;
	reader->position = 0;
	while (reader->filled < wanted && !reader->end_of_file) {
		if (ear_stop_wait(reader->fd) != 0)
			return EAR_E_IO;
		ssize_t got = read(
			reader->fd, reader->input + reader->filled, INPUT_SIZE - reader->filled);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return EAR_E_IO;
		reader->end_of_file = got == 0;
		reader->filled += (size_t)got;
	}
	return 0;
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

static int keep_facts(struct ear_shot_reader *reader, const uint8_t *text, size_t size)
{
	char *copy = malloc(size + 1);
	if (!copy)
		return EAR_E_NO_MEMORY;

	memcpy(copy, text, size);
	copy[size] = '\0';
	char **place = &reader->facts[reader->facts[0] != NULL];
	free(*place);
	*place = copy;
	return 0;
}

/* A frame with our magic, whole in the input. Returns EAR_SHOT_LOSS if it is one, else 0 or an
 * error.
 */
static int take_tagged(struct ear_shot_reader *reader, size_t size, size_t *count)
{
	const uint8_t *content = reader->input + reader->position + HEADER_SIZE;

	reader->position += HEADER_SIZE + size;
	if (size < EAR_SHOT_TAG_SIZE)
		return 0;
	if (memcmp(content, EAR_SHOT_TAG_FACTS, EAR_SHOT_TAG_SIZE) == 0)
		return keep_facts(reader, content + EAR_SHOT_TAG_SIZE, size - EAR_SHOT_TAG_SIZE);
	if (memcmp(content, EAR_SHOT_TAG_LOSS, EAR_SHOT_TAG_SIZE) != 0 ||
		size != EAR_SHOT_TAG_SIZE + 8)
		return 0;
	*count = (size_t)ear_load_le64(content + EAR_SHOT_TAG_SIZE);
	return EAR_SHOT_LOSS;
}

/* The rest of the frame that is in the input, size bytes, in memory of its own; NULL with a fault
 * or *result set if it could not be had.
 */
static uint8_t *read_content(struct ear_shot_reader *reader, size_t size, int *result)
{
	uint8_t *content = malloc(size + 1);
	size_t have = 0;

	*result = content ? 0 : EAR_E_NO_MEMORY;
	while (content && have < size) {
		*result = fill(reader, 1);
		size_t part = unread(reader) < size - have ? unread(reader) : size - have;
		if (*result || part == 0)
			break;
		memcpy(content + have, reader->input + reader->position, part);
		reader->position += part;
		have += part;
	}
	if (have == size && content)
		return content;
	if (*result == 0)
		end_early(reader, "a skippable frame");
	free(content);
	return NULL;
}

/* zstd was short of memory, which is no damage. */
static bool is_memory_error(size_t result)
{
	return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

/* Decompress to at most most bytes. NULL if that cannot be done: *result says why, and a fault is
 * set if the bytes are damaged.
 */
static uint8_t *unpack(struct ear_shot_reader *reader, const uint8_t *packed, size_t packed_size,
	size_t most, size_t *size, int *result)
{
	unsigned long long declared = ZSTD_getFrameContentSize(packed, packed_size);
	uint8_t *bytes = declared <= most ? malloc((size_t)declared + 1) : NULL;
	size_t unpacked = 0;

	*size = (size_t)declared;
	*result = declared <= most && !bytes ? EAR_E_NO_MEMORY : EAR_E_BAD_FILE;
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

/* A frame with a script, of size bytes behind its header. */
static int take_script(struct ear_shot_reader *reader, size_t size)
{
	struct ear_shot_script *script = &reader->script;
	int result;

	reader->position += HEADER_SIZE;
	uint8_t *content = read_content(reader, size, &result);
	if (!content)
		return result;
	const uint8_t *head = content + EAR_SHOT_TAG_SIZE, *packed = head + EAR_SHOT_SCRIPT_HEADER;
	free(script->bytes);
	*script = (struct ear_shot_script){.first = ear_load_le64(head),
		.count = ear_load_le64(head + 8),
		.format = head[16],
		.flags = head[17]};
	script->bytes = unpack(reader, packed, size - (size_t)(packed - content),
		EAR_SHOT_SCRIPT_MAX, &script->size, &result);
	free(content);
	if (script->bytes)
		return EAR_SHOT_SCRIPT;
	*script = (struct ear_shot_script){.format = 0};
	return result == EAR_E_NO_MEMORY ? result : 0;
}

struct ear_shot_script ear_shot_reader_script(struct ear_shot_reader *reader)
{
	struct ear_shot_script script = reader->script;

	reader->script = (struct ear_shot_script){.format = 0};
	return script;
}

/* A frame with a state, of size bytes behind its header. It is unpacked if somebody wants it. */
static int take_state(struct ear_shot_reader *reader, size_t size)
{
	int result;

	reader->position += HEADER_SIZE;
	free(reader->state);
	reader->state = read_content(reader, size, &result);
	reader->state_size = size;
	return reader->state ? EAR_SHOT_STATE : result;
}

int ear_shot_reader_state(struct ear_shot_reader *reader, struct ear_shot_state *state)
{
	const uint8_t *head = reader->state + EAR_SHOT_TAG_SIZE;

	if (!reader->state)
		return EAR_E_BAD_FILE;
	*state = (struct ear_shot_state){.stream_offset = ear_load_le64(head),
		.instructions = ear_load_le64(head + 8),
		.records = ear_load_le64(head + 16)};
	int result;
	state->bytes = unpack(reader, head + EAR_SHOT_STATE_HEADER,
		reader->state_size - STATE_SIZE_MIN, EAR_SHOT_STATE_MAX, &state->size, &result);
	return state->bytes ? 0 : result;
}

int ear_shot_reader_seek(struct ear_shot_reader *reader, uint64_t file_offset)
{
	if (lseek(reader->fd, (off_t)file_offset, SEEK_SET) < 0)
		return EAR_E_IO;
	reader->position = reader->filled = 0;
	reader->input_offset = file_offset;
	reader->end_of_file = false;
	reader->step = STATE_BETWEEN;
	return 0;
}

static bool has_tag(const struct ear_shot_reader *reader, const char *tag)
{
	const uint8_t *content = reader->input + reader->position + HEADER_SIZE;

	return memcmp(content, tag, EAR_SHOT_TAG_SIZE) == 0;
}

/* A skippable frame begins here; its 8 header bytes are in the input. */
static int take_skippable(struct ear_shot_reader *reader, size_t *count)
{
	uint32_t magic = magic_at(reader);
	uint32_t size = ear_load_le32(reader->input + reader->position + 4);

	if (magic == EAR_SHOT_MAGIC && size >= EAR_SHOT_TAG_SIZE) {
		int result = fill(reader, HEADER_SIZE + EAR_SHOT_TAG_SIZE);
		if (result)
			return result;
		if (unread(reader) >= HEADER_SIZE + EAR_SHOT_TAG_SIZE &&
			has_tag(reader, EAR_SHOT_TAG_SCRIPT) && size >= SCRIPT_SIZE_MIN &&
			size <= SCRIPT_SIZE_MAX)
			return take_script(reader, size);
		if (unread(reader) >= HEADER_SIZE + EAR_SHOT_TAG_SIZE &&
			has_tag(reader, EAR_SHOT_TAG_STATE) && size >= STATE_SIZE_MIN &&
			size <= STATE_SIZE_MAX)
			return take_state(reader, size);
	}
	if (magic == EAR_SHOT_MAGIC && size <= EAR_SHOT_TAG_SIZE + EAR_SHOT_FACTS_MAX) {
		int result = fill(reader, HEADER_SIZE + size);
		if (result)
			return result;
		if (unread(reader) >= HEADER_SIZE + size)
			return take_tagged(reader, size, count);
	}
	reader->last_was_seek_table = magic == EAR_SHOT_SEEK_MAGIC;
	reader->position += HEADER_SIZE;
	reader->skip = size;
	reader->step = STATE_SKIPPING;
	return 0;
}

/* The step functions return EAR_SHOT_LOSS, EAR_SHOT_SCRIPT, an error, or 0 to go on with the state
 * that they set; bytes of the stream show as *count.
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
	reader->step = STATE_IN_FRAME;
	return 0;
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
		if (is_frame_magic(magic_at(reader))) {
			reader->step = STATE_BETWEEN;
			return 0;
		}
		reader->position++;
	}
}

/* Decompress into buffer. *count bytes came out; the state changes at the frame's end. */
static int step_in_frame(
	struct ear_shot_reader *reader, uint8_t *buffer, size_t size, size_t *count)
{
	ZSTD_outBuffer output = {buffer, size, 0};

	while (output.pos == 0 && reader->step == STATE_IN_FRAME) {
		int result = fill(reader, 1);
		if (result)
			return result;
		bool no_input = unread(reader) == 0;
		ZSTD_inBuffer input = {reader->input, reader->filled, reader->position};
		size_t left = ZSTD_decompressStream(reader->context, &output, &input);
		if (ZSTD_isError(left) && is_memory_error(left))
			return EAR_E_NO_MEMORY;
		if (ZSTD_isError(left)) {
			/* zstd does not say how far it came, and may stand at this very frame's
			 * magic: search behind its first byte. */
			reader->position += !no_input;
			set_fault(reader, "the zstd frame at byte %" PRIu64 " is damaged: %s",
				reader->frame_offset, ZSTD_getErrorName(left));
			reader->step = STATE_SEARCHING;
			*count = 0;
			return EAR_SHOT_LOSS;
		}
		reader->position = input.pos;
		if (left == 0)
			reader->step = STATE_BETWEEN;
		else if (no_input && output.pos == 0)
			end_early(reader, "a zstd frame");
	}
	*count = output.pos;
	return 0;
}

static int step_start(struct ear_shot_reader *reader)
{
	int result = fill(reader, 4);
	if (result)
		return result;
	reader->is_shot = unread(reader) >= 4 && is_frame_magic(magic_at(reader));
	reader->step = reader->is_shot ? STATE_BETWEEN : STATE_RAW;
	return 0;
}

/* What is in the input already first, then straight from the file. */
static int step_raw(struct ear_shot_reader *reader, uint8_t *buffer, size_t size, size_t *count)
{
	ssize_t got;

	if (unread(reader) > 0) {
		*count = unread(reader) < size ? unread(reader) : size;
		memcpy(buffer, reader->input + reader->position, *count);
		reader->position += *count;
		return 0;
	}
	if (ear_stop_wait(reader->fd) != 0)
		return EAR_E_IO;
	do
		got = read(reader->fd, buffer, size);
	while (got < 0 && errno == EINTR);
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
		if (*count > 0)
			return EAR_SHOT_BYTES;
	}
	return EAR_SHOT_END;
}

bool ear_shot_reader_is_shot(const struct ear_shot_reader *reader)
{
	return reader->is_shot;
}

bool ear_shot_reader_complete(const struct ear_shot_reader *reader)
{
	char reason[16] = "";

	ear_shot_reader_fact(reader, "end_reason", reason, sizeof(reason));
	return reader->is_shot && reader->step == STATE_END && reader->last_was_seek_table &&
	       reader->facts[1] && !reader->fault[0] && strcmp(reason, "failed") != 0;
}

const char *ear_shot_reader_fault(const struct ear_shot_reader *reader)
{
	return reader->fault[0] ? reader->fault : NULL;
}

static const char *find_fact(const char *facts, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = facts; line && *line;) {
		if (strncmp(line, key, length) == 0 && strncmp(line + length, ": ", 2) == 0)
			return line + length + 2;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

int ear_shot_reader_fact(
	const struct ear_shot_reader *reader, const char *key, char *text, size_t size)
{
	const char *value = find_fact(reader->facts[1], key);
	if (!value)
		value = find_fact(reader->facts[0], key);
	if (!value)
		return EAR_E_BAD_ARGUMENT;

	int length = (int)strcspn(value, "\n");
	snprintf(text, size, "%.*s", length, value);
	return length;
}
