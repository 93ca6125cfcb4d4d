/* The parameters of a trace unit, from JSON. An object inside of the outer one is read by the same
 * loop, one level deep: units write their encapsulation so. The reader of JSON lines takes one
 * line, so the ends of lines become blanks first.
 */
#include "decoder/flow/flow_unit.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/json/json_scan.h"
#include "decoder/text/text_input.h"

struct reading {
	struct ear_json_scan scan;
	void *parameters;
	const struct ear_flow_parameter *table;
	char *fault; /* "": none yet */
};

static bool refuse(struct reading *reading, struct ear_text key, const char *cause)
{
	if (!reading->fault[0])
		snprintf(reading->fault, EAR_FLOW_FAULT_SIZE, "\"%.*s\": %s",
			key.size < 40 ? (int)key.size : 40, key.text, cause);
	return false;
}

static const struct ear_flow_parameter *find(const struct reading *reading, struct ear_text key)
{
	for (const struct ear_flow_parameter *row = reading->table; row->key; row++)
		if (ear_text_is(key, row->key))
			return row;
	return NULL;
}

/* The first character of the value that comes next. */
static char first_of_value(const struct reading *reading)
{
	struct ear_text_cursor at = reading->scan.cursor;

	ear_text_skip_blanks(&at);
	return ear_text_peek(&at);
}

static bool take_word(
	struct reading *reading, const struct ear_flow_parameter *row, uint64_t *value)
{
	struct ear_text word;

	if (!ear_json_string(&reading->scan, &word))
		return false;
	for (*value = 0; row->words[*value]; ++*value)
		if (ear_text_is(word, row->words[*value]))
			return true;
	return false;
}

static bool take_value(
	struct reading *reading, const struct ear_flow_parameter *row, uint64_t *value)
{
	char first = first_of_value(reading);
	bool is_true;

	if (first == '"' && row->words)
		return take_word(reading, row, value);
	if (first != 't' && first != 'f')
		return ear_json_number(&reading->scan, value, UINT64_MAX);
	if (!ear_json_bool(&reading->scan, &is_true))
		return false;
	*value = is_true;
	return true;
}

static bool take_parameter(
	struct reading *reading, const struct ear_flow_parameter *row, struct ear_text key)
{
	uint64_t value;
	uint32_t narrow;
	char cause[64];

	if (!take_value(reading, row, &value))
		return refuse(reading, key,
			row->words ? "not a number, or a word that is not known" : "not a number");
	if (row->wide) {
		memcpy((char *)reading->parameters + row->offset, &value, sizeof(value));
		return true;
	}
	if (value < row->min || value > row->max) {
		snprintf(cause, sizeof(cause), "not a number from %u to %u", row->min, row->max);
		return refuse(reading, key, cause);
	}
	narrow = (uint32_t)value;
	memcpy((char *)reading->parameters + row->offset, &narrow, sizeof(narrow));
	return true;
}

static bool take_map(struct reading *reading, const struct ear_flow_parameter *row)
{
	struct ear_text key;
	uint64_t value;

	if (!ear_json_begin(&reading->scan, '{'))
		return false;
	while (ear_json_member(&reading->scan, &key)) {
		if (!ear_json_number(&reading->scan, &value, UINT64_MAX) ||
			!row->member(reading->parameters, key, value))
			return refuse(reading, key, "not understood");
	}
	ear_json_resume(&reading->scan);
	return !reading->scan.fault;
}

static bool take_member(struct reading *reading, struct ear_text key)
{
	const struct ear_flow_parameter *row = find(reading, key);

	if (!row)
		return ear_json_skip(&reading->scan);
	return row->member ? take_map(reading, row) : take_parameter(reading, row, key);
}

static bool take_inner(struct reading *reading)
{
	struct ear_text key;

	ear_json_begin(&reading->scan, '{');
	while (ear_json_member(&reading->scan, &key))
		if (!take_member(reading, key))
			return false;
	ear_json_resume(&reading->scan);
	return !reading->scan.fault;
}

static bool take_outer(struct reading *reading)
{
	struct ear_text key;

	if (!ear_json_begin(&reading->scan, '{'))
		return false;
	while (ear_json_member(&reading->scan, &key)) {
		bool inner = first_of_value(reading) == '{' && !find(reading, key);
		if (!(inner ? take_inner(reading) : take_member(reading, key)))
			return false;
	}
	return ear_json_end(&reading->scan);
}

/* One line of it, with room after it. NULL if memory is short. */
static char *copy_line(const char *json, size_t size)
{
	char *line = calloc(1, size + EAR_TEXT_SLACK);

	for (size_t i = 0; line && i < size; i++)
		line[i] = json[i] == '\n' || json[i] == '\r' ? ' ' : json[i];
	return line;
}

int ear_flow_parameters_read(
	void *parameters, const struct ear_flow_parameter *table, const char *json, char *fault)
{
	size_t size = strlen(json);
	char *line = copy_line(json, size);
	struct ear_record_builder builder = {0};
	struct reading reading = {.parameters = parameters, .table = table, .fault = fault};

	if (!line)
		return EAR_E_NO_MEMORY;
	reading.scan =
		(struct ear_json_scan){.cursor = ear_text_cursor(line, size), .builder = &builder};
	fault[0] = '\0';
	bool good = take_outer(&reading);
	if (!good && !fault[0])
		snprintf(fault, EAR_FLOW_FAULT_SIZE, "not a JSON object of parameters: %s",
			reading.scan.fault ? reading.scan.fault : "something is missing");
	int error = builder.error == EAR_E_NO_MEMORY ? EAR_E_NO_MEMORY : EAR_E_BAD_ARGUMENT;
	ear_record_builder_fini(&builder);
	free(line);
	return good ? 0 : error;
}

/* The fault of a name that is not known: it lists the others. */
static void list_known(const struct ear_flow_known *known, const char *name, char *fault)
{
	size_t used = (size_t)snprintf(
		fault, EAR_FLOW_FAULT_SIZE, "'%.40s' is not a unit that is known; those are", name);

	for (; known->name && used < EAR_FLOW_FAULT_SIZE; known++)
		used += (size_t)snprintf(fault + used, EAR_FLOW_FAULT_SIZE - used, " %s%s",
			known->name, known[1].name ? "," : "");
}

int ear_flow_unit_read(void *parameters, const struct ear_flow_parameter *table,
	const struct ear_flow_known *known, const char *text, char *fault)
{
	const struct ear_flow_known *at = known;

	if (text[strspn(text, " \t\r\n")] == '{')
		return ear_flow_parameters_read(parameters, table, text, fault);
	while (at->name && strcmp(at->name, text) != 0)
		at++;
	if (at->name)
		return ear_flow_parameters_read(parameters, table, at->json, fault);
	list_known(known, text, fault);
	return EAR_E_BAD_ARGUMENT;
}
