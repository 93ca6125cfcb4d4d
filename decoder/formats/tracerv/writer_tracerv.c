/* Records to the text of FireSim's TracerV: a cycle, a slot and a pc for each instruction. Time
 * must never go back, so a record without a time, or with an earlier one, is put into the cycle of
 * the record before.
 */
#include "decoder/formats/tracerv/writer_tracerv.h"

#include <stdlib.h>

#include "decoder/formats/base/comment_line.h"
#include "decoder/text/text_put.h"

#define HEADER "# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n"
#define ROOM   128

struct writer_tracerv {
	struct ear_writer base;
	bool no_comments;
	struct ear_writer_options options; /* for the place, */
	struct ear_writer_place place;     /* that of the last instruction */
	bool header_written;
	bool timed; /* the first record has a time: all lines are by time */
	uint64_t cycle;
	unsigned slot; /* instructions of this cycle so far */
};

/* 16 digits, or as many as it takes. */
static char *put_cycle(char *at, uint64_t cycle)
{
	char digits[20];
	size_t size = (size_t)(ear_put_decimal(digits, cycle) - digits);

	for (size_t i = size; i < 16; i++)
		*at++ = '0';
	return ear_put_bytes(at, digits, size);
}

static void begin(struct writer_tracerv *writer, const struct ear_record *record)
{
	ear_text_output_put(writer->base.output, HEADER, sizeof(HEADER) - 1);
	writer->header_written = true;
	writer->timed = record->flags & EAR_RECORD_HAS_TIME;
}

/* A record without time is of the same cycle as the one before it. Time never goes back. */
static void follow_cycle(struct writer_tracerv *writer, const struct ear_record *record)
{
	uint64_t cycle = writer->cycle;

	if (!writer->timed)
		cycle = record->index;
	else if (record->flags & EAR_RECORD_HAS_TIME)
		cycle = record->ticks;
	if (cycle > writer->cycle) {
		writer->cycle = cycle;
		writer->slot = 0;
	}
}

static void write_instruction(struct writer_tracerv *writer, const struct ear_record *record)
{
	follow_cycle(writer, record);
	char *at = ear_text_output_reserve(writer->base.output, ROOM);
	at = put_cycle(ear_put_word(at, "Cycle: "), writer->cycle);
	at = ear_put_decimal(ear_put_word(at, " I"), writer->slot++);
	at = ear_put_hex(ear_put_word(at, ": "), record->pc, 16);
	*at++ = '\n';
	ear_text_output_commit(writer->base.output, at);
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_tracerv *writer = (struct writer_tracerv *)base;
	uint32_t stopped = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED;

	if (!writer->header_written)
		begin(writer, record);
	if (record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV &&
		!(record->flags & stopped)) {
		ear_writer_put_place(base->output, &writer->options, &writer->place, record);
		write_instruction(writer, record);
	}
	if (record->kind == EAR_RECORD_GAP && !writer->no_comments) {
		char *at = ear_text_output_reserve(base->output, EAR_COMMENT_LINE_SIZE);
		ear_text_output_commit(base->output, ear_comment_line_put(at, record));
	}
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	free(base);
}

struct ear_writer *ear_writer_tracerv_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	struct writer_tracerv *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return NULL;
	writer->no_comments = options && options->no_comments;
	if (options)
		writer->options = *options;
	writer->base = (struct ear_writer){.output = output, .push = push, .free = free_writer};
	return &writer->base;
}
