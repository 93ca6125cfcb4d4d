/* Members of variables by their addresses. The helper is asked once for each variable; then the
 * types are followed down to the member or element that has the byte. Where several have it, as in
 * a union, or none, as in a gap, the rest is an offset.
 */
#include "cli/commands/why/chain_member.h"

#include <earshot/variable.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLES_MAX 64
#define LETTERS       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"

struct chain_members {
	struct ear_names *names;
	size_t count;
	struct {
		const struct ear_symbol *symbol;
		struct ear_variable variable; /* type_count 0: not known */
	} known[VARIABLES_MAX];
};

struct chain_members *chain_members_new(struct ear_names *names)
{
	struct chain_members *members = names ? calloc(1, sizeof(*members)) : NULL;

	if (members)
		members->names = names;
	return members;
}

void chain_members_free(struct chain_members *members)
{
	for (size_t i = 0; members && i < members->count; i++)
		ear_variable_free(&members->known[i].variable);
	free(members);
}

/* The variable of a symbol; NULL: its type is not known, or there are too many. */
static const struct ear_variable *find(
	struct chain_members *members, const struct ear_symbol *symbol)
{
	size_t i = 0;

	while (i < members->count && members->known[i].symbol != symbol)
		i++;
	struct ear_variable *variable = &members->known[i].variable;
	if (i == VARIABLES_MAX)
		return NULL;
	if (i == members->count) {
		members->known[members->count++].symbol = symbol;
		variable->size = sizeof(*variable);
		if (ear_variable_find(variable, members->names, symbol->name, strlen(symbol->name),
			    NULL) == 0 &&
			(variable->place != EAR_PLACE_MEMORY ||
				variable->address != symbol->address))
			ear_variable_free(variable); /* another one of this name */
	}
	return variable->type_count > 0 ? variable : NULL;
}

struct writer {
	char *text;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void add(
	struct writer *writer, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	int length = vsnprintf(
		writer->text + writer->length, writer->size - writer->length, format, list);
	va_end(list);
	if (length > 0)
		writer->length += (size_t)length;
	if (writer->length >= writer->size)
		writer->length = writer->size - 1;
}

/* The only member that has the byte; NULL: several, or none. */
static const struct ear_type *member_at(
	const struct ear_variable *variable, const struct ear_type *type, uint64_t offset)
{
	const struct ear_type *found = NULL;

	for (unsigned i = 0; i < type->child_count; i++) {
		const struct ear_type *child = &variable->types[type->first_child + i];
		if (offset - child->offset >= child->size)
			continue;
		if (found || child->bit_size > 0 || !child->name[0] ||
			child->name[strspn(child->name, LETTERS)] != '\0')
			return NULL;
		found = child;
	}
	return found;
}

/* From the type on to the byte at offset. */
static void write_parts(struct writer *writer, const struct ear_variable *variable, uint64_t offset)
{
	const struct ear_type *type = &variable->types[0];

	for (;;) {
		const struct ear_type *next = NULL;
		if (type->kind == EAR_TYPE_STRUCT) {
			next = member_at(variable, type, offset);
			if (next) {
				offset -= next->offset;
				add(writer, ".%s", next->name);
			}
		} else if (type->kind == EAR_TYPE_ARRAY && type->child_count == 1) {
			next = &variable->types[type->first_child];
			if (next->size > 0 && offset / next->size < type->count) {
				add(writer, "[%" PRIu64 "]", offset / next->size);
				offset %= next->size;
			} else {
				next = NULL;
			}
		}
		if (!next)
			break;
		type = next;
	}
	if (offset > 0)
		add(writer, "+0x%" PRIx64, offset);
}

void chain_member_of(const struct ear_variable *variable, uint64_t offset, char *text, size_t size)
{
	struct writer writer = {text, size, 0};

	text[0] = '\0';
	write_parts(&writer, variable, offset);
}

bool chain_member_text(struct chain_members *members, uint64_t address, char *text, size_t size)
{
	struct writer writer = {text, size, 0};
	uint64_t offset;

	const struct ear_symbol *symbol =
		members ? ear_names_symbol_at(members->names, address, &offset) : NULL;
	if (!symbol || symbol->kind != EAR_NAMES_OBJECT || offset >= symbol->size)
		return false;
	const struct ear_variable *variable = find(members, symbol);
	if (!variable || (variable->types[0].kind != EAR_TYPE_STRUCT &&
				 variable->types[0].kind != EAR_TYPE_ARRAY))
		return false;
	int length = ear_names_text(members->names, symbol->address, text, size);
	if (length <= 0 || (size_t)length >= size)
		return false;
	writer.length = (size_t)length;
	write_parts(&writer, variable, offset);
	return true;
}
