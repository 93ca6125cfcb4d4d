/* Bytes of messages. Numbers are put together from bytes, so neither alignment nor the order of the
 * machine matters; compilers make single loads of it.
 */
#include "library/names/wire.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "library/names/helper_message.h"

#define STRING_MAX 65536

void ear_wire_free(struct ear_wire *wire)
{
	free(wire->bytes);
	*wire = (struct ear_wire){0};
}

static bool reserve(struct ear_wire *wire, size_t size)
{
	if (wire->failed || size > EAR_MESSAGE_ANSWER_MAX - wire->size) {
		wire->failed = true;
		return false;
	}
	wire->failed = !EAR_ARRAY_RESERVE(wire->bytes, &wire->room, wire->size + size);
	return !wire->failed;
}

void ear_wire_put(struct ear_wire *wire, const void *bytes, size_t size)
{
	if (size == 0 || !reserve(wire, size))
		return;
	memcpy(wire->bytes + wire->size, bytes, size);
	wire->size += size;
}

void ear_wire_u32(struct ear_wire *wire, uint32_t value)
{
	uint8_t bytes[4];

	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	ear_wire_put(wire, bytes, sizeof(bytes));
}

void ear_wire_u64(struct ear_wire *wire, uint64_t value)
{
	ear_wire_u32(wire, (uint32_t)value);
	ear_wire_u32(wire, (uint32_t)(value >> 32));
}

uint32_t ear_wire_string(struct ear_wire *strings, const char *text)
{
	uint32_t offset = (uint32_t)strings->size;
	size_t size = text ? strnlen(text, STRING_MAX) : 0;

	if (size == 0 && offset > 0)
		return 0;
	ear_wire_put(strings, text, size);
	ear_wire_put(strings, "", 1);
	return offset;
}

uint32_t ear_wire_get_u32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

uint64_t ear_wire_get_u64(const uint8_t *bytes)
{
	return ear_wire_get_u32(bytes) | (uint64_t)ear_wire_get_u32(bytes + 4) << 32;
}

const uint8_t *ear_wire_take(struct ear_wire_view *view, uint64_t count, size_t item_size)
{
	const uint8_t *bytes = view->bytes;

	if (count > view->size / item_size)
		return NULL;
	view->bytes += count * item_size;
	view->size -= (size_t)count * item_size;
	return bytes;
}

bool ear_wire_take_strings(struct ear_wire_view *view, struct ear_wire_view *strings, size_t size)
{
	const uint8_t *bytes = ear_wire_take(view, size, 1);

	if (!bytes || size == 0 || bytes[size - 1] != '\0')
		return false;
	*strings = (struct ear_wire_view){bytes, size};
	return true;
}

const char *ear_wire_text(const struct ear_wire_view *strings, uint32_t offset)
{
	return offset < strings->size ? (const char *)strings->bytes + offset : NULL;
}
