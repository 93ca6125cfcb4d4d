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

/* Executions begin at the first address of each range, and of each inlined copy of a function.
 * Returns false if memory is short. */
static bool take_code(struct history_search *search, const struct ear_names *names,
	const struct ear_address *address, const char *name)
{
	const bool is_inlined = address->kind == EAR_ADDRESS_INLINED;
	const size_t own = is_inlined ? 0 : address->count;
	size_t copies = 0;

	if (is_inlined || address->kind == EAR_ADDRESS_SYMBOL)
		copies = ear_names_inlined_entries(names, name, NULL, 0);
	uint64_t *entries = calloc(copies + 1, sizeof(*entries));
	search->spans = calloc(own + copies + 1, sizeof(*search->spans));
	const bool good = entries && search->spans;
	if (good && copies > 0)
		copies = ear_names_inlined_entries(names, name, entries, copies);
	for (size_t i = 0; good && i < own + copies; i++) {
		const uint64_t pc = i < own ? address->ranges[i].first : entries[i - own];
		search->spans[i] = (struct ear_span){pc, pc};
	}
	free(entries);
	search->is_code = true;
	search->count = own + copies;
	return good;
}

/* The variables of a function are columns if none were asked for. */
static void take_locals(struct history_request *request, struct history_search *search)
{
	size_t count;

	if (request->variable_count > 0 || !request->input.names ||
		ear_variable_locals(
			request->input.names, search->spans[0].first, &search->locals, &count))
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
		if (!take_code(search, request->input.names, &address, what)) {
			cli_error("out of memory");
			return false;
		}
		take_locals(request, search);
		return true;
	}
	if (address.count != 1 || (address.is_point && !address.has_size)) {
		cli_error("'%s' is data of an unknown size: ADDRESS:SIZE", what);
		return false;
	}
	search->spans = malloc(sizeof(*search->spans));
	if (!search->spans) {
		cli_error("out of memory");
		return false;
	}
	search->spans[0] = address.ranges[0];
	search->count = 1;
	return true;
}
