/* What a writer leaves out of a record: what its format has no place for, and what the format
 * refuses in this record.
 */
#include "decoder/formats/base/writer.h"

#include <earshot/error.h>
#include <string.h>

uint64_t ear_writer_lost(const struct ear_writer_format *format, const struct ear_record *record)
{
	uint64_t lost = ear_record_fields(record) & ~format->fields;

	return format->unfit ? lost | format->unfit(record) : lost;
}

bool ear_writer_lacks_without_comments(
	const struct ear_writer_format *format, const struct ear_record *record)
{
	uint64_t bit = record->kind == EAR_RECORD_GAP     ? EAR_FIELD_BIT(EAR_FIELD_GAP)
		       : record->kind == EAR_RECORD_EVENT ? EAR_FIELD_BIT(EAR_FIELD_EVENT)
							  : 0;

	return bit && (format->comments || (ear_writer_lost(format, record) & bit));
}

struct ear_writer_hart ear_writer_hart(const struct ear_writer_options *options)
{
	bool chosen = options && options->one_hart;

	return (struct ear_writer_hart){
		.known = chosen, .filter = chosen, .hart = chosen ? options->hart : 0};
}

int ear_writer_hart_choose(struct ear_writer_hart *hart, const struct ear_record *record)
{
	if (!hart->known) {
		hart->known = true;
		hart->hart = record->hart;
	}
	if (record->hart == hart->hart)
		return 1;
	return hart->filter ? 0 : EAR_E_UNSUPPORTED;
}

int ear_writer_save_nothing(const struct ear_writer *writer, struct ear_snapshot *snapshot)
{
	(void)writer;
	ear_snapshot_clear(snapshot);
	return 0;
}

int ear_writer_restore_nothing(struct ear_writer *writer, const struct ear_snapshot *snapshot)
{
	(void)writer;
	(void)snapshot;
	return 0;
}

void ear_writer_free(struct ear_writer *writer)
{
	if (writer)
		writer->free(writer);
}

void ear_writer_put_place(struct ear_text_output *output, const struct ear_writer_options *options,
	struct ear_writer_place *last, const struct ear_record *record)
{
	struct ear_writer_place place = {"", ""};

	if (!options->place || record->kind != EAR_RECORD_INSTRUCTION)
		return;
	options->place(options->places, record->pc, &place);
	char *offset = strrchr(place.symbol, '+');
	if (offset && strncmp(offset, "+0x", 3) == 0)
		*offset = '\0';
	for (char *at = place.symbol; *at; at++) /* comment_line.h: no commas */
		*at = *at == ',' ? ';' : *at;
	for (char *at = place.line; *at; at++)
		*at = *at == ',' ? ';' : *at;
	if (strcmp(place.symbol, last->symbol) == 0 && strcmp(place.line, last->line) == 0)
		return;
	*last = place;
	const char *const parts[] = {"# at ", place.symbol[0] ? place.symbol : "?",
		place.line[0] ? " " : "", place.line, "\n"};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		ear_text_output_put(output, parts[i], strlen(parts[i]));
}
