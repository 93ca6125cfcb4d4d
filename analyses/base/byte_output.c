#include "analyses/base/byte_output.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <earshot/error.h>

int ear_byte_output_begin(struct ear_byte_output *output)
{
	output->buffer = malloc(EAR_BYTE_OUTPUT_SIZE);
	output->used = 0;
	output->written = 0;
	output->error = 0;
	return output->buffer ? 0 : EAR_E_NO_MEMORY;
}

void ear_byte_output_end(struct ear_byte_output *output)
{
	free(output->buffer);
	output->buffer = NULL;
}

int ear_byte_output_flush(struct ear_byte_output *output)
{
	if (output->error == 0 && output->used > 0) {
		output->error = output->write(output->context, output->buffer, output->used);
		output->written += output->used;
	}
	output->used = 0;
	return output->error;
}

char *ear_byte_output_make_room(struct ear_byte_output *output, size_t size)
{
	assert(size <= EAR_BYTE_OUTPUT_ROOM);
	(void)size;
	ear_byte_output_flush(output);
	return output->buffer;
}

void ear_byte_output_print(struct ear_byte_output *output, const char *format, ...)
{
	char *at = ear_byte_output_room(output, EAR_BYTE_OUTPUT_ROOM);
	va_list arguments;

	va_start(arguments, format);
	int size = vsnprintf(at, EAR_BYTE_OUTPUT_ROOM, format, arguments);
	va_end(arguments);
	if (size >= (int)EAR_BYTE_OUTPUT_ROOM)
		size = (int)EAR_BYTE_OUTPUT_ROOM - 1;
	if (size > 0)
		ear_byte_output_take(output, at + size);
}

char *ear_byte_output_decimal(char *at, uint64_t value)
{
	char digits[20];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	while (count > 0)
		*at++ = digits[--count];
	return at;
}
