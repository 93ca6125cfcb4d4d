/* The loop over lines for logs in which a record ends where the next one begins. The format's take
 * function sees one line at a time; the last record comes out at the end of the file. A bad last
 * line without its line end is reported as cut off, whatever else is wrong with it.
 */
#include "decoder/formats/base/line_reader.h"

#include <stdlib.h>

int ear_line_reader_skip(struct ear_line_reader *reader, const char *cause)
{
	reader->cut_reported = ear_text_input_cut(reader->base.input);
	reader->pair.broken = reader->pair.open;
	return ear_reader_skip(&reader->base, cause, reader->pair.open);
}

int ear_line_reader_pass(struct ear_line_reader *reader, const char *cause)
{
	if (ear_text_input_cut(reader->base.input))
		return ear_line_reader_skip(reader, cause);
	return ear_reader_report(&reader->base, cause, EAR_LINE_OTHER);
}

/* A good last line without its line end is reported too: part of it may be missing. */
static int take_line(struct ear_line_reader *reader, const char *line, size_t size,
	const struct ear_record **done)
{
	int result = reader->take(reader, line, size, done);

	if (result == 0 && ear_text_input_cut(reader->base.input) && !reader->cut_reported) {
		reader->cut_reported = true;
		result = ear_reader_report(&reader->base,
			"the last line has no line end; the file may be cut off", false);
	}
	return result;
}

/* What is left of the line, or the next one. */
static int next_line(struct ear_line_reader *reader, const char **line, size_t *size)
{
	if (!reader->rest.text)
		return ear_text_input_line(reader->base.input, line, size);
	*line = reader->rest.text;
	*size = reader->rest.size;
	reader->rest.text = NULL;
	return 1;
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct ear_line_reader *reader = (struct ear_line_reader *)base;
	const struct ear_record *done = NULL;
	const char *line;
	size_t size;

	while (!done) {
		int result = next_line(reader, &line, &size);
		if (result < 0)
			return result;
		if (result == 0)
			break;
		result = take_line(reader, line, size, &done);
		if (result)
			return result;
	}
	if (!done && reader->end) {
		int result = reader->end(reader, &done);
		if (result)
			return result;
	}
	*record = done ? done : ear_record_pair_end(&reader->pair);
	return *record != NULL;
}

static void free_reader(struct ear_reader *base)
{
	struct ear_line_reader *reader = (struct ear_line_reader *)base;

	ear_record_pair_fini(&reader->pair);
	free(reader);
}

void ear_line_reader_init(struct ear_line_reader *reader, struct ear_text_input *input,
	const struct ear_reader_options *options,
	int (*take)(struct ear_line_reader *reader, const char *line, size_t size,
		const struct ear_record **done))
{
	reader->base = (struct ear_reader){
		.input = input, .options = *options, .next = next, .free = free_reader};
	reader->take = take;
}

bool ear_line_reader_fits(
	const struct ear_line_reader *reader, const struct ear_record_builder *builder)
{
	bool good = ear_reader_fits(&reader->base, builder->record.pc);

	for (size_t i = 0; i < builder->record.register_count; i++)
		if (builder->registers[i].reg_class == EAR_REGISTER_X)
			good &= ear_reader_fits(&reader->base, builder->registers[i].value);
	for (size_t i = 0; i < builder->record.memory_count; i++)
		good &= ear_reader_fits(&reader->base, builder->memory[i].address);
	return good;
}
