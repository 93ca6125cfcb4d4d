#include "decoder/writer.h"

#include <string.h>

#include "decoder/writer_whisper.h"

const struct ear_writer_format ear_writer_formats[] = {
	{"whisper", ".csv", "CSV as the Whisper simulator writes it", EAR_WRITER_WHISPER_FIELDS,
		ear_writer_whisper_make},
	{NULL, NULL, NULL, 0, NULL},
};

const struct ear_writer_format *ear_writer_find(const char *name)
{
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

const struct ear_writer_format *ear_writer_find_by_path(const char *path)
{
	size_t length = strlen(path);

	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++) {
		size_t extension = strlen(format->extension);
		if (length > extension && strcmp(path + length - extension, format->extension) == 0)
			return format;
	}
	return NULL;
}

void ear_writer_free(struct ear_writer *writer)
{
	if (writer)
		writer->free(writer);
}
