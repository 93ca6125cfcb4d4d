/* A register's name as tarmac-trace-utilities see it: a table of the names that they know, and what
 * may follow a name (a bank, a range of bits) taken off first, because they stop there too.
 */
#include "decoder/formats/tarmac/tarmac_name.h"

#include <string.h>

static bool same_letters(struct ear_text text, const char *word)
{
	if (text.size != strlen(word))
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (ear_tarmac_lower(text.text[i]) != word[i])
			return false;
	return true;
}

struct ear_text ear_tarmac_bare_name(struct ear_text name)
{
	for (size_t i = 0; i < name.size; i++)
		if (ear_text_is_blank(name.text[i]) || name.text[i] == '(' || name.text[i] == '<')
			return (struct ear_text){name.text, i};
	return name;
}

/* The number at the beginning of what follows the letters; 0 if there is none. */
unsigned ear_tarmac_leading_number(struct ear_text text, size_t *digits)
{
	unsigned number = 0;

	for (*digits = 0; *digits < text.size && ear_text_is_digit(text.text[*digits]); ++*digits)
		number = number < 10000 ? number * 10 + (unsigned)(text.text[*digits] - '0')
					: number;
	return number;
}

struct known_name {
	char letters[8];
	uint8_t count; /* of registers; 1: the name has no number */
	enum ear_tarmac_rule rule;
	uint16_t digits;
};

static const struct known_name known_names[] = {
	{"r", 16, EAR_TARMAC_EXACT, 8},
	{"w", 31, EAR_TARMAC_EXACT, 8},
	{"x", 31, EAR_TARMAC_EXACT, 16},
	{"wsp", 1, EAR_TARMAC_EXACT, 8},
	{"xsp", 1, EAR_TARMAC_EXACT, 16},
	{"v", 32, EAR_TARMAC_EXACT, 32},
	{"q", 32, EAR_TARMAC_EXACT, 32},
	{"d", 32, EAR_TARMAC_EXACT, 16},
	{"s", 32, EAR_TARMAC_EXACT, 8},
	{"z", 32, EAR_TARMAC_UP_TO, 512},
	{"p", 32, EAR_TARMAC_UP_TO, 32},
	{"psr", 1, EAR_TARMAC_EXACT, 8},
	{"fpscr", 1, EAR_TARMAC_EXACT, 8},
	{"fpcr", 1, EAR_TARMAC_ANY, 0},
	{"fpsr", 1, EAR_TARMAC_EXACT, 8},
	{"vpr", 1, EAR_TARMAC_EXACT, 8},
	{"pc", 1, EAR_TARMAC_IGNORED, 0},
};

/* These may have anything after their letters. */
static const struct known_name aliases[] = {
	{"msp", 0, EAR_TARMAC_EXACT, 8},
	{"e", 0, EAR_TARMAC_EXACT, 16},
	{"lr", 0, EAR_TARMAC_EXACT, 8},
	{"cpsr", 0, EAR_TARMAC_EXACT, 8},
};

static const struct known_name *find_known(
	struct ear_text letters, struct ear_text suffix, unsigned number)
{
	for (size_t i = 0; i < sizeof(known_names) / sizeof(known_names[0]); i++) {
		const struct known_name *known = &known_names[i];
		if (same_letters(letters, known->letters) &&
			(known->count == 1 ? suffix.size == 0
					   : suffix.size > 0 && number < known->count))
			return known;
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (same_letters(letters, aliases[i].letters))
			return &aliases[i];
	return NULL;
}

/* "_svc", "_EL3": letters first. */
static bool is_bank(struct ear_text text)
{
	return text.size > 1 && text.text[0] == '_' && !ear_text_is_digit(text.text[1]);
}

struct ear_tarmac_name ear_tarmac_name(struct ear_text name)
{
	struct ear_text bare = ear_tarmac_bare_name(name), letters = bare;
	size_t digits;

	letters.size = 0;
	while (letters.size < bare.size && bare.text[letters.size] != '_' &&
		!ear_text_is_digit(bare.text[letters.size]))
		letters.size++;
	struct ear_text suffix = {bare.text + letters.size, bare.size - letters.size};
	if (same_letters(letters, "sp") && (suffix.size == 0 || suffix.text[0] == '_'))
		return (struct ear_tarmac_name){.rule = EAR_TARMAC_STACK};
	unsigned number = ear_tarmac_leading_number(suffix, &digits);
	const struct known_name *known = find_known(letters, suffix, number);
	if (!known)
		return (struct ear_tarmac_name){.rule = EAR_TARMAC_IGNORED};
	struct ear_text rest = {suffix.text + digits, suffix.size - digits};
	bool cpsr = ear_text_is(bare, "cpsr");
	bool numbered = known->count > 1 || known->letters[0] == 'e';
	return (struct ear_tarmac_name){
		.rule = cpsr ? EAR_TARMAC_ANY : known->rule,
		.digits = known->digits,
		.cpsr = cpsr,
		.longer = (numbered && digits == 0) || (rest.size > 0 && !is_bank(rest)),
	};
}
