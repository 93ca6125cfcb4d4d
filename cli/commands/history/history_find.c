/* What the words of the command line mean: where the code is, or where the variable lies. */
#include <stdlib.h>
#include <string.h>

#include <earshot/address.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/history/history.h"

static bool is_code(const struct ear_names *names, uint64_t address)
{
	for (size_t f = 0; names && f < ear_names_file_count(names); f++) {
		const struct ear_names_file *file = ear_names_file(names, f);
		for (size_t i = 0; i < file->section_count; i++)
			if (address - file->sections[i].address < file->sections[i].size)
				return file->sections[i].flags & EAR_NAMES_EXECUTE;
	}
	return false;
}

/* Executions begin at the first address of each range. */
static void take_code(struct history_search *search, const struct ear_address *address)
{
	search->is_code = true;
	search->count = address->count;
	for (size_t i = 0; i < search->count; i++)
		search->spans[i] =
			(struct ear_span){address->ranges[i].first, address->ranges[i].first};
}

/* The variables of a function are columns if none were asked for. */
static void take_locals(struct history_request *request, struct history_search *search)
{
	size_t count;

	if (request->variable_count > 0 || ear_variable_locals(request->input.names,
						   search->spans[0].first, &search->locals, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		bool is_new = true;
		for (unsigned j = 0; j < request->variable_count; j++)
			is_new = is_new &&
				 strcmp(request->variables[j], search->locals[i].name) != 0;
		if (!is_new)
			continue; /* a variable of an inner block hides it */
		if (request->variable_count < HISTORY_VARIABLES_MAX)
			request->variables[request->variable_count++] = search->locals[i].name;
		else
			search->more_locals++;
	}
}

bool history_find(struct history_request *request, struct history_search *search)
{
	struct ear_address address = {.size = sizeof(address)};
	char message[EAR_ADDRESS_MESSAGE_MAX];
	const char *what = request->what + (request->what[0] == '=');

	int result = ear_address_parse(
		&address, what, strlen(what), request->input.names, NULL, message);
	cli_progress_clear();
	if (result) {
		cli_error("%s", message);
		return false;
	}
	if (address.kind == EAR_ADDRESS_LINE ||
		is_code(request->input.names, address.ranges[0].first) ||
		(address.is_point && !address.has_size && !request->input.names)) {
		take_code(search, &address);
		take_locals(request, search);
		return true;
	}
	if (address.count != 1 || (address.is_point && !address.has_size)) {
		cli_error("'%s' is data of an unknown size: ADDRESS:SIZE", what);
		return false;
	}
	search->spans[0] = address.ranges[0];
	search->count = 1;
	return true;
}
