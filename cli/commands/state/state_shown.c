/* Names of addresses in what 'earshot state' prints. */
#include "cli/commands/state/state_shown.h"

#include <stdio.h>

void state_place_text(const struct state_shown *show, uint64_t address, char *text, size_t size)
{
	char symbol[STATE_TEXT_MAX / 2 - 4], line[STATE_TEXT_MAX / 2];

	text[0] = '\0';
	if (!show->input->names)
		return;
	ear_names_text(show->input->names, address, symbol, sizeof(symbol));
	ear_names_line_text(show->input->names, address, line, sizeof(line));
	snprintf(text, size, "%s%s%s", symbol, symbol[0] && line[0] ? "  " : "", line);
}

void state_address_members(struct state_shown *show, uint64_t address)
{
	char text[STATE_TEXT_MAX];

	if (!show->input->names)
		return;
	if (ear_names_text(show->input->names, address, text, sizeof(text)) > 0) {
		json_text(&show->json, "symbol", text);
	}
	if (ear_names_line_text(show->input->names, address, text, sizeof(text)) > 0) {
		json_text(&show->json, "line", text);
	}
}
