/* The language of patterns, parsed into a list of elements. A group ({? } or {* }) is an element
 * that says where it ends; its own elements follow it. Groups are not nested.
 */
#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/pattern/line_pattern_internal.h"
#include "decoder/text/text_cursor.h"

static const struct field {
	const char *name;
	uint8_t kind, use;
	char base;
} fields[] = {
	{"time", EAR_LINE_NUMBER, EAR_LINE_TIME, 'd'},
	{"cycle", EAR_LINE_NUMBER, EAR_LINE_CYCLE, 'd'},
	{"hart", EAR_LINE_NUMBER, EAR_LINE_HART, 'd'},
	{"index", EAR_LINE_NUMBER, EAR_LINE_INDEX, 'd'},
	{"pc", EAR_LINE_NUMBER, EAR_LINE_PC, 'x'},
	{"opcode", EAR_LINE_NUMBER, EAR_LINE_OPCODE, 'x'},
	{"mode", EAR_LINE_WORD, EAR_LINE_MODE, 0},
	{"trap", EAR_LINE_NUMBER, EAR_LINE_TRAP, 'd'},
	{"interrupt", EAR_LINE_NUMBER, EAR_LINE_INTERRUPT, 'd'},
	{"cause", EAR_LINE_NUMBER, EAR_LINE_CAUSE, 'd'},
	{"tval", EAR_LINE_NUMBER, EAR_LINE_TVAL, 'x'},
	{"disasm", EAR_LINE_ANY, EAR_LINE_DISASM, 0},
	/* The names from here on are only known in braces. */
	{"rd", EAR_LINE_NUMBER, EAR_LINE_RD, 'x'},
	{"n", EAR_LINE_NUMBER, EAR_LINE_USE_REGISTER, 'd'},
	{"reg", EAR_LINE_WORD, EAR_LINE_USE_NAME, 0},
	{"csr", EAR_LINE_WORD, EAR_LINE_USE_CSR, 0},
	{"rs", EAR_LINE_NUMBER, EAR_LINE_USE_READ, 'd'},
	{"addr", EAR_LINE_NUMBER, EAR_LINE_USE_ACCESS, 'x'},
	{"load", EAR_LINE_NUMBER, EAR_LINE_USE_LOAD, 'x'},
	{"store", EAR_LINE_NUMBER, EAR_LINE_USE_STORE, 'x'},
	{"v", EAR_LINE_NUMBER, EAR_LINE_USE_VALUE, 'x'},
	{"size", EAR_LINE_NUMBER, EAR_LINE_USE_SIZE, 'd'},
	{"strobe", EAR_LINE_NUMBER, EAR_LINE_USE_STROBE, 'x'},
	{"_", EAR_LINE_WORD, EAR_LINE_USE_NOTHING, 0},
	{"...", EAR_LINE_ANY, EAR_LINE_USE_NOTHING, 0},
};

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))
#define FIELD_NAMES \
	"time cycle hart index pc opcode mode trap interrupt cause tval disasm rd n reg csr rs " \
	"addr load store v size strobe _ ..."

static const struct field *find_field(struct ear_text name)
{
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (ear_text_is(name, fields[i].name))
			return &fields[i];
	return NULL;
}

#define NONE UINT32_MAX

struct parser {
	struct ear_line_pattern *made;
	struct ear_line_fault *fault;
	const char *begin, *at, *end; /* a pattern */
	uint32_t number;
	char *literal;            /* where the next character of a literal goes */
	bool bare;                /* the short form: names without braces are fields */
	uint32_t group;           /* element of the group that is open, or NONE */
	const char *repeated_end; /* of the word that is repeated in the short form, or NULL */
	uint32_t given;           /* EAR_LINE_BIT of this pattern */
	/* Of the pattern, or of the group that is open: */
	uint8_t parts;
	uint32_t name;    /* the last register or access that has no value yet, or NONE */
	uint32_t value;   /* a value before its register or access, or NONE */
	uint32_t address; /* the last access, for its size, or NONE */
	bool has_write;   /* outside of groups */
};

/* With one %.*s for text. */
static bool refuse(struct parser *parser, const char *at, const char *cause, struct ear_text text)
{
	struct ear_line_fault *fault = parser->fault;

	fault->pattern = parser->number;
	fault->column = (size_t)(at - parser->begin) + 1;
	fault->line = parser->begin;
	fault->size = (size_t)(parser->end - parser->begin);
	const char *place = strchr(cause, '@');
	snprintf(fault->cause, sizeof(fault->cause), "%.*s%.*s%s",
		(int)(place ? place - cause : (ptrdiff_t)strlen(cause)), cause,
		place ? (int)(text.size < 40 ? text.size : 40) : 0, place ? text.text : "",
		place ? place + 1 : "");
	return false;
}

