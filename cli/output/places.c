/* Names in texts. Which formats have room for them is known here: those with comment lines, and
 * JSON.
 */
#include "cli/output/places.h"

#include <earshot/names.h>
#include <string.h>

#include "cli/base/cli.h"
#include "decoder/formats/formats.h"

void places_find(const void *names, uint64_t address, struct ear_writer_place *place)
{
	ear_names_text(names, address, place->symbol, sizeof(place->symbol));
	ear_names_line_text(names, address, place->line, sizeof(place->line));
}

bool places_begin(struct ear_writer_options *options, const struct ear_writer_format *format,
	struct symbol_file *file)
{
	if (!format->comments && strcmp(format->name, "json") != 0) {
		cli_error("--names: the format %s has no room for names", format->name);
		return false;
	}
	options->place = places_find;
	options->places = symbol_file_names(file);
	return options->places != NULL;
}

bool places_json(struct record_text *text, const struct ear_names *names)
{
	const struct ear_writer_options options = {
		.place = names ? places_find : NULL, .places = names};

	return record_text_init(text, ear_writer_find("json"), &options);
}
