#define _GNU_SOURCE /* memfd_create */
#include "decode_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/protocol/frame.h"
#include "decoder/formats/whisper/writer_whisper.h"

#define FNV_OFFSET 0xCBF29CE484222325u
#define FNV_PRIME  0x100000001B3u

static void mix(uint64_t *digest, uint64_t value)
{
	*digest = (*digest ^ value) * FNV_PRIME;
	*digest ^= *digest >> 29;
}

static void mix_instruction(uint64_t *digest, const struct ear_record *record)
{
	mix(digest, record->xlen);
	mix(digest, record->privilege);
	mix(digest, record->opcode_size);
	mix(digest, record->fflags);
	mix(digest, record->frm);
	mix(digest, record->vtype);
	mix(digest, record->opcode);
	mix(digest, record->pc);
	mix(digest, record->pc_physical);
	mix(digest, record->next_pc);
	mix(digest, record->cause);
	mix(digest, record->register_count);
	for (size_t i = 0; i < record->register_count; i++) {
		mix(digest, record->registers[i].reg_class);
		mix(digest, record->registers[i].number);
		mix(digest, record->registers[i].value);
	}
	mix(digest, record->memory_count);
	for (size_t i = 0; i < record->memory_count; i++) {
		mix(digest, record->memory[i].address);
		mix(digest, record->memory[i].value);
		mix(digest, record->memory[i].size);
		mix(digest, record->memory[i].write);
		mix(digest, record->memory[i].has_value);
		mix(digest, record->memory[i].has_physical);
		if (record->memory[i].has_physical)
			mix(digest, record->memory[i].physical);
	}
}

/* What it has read, as the unit sent it. */
static void mix_reads(uint64_t *digest, const struct ear_record_extra *extra)
{
	for (size_t i = 0; extra && i < extra->read_count; i++) {
		mix(digest, extra->reads[i].number);
		mix(digest, extra->reads[i].value);
	}
}

static void mix_gap(uint64_t *digest, const struct ear_gap *gap)
{
	mix(digest, gap->reason);
	mix(digest, gap->count_known);
	mix(digest, gap->skipped_bytes);
	mix(digest, gap->missing_frames);
	if (gap->count_known) {
		mix(digest, gap->upper_bound);
		mix(digest, gap->count);
		mix(digest, gap->first);
		mix(digest, gap->last);
	}
}

static int take_record(void *context, const struct ear_record *record)
{
	struct decode_run *run = context;

	mix(&run->digest, record->kind);
	mix(&run->digest, record->hart);
	mix(&run->digest, record->index);
	mix(&run->digest, record->stream_offset);
	mix(&run->digest, record->flags);
	if (record->flags & EAR_RECORD_HAS_TIME)
		mix(&run->digest, record->ticks);
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION:
		run->instruction_count++;
		mix_instruction(&run->digest, record);
		mix_reads(&run->digest, record->extra);
		break;
	case EAR_RECORD_GAP:
		if (run->gap_count++ == 0)
			run->gap_offset = record->stream_offset;
		mix_gap(&run->digest, &record->u.gap);
		break;
	default:
		run->event_count++;
		mix(&run->digest, record->u.event.source);
		mix(&run->digest, record->u.event.value);
		break;
	}
	return 0;
}

/* Offer bytes[0 .. size-1] from a block of exactly that size. Returns the bytes used. */
static size_t push_exact(struct decode_run *run, struct ear_decoder *decoder, const uint8_t *bytes,
	size_t size, bool final)
{
	uint8_t *copy = exact_copy(bytes, size);
	size_t used;

	run->result = ear_decoder_push(decoder, &used, copy, size, final);
	free(copy);
	assert(used <= size);
	assert(run->result != 0 || size - used < EAR_FRAME_SIZE_MAX);
	assert(run->result != 0 || !final || used == size);
	return used;
}

void decode_run(
	struct decode_run *run, const uint8_t *bytes, size_t size, size_t first, size_t step)
{
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	size_t begin = 0, end = first < size ? first : size;

	if (!decoder)
		abort();
	if (size == 0)
		bytes = (const uint8_t *)""; /* NULL is nothing to count from */
	*run = (struct decode_run){.digest = FNV_OFFSET};
	ear_decoder_init(decoder, take_record, run);
	decoder->with_reads = true;
	for (;;) {
		begin += push_exact(run, decoder, bytes + begin, end - begin, false);
		if (end == size)
			break;
		end = size - end < step ? size : end + step;
	}
	push_exact(run, decoder, bytes + begin, size - begin, true);
	run->statistics = decoder->statistics;
	ear_decoder_fini(decoder);
	free(decoder);
}

static void run_whole(struct decode_run *run, const uint8_t *bytes, size_t size, bool one_by_one)
{
	struct ear_decoder *decoder = malloc(sizeof(*decoder));

	if (!decoder)
		abort();
	*run = (struct decode_run){.digest = FNV_OFFSET};
	ear_decoder_init(decoder, take_record, run);
	decoder->one_by_one = one_by_one;
	decoder->with_reads = true;
	push_exact(run, decoder, bytes, size, true);
	run->statistics = decoder->statistics;
	ear_decoder_fini(decoder);
	free(decoder);
}

int memory_file(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	return fd;
}

void read_back_text(struct byte_buffer *text, int fd)
{
	if (lseek(fd, 0, SEEK_SET) != 0 || byte_buffer_read_fd(text, fd) != 0)
		abort();
	byte_buffer_append(text, "", 1);
	text->size--;
}

static int write_record(void *context, const struct ear_record *record)
{
	return ear_writer_push(context, record);
}

void decode_run_whole(struct decode_run *run, const uint8_t *bytes, size_t size)
{
	run_whole(run, bytes, size, false);
}

void decode_run_one_by_one(struct decode_run *run, const uint8_t *bytes, size_t size)
{
	run_whole(run, bytes, size, true);
}

void decode_to_text(struct byte_buffer *text, const uint8_t *bytes, size_t size)
{
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	struct ear_text_output output;
	int fd = memory_file();
	size_t used;

	if (!decoder || ear_text_output_init(&output, fd, EAR_TEXT_PLAIN) != 0)
		abort();
	struct ear_writer *writer = ear_writer_whisper_make(&output, NULL);
	if (!writer)
		abort();
	ear_decoder_init(decoder, write_record, writer);
	if (ear_decoder_push(decoder, &used, bytes, size, true) != 0)
		abort();
	ear_text_output_flush(&output);
	read_back_text(text, fd);

	ear_decoder_fini(decoder);
	ear_writer_free(writer);
	ear_text_output_fini(&output);
	free(decoder);
	close(fd);
}
