/* A conversion record by record, by one thread that writes and, if wanted, one that reads. The
 * records go to the writer, to the encoder of a capture file, or to the unpacker of a packed text.
 */
#include "cli/commands/convert/convert_records.h"

#include <earshot/error.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/convert/convert_part.h"

static int pass_record(void *context, const struct ear_record *record)
{
	(void)context;
	(void)record;
	return 0;
}

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct convert *convert = context;
	size_t used;

	convert->wire_bytes += size;
	outputs_bytes(&convert->outputs, bytes, size);
	if (convert->outputs.states.interval == 0)
		return;
	ear_decoder_push(&convert->decoder, &used, bytes, size, false);
	outputs_decoded(&convert->outputs, &convert->decoder);
}

static int take_line_diff(void *context, struct ear_shot_line_diff diff)
{
	struct convert *convert = context;

	return ear_unpacker_line_diff(&convert->unpacker, diff);
}

static bool put_line(struct convert *convert, const struct ear_record *record)
{
	comments_take_packed(&convert->outputs.comments, &convert->unpacker, record);
	int result = ear_unpacker_push(&convert->unpacker, record);
	if (result == EAR_E_NO_MEMORY)
		cli_error("%s", ear_error_text(result));
	convert->outputs.failed |= result != 0;
	return result != EAR_E_NO_MEMORY;
}

/* One record to the output. Returns false if that is an error. */
static bool put_record(struct convert *convert, const struct ear_record *record)
{
	if (convert->hart.given && record->hart != convert->hart.number)
		return true;
	convert->loss.instructions += record->kind == EAR_RECORD_INSTRUCTION;
	convert->loss.other_isa += convert_loss_is_other_isa(convert->format, record);
	bool counts = convert->input.strict || !convert->quiet_loss;
	const struct ear_writer *writer = convert->outputs.list[0].writer;
	uint64_t lost = counts ? convert_loss_find(convert->format, record) : 0;
	if (counts && writer)
		lost |= ear_record_fields(record) & writer->absent;
	if (counts)
		convert_loss_note(&convert->loss, lost);
	if (lost && convert->input.strict) {
		char text[160];
		convert_loss_describe(text, sizeof(text), convert->input.source, record, lost);
		cli_error("%s: %s", convert->input.name, text);
		return false;
	}
	if (convert->way == CONVERT_UNPACK)
		return put_line(convert, record);
	if (convert->way == CONVERT_ENCODE)
		convert->loss.refused += ear_record_encoder_push(convert->encoder, record) != 0;
	else
		outputs_record(&convert->outputs, record);
	return true;
}

/* One record, and with --event-port the events of its stores before it. */
static bool take_record(struct convert *convert, const struct ear_record *record)
{
	if (!convert->with_port)
		return put_record(convert, record);
	int count = port_input_push(&convert->port, record);
	bool taken = count >= 0;
	for (int i = 0; i < count && taken; i++) {
		const struct ear_record *next = port_input_mark(&convert->port, i);
		taken = next && put_record(convert, next);
	}
	return taken;
}

bool convert_records_begin(struct convert *convert)
{
	struct output *output = &convert->outputs.list[0];
	int result = 0;

	if (convert->way == CONVERT_UNPACK) {
		result = ear_unpacker_init(&convert->unpacker, &output->text,
			&(struct ear_unpacker_options){.format = convert->format,
				.writer = convert->outputs.writer_options,
				.jobs = convert->jobs,
				.comment = comments_show_line,
				.comment_context = &convert->outputs.comments});
		ear_source_set_line_diff_sink(convert->input.source, take_line_diff, convert);
	} else if (convert->way == CONVERT_ENCODE) {
		convert->encoder = ear_record_encoder_new(take_frame, convert, &convert->encoding);
		result = convert->encoder ? 0 : EAR_E_NO_MEMORY;
		ear_decoder_init(&convert->decoder, pass_record, NULL);
	}
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

int convert_next(struct convert *convert, const struct ear_record **record)
{
	return convert->parts.part > 0 ? convert_part_next(convert, record)
				       : source_input_next(&convert->input, record);
}

int convert_records_run(struct convert *convert, const struct ear_record *record, int result)
{
	const bool progress = cli_progress_wanted(), unpacks = convert->way == CONVERT_UNPACK;
	const bool begun = !unpacks && convert->parts.part == 0; /* one was read */
	bool taken = true;

	if (begun)
		ear_source_set_jobs(convert->input.source, convert->jobs);
	else if (convert->limit)
		result = convert_next(convert, &record);
	while (result > 0 && taken && !cli_interrupted && !convert->outputs.failed) {
		taken = take_record(convert, record);
		if (convert->input.record_count >= convert->limit)
			break;
		if (progress && convert->input.record_count % 4096 == 0)
			convert_show_progress(convert);
		result = convert_next(convert, &record);
	}
	if (convert->encoder) {
		ear_record_encoder_finish(convert->encoder);
		convert->loss.renumbered = *ear_record_encoder_renumbered(convert->encoder);
	}
	if (unpacks && ear_unpacker_finish(&convert->unpacker) != 0)
		convert->outputs.failed = true;
	return result < 0 || !taken ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

void convert_records_end(struct convert *convert)
{
	if (convert->encoder)
		ear_decoder_fini(&convert->decoder);
	ear_record_encoder_free(convert->encoder);
	ear_unpacker_fini(&convert->unpacker);
}
