/* Sets of extensions, from ISA strings.
 *
 * inst_extension.def says what each extension implies. The rules are few and of two forms, "a has
 * c" and "a and b have c", so a set is closed by applying all of them until none adds anything: two
 * or three rounds, whatever their order.
 */
#include "decoder/isa/inst_table.h"

#include <ctype.h>
#include <earshot/error.h>
#include <string.h>

#define EXTENSION(...)
#define IMPLIES(...)
#define BOTH(...)
#define BOTH_RV32(...)
#define SILENT(...)
#define PROFILE(...)

/* b is EAR_EXT_NONE where a alone suffices; xlen is 0 where both have the rule. */
static const struct {
	uint8_t a;
	uint8_t b;
	uint8_t result;
	uint8_t xlen;
} rules[] = {
#undef IMPLIES
#undef BOTH
#undef BOTH_RV32
#define IMPLIES(first, then)           {EAR_EXT_##first, EAR_EXT_NONE, EAR_EXT_##then, 0},
#define BOTH(first, second, then)      {EAR_EXT_##first, EAR_EXT_##second, EAR_EXT_##then, 0},
#define BOTH_RV32(first, second, then) {EAR_EXT_##first, EAR_EXT_##second, EAR_EXT_##then, 32},
#include "decoder/isa/inst_extension.def"
#undef IMPLIES
#undef BOTH
#undef BOTH_RV32
#define IMPLIES(...)
#define BOTH(...)
#define BOTH_RV32(...)
};

static const char names[EAR_EXT_COUNT][16] = {
#undef EXTENSION
#define EXTENSION(id, name) [EAR_EXT_##id] = (name),
#include "decoder/isa/inst_extension.def"
#undef EXTENSION
#define EXTENSION(...)
};

static const char silent_names[][16] = {
#undef SILENT
#define SILENT(name) name,
#include "decoder/isa/inst_extension.def"
#undef SILENT
#define SILENT(...)
};

static const struct {
	const char *name;
	const char *text;
} profiles[] = {
#undef PROFILE
#define PROFILE(name, text) {(name), (text)},
#include "decoder/isa/inst_extension.def"
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool has(const struct ear_inst_set *set, unsigned extension)
{
	return (set->bits[extension / 64] >> extension % 64 & 1) != 0;
}

static void add(struct ear_inst_set *set, unsigned extension)
{
	set->bits[extension / 64] |= UINT64_C(1) << extension % 64;
}

static void close_set(struct ear_inst_set *set)
{
	bool grew;

	add(set, EAR_EXT_NONE); /* of a rule without b */
	do {
		grew = false;
		for (unsigned i = 0; i < COUNT_OF(rules); i++) {
			if (!has(set, rules[i].a) || !has(set, rules[i].b) ||
				has(set, rules[i].result) ||
				(rules[i].xlen != 0 && rules[i].xlen != set->xlen))
				continue;
			add(set, rules[i].result);
			grew = true;
		}
	} while (grew);
}

static char lower(char letter)
{
	return (char)tolower((unsigned char)letter);
}

static bool is_name(const char *name, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (name[i] != lower(text[i])) /* also at the end of the name */
			return false;
	return name[size] == '\0';
}

/* Digits at the end of text, "2" or "2p0"; 0 if there are none. */
static size_t version_size(const char *text, size_t size)
{
	size_t at = size;

	while (at > 0 && isdigit((unsigned char)text[at - 1]))
		at--;
	if (at == size)
		return 0;
	if (at >= 2 && lower(text[at - 1]) == 'p' && isdigit((unsigned char)text[at - 2])) {
		at--;
		while (at > 0 && isdigit((unsigned char)text[at - 1]))
			at--;
	}
	return size - at;
}

static bool add_name(struct ear_inst_set *set, const char *text, size_t size)
{
	for (unsigned i = 1; i < EAR_EXT_COUNT; i++) {
		if (names[i][0] != '\0' && is_name(names[i], text, size)) {
			add(set, i);
			return true;
		}
	}
	for (unsigned i = 0; i < COUNT_OF(silent_names); i++)
		if (is_name(silent_names[i], text, size))
			return true;
	return false;
}

/* A name of several letters, with or without a version; digits may also belong to the name. */
static bool add_long_name(struct ear_inst_set *set, const char *text, size_t size)
{
	return add_name(set, text, size) || add_name(set, text, size - version_size(text, size));
}

/* "g" is several, and "e" is i with fewer registers. */
static bool add_letter(struct ear_inst_set *set, const char *letter)
{
	static const uint8_t general[] = {EAR_EXT_I, EAR_EXT_M, EAR_EXT_A, EAR_EXT_F, EAR_EXT_D,
		EAR_EXT_ZICSR, EAR_EXT_ZIFENCEI};

	if (lower(*letter) == 'e') {
		add(set, EAR_EXT_I);
		return true;
	}
	if (lower(*letter) != 'g')
		return add_name(set, letter, 1);
	for (unsigned i = 0; i < COUNT_OF(general); i++)
		add(set, general[i]);
	return true;
}

/* How many characters of text are its first extension: a letter with its version, or the rest. */
static size_t extension_size(const char *text, size_t size)
{
	size_t at = 1;

	if (strchr("zsx", lower(*text)) != NULL)
		return size;
	while (at < size && isdigit((unsigned char)text[at]))
		at++;
	if (at == 1 || at + 1 >= size || lower(text[at]) != 'p' ||
		!isdigit((unsigned char)text[at + 1]))
		return at;
	at++;
	while (at < size && isdigit((unsigned char)text[at]))
		at++;
	return at;
}

static int refuse(const char **at, size_t *size, const char *text, size_t length)
{
	*at = text;
	*size = length;
	return EAR_E_BAD_ARGUMENT;
}

/* What follows "rv32" or "rv64". */
static int parse_extensions(
	struct ear_inst_set *set, const char *text, const char **at, size_t *size)
{
	while (*text != '\0') {
		size_t part = strcspn(text, "_");

		while (part != 0) {
			size_t one = extension_size(text, part);
			bool known = strchr("zsx", lower(*text)) != NULL
					     ? add_long_name(set, text, one)
					     : add_letter(set, text);

			if (!known)
				return refuse(at, size, text, one);
			text += one;
			part -= one;
		}
		text += *text == '_';
	}
	return 0;
}

int ear_inst_set_parse(struct ear_inst_set *set, const char *text, const char **at, size_t *size)
{
	struct ear_inst_set made = {.xlen = 0};
	int result;

	for (unsigned i = 0; i < COUNT_OF(profiles); i++)
		if (is_name(profiles[i].name, text, strlen(text)))
			text = profiles[i].text;
	if (strlen(text) >= 4 && is_name("rv32", text, 4))
		made.xlen = 32;
	else if (strlen(text) >= 4 && is_name("rv64", text, 4))
		made.xlen = 64;
	else
		return refuse(at, size, text, strlen(text));
	result = parse_extensions(&made, text + 4, at, size);
	if (result != 0)
		return result;
	if (!has(&made, EAR_EXT_I))
		return refuse(at, size, text, strlen(text));
	close_set(&made);
	*set = made;
	return 0;
}
