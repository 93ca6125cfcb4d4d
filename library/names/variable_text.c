/* Values as text. One walk over types and bytes makes both forms; a sink takes what it prints. The
 * walk is bound by the bytes that there are, by its depth and by the size of the text.
 */
#include <earshot/variable.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/printable.h"

#define ELEMENTS_MAX 200
#define JSON_MAX     65536 /* elements in JSON, which is for programs */
#define DEPTH_MAX    64
#define TEXT_MAX     (16u << 20)

struct printer {
	const struct ear_variable *variable;
	const struct ear_names *names;
	bool json;
	unsigned depth, depth_max;
	char *text;
	size_t size, room;
	bool failed;
};

static void put(struct printer *printer, const char *bytes, size_t size)
{
	if (printer->failed || size > TEXT_MAX - printer->size) {
		printer->failed = true;
		return;
	}
	if (!EAR_ARRAY_RESERVE(printer->text, &printer->room, printer->size + size + 1)) {
		printer->failed = true;
		return;
	}
	memcpy(printer->text + printer->size, bytes, size);
	printer->size += size;
	printer->text[printer->size] = '\0';
}

static void print(struct printer *printer, const char *form, ...)
	__attribute__((format(printf, 2, 3)));

static void print(struct printer *printer, const char *form, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, form);
	int size = vsnprintf(text, sizeof(text), form, arguments);
	va_end(arguments);
	put(printer, text, size < (int)sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

/* A name from the file, safe to show; in JSON in quotes. */
static void put_name(struct printer *printer, const char *name)
{
	char text[512];

	ear_printable_string(text, sizeof(text), name, EAR_PRINTABLE_LINE);
	if (!printer->json) {
		print(printer, "%s", text);
		return;
	}
	put(printer, "\"", 1);
	for (const char *at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			put(printer, "\\", 1);
		put(printer, at, 1);
	}
	put(printer, "\"", 1);
}

static void put_unknown(struct printer *printer)
{
	print(printer, "%s", printer->json ? "null" : "?");
}

/* ---- Bytes ---- */

static bool is_known(const struct printer *printer, uint64_t at, uint64_t size)
{
	const struct ear_variable *variable = printer->variable;

	return at <= variable->byte_count && size <= variable->byte_count - at && size > 0 &&
	       !memchr(variable->known + at, 0, (size_t)size);
}

/* Up to 8 bytes as a number; false if one is not known. */
static bool load(
	const struct printer *printer, const struct ear_type *type, uint64_t at, uint64_t *value)
{
	uint64_t size = type->size;

	*value = 0;
	if (size > 9 || !is_known(printer, at, size))
		return false;
	for (uint64_t i = size > 8 ? 8 : size; i > 0; i--)
		*value = *value << 8 | printer->variable->bytes[at + i - 1];
	unsigned bits = (unsigned)(size > 8 ? 64 : 8 * size);
	if (type->bit_size) {
		*value >>= type->bit_offset;
		if (size == 9 && type->bit_offset)
			*value |= (uint64_t)printer->variable->bytes[at + 8]
				  << (64 - type->bit_offset);
		bits = type->bit_size;
	}
	if (bits < 64) {
		*value &= (UINT64_C(1) << bits) - 1;
		if (type->is_signed && *value >> (bits - 1))
			*value |= UINT64_MAX << bits;
	}
	return size <= 8 || type->bit_size;
}

/* ---- Kinds ---- */

static void put_number(struct printer *printer, const struct ear_type *type, uint64_t value)
{
	if (type->is_signed)
		print(printer, "%" PRId64, (int64_t)value);
	else
		print(printer, "%" PRIu64, value);
}

static void put_character(struct printer *printer, const struct ear_type *type, uint64_t value)
{
	unsigned char byte = (unsigned char)value;

	put_number(printer, type, value);
	if (!printer->json && type->size == 1 && byte >= ' ' && byte < 0x7f)
		print(printer, " '%s%c'", byte == '\'' || byte == '\\' ? "\\" : "", byte);
}

static void put_pointer(struct printer *printer, const struct ear_type *type, uint64_t value)
{
	char name[512] = "";

	if (printer->json) {
		print(printer, "%" PRIu64, value);
		return;
	}
	print(printer, "0x%" PRIx64, value);
	if (printer->names && value)
		ear_names_text(printer->names, value, name, sizeof(name));
	if (name[0])
		print(printer, " <%.500s>", name);
	(void)type;
}

static void put_float(struct printer *printer, const struct ear_type *type, uint64_t value)
{
	char text[64];
	double number;

	if (type->size == 4) {
		uint32_t bits = (uint32_t)value;
		float single;
		memcpy(&single, &bits, sizeof(single));
		number = (double)single;
		snprintf(text, sizeof(text), "%.9g", number);
	} else {
		memcpy(&number, &value, sizeof(number));
		snprintf(text, sizeof(text), "%.17g", number);
	}
	bool finite = number - number == 0;
	if (printer->json && !finite)
		print(printer, "\"%s\"", text);
	else
		print(printer, "%s", text);
}

static const struct ear_type *child(
	const struct printer *printer, const struct ear_type *type, uint64_t i)
{
	return &printer->variable->types[type->first_child + i];
}

static void put_enum(struct printer *printer, const struct ear_type *type, uint64_t value)
{
	for (unsigned i = 0; i < type->child_count; i++) {
		const struct ear_type *constant = child(printer, type, i);
		if (constant->kind == EAR_TYPE_CONSTANT && (uint64_t)constant->value == value) {
			put_name(printer, constant->name);
			return;
		}
	}
	put_number(printer, type, value);
}

static void put_scalar(struct printer *printer, const struct ear_type *type, uint64_t at)
{
	uint64_t value;

	if (!load(printer, type, at, &value)) {
		put_unknown(printer);
		return;
	}
	switch (type->kind) {
	case EAR_TYPE_CHARACTER: put_character(printer, type, value); break;
	case EAR_TYPE_BOOLEAN: print(printer, "%s", value ? "true" : "false"); break;
	case EAR_TYPE_POINTER: put_pointer(printer, type, value); break;
	case EAR_TYPE_ENUM: put_enum(printer, type, value); break;
	case EAR_TYPE_FLOAT:
		if (type->size == 4 || type->size == 8) {
			put_float(printer, type, value);
			break;
		}
		put_unknown(printer);
		break;
	default: put_number(printer, type, value); break;
	}
}

/* What has no kind is shown as its bytes, the first one first. */
static void put_bytes(struct printer *printer, uint64_t at, uint64_t size)
{
	const struct ear_variable *variable = printer->variable;

	if (printer->json)
		print(printer, "[");
	for (uint64_t i = 0; i < size && i < ELEMENTS_MAX; i++) {
		bool known = is_known(printer, at + i, 1);
		if (i > 0)
			print(printer, printer->json ? ", " : " ");
		if (!known)
			print(printer, "%s", printer->json ? "null" : "??");
		else
			print(printer, printer->json ? "%u" : "%02x", variable->bytes[at + i]);
	}
	if (size > ELEMENTS_MAX && !printer->json)
		print(printer, " ...");
	if (printer->json)
		print(printer, "]");
}

static void put_value(struct printer *printer, const struct ear_type *type, uint64_t at);

static void put_struct(struct printer *printer, const struct ear_type *type, uint64_t at)
{
	print(printer, "{");
	for (unsigned i = 0; i < type->child_count && !printer->failed; i++) {
		const struct ear_type *member = child(printer, type, i);

		if (i > 0)
			print(printer, ", ");
		if (member->name[0] || printer->json) {
			put_name(printer, member->name);
			print(printer, printer->json ? ": " : " = ");
		}
		if (member->offset > UINT64_MAX - at)
			put_unknown(printer);
		else
			put_value(printer, member, at + member->offset);
	}
	print(printer, "}");
}

/* Characters up to the first NUL, if all of them are known and can be shown. */
static bool put_string(struct printer *printer, const struct ear_type *type,
	const struct ear_type *element, uint64_t at)
{
	const struct ear_variable *variable = printer->variable;
	uint64_t length = 0;

	if (element->kind != EAR_TYPE_CHARACTER || element->size != 1)
		return false;
	while (length < type->count && is_known(printer, at + length, 1) &&
		variable->bytes[at + length])
		length++;
	bool whole = length == type->count || is_known(printer, at + length, 1);
	if (!whole || length > 65536 ||
		ear_printable_span((const char *)variable->bytes + at, (size_t)length,
			EAR_PRINTABLE_LINE) != length)
		return false;
	put(printer, "\"", 1);
	for (uint64_t i = 0; i < length; i++) {
		char byte = (char)variable->bytes[at + i];
		if (byte == '"' || byte == '\\')
			put(printer, "\\", 1);
		put(printer, &byte, 1);
	}
	put(printer, "\"", 1);
	return true;
}

static void put_array(struct printer *printer, const struct ear_type *type, uint64_t at)
{
	const struct ear_type *element = type->child_count ? child(printer, type, 0) : NULL;
	uint64_t max = printer->json ? JSON_MAX : ELEMENTS_MAX;

	if (!element || element->size == 0) {
		put_bytes(printer, at, type->size);
		return;
	}
	if (put_string(printer, type, element, at))
		return;
	print(printer, printer->json ? "[" : "{");
	for (uint64_t i = 0; i < type->count && !printer->failed; i++) {
		if (i > 0)
			print(printer, ", ");
		if (i == max || i * element->size > printer->variable->byte_count) {
			print(printer, "%s", printer->json ? "null" : "...");
			break;
		}
		put_value(printer, element, at + i * element->size);
	}
	print(printer, printer->json ? "]" : "}");
}

static void put_value(struct printer *printer, const struct ear_type *type, uint64_t at)
{
	bool nested = type->kind == EAR_TYPE_STRUCT || type->kind == EAR_TYPE_ARRAY;

	if (nested && printer->depth == printer->depth_max) {
		print(printer, "%s", printer->json ? "null" : "{...}");
		return;
	}
	printer->depth += nested;
	switch (type->kind) {
	case EAR_TYPE_STRUCT: put_struct(printer, type, at); break;
	case EAR_TYPE_ARRAY: put_array(printer, type, at); break;
	case EAR_TYPE_VOID:
	case EAR_TYPE_CONSTANT: put_unknown(printer); break;
	case EAR_TYPE_UNKNOWN: put_bytes(printer, at, type->size); break;
	default: put_scalar(printer, type, at); break;
	}
	printer->depth -= nested;
}

static char *finish(struct printer *printer)
{
	if (printer->variable->type_count == 0 || printer->variable->place == EAR_PLACE_NONE)
		put_unknown(printer);
	else
		put_value(printer, &printer->variable->types[0], 0);
	if (!printer->failed)
		return printer->text;
	free(printer->text);
	return NULL;
}

char *ear_variable_text(
	const struct ear_variable *variable, const struct ear_names *names, unsigned depth)
{
	struct printer printer = {.variable = variable,
		.names = names,
		.depth_max = depth < DEPTH_MAX ? depth : DEPTH_MAX};

	return finish(&printer);
}

char *ear_variable_json(const struct ear_variable *variable, const struct ear_names *names)
{
	struct printer printer = {
		.variable = variable, .names = names, .json = true, .depth_max = DEPTH_MAX};

	return finish(&printer);
}
