/* Each function is a line of text, or a member: what one form says the other one does, too. */
#include "cli/show/key_lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/notes.h"

void key_begin(struct key_lines *keys, bool as_json)
{
	*keys = (struct key_lines){.as_json = as_json, .json = json_spaced()};
	if (as_json)
		json_open(&keys->json, NULL, '{');
}

void key_end(struct key_lines *keys)
{
	if (!keys->as_json)
		return;
	json_close(&keys->json, '}');
	putchar('\n');
}

void key_text(struct key_lines *keys, const char *key, const char *text)
{
	if (keys->as_json)
		json_text(&keys->json, key, text);
	else
		printf("%s: %s\n", key, text);
}

void key_number(struct key_lines *keys, const char *key, uint64_t value)
{
	key_least(keys, key, value, false);
}

void key_address(struct key_lines *keys, const char *key, uint64_t value)
{
	if (keys->as_json)
		json_hex(&keys->json, key, true, value);
	else
		printf("%s: 0x%" PRIx64 "\n", key, value);
}

void key_least(struct key_lines *keys, const char *key, uint64_t value, bool at_least)
{
	char name[64];

	if (!at_least)
		notes_number(key, value);
	if (!keys->as_json) {
		printf("%s: %" PRIu64 "%s\n", key, value, at_least ? " or more" : "");
		return;
	}
	json_number(&keys->json, key, value);
	snprintf(name, sizeof(name), "%s_at_least", key);
	if (at_least)
		json_bool(&keys->json, name, true);
}

void key_real(struct key_lines *keys, const char *key, double value)
{
	if (keys->as_json) {
		json_key(&keys->json, key);
		printf("%.4g", value);
	} else {
		printf("%s: %.4g\n", key, value);
	}
}

void key_answer(struct key_lines *keys, const char *key, bool known, bool value)
{
	if (!keys->as_json)
		printf("%s: %s\n", key, !known ? "unknown" : value ? "yes" : "no");
	else if (known)
		json_bool(&keys->json, key, value);
	else
		json_null(&keys->json, key);
}
