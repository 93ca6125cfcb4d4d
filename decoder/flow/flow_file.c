/* The first line of a trace. An input is looked at only as far as it is needed: it may be a pipe
 * that brings a few bytes now and then. */
#include "decoder/flow/flow_file.h"

#include <earshot/error.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ear_flow_file_is(const char *bytes, size_t size, const char *format)
{
	const size_t begin = strlen(EAR_FLOW_FILE_BEGIN), name = strlen(format);

	return size > begin + name && memcmp(bytes, EAR_FLOW_FILE_BEGIN, begin) == 0 &&
	       memcmp(bytes + begin, format, name) == 0 && bytes[begin + name] == '"';
}

/* The size of the first line, without its end; SIZE_MAX: it has none. */
static size_t find_end(struct ear_text_input *input, const uint8_t **bytes, size_t size)
{
	for (size_t before = 0; size > before && before < EAR_FLOW_FILE_LINE_MAX;) {
		const uint8_t *end = memchr(*bytes + before, '\n', size - before);
		if (end)
			return (size_t)(end - *bytes);
		before = size;
		if (ear_text_input_bytes(input, before + 1, bytes, &size) != 1)
			return SIZE_MAX;
	}
	return SIZE_MAX;
}

int ear_flow_file_take(char **line, struct ear_text_input *input, const char *format, char *fault,
	size_t fault_size)
{
	const size_t want = strlen(EAR_FLOW_FILE_BEGIN) + strlen(format) + 1;
	const uint8_t *bytes;
	size_t size;

	*line = NULL;
	if (ear_text_input_next_offset(input) != 0 ||
		ear_text_input_bytes(input, want, &bytes, &size) != 1 ||
		!ear_flow_file_is((const char *)bytes, size, format))
		return 0;
	const size_t length = find_end(input, &bytes, size);
	if (length >= EAR_FLOW_FILE_LINE_MAX) {
		snprintf(fault, fault_size, "the first line, which says its unit, has no end");
		return EAR_E_BAD_FILE;
	}
	*line = strndup((const char *)bytes, length);
	if (!*line)
		return EAR_E_NO_MEMORY;
	ear_text_input_take(input, length + 1);
	return 0;
}