static bool fail(struct parser *parser, const char *at, const char *cause)
{
	return refuse(parser, at, cause, (struct ear_text){"", 0});
}

static struct ear_line_element *add(
	struct parser *parser, enum ear_line_element_kind kind, const char *at)
{
	struct ear_line_element *element = &parser->made->elements[parser->made->element_count++];

	*element = (struct ear_line_element){.kind = (uint8_t)kind, .use = EAR_LINE_USE_NOTHING};
	element->text = at;
	return element;
}

/* The pattern or the group ends, or a group begins: is every value of something? */
static bool close_parts(struct parser *parser)
{
	const struct ear_line_element *elements = parser->made->elements;

	if (parser->value != NONE)
		return fail(parser, elements[parser->value].text,
			"{v} has no register or access that it is the value of");
	if (parser->name != NONE && elements[parser->name].use <= EAR_LINE_USE_READ)
		return fail(parser, elements[parser->name].text,
			"the register has no value: give it a {v}, or skip it with {_}");
	parser->name = parser->address = NONE;
	return true;
}

/* x{n}, f{n}, v{n}; any other text before it is an integer register. */
static uint8_t class_before(const struct parser *parser, const char *at)
{
	char letter = at > parser->begin ? at[-1] : ' ';
	char before = at > parser->begin + 1 ? at[-2] : ' ';
	bool alone = !((before | 32) >= 'a' && (before | 32) <= 'z');

	return alone && letter == 'f'   ? EAR_REGISTER_F
	       : alone && letter == 'v' ? EAR_REGISTER_V
					: EAR_REGISTER_X;
}

static bool add_part(struct parser *parser, struct ear_line_element *element)
{
	if (parser->name != NONE && parser->made->elements[parser->name].use <= EAR_LINE_USE_READ)
		return close_parts(parser);
	if (parser->parts == EAR_LINE_PARTS_MAX)
		return fail(parser, element->text, "there are too many registers and accesses");
	const uint32_t own = (uint32_t)(element - parser->made->elements);
	static const uint8_t kinds[] = {EAR_LINE_WRITE, EAR_LINE_WRITE, EAR_LINE_WRITE,
		EAR_LINE_READ, EAR_LINE_ACCESS, EAR_LINE_LOAD, EAR_LINE_STORE};
	parser->made->shows |=
		EAR_LINE_BIT(EAR_LINE_VALUES + kinds[element->use - EAR_LINE_USE_REGISTER]);
	element->part = parser->parts++;
	parser->address = element->use >= EAR_LINE_USE_ACCESS ? own : NONE;
	parser->has_write |= parser->group == NONE && element->use <= EAR_LINE_USE_CSR;
	parser->name = own;
	if (parser->value != NONE) {
		parser->made->elements[parser->value].part = element->part;
		parser->made->elements[parser->value].reg_class = element->reg_class;
		parser->name = parser->value = NONE;
	}
	return true;
}

static bool add_value(struct parser *parser, struct ear_line_element *element)
{
	struct ear_line_element *elements = parser->made->elements;

	if (parser->name != NONE) {
		element->part = elements[parser->name].part;
		element->reg_class = elements[parser->name].reg_class;
		parser->name = NONE;
		return true;
	}
	if (parser->value != NONE)
		return close_parts(parser);
	parser->value = (uint32_t)(element - elements);
	return true;
}

