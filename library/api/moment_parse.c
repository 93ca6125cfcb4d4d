/* Moments as people write them, taken apart. What may follow a name is taken off from the right,
 * because names of C++ may have all of these characters: first +5, then #2, then :return.
 */
#include "library/api/moment_parse.h"

#include <earshot/marks.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "1000", "0x3e8", "1k". */
static bool parse_count(const char *text, uint64_t *value)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = {{"", 1}, {"k", 1000}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000},
		{"Ki", 1u << 10}, {"Mi", 1u << 20}, {"Gi", 1u << 30}};
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (!is_digit(text[0]))
		return false;
	errno = 0;
	unsigned long long number = strtoull(text, &end, is_hex ? 16 : 10);
	for (size_t i = 0; errno == 0 && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, end) == 0 && number <= UINT64_MAX / units[i].factor) {
			*value = number * units[i].factor;
			return true;
		}
	return false;
}

/* X+5, X-5. The sign of X#-5 and X:-5 is no such one. Returns false if the number is too large. */
static bool take_offset(struct ear_moment_text *parsed)
{
	char *name = parsed->name, *at = name + strlen(name);

	while (at > name && is_digit(at[-1]))
		at--;
	if (*at == '\0' || at == name || (at[-1] != '+' && at[-1] != '-'))
		return true;
	if (at - 1 > name && strchr("#:", at[-2]))
		return true;
	parsed->sign = at[-1];
	at[-1] = '\0';
	return parse_count(at, &parsed->offset);
}

/* X#2, X#-1, X:2. Returns false if it is not such a number. */
static bool take_which(struct ear_moment_text *parsed)
{
	char *mark = strrchr(parsed->name, '#');

	if (!mark || mark == parsed->name) {
		mark = strrchr(parsed->name, ':');
		if (!mark || mark == parsed->name)
			return true;
		if (!is_digit(mark[1]) && mark[1] != '-')
			return mark[1] != '\0';
		parsed->colon = true;
	}
	parsed->from_end = mark[1] == '-';
	*mark = '\0';
	return parse_count(mark + 1 + parsed->from_end, &parsed->which) && parsed->which > 0;
}

static void take_return(struct ear_moment_text *parsed)
{
	static const char ending[] = ":return";
	size_t size = strlen(parsed->name), length = sizeof(ending) - 1;

	parsed->returns = size > length && strcmp(parsed->name + size - length, ending) == 0;
	if (parsed->returns)
		parsed->name[size - length] = '\0';
}

/* As 'earshot grep' reads it: a cause that has the interrupt bit of either XLEN is one. */
static bool parse_cause(struct ear_query *query, const char *text)
{
	char *end;

	errno = 0;
	query->has_cause = true;
	query->cause = strtoull(text, &end, 0);
	if (!is_digit(*text) || *end || errno)
		return false;
	if (query->cause >> 63 || query->cause >> 31 == 1) {
		query->traps = EAR_QUERY_INTERRUPT;
		query->cause &= INT32_MAX;
	}
	return true;
}

/* WORD or WORD=WHAT. Returns 1, 0 if there is no such word, -1 if it is none with this WHAT. */
static int parse_word(struct ear_moment_text *parsed, const char *text)
{
	static const struct {
		const char *name;
		enum ear_moment_base base;
		unsigned traps, kinds;
	} words[] = {
		{"begin", EAR_MOMENT_BEGIN, 0, 0},
		{"first", EAR_MOMENT_FIRST, 0, 0},
		{"last", EAR_MOMENT_END, 0, 0},
		{"end", EAR_MOMENT_END, 0, 0},
		{"trap", EAR_MOMENT_MATCH, EAR_QUERY_EXCEPTION | EAR_QUERY_INTERRUPT, 0},
		{"exception", EAR_MOMENT_MATCH, EAR_QUERY_EXCEPTION, 0},
		{"interrupt", EAR_MOMENT_MATCH, EAR_QUERY_INTERRUPT, 0},
		{"event", EAR_MOMENT_MATCH, 0, 1u << EAR_RECORD_EVENT},
		{"gap", EAR_MOMENT_MATCH, 0, 1u << EAR_RECORD_GAP},
		{"mark", EAR_MOMENT_MARK, 0, 0},
	};
	size_t size = strcspn(text, "="), i = 0;
	const char *what = text[size] ? text + size + 1 : NULL;

	while (i < sizeof(words) / sizeof(words[0]) &&
		(strncmp(words[i].name, text, size) != 0 || words[i].name[size]))
		i++;
	/* Without a name it is one itself. */
	if (i == sizeof(words) / sizeof(words[0]) || (words[i].base == EAR_MOMENT_MARK && !what))
		return 0;
	parsed->base = words[i].base;
	parsed->noun = words[i].name;
	parsed->is_word = !what;
	parsed->query.traps = words[i].traps;
	parsed->query.kinds = words[i].kinds;
	if (!what)
		return 1;
	if (parsed->base == EAR_MOMENT_MARK) {
		parsed->mark = what;
		return ear_mark_name_check(what) && parsed->which == 1 && !parsed->from_end ? 1
											    : -1;
	}
	if (words[i].traps)
		return parse_cause(&parsed->query, what) ? 1 : -1;
	return strcmp(words[i].name, "event") == 0 && ear_query_event(&parsed->query, what) == 0
		       ? 1
		       : -1;
}

static bool parse_base(struct ear_moment_text *parsed)
{
	char *name = parsed->name;

	if (parse_count(name + (*name == '#'), &parsed->number)) {
		parsed->base = EAR_MOMENT_NUMBER;
		return true;
	}
	if (*name == '@' && parse_count(name + 1, &parsed->number)) {
		parsed->base = EAR_MOMENT_TIME;
		return true;
	}
	int word = parse_word(parsed, name + (*name == '@'));
	parsed->is_word = parsed->is_word && *name != '@';
	if (word != 0 || *name == '@')
		return word == 1;
	parsed->is_symbol = *name == '=';
	if (parsed->is_symbol)
		memmove(name, name + 1, strlen(name));
	else if (is_digit(*name) || strchr("+-#:", *name))
		return false;
	parsed->base = EAR_MOMENT_NAME;
	return *name != '\0' && (parsed->is_symbol || !strchr(":#", name[strlen(name) - 1]));
}

bool ear_moment_text_parse(struct ear_moment_text *parsed, const char *text, bool now)
{
	size_t size = strlen(text);

	*parsed = (struct ear_moment_text){.which = 1, .query = EAR_QUERY_ANY, .text = text};
	if (size == 0 || size >= sizeof(parsed->name) || strchr(":#", text[size - 1]))
		return false;
	memcpy(parsed->name, text, size + 1);
	if ((*text == '+' || *text == '-') && now) {
		parsed->base = EAR_MOMENT_NOW;
		parsed->sign = *text;
		return parse_count(text + 1, &parsed->offset);
	}
	if (!take_offset(parsed))
		return false;
	const bool is_plain = is_digit(*parsed->name) || *parsed->name == '#' ||
			      (*parsed->name == '@' && is_digit(parsed->name[1]));
	take_return(parsed);
	if (!is_plain && !take_which(parsed))
		return false;
	if (!parsed->returns)
		take_return(parsed);
	return parse_base(parsed) && (!parsed->returns || parsed->base == EAR_MOMENT_NAME);
}

bool ear_moment_text_check(const char *text, bool now)
{
	struct ear_moment_text parsed;

	return ear_moment_text_parse(&parsed, text, now);
}
