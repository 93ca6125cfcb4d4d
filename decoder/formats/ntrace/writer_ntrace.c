/* Records to N-Trace: an encoder for each hart, whose messages come as its records do. */
#include "decoder/formats/ntrace/writer_ntrace.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/formats/ntrace/ntrace_encoder.h"

#define HARTS_MAX 64u

struct writer_ntrace {
	struct ear_writer base;
	struct ear_ntrace_unit unit;
	bool understood; /* the unit */
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
	/* Without SRC all are one. */
	if (hart >> writer->unit.src_bits && (writer->unit.src_bits || writer->count > 0))
		return EAR_E_UNSUPPORTED;
	if (writer->count == HARTS_MAX)
		return EAR_E_UNSUPPORTED;
	*found = malloc(sizeof(**found));
	if (!*found)
		return EAR_E_NO_MEMORY;
	ear_ntrace_encoder_init(*found, &writer->unit, hart);
	writer->encoders[writer->count++] = *found;
	return 0;
}

/* Before the first instruction XLEN may not be known; then there is nothing to send either. */
static bool is_encodable(struct writer_ntrace *writer, const struct ear_record *record)
{
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return true;
	if (writer->unit.xlen == 0)
		writer->unit.xlen = record->xlen;
	return record->isa == EAR_ISA_RISCV && record->xlen == writer->unit.xlen &&
	       !(record->flags & EAR_RECORD_NO_OPCODE);
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_ntrace *writer = (struct writer_ntrace *)base;
	struct ear_ntrace_encoder *encoder;

	if (!writer->understood)
		return EAR_E_BAD_ARGUMENT;
	if (!is_encodable(writer, record))
		return EAR_E_UNSUPPORTED;
	if (writer->unit.xlen == 0)
		return 0;
	int result = find(writer, record->hart, &encoder);
	if (result)
		return result;
	ear_ntrace_encoder_push(encoder, record);
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

struct ear_writer *ear_writer_ntrace_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	char fault[EAR_FLOW_FAULT_SIZE];
	struct writer_ntrace *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	int result = ear_ntrace_unit_read(&writer->unit, options ? options->unit : NULL, fault);
	if (result == EAR_E_NO_MEMORY) {
		free(writer);
		return NULL;
	}
	writer->understood = result == 0;
	ear_text_output_be_exact(output);
	writer->base = (struct ear_writer){
		.output = output, .push = push, .finish = finish, .free = free_writer};
	return &writer->base;
}