/* A field, whose name may be followed by a base; at: of its brace, or of the bare name. */
static bool add_field(struct parser *parser, const char *at, struct ear_text name)
{
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	struct ear_text plain = ear_text_until(&cursor, ':');
	const struct field *field = find_field(plain);

	if (!field)
		return refuse(parser, at, "there is no field '@'; there are " FIELD_NAMES, plain);
	struct ear_line_element *element = add(parser, field->kind, at);
	element->size = (size_t)(name.text + name.size - at) + (*at == '{');
	element->use = field->use;
	element->base = field->base;
	if (ear_text_take(&cursor, ':')) {
		char base = ear_text_peek(&cursor);
		if (cursor.end - cursor.at != 1 || !strchr("xdb", base) ||
			(field->kind != EAR_LINE_NUMBER && field->use != EAR_LINE_MODE))
			return fail(
				parser, cursor.at, "a number is :x, :d or :b, and nothing else is");
		element->base = base;
		element->kind = EAR_LINE_NUMBER;
	}
	if (field->use < EAR_LINE_VALUES) {
		if (parser->given & EAR_LINE_BIT(field->use))
			return refuse(parser, at, "'@' is there twice", plain);
		if (parser->group != NONE &&
			parser->made->elements[parser->group].kind == EAR_LINE_REPEATED)
			return fail(parser, at, "only registers and accesses are repeated");
		parser->given |= EAR_LINE_BIT(field->use);
		return true;
	}
	if (field->use == EAR_LINE_USE_NOTHING)
		return true;
	if (field->use == EAR_LINE_USE_VALUE)
		return add_value(parser, element);
	if (field->use == EAR_LINE_USE_SIZE || field->use == EAR_LINE_USE_STROBE) {
		if (parser->address == NONE)
			return fail(parser, at,
				"{size} and {strobe} come after the address that they belong to");
		element->part = parser->made->elements[parser->address].part;
		return true;
	}
	if (field->use == EAR_LINE_USE_REGISTER)
		element->reg_class = class_before(parser, at);
	return add_part(parser, element);
}

static bool open_group(struct parser *parser, enum ear_line_element_kind kind)
{
	if (parser->group != NONE)
		return fail(parser, parser->at, "a part in braces cannot have another one in it");
	if (!close_parts(parser))
		return false;
	struct ear_line_element *element = add(parser, kind, parser->at);
	element->part = parser->parts;
	parser->group = (uint32_t)(element - parser->made->elements);
	parser->parts = 0;
	parser->at += 2;
	return true;
}

static bool close_group(struct parser *parser)
{
	if (parser->group == NONE)
		return fail(parser, parser->at, "'}' without '{'; the character is \\}");
	if (!close_parts(parser))
		return false;
	struct ear_line_element *group = &parser->made->elements[parser->group];
	group->end = parser->made->element_count;
	group->parts = parser->parts;
	parser->parts = group->part;
	parser->group = NONE;
	parser->at++;
	return true;
}

/* {previous} and {next} come first. */
static bool take_role(struct parser *parser, struct ear_text name, enum ear_line_role *role)
{
	enum ear_line_role found = ear_text_is(name, "previous") ? EAR_LINE_PREVIOUS
				   : ear_text_is(name, "next")   ? EAR_LINE_NEXT
								 : EAR_LINE_NOTHING;

	if (found != EAR_LINE_NOTHING && parser->at == parser->begin)
		*role = found;
	return found != EAR_LINE_NOTHING && parser->at == parser->begin;
}

static bool take_braces(struct parser *parser, enum ear_line_role *role)
{
	const char *at = parser->at;

	if (parser->end - at > 1 && (at[1] == '?' || at[1] == '*'))
		return open_group(parser, at[1] == '?' ? EAR_LINE_OPTIONAL : EAR_LINE_REPEATED);
	const char *close = memchr(at, '}', (size_t)(parser->end - at));
	if (!close)
		return fail(parser, at, "'{' without '}'; the character is \\{");
	struct ear_text name = {at + 1, (size_t)(close - at) - 1};
	if (!take_role(parser, name, role) && !add_field(parser, at, name))
		return false;
	parser->at = close + 1;
	return true;
}

static bool is_edge(char c)
{
	return ear_text_is_blank(c) || c == ',' || c == '{' || c == '}';
}

/* A name without braces that is a field in the short form; size 0: there is none at this place. */
static struct ear_text bare_name(const char *at, const char *begin, const char *end)
{
	struct ear_text name = {at, 0};

	if (at > begin && !is_edge(at[-1]))
		return name;
	while (at < end && ear_line_is_name(*at))
		at++;
	name.size = (size_t)(at - name.text);
	const struct field *field = at == end || is_edge(*at) ? find_field(name) : NULL;
	if (!field || field->use >= EAR_LINE_VALUES)
		name.size = 0;
	return name;
}

/* The short form: the name pc without braces, and none of these names in braces. */
static bool is_bare(const char *begin, const char *end)
{
	bool bare = false;

	for (const char *at = begin; at < end; at++) {
		bool braces = *at == '{';
		struct ear_text name = bare_name(at + braces, begin, end);
		if (name.size > 0 && (braces || (at > begin && at[-1] == '{')))
			return false;
		bare |= ear_text_is(name, "pc");
	}
	return bare;
}

/* In the short form, the end of a word that names registers or accesses, which may be missing or
 * repeated; NULL: the word is another one. */
