/* What the words of the command line mean: where the code is, or where the variable lies. */
#include <stdlib.h>
#include <string.h>

#include <earshot/address.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/history/history.h"

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
		ear_address_is_code(&address, request->input.names) ||
		(address.is_point && !address.has_size && !request->input.names)) {
		search->is_code = true;
		search->spans =
			ear_address_entries(&address, request->input.names, what, &search->count);
		if (!search->spans) {
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
