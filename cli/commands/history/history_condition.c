/* Conditions of --where: a variable, an operator, and a number or the name of a constant. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/history/history.h"

static const char *const operations[] = {"==", "!=", "<=", ">=", "<", ">", NULL};

bool history_condition_parse(struct history_condition *condition, const char *text)
{
	*condition = (struct history_condition){.text = text, .variable = text};
	for (const char *at = text; *at; at++) {
		const bool is_arrow = *at == '>' && at > text && at[-1] == '-';
		for (const char *const *operation = operations; *operation && !is_arrow;
			operation++) {
			const size_t size = strlen(*operation);
			if (strncmp(at, *operation, size) != 0)
				continue;
			condition->variable_size = (size_t)(at - text);
			while (condition->variable_size > 0 &&
				text[condition->variable_size - 1] == ' ')
				condition->variable_size--;
			strcpy(condition->operation, *operation);
			condition->value = at + size + strspn(at + size, " ");
			return condition->variable_size > 0 && *condition->value;
		}
	}
	return false;
}

/* A number of the command line, or a constant of the variable's type. */
static bool read_value(const struct history_condition *condition,
	const struct ear_variable *variable, bool is_signed, int64_t *number)
{
	const struct ear_type *type = variable->types;
	char *end;

	errno = 0;
	*number = is_signed || condition->value[0] == '-'
			  ? strtoll(condition->value, &end, 0)
			  : (int64_t)strtoull(condition->value, &end, 0);
	if (end != condition->value && *end == '\0' && errno == 0)
		return true;
	for (unsigned i = 0; type->kind == EAR_TYPE_ENUM && i < type->child_count; i++) {
		const struct ear_type *constant = &variable->types[type->first_child + i];
		if (strcmp(constant->name, condition->value) != 0)
			continue;
		*number = constant->value;
		return true;
	}
	return false;
}

static bool is_number(const struct ear_variable *variable)
{
	if (variable->type_count == 0)
		return false;
	switch (variable->types[0].kind) {
	case EAR_TYPE_INTEGER:
	case EAR_TYPE_CHARACTER:
	case EAR_TYPE_BOOLEAN:
	case EAR_TYPE_POINTER:
	case EAR_TYPE_ENUM: return variable->types[0].size > 0 && variable->types[0].size <= 8;
	default: return false;
	}
}

bool history_condition_fits(
	const struct history_condition *condition, const struct ear_variable *variable)
{
	int64_t number;

	return is_number(variable) && read_value(condition, variable, true, &number);
}

static bool compare(const char *operation, int order)
{
	switch (operation[0]) {
	case '=': return order == 0;
	case '!': return order != 0;
	case '<': return order < 0 || (operation[1] && order == 0);
	default: return order > 0 || (operation[1] && order == 0);
	}
}

bool history_number(const struct ear_variable *variable, bool *is_signed, uint64_t *number)
{
	const struct ear_type *type = variable->types;
	const size_t size = is_number(variable) ? (size_t)type->size : 0;

	if (size == 0 || variable->byte_count < size)
		return false;
	*number = 0;
	for (size_t i = size; i-- > 0;) {
		if (!variable->known[i])
			return false;
		*number = *number << 8 | variable->bytes[i];
	}
	*is_signed = type->is_signed;
	if (type->is_signed && size < 8 && *number >> (8 * size - 1))
		*number |= UINT64_MAX << 8 * size;
	return true;
}

int history_condition_holds(
	const struct history_condition *condition, const struct ear_variable *variable)
{
	const struct ear_type *type = variable->types;
	uint64_t value;
	int64_t wanted;
	bool is_signed;

	if (!history_number(variable, &is_signed, &value) ||
		!read_value(condition, variable, is_signed, &wanted))
		return -1;
	/* A negative number is none of an unsigned type. */
	if (!type->is_signed && condition->value[0] == '-')
		return compare(condition->operation, 1);
	int order = type->is_signed ? ((int64_t)value > wanted) - ((int64_t)value < wanted)
				    : (value > (uint64_t)wanted) - (value < (uint64_t)wanted);
	return compare(condition->operation, order);
}