static const char *find_repeated(const struct parser *parser, const char *word)
{
	const char *at = word;
	bool found = false;

	if (!parser->bare || parser->group != NONE || *word == '{')
		return NULL;
	for (; at < parser->end && !ear_text_is_blank(*at); at++)
		found |= at[0] == '{';
	return found ? at : NULL;
}

static bool add_literal(struct parser *parser)
{
	const char *begin = parser->literal;
	struct ear_line_element *element = add(parser, EAR_LINE_LITERAL, begin);

	do {
		if (*parser->at == '\\' && ++parser->at == parser->end)
			return fail(parser, parser->at - 1, "there is nothing after the '\\'");
		*parser->literal++ = *parser->at++;
	} while (parser->at < parser->end && !ear_text_is_blank(*parser->at) &&
		 *parser->at != '{' && *parser->at != '}' &&
		 !(parser->bare && parser->at[-1] == ','));
	element->size = (size_t)(parser->literal - begin);
	return true;
}

static bool take_blank(struct parser *parser)
{
	const char *at = parser->at;

	while (parser->at < parser->end && ear_text_is_blank(*parser->at))
		parser->at++;
	const char *word = parser->at;
	parser->repeated_end = find_repeated(parser, word);
	if (parser->repeated_end && !open_group(parser, EAR_LINE_REPEATED))
		return false;
	parser->at = word;
	add(parser, EAR_LINE_BLANK, at);
	return true;
}

static bool take_element(struct parser *parser, enum ear_line_role *role)
{
	const char *at = parser->at;
	struct ear_text name = {at, 0};

	if (at == parser->repeated_end) {
		parser->repeated_end = NULL;
		if (!close_group(parser))
			return false;
		parser->at = at;
		return true;
	}
	if (parser->bare)
		name = bare_name(at, parser->begin, parser->end);
	if (*at == '{')
		return take_braces(parser, role);
	if (*at == '}')
		return close_group(parser);
	if (name.size > 0) {
		parser->at += name.size;
		return add_field(parser, at, name);
	}
	return ear_text_is_blank(*at) ? take_blank(parser) : add_literal(parser);
}

/* What {...} and {disasm} end before. */
static bool check_any(struct parser *parser, const struct ear_line_form *pattern)
{
	const struct ear_line_element *elements = parser->made->elements;

	for (uint32_t i = pattern->begin; i < pattern->end; i++) {
		uint32_t next = i + 1;
		if (elements[i].kind != EAR_LINE_ANY)
			continue;
		bool grouped = false;
		for (uint32_t k = pattern->begin; k < i; k++)
			grouped |= elements[k].kind >= EAR_LINE_OPTIONAL && elements[k].end > i;
		for (uint32_t k = pattern->begin; k < i; k++)
			if (elements[k].kind >= EAR_LINE_OPTIONAL && elements[k].end == next)
				next = pattern->end + 1;
		if (next == pattern->end && !grouped)
			continue;
		next += next < pattern->end && elements[next].kind == EAR_LINE_BLANK;
		bool inside = next < pattern->end && elements[next].kind == EAR_LINE_LITERAL;
		for (uint32_t k = pattern->begin; k < i && inside; k++)
			inside = !(elements[k].kind >= EAR_LINE_OPTIONAL && elements[k].end > i &&
				   elements[k].end <= next);
		if (!inside)
			return fail(parser, elements[i].text,
				"a text of any length ends before some other text, or with the line");
	}
	return true;
}

static bool check_pattern(struct parser *parser, struct ear_line_form *pattern, bool has_parts)
{
	const bool pc = parser->given & EAR_LINE_BIT(EAR_LINE_PC);

	if (pattern->role == EAR_LINE_BEGINS && !pc)
		pattern->role = has_parts || parser->given & ~(uint32_t)EAR_LINE_LATER
					? EAR_LINE_PREVIOUS
					: EAR_LINE_NOTHING;
	if (pattern->role != EAR_LINE_NEXT)
		return check_any(parser, pattern);
	if (parser->given & ~(uint32_t)EAR_LINE_LATER)
		return fail(parser, parser->begin,
			"a line of {next} has registers and accesses only; skip the others with {_}");
	return check_any(parser, pattern);
}

