/* Lines from a file, a pipe or memory, unpacked on the way.
 *
 * Lines are handed out in place: what is read is in one buffer, and the rest of a line is moved
 * to the front only when the buffer is used up. Whole blocks are cut at the last line end. A plain
 * file can also be read at any offset, by several threads: a block there holds the lines that
 * begin in it, so it reads on to the end of its last line.
 */
#define _GNU_SOURCE /* memrchr */

#include "decoder/text/text_input.h"

#include <assert.h>
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/checksum.h"
#include "common/stop.h"
#include "decoder/text/text_clean.h"
#include "decoder/text/unpack.h"

#define BUFFER_SIZE (1u << 20)
#define PEEK_SIZE   (64u << 10)
#define PAGE        4096u
#define TAIL_SIZE   (4u << 10) /* of a line that continues after a chunk */
#define PACKED_SIZE (128u << 10)

struct ear_text_input {
	int fd;
	bool at_offsets; /* ear_text_input_use_offsets */
	bool looked;     /* the first bytes were looked at; unpack then, if they are packed */
	enum ear_packing packing;
	struct ear_unpack *unpack;
	struct ear_text_clean clean;
	bool final; /* nothing comes after the buffer */
	bool cut;
	int failed; /* final for this reason, which comes after the lines */
	int failed_errno;
	uint64_t text_begin; /* offset in the file, if seekable */
	bool lent;           /* the buffer is another's: of ear_text_input_give_block */

	char *buffer; /* buffer[begin .. end-1] is not taken yet */
	size_t begin, end, capacity;
	uint64_t buffer_offset; /* of buffer[0] in the text */
	uint64_t line_offset, line_number, next_line_number;

	uint8_t *packed; /* packed[packed_begin .. packed_end-1] is not unpacked yet */
	size_t packed_begin, packed_end;
	uint64_t position;
	bool end_of_file;
	bool summing;
	uint64_t summed; /* the checksum has the text up to here */
	struct ear_checksum checksum;
	char fault[120];
};

/* A small file that is not packed fits one buffer of its size; opening it is then cheap. */
static size_t buffer_size(int fd, const uint8_t *prefix, size_t prefix_size)
{
	struct stat status;

	if (ear_unpack_find(prefix, prefix_size) || fstat(fd, &status) != 0 ||
		!S_ISREG(status.st_mode) || status.st_size >= (off_t)(BUFFER_SIZE - PAGE))
		return BUFFER_SIZE;
	return PEEK_SIZE > (size_t)status.st_size ? PEEK_SIZE : (size_t)status.st_size + PAGE;
}

int ear_text_input_new(
	struct ear_text_input **input, int fd, const uint8_t *prefix, size_t prefix_size)
{
	_Static_assert(EAR_TEXT_PREFIX_MAX <= PACKED_SIZE, "a prefix fits the packed bytes");
	assert(prefix_size <= EAR_TEXT_PREFIX_MAX);

	struct ear_text_input *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;

	made->fd = fd;
	made->capacity = buffer_size(fd, prefix, prefix_size);
	made->next_line_number = 1;
	made->buffer = calloc(1, made->capacity + EAR_TEXT_SLACK); /* most touch little of it */
	made->packed = malloc(PACKED_SIZE);
	if (!made->buffer || !made->packed) {
		ear_text_input_free(made);
		return EAR_E_NO_MEMORY;
	}
	if (prefix_size > 0)
		memcpy(made->packed, prefix, prefix_size);
	made->packed_end = prefix_size;
	made->position = prefix_size;
	*input = made;
	return 0;
}

void ear_text_input_free(struct ear_text_input *input)
{
	if (!input)
		return;
	ear_unpack_free(input->unpack);
	if (!input->lent)
		free(input->buffer);
	free(input->packed);
	free(input);
}

static int set_fault(struct ear_text_input *input, const char *what)
{
	if (!input->fault[0])
		snprintf(input->fault, sizeof(input->fault), "%s, at byte %" PRIu64 " of the file",
			what, input->position - (input->packed_end - input->packed_begin));
	return EAR_E_BAD_FILE;
}

