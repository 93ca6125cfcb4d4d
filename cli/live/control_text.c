/* Control words as text: which register, and what is written to it. */
#include "cli/live/control_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/cli.h"
#include "cli/options/suggest.h"
#include "common/protocol/unit_registers.h"

#define NAMES_MAX 256 /* registers that a wrong name is compared with */

/* What has a name of its own: one or more words. */
static const struct {
	const char *name, *words, *meaning;
} scripts[] = {
	{"start", "CORE=RESET CONTROL=ENABLE CORE=0",
		"reset the core, start a capture, let the core run"},
	{"enable", "CONTROL=ENABLE", "start a capture; a full link stalls the core"},
	{"enable-drop", "CONTROL=ENABLE+DROP", "start a capture; a full link drops records"},
	{"disable", "CONTROL=0", "end the capture: STOP, and all that waits is sent"},
	{"flush", "COMMAND=FLUSH", "send now what waits for a full frame"},
	{"unit", "COMMAND=SEND_UNIT", "say again what the unit is"},
	{"reset", "CORE=RESET", "hold the core in reset"},
	{"halt", "CORE=HALT", "hold the core without reset"},
	{"release", "CORE=0", "let the core run"},
};

#define SCRIPT_COUNT (sizeof(scripts) / sizeof(scripts[0]))

void control_text_names(FILE *to)
{
	fprintf(to, "\nWords with a name:\n");
	for (size_t i = 0; i < SCRIPT_COUNT; i++)
		fprintf(to, "  %-12s %s:\n               %s\n", scripts[i].name, scripts[i].words,
			scripts[i].meaning);
}

/* ---- A word: REGISTER, or REGISTER=VALUE. ---- */