static bool parse_line(struct parser *parser)
{
	struct ear_line_pattern *made = parser->made;
	struct ear_line_form *pattern = &made->patterns[made->count++];
	const uint32_t shown = made->shows;

	*pattern = (struct ear_line_form){.begin = made->element_count, .role = EAR_LINE_BEGINS};
	parser->bare = is_bare(parser->begin, parser->end);
	parser->group = parser->name = parser->value = parser->address = NONE;
	parser->given = 0;
	parser->parts = 0;
	parser->has_write = false;
	made->shows = 0;
	parser->repeated_end = NULL;
	while (parser->at < parser->end || parser->at == parser->repeated_end)
		if (!take_element(parser, &pattern->role))
			return false;
	if (parser->group != NONE)
		return fail(parser, made->elements[parser->group].text, "'{' without '}'");
	if (!close_parts(parser))
		return false;
	pattern->end = made->element_count;
	pattern->parts = parser->parts;
	const bool has_parts = made->shows != 0;
	made->shows |= shown | parser->given;
	if (!check_pattern(parser, pattern, has_parts))
		return false;
	if (pattern->role == EAR_LINE_BEGINS)
		made->sparse &= parser->has_write;
	return true;
}

/* What one pattern needs of another one. */
static bool check_all(struct parser *parser)
{
	struct ear_line_pattern *made = parser->made;
	bool begins = false;

	for (uint32_t i = 0; i < made->count; i++)
		begins |= made->patterns[i].role == EAR_LINE_BEGINS;
	if (!begins) {
		parser->number = 0;
		return fail(parser, parser->begin, "no pattern has a {pc}, which begins a record");
	}
	if (made->shows & EAR_LINE_BIT(EAR_LINE_OPCODE))
		return true;
	parser->number = 0;
	if (made->shows & EAR_LINE_BIT(EAR_LINE_VALUES + EAR_LINE_ACCESS))
		return fail(parser, parser->begin,
			"without an {opcode} nobody knows what {addr} is: it is {load} or {store}");
	if (made->shows & EAR_LINE_BIT(EAR_LINE_RD))
		return fail(parser, parser->begin,
			"without an {opcode} nobody knows which register {rd} is: use x{n} and {v}");
	return true;
}

static bool parse(struct parser *parser, struct ear_text text)
{
	struct ear_text_cursor cursor = ear_text_cursor(text.text, text.size);

	for (parser->number = 1; !ear_text_at_end(&cursor); ear_text_take(&cursor, '\n')) {
		ear_text_skip_blanks(&cursor);
		struct ear_text line = ear_text_until(&cursor, '\n');
		while (line.size > 0 && (ear_text_is_blank(line.text[line.size - 1]) ||
						line.text[line.size - 1] == '\r'))
			line.size--;
		if (line.size == 0)
			continue;
		parser->begin = parser->at = line.text;
		parser->end = line.text + line.size;
		if (!parse_line(parser))
			return false;
		parser->number++;
	}
	parser->begin = parser->end = text.text;
	return check_all(parser);
}

void ear_line_pattern_free(struct ear_line_pattern *patterns)
{
	if (!patterns)
		return;
	free(patterns->text);
	free(patterns->elements);
	free(patterns->patterns);
	free(patterns);
}

/* The fields' texts are in the first half of the copy, the literals in the second. */
static struct ear_line_pattern *make(const char *text, size_t size)
{
	struct ear_line_pattern *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->text = malloc(2 * size + 1);
	made->elements = calloc(size + 1, sizeof(*made->elements));
	made->patterns = calloc(size + 1, sizeof(*made->patterns));
	made->sparse = true;
	if (made->text && made->elements && made->patterns) {
		memcpy(made->text, text, size);
		return made;
	}
	ear_line_pattern_free(made);
	return NULL;
}

int ear_line_pattern_new(
	struct ear_line_pattern **made, const char *text, struct ear_line_fault *fault)
{
	struct ear_line_fault unwanted;
	const size_t size = strlen(text);
	struct parser parser = {.fault = fault ? fault : &unwanted};

	if (size > EAR_LINE_PATTERN_TEXT_MAX) {
		parser.begin = parser.end = text;
		fail(&parser, text, "the patterns are too long");
		return EAR_E_BAD_ARGUMENT;
	}
	parser.made = make(text, size);
	if (!parser.made)
		return EAR_E_NO_MEMORY;
	parser.literal = parser.made->text + size;
	if (!parse(&parser, (struct ear_text){parser.made->text, size})) {
		parser.fault->line = text + (parser.fault->line - parser.made->text);
		ear_line_pattern_free(parser.made);
		return EAR_E_BAD_ARGUMENT;
	}
	*made = parser.made;
	return 0;
}

uint32_t ear_line_pattern_shows(const struct ear_line_pattern *patterns)
{
	return patterns->shows;
}

uint32_t ear_line_pattern_count(const struct ear_line_pattern *patterns)
{
	return patterns->count;
}

bool ear_line_pattern_is_sparse(const struct ear_line_pattern *patterns)
{
	return patterns->sparse;
}
