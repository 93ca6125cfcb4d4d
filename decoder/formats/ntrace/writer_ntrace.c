/* Records to N-Trace: an encoder for each hart, whose messages come as its records do. */
#include "decoder/formats/ntrace/writer_ntrace.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoder/formats/ntrace/ntrace_encoder.h"

#define HARTS_MAX 64u

struct writer_ntrace {
	struct ear_writer base;
	struct ear_ntrace_unit unit;
	const struct ear_flow_code *code;
	struct ear_writer_hart only; /* without SRC */
	struct ear_ntrace_encoder *encoders[HARTS_MAX];
	size_t count;
};

static void put(struct writer_ntrace *writer, struct ear_ntrace_encoder *encoder)
{
	ear_text_output_put(writer->base.output, (const char *)encoder->bytes, encoder->size);
	encoder->size = 0;
}

/* The encoder of a hart, into *found. Returns 0 or an error. */
static int find(struct writer_ntrace *writer, uint16_t hart, struct ear_ntrace_encoder **found)
{
	for (size_t i = 0; i < writer->count; i++) {
		*found = writer->encoders[i];
		if ((*found)->src == hart)
			return 0;
	}
	if (writer->count == HARTS_MAX || (writer->unit.src_bits && hart >> writer->unit.src_bits))
		return EAR_E_UNSUPPORTED;
	*found = malloc(sizeof(**found));
	if (!*found)
		return EAR_E_NO_MEMORY;
	ear_ntrace_encoder_init(*found, &writer->unit, hart);
	(*found)->code = writer->code;
	writer->encoders[writer->count++] = *found;
	return 0;
}

static void push_gap(struct writer_ntrace *writer, const struct ear_record *gap)
{
	for (size_t i = 0; i < writer->count; i++)
		if (writer->encoders[i]->src == gap->hart) {
			ear_ntrace_encoder_push(writer->encoders[i], gap);
			put(writer, writer->encoders[i]);
		}
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_ntrace *writer = (struct writer_ntrace *)base;
	struct ear_ntrace_encoder *encoder;
	int result = 1;

	if (record->kind == EAR_RECORD_GAP)
		push_gap(writer, record);
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return base->output->error;
	if (writer->unit.xlen == 0)
		writer->unit.xlen = record->xlen;
	if (writer->unit.src_bits == 0)
		result = ear_writer_hart_choose(&writer->only, record);
	if (result <= 0 || (result = find(writer, record->hart, &encoder)) != 0)
		return result;
	if (record->isa == EAR_ISA_RISCV && record->xlen == writer->unit.xlen)
		ear_ntrace_encoder_push(encoder, record);
	else
		ear_ntrace_encoder_lose(encoder);
	put(writer, encoder);
	return base->output->error;
}

static int finish(struct ear_writer *base)
{
	struct writer_ntrace *writer = (struct writer_ntrace *)base;

	for (size_t i = 0; i < writer->count; i++) {
		ear_ntrace_encoder_end(writer->encoders[i]);
		put(writer, writer->encoders[i]);
	}
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	struct writer_ntrace *writer = (struct writer_ntrace *)base;

	for (size_t i = 0; i < writer->count; i++)
		free(writer->encoders[i]);
	free(writer);
}

static uint64_t absent(const struct ear_ntrace_unit *unit)
{
	return (unit->src_bits ? 0 : EAR_FIELD_BIT(EAR_FIELD_HART)) |
	       (unit->tstamp == 1 ? 0 : EAR_FIELD_BIT(EAR_FIELD_TIME)) |
	       (unit->ownership ? 0 : EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE));
}

int ear_writer_ntrace_make(struct ear_writer **writer, struct ear_text_output *output,
	const struct ear_writer_options *options, char *fault, size_t size)
{
	char cause[EAR_FLOW_FAULT_SIZE];
	struct writer_ntrace *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	int result = ear_ntrace_unit_read(&made->unit, NULL, options ? options->unit : NULL, cause);
	if (result) {
		snprintf(fault, size, "%s", cause);
		free(made);
		return result;
	}
	ear_text_output_be_exact(output);
	made->code = options ? options->code : NULL;
	made->only = ear_writer_hart(options);
	made->base = (struct ear_writer){.output = output,
		.absent = absent(&made->unit),
		.push = push,
		.finish = finish,
		.free = free_writer};
	*writer = &made->base;
	return 0;
}