static bool parse_number(uint64_t *value, const char *text, size_t size)
{
	char copy[32];

	if (size == 0 || size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return cli_parse_count(value, copy);
}

static bool fail_register(const char *word, const char *name, size_t size)
{
	const char *names[NAMES_MAX + SCRIPT_COUNT];
	char copy[32];
	size_t count = 0;

	for (; ear_unit_registers[count].name && count < NAMES_MAX; count++)
		names[count] = ear_unit_registers[count].name;
	for (size_t i = 0; i < SCRIPT_COUNT; i++)
		names[count++] = scripts[i].name;
	snprintf(copy, sizeof(copy), "%.*s", (int)(size < 31 ? size : 31), name);
	const char *near = suggest(copy, names, count);
	if (near)
		cli_error("'%s': there is no register %s; is it %s?", word, copy, near);
	else
		cli_error("'%s': there is no register %s (docs/protocol.md, section 7.1)", word,
			copy);
	return false;
}

/* NAME, NAME+OFFSET or an address. */
static bool parse_register(
	const struct ear_unit_register **found, uint16_t *address, const char *word, size_t size)
{
	const size_t name_size = strcspn(word, "+=") < size ? strcspn(word, "+=") : size;
	uint64_t number = 0;

	if (size == 0) {
		cli_error("'%s': which register?", word);
		return false;
	}
	if (isdigit((unsigned char)word[0])) {
		if (!parse_number(&number, word, size))
			return fail_register(word, word, size);
		*found = ear_unit_register_at((uint16_t)number);
	} else {
		*found = ear_unit_register_find(word, (unsigned)name_size);
		if (!*found)
			return fail_register(word, word, name_size);
		if (name_size < size &&
			!parse_number(&number, word + name_size + 1, size - name_size - 1)) {
			cli_error("'%s': after the + comes a number of bytes", word);
			return false;
		}
		number += (*found)->address;
	}
	if (number > 0xFFFC || number % 4 != 0) {
		cli_error("'%s': addresses of registers are multiples of 4 up to 0xFFFC", word);
		return false;
	}
	*address = (uint16_t)number;
	return true;
}

/* FIELD or FIELD:N of the register. */
static bool parse_field(uint32_t *value, const struct ear_unit_register *found, const char *word,
	const char *text, size_t size)
{
	const char *colon = memchr(text, ':', size);
	const size_t name_size = colon ? (size_t)(colon - text) : size;
	uint64_t number = 1;

	if (colon && !parse_number(&number, colon + 1, size - name_size - 1)) {
		cli_error("'%s': after the : comes a number", word);
		return false;
	}
	for (unsigned i = 0; found->fields[i].name; i++) {
		const char *name = found->fields[i].name;

		if (strlen(name) != name_size || strncasecmp(name, text, name_size) != 0)
			continue;
		if (number >> found->fields[i].width) {
			cli_error("'%s': the largest value of %s is %u", word, name,
				(1u << found->fields[i].width) - 1);
			return false;
		}
		*value |= (uint32_t)number << found->fields[i].low;
		return true;
	}
	cli_error("'%s': %.*s is no field of %s, and no number", word, (int)name_size, text,
		found->name);
	return false;
}

/* A number, or fields with + between them. */
static bool parse_value(
	uint32_t *value, const struct ear_unit_register *found, const char *word, const char *text)
{
	uint64_t number;

	*value = 0;
	if (text[0] == '\0') {
		cli_error("'%s': which value?", word);
		return false;
	}
	if (cli_parse_count(&number, text)) {
		if (number > UINT32_MAX) {
			cli_error("'%s': a register has 32 bits", word);
			return false;
		}
		*value = (uint32_t)number;
		return true;
	}
	for (;;) {
		const size_t size = strcspn(text, "+");

		if (!parse_field(value, found, word, text, size))
			return false;
		if (!text[size])
			return true;
		text += size + 1;
	}
}

static bool add_word(struct control_words *list, const char *word)
{
	const char *equals = strchr(word, '=');
	const size_t size = equals ? (size_t)(equals - word) : strlen(word);
	const struct ear_unit_register *found;

	if (list->count == CONTROL_WORDS_MAX) {
		cli_error("these are more than %u control words", CONTROL_WORDS_MAX);
		return false;
	}
	struct ear_control_word *made = &list->words[list->count];
	*made = (struct ear_control_word){
		.operation = EAR_CONTROL_WORD_READ, .tag = (uint8_t)(list->count + 1)};
	if (!parse_register(&found, &made->address, word, size))
		return false;
	if (equals) {
		made->operation = EAR_CONTROL_WORD_WRITE;
		if (found->address == made->address && strcmp(found->access, "ro") == 0) {
			cli_error("'%s': %s can only be read", word, found->name);
			return false;
		}
		if (!parse_value(&made->value, found, word, equals + 1))
			return false;
	}
	list->count++;
	return true;
}

/* A name of the list, or a word. */
bool control_text_add(struct control_words *list, const char *argument)
{
	char copy[64], *rest = copy;

	for (size_t i = 0; i < SCRIPT_COUNT; i++) {
		if (strcasecmp(scripts[i].name, argument) != 0)
			continue;
		snprintf(copy, sizeof(copy), "%s", scripts[i].words);
		for (char *word = strtok_r(copy, " ", &rest); word;
			word = strtok_r(NULL, " ", &rest))
			if (!add_word(list, word))
				return false;
		return true;
	}
	return add_word(list, argument);
}

void control_text_print(FILE *to, const struct ear_control_word *word)
{
	const struct ear_unit_register *found = ear_unit_register_at(word->address);
	uint8_t bytes[EAR_CONTROL_WORD_SIZE];

	ear_control_word_build(bytes, word);
	for (unsigned i = 0; i < EAR_CONTROL_WORD_SIZE; i++)
		fprintf(to, "%02X ", bytes[i]);
	fprintf(to, "// %s", found->name);
	if (word->address != found->address)
		fprintf(to, "+0x%X", word->address - found->address);
	if (word->operation == EAR_CONTROL_WORD_WRITE)
		fprintf(to, " = 0x%" PRIX32, word->value);
	fputc('\n', to);
}