/* One read. Returns bytes, 0 at the end of the file, or EAR_E_IO. */
static ssize_t read_some(struct ear_text_input *input, void *bytes, size_t size)
{
	ssize_t got;

	if (ear_stop_wait(input->fd) != 0)
		return EAR_E_IO;
	do
		got = input->at_offsets ? pread(input->fd, bytes, size, (off_t)input->position)
					: read(input->fd, bytes, size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return EAR_E_IO;
	input->position += (uint64_t)got;
	input->end_of_file = got == 0;
	return got;
}

static int fill_packed(struct ear_text_input *input)
{
	if (input->packed_begin < input->packed_end || input->end_of_file)
		return 0;
	ssize_t got = read_some(input, input->packed, PACKED_SIZE);
	if (got < 0)
		return (int)got;
	input->packed_begin = 0;
	input->packed_end = (size_t)got;
	return 0;
}

/* The first bytes decide. They are in packed then, also for a plain file. */
static int begin_unpacking(struct ear_text_input *input)
{
	while (input->packed_end < EAR_UNPACK_MAGIC && !input->end_of_file) {
		ssize_t got = read_some(
			input, input->packed + input->packed_end, PACKED_SIZE - input->packed_end);
		if (got < 0)
			return (int)got;
		input->packed_end += (size_t)got;
	}
	input->looked = true;
	input->packing = ear_unpack_find(input->packed, input->packed_end);
	return input->packing ? ear_unpack_new(&input->unpack, input->packing) : 0;
}

static int unpack_plain(struct ear_text_input *input, size_t room)
{
	size_t size = input->packed_end - input->packed_begin;

	if (size > 0) {
		size = size < room ? size : room;
		memcpy(input->buffer + input->end, input->packed + input->packed_begin, size);
		input->packed_begin += size;
		input->end += size;
		return 0;
	}
	ssize_t got = read_some(input, input->buffer + input->end, room);
	if (got < 0)
		return (int)got;
	input->end += (size_t)got;
	input->final = got == 0;
	return 0;
}

/* Where the packed bytes are at their end, the library may still have some of the text. Inside of a
 * member that end is a fault. */
static int unpack(struct ear_text_input *input, size_t room)
{
	char fault[60];
	size_t made = 0;
	int result = fill_packed(input);

	if (result)
		return result;
	const size_t size = input->packed_end - input->packed_begin;
	input->final = size == 0;
	result = ear_unpack_step(input->unpack, input->packed + input->packed_begin, size,
		&input->packed_begin, input->buffer + input->end, room, &made);
	input->end += made;
	input->final &= made == 0;
	if (result == EAR_E_BAD_FILE) {
		snprintf(fault, sizeof(fault), "the %s data are damaged",
			ear_unpack_name(input->packing));
		return set_fault(input, fault);
	}
	if (result == 0 && input->final && ear_unpack_inside(input->unpack))
		return set_fault(input, "the compressed data are cut off");
	return result;
}

/* Add what the buffer has of the text before this offset. */
static void sum_up_to(struct ear_text_input *input, uint64_t end)
{
	if (!input->summing || end <= input->summed || input->summed < input->buffer_offset)
		return;
	ear_checksum_add(&input->checksum, input->buffer + (input->summed - input->buffer_offset),
		(size_t)(end - input->summed));
	input->summed = end;
}

static int make_room(struct ear_text_input *input)
{
	if (input->begin > 0) {
		sum_up_to(input, input->buffer_offset + input->begin);
		memmove(input->buffer, input->buffer + input->begin, input->end - input->begin);
		input->buffer_offset += input->begin;
		input->end -= input->begin;
		input->begin = 0;
	}
	if (input->end == input->capacity) {
		if (input->capacity >= EAR_TEXT_LINE_MAX)
			return ear_text_input_long_line(input, input->buffer_offset);
		char *buffer = realloc(input->buffer, 2 * input->capacity + EAR_TEXT_SLACK);
		if (!buffer)
			return EAR_E_NO_MEMORY;
		input->capacity *= 2;
		input->buffer = buffer;
	}
	return 0;
}

bool ear_text_input_is_cleaned(const struct ear_text_input *input)
{
	return input->clean.on || input->clean.prefix_size;
}

/* Is a byte of the text at its own offset of the file? */
static bool is_plain(const struct ear_text_input *input)
{
	return !input->unpack && !ear_text_input_is_cleaned(input);
}

static void clean(struct ear_text_input *input, size_t from)
{
	input->end =
		from + ear_text_clean_bytes(&input->clean, input->buffer + from, input->end - from);
	memset(input->buffer + input->end, 0, EAR_TEXT_SLACK);
}

/* Put more text after what is in the buffer: at least one byte, or final. What was read before
 * an error is of use, so the error waits until the lines are taken.
 */
static void fill(struct ear_text_input *input)
{
	size_t before = input->end - input->begin;
	int result = make_room(input);

	if (result == 0 && !input->looked)
		result = begin_unpacking(input);
	if (result == 0 && ear_stopped()) {
		result = EAR_E_IO;
		errno = EINTR;
	}
	while (result == 0 && !input->final && input->end - input->begin == before) {
		size_t room = input->capacity - input->end;
		const size_t end = input->end;
		result = input->unpack ? unpack(input, room) : unpack_plain(input, room);
		if (ear_text_input_is_cleaned(input))
			clean(input, end);
	}
	memset(input->buffer + input->end, 0, EAR_TEXT_SLACK);
	if (result) {
		input->final = true;
		input->failed = result;
		input->failed_errno = errno;
	}
}

/* What comes after the last line: 0, the end of the file, or an error. */
static int end_result(const struct ear_text_input *input)
{
	if (input->failed)
		errno = input->failed_errno;
	return input->failed;
}

static void note_taken(struct ear_text_input *input)
{
	input->line_offset = input->buffer_offset + input->begin;
	input->line_number = input->next_line_number++;
}

int ear_text_input_line(struct ear_text_input *input, const char **line, size_t *size)
{
	size_t searched = 0;

	for (;;) {
		char *begin = input->buffer + input->begin;
		size_t have = input->end - input->begin;
		char *newline = memchr(begin + searched, '\n', have - searched);
		if (newline || (input->final && have > 0 && !input->failed)) {
			size_t length = newline ? (size_t)(newline - begin) : have;
			note_taken(input);
			input->cut = !newline;
			input->begin += length + (newline != NULL);
			*line = begin;
			*size = length > 0 && begin[length - 1] == '\r' ? length - 1 : length;
			return 1;
		}
		if (input->final)
			return end_result(input);
		searched = have;
		fill(input);
	}
}

int ear_text_input_peek(struct ear_text_input *input, const char **bytes, size_t *size)
{
	while (input->end - input->begin < PEEK_SIZE && !input->final)
		fill(input);
	ear_text_input_glance(input, bytes, size);
	return *size > 0 ? 0 : end_result(input);
}

void ear_text_input_ahead(struct ear_text_input *input, const char **bytes, size_t *size)
{
	while (input->end - input->begin < EAR_TEXT_AHEAD && !input->final)
		fill(input);
	*bytes = input->buffer + input->begin;
	*size = input->end - input->begin;
	*size = *size < EAR_TEXT_AHEAD ? *size : EAR_TEXT_AHEAD;
}

void ear_text_input_glance(const struct ear_text_input *input, const char **bytes, size_t *size)
{
	*bytes = input->buffer + input->begin;
	*size = input->end - input->begin;
	*size = *size < PEEK_SIZE ? *size : PEEK_SIZE;
}

void ear_text_input_clean(struct ear_text_input *input)
{
	if (input->end == input->begin)
		fill(input);
	ear_text_clean_look(&input->clean, input->buffer + input->begin, input->end - input->begin);
	if (input->clean.on)
		clean(input, input->begin);
}

void ear_text_input_strip(struct ear_text_input *input, const char *prefix)
{
	ear_text_clean_set_prefix(&input->clean, prefix);
	size_t size = ear_text_clean_prefixes(
		&input->clean, input->buffer + input->begin, input->end - input->begin);
	input->end = input->begin + size;
	memset(input->buffer + input->end, 0, EAR_TEXT_SLACK);
}

int ear_text_input_block(struct ear_text_input *input, const char **bytes, size_t *size)
{
	for (;;) {
		char *begin = input->buffer + input->begin;
		size_t have = input->end - input->begin;
		char *newline = have ? memrchr(begin, '\n', have) : NULL;
		bool whole = input->final && !input->failed;
		if (newline || (whole && have > 0)) {
			/* At the end of the file the last line may lack its end. */
			*size = whole ? have : (size_t)(newline - begin) + 1;
			*bytes = begin;
			note_taken(input);
			input->cut = begin[*size - 1] != '\n';
			input->begin += *size;
			return 1;
		}
		if (input->final)
			return end_result(input);
		fill(input);
	}
}

int ear_text_input_bytes(
	struct ear_text_input *input, size_t want, const uint8_t **bytes, size_t *size)
{
	while (input->end - input->begin < want && !input->final)
		fill(input);
	*bytes = (const uint8_t *)input->buffer + input->begin;
	*size = input->end - input->begin;
	return *size > 0 ? 1 : end_result(input);
}

void ear_text_input_take(struct ear_text_input *input, size_t size)
{
	input->line_offset = input->buffer_offset + input->begin;
	input->begin += size;
}

static int grow_block(struct ear_text_block *block, size_t capacity)
{
	if (block->capacity >= capacity)
		return 0;
	char *buffer = realloc(block->buffer, capacity + EAR_TEXT_SLACK);
	if (!buffer)
		return EAR_E_NO_MEMORY;
	block->buffer = buffer;
	block->capacity = capacity;
	return 0;
}

static int swap_buffers(struct ear_text_input *input, struct ear_text_block *block)
{
	size_t rest = input->end - input->begin;

	if (grow_block(block, input->capacity) != 0)
		return EAR_E_NO_MEMORY;

	struct ear_text_block taken = {.buffer = input->buffer,
		.capacity = input->capacity,
		.line_number = block->line_number};
	memcpy(block->buffer, input->buffer + input->begin, rest);
	memset(block->buffer + rest, 0, EAR_TEXT_SLACK);
	input->buffer = block->buffer;
	input->capacity = block->capacity;
	input->buffer_offset += input->begin;
	input->begin = 0;
	input->end = rest;
	*block = taken;
	return 0;
}

int ear_text_input_take_block(struct ear_text_input *input, struct ear_text_block *block)
{
	const char *bytes;
	size_t size;

	while (!input->final && (input->begin > 0 || input->end < input->capacity))
		fill(input);
	int result = ear_text_input_block(input, &bytes, &size);
	if (result <= 0)
		return result;

	uint64_t offset = ear_text_input_offset(input);
	result = swap_buffers(input, block);
	if (result)
		return result;
	block->bytes = bytes;
	block->size = size;
	block->offset = offset;
	block->cut = input->cut;
	return 1;
}

bool ear_text_input_seekable(struct ear_text_input *input, uint64_t *offset)
{
	struct stat status;
	const char *bytes;
	size_t size;

	if (ear_text_input_peek(input, &bytes, &size) != 0 || !is_plain(input) ||
		fstat(input->fd, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	off_t at = input->at_offsets ? (off_t)input->position : lseek(input->fd, 0, SEEK_CUR);
	if (at < 0 || (uint64_t)at < input->position)
		return false;
	input->text_begin = (uint64_t)at - input->position;
	*offset = input->buffer_offset + input->begin;
	return true;
}

/* Bytes at an offset of the file into buffer[at .. end-1], or up to the end of the file. Returns
 * where they end, or EAR_E_IO. */
static ssize_t read_at(
	const struct ear_text_input *input, char *buffer, size_t at, size_t end, uint64_t offset)
{
	while (at < end) {
		ssize_t got = pread(input->fd, buffer + at, end - at, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return EAR_E_IO;
		if (got == 0)
			break;
		at += (size_t)got;
		offset += (uint64_t)got;
	}
	return (ssize_t)at;
}

/* The lines that begin in buffer[from .. to-1], which is full up to have. first: there is no byte
 * before it. Returns false if the last line ends after have. */
static bool find_lines(
	struct ear_text_block *block, bool first, size_t from, size_t to, size_t have)
{
	const char *begin = block->buffer + from, *last;

	if (!first && begin[-1] != '\n') {
		begin = memchr(begin, '\n', have - from);
		begin = begin ? begin + 1 : block->buffer + have;
	}
	block->bytes = begin;
	block->size = 0;
	block->cut = false;
	if (begin >= block->buffer + (to < have ? to : have))
		return true;
	/* The line that begins last in the range, and where it ends. */
	last = to <= have ? memchr(block->buffer + to - 1, '\n', have - to + 1) : NULL;
	if (!last && have == block->capacity && have < 2 * (size_t)EAR_TEXT_LINE_MAX)
		return false;
	block->cut = !last && block->buffer[have - 1] != '\n';
	block->size = (size_t)((last ? last + 1 : block->buffer + have) - begin);
	return true;
}

/* The last line of a block may be longer than lines are: then it does not count. */
static void drop_long_line(struct ear_text_block *block)
{
	const char *end = block->bytes + block->size - !block->cut;
	const char *newline =
		block->size ? memrchr(block->bytes, '\n', (size_t)(end - block->bytes)) : NULL;
	const char *begin = newline ? newline + 1 : block->bytes;

	block->too_long = block->size > 0 && (size_t)(end - begin) >= EAR_TEXT_LINE_MAX;
	if (block->too_long) {
		block->size = (size_t)(begin - block->bytes);
		block->cut = false;
	}
}

int ear_text_input_read_block(
	const struct ear_text_input *input, struct ear_text_block *block, uint64_t offset)
{
	return ear_text_input_read_range(input, block, offset, EAR_TEXT_CHUNK_SIZE);
}

int ear_text_input_read_range(const struct ear_text_input *input, struct ear_text_block *block,
	uint64_t offset, size_t size)
{
	bool first = offset == 0; /* else the byte before shows whether a line begins here */
	uint64_t file_offset = input->text_begin + offset - !first;

	for (size_t room = PAGE + size + TAIL_SIZE;; room = 2 * block->capacity) {
		int result = grow_block(block, room);
		if (result)
			return result;
		/* Systems copy pages fastest to addresses with the same offset in a page. */
		size_t at = (size_t)(file_offset - (uintptr_t)block->buffer) % PAGE;
		size_t from = at + !first;
		ssize_t have = read_at(input, block->buffer, at, block->capacity, file_offset);
		if (have <= (ssize_t)from)
			return have < 0 ? (int)have : 0;
		if (!find_lines(block, first, from, from + size, (size_t)have))
			continue;
		memset(block->buffer + have, 0, EAR_TEXT_SLACK);
		block->offset = offset + (uint64_t)(block->bytes - block->buffer) - from;
		drop_long_line(block);
		return 1;
	}
}

void ear_text_input_passed(struct ear_text_input *input, uint64_t offset)
{
	input->position = offset;
	if (!input->at_offsets)
		lseek(input->fd, (off_t)(input->text_begin + offset), SEEK_SET);
}

void ear_text_input_jump(struct ear_text_input *input, uint64_t offset, uint64_t line_number)
{
	ear_text_input_passed(input, offset);
	input->begin = input->end = 0;
	input->packed_begin = input->packed_end = 0;
	input->buffer_offset = offset;
	input->next_line_number = line_number;
	input->final = input->end_of_file = false;
	input->failed = 0;
}

/* A line begins after a line end, or not at all at the end of the text. */
static int check_line(const struct ear_text_input *input, uint64_t offset)
{
	char bytes[2] = {'\n'};
	ssize_t end = offset > 0 ? read_at(input, bytes, 0, 2, offset - 1) : 1;

	if (end < 0)
		return (int)end;
	return end == 0 || (end == 2 && bytes[0] != '\n') ? EAR_E_BAD_FILE : 0;
}

/* Unpack up to offset, where a line begins unless it may be anywhere, and drop it. */
static int pass(struct ear_text_input *input, uint64_t offset, bool anywhere)
{
	char last = '\n';

	while (input->buffer_offset + input->end <= offset && !input->final) {
		last = input->end > 0 ? input->buffer[input->end - 1] : last;
		input->begin = input->end;
		fill(input);
	}
	if (input->buffer_offset + input->end < offset)
		return input->failed ? end_result(input) : EAR_E_BAD_FILE;
	input->begin = (size_t)(offset - input->buffer_offset);
	if (input->begin > 0)
		last = input->buffer[input->begin - 1];
	return anywhere || last == '\n' || input->begin == input->end ? 0 : EAR_E_BAD_FILE;
}

int ear_text_input_go_to(struct ear_text_input *input, uint64_t offset, uint64_t line_number)
{
	const char *bytes;
	size_t size;
	int result = ear_text_input_peek(input, &bytes, &size);

	if (result)
		return result;
	if (is_plain(input)) {
		result = line_number ? check_line(input, offset) : 0;
		ear_text_input_jump(input, offset, line_number);
		return result;
	}
	result = pass(input, offset, line_number == 0);
	input->next_line_number = line_number;
	return result;
}

int ear_text_input_long_line(struct ear_text_input *input, uint64_t offset)
{
	if (!input->fault[0])
		snprintf(input->fault, sizeof(input->fault),
			"a line is longer than 16 MiB, at byte %" PRIu64 " of the text", offset);
	return EAR_E_BAD_FILE;
}

void ear_text_block_fini(struct ear_text_block *block)
{
	free(block->buffer);
	*block = (struct ear_text_block){0};
}

int ear_text_input_new_empty(struct ear_text_input **input)
{
	static char nothing[EAR_TEXT_SLACK]; /* is not written to */
	struct ear_text_input *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->fd = -1;
	made->buffer = nothing;
	made->lent = true;
	made->final = true;
	*input = made;
	return 0;
}

void ear_text_input_give_block(struct ear_text_input *input, const struct ear_text_block *block)
{
	assert(input->lent);
	input->buffer = block->buffer;
	input->capacity = block->capacity;
	input->begin = (size_t)(block->bytes - block->buffer);
	input->end = input->begin + block->size;
	input->buffer_offset = block->offset - input->begin;
	input->next_line_number = block->line_number;
	input->cut = false;
}

uint64_t ear_text_input_line_number(const struct ear_text_input *input)
{
	return input->line_number;
}

uint64_t ear_text_input_offset(const struct ear_text_input *input)
{
	return input->line_offset;
}

void ear_text_input_count_lines(struct ear_text_input *input, uint64_t count)
{
	input->next_line_number = input->line_number + count;
}

uint64_t ear_text_input_next_line(const struct ear_text_input *input)
{
	return input->next_line_number;
}

uint64_t ear_text_input_next_offset(const struct ear_text_input *input)
{
	return input->buffer_offset + input->begin;
}

void ear_text_input_use_offsets(struct ear_text_input *input)
{
	input->at_offsets = true;
}

void ear_text_input_sum(struct ear_text_input *input, uint64_t offset)
{
	input->summing = true;
	input->summed = offset;
	ear_checksum_begin(&input->checksum);
}

uint64_t ear_text_input_checksum(struct ear_text_input *input, uint64_t end)
{
	sum_up_to(input, end);
	return ear_checksum_value(&input->checksum);
}

bool ear_text_input_cut(const struct ear_text_input *input)
{
	return input->cut;
}

const char *ear_text_input_fault(const struct ear_text_input *input)
{
	return input->fault[0] ? input->fault : NULL;
}
