/* Text traces into capture files that give back every byte. Records are encoded and the difference
 * between the text and their plain rendering is kept beside them (library/shot/archive/).
 */
#include "cli/output/pack.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "cli/input/input.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "decoder/record/absent_fields.h"
#include "library/shot/archive/archive.h"

void pack_metadata(const struct source_input *input, struct metadata *metadata, uint64_t *fields)
{
	const char *format = ear_source_format(input->source);
	char text[1024];

	const bool shot = strcmp(format, "shot") == 0;
	uint64_t absent = shot ? ear_source_absent(input->source) : ~ear_format_fields(format);

	*fields = ear_format_fields(format);
	ear_absent_fields_text(text, sizeof(text), EAR_RECORD_ENCODER_FIELDS & absent);
	if (!shot)
		metadata_add(metadata, "source", "%s", format);
	if (text[0])
		metadata_add(metadata, "not_told", "%s", text);
}

bool pack_can(const struct source_input *input)
{
	const struct ear_reader_format *format = ear_source_text_format(input->source);

	return format && ear_archive_can(format);
}

static void show_progress(const struct source_input *input, const struct ear_archive *archive)
{
	static double last;
	double now = cli_seconds();

	if (!cli_progress_wanted() || now - last < 0.2)
		return;
	last = now;
	int percent = input_percent(input->fd, input->size);
	uint64_t records = ear_archive_statistics(archive)->records;
	if (percent >= 0)
		cli_progress("packing: %d%%, %" PRIu64 " records", percent, records);
	else
		cli_progress("packing: %" PRIu64 " records", records);
}

/* Returns 0, or an error of which nothing was printed yet. */
static int pack_blocks(struct source_input *input, struct ear_archive *archive)
{
	struct ear_text_block block = {0};
	int result = 0;

	while (!cli_interrupted) {
		result = ear_source_take_block(input->source, &block);
		if (result <= 0)
			break;
		result = ear_archive_push(archive, &block);
		if (result)
			break;
		input->record_count = ear_archive_statistics(archive)->records;
		show_progress(input, archive);
	}
	ear_text_block_fini(&block);
	/* What was read of a file that is damaged is packed all the same. */
	int finished = ear_archive_finish(archive);
	return result ? result : finished;
}

bool pack_text(struct source_input *input, struct ear_shot_writer *shot,
	const struct ear_record_encoder_options *options, uint64_t state_interval,
	uint64_t *text_bytes, uint64_t *wire_bytes)
{
	const struct ear_archive_options setup = {
		.format = ear_source_text_format(input->source),
		.writer = ear_writer_find(ear_source_text_format(input->source)->name),
		.reader = *ear_source_reader_options(input->source),
		.encoder = *options,
		.state_interval = state_interval,
	};
	struct ear_archive *archive;
	int result = ear_archive_new(&archive, shot, &setup);

	if (result == 0) {
		result = pack_blocks(input, archive);
		*text_bytes = ear_archive_statistics(archive)->text_bytes;
		*wire_bytes = ear_archive_statistics(archive)->wire_bytes;
		ear_archive_free(archive);
	}
	if (result)
		source_input_fail(input, result);
	return result == 0;
}
