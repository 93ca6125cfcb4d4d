/* What tarmac-trace-utilities take.
 *
 * Their parser cuts a line into words and single signs, and refuses a line with any other
 * character where it looks at one. These functions take the same steps, without the values, so
 * that a line is known to be good for them before it is written. That is simpler and more certain
 * than deriving it from what our own reader accepts, which is more.
 */
#include "decoder/formats/tarmac/tarmac_utilities.h"

#include <string.h>

#include "decoder/formats/tarmac/tarmac_name.h"

/* --- Words of a line --- */

/* Characters: blanks, signs, and those of words, of digits with what may be between them, and of
 * hexadecimal numbers, each a part of those before it. */
enum { B = 1, S = 2, W = 4, V = 8 | W, H = 16 | V };

static const uint8_t letters_of[128] = {
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	B,
	B,
	B,
	B,
	B,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	B,
	0,
	0,
	W,
	0,
	0,
	0,
	0,
	S,
	S,
	0,
	0,
	S,
	V,
	W,
	0,
	H,
	H,
	H,
	H,
	H,
	H,
	H,
	H,
	H,
	H,
	S,
	0,
	S,
	0,
	S,
	0,
	0,
	H,
	H,
	H,
	H,
	H,
	H,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	V,
	W,
	W,
	S,
	0,
	S,
	0,
	V,
	0,
	H,
	H,
	H,
	H,
	H,
	H,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	W,
	V,
	W,
	W,
	0,
	0,
	0,
	0,
	0,
};

struct token {
	char kind;       /* 'w': a word; 0: the end; '!': refused; else the sign itself */
	uint8_t letters; /* of a word: what all of its characters are */
	struct ear_text text;
};

static inline uint8_t letter_of(char c)
{
	return (unsigned char)c < 128 ? letters_of[(unsigned char)c] : 0;
}

static inline struct token take_token(struct ear_text_cursor *cursor)
{
	const char *at = cursor->at, *end = cursor->end;
	uint8_t all = H, letter = 0;

	while (at < end && letter_of(*at) == B)
		at++;
	const char *begin = at;
	for (; at < end && (letter = letter_of(*at)) & W; at++)
		all &= letter;
	if (at > begin) {
		cursor->at = at;
		return (struct token){'w', all, {begin, (size_t)(at - begin)}};
	}
	cursor->at = at < end ? at + 1 : at;
	if (at == end)
		return (struct token){.kind = 0};
	return (struct token){letter == S ? *begin : '!', 0, {begin, 1}};
}

static bool is_word(const struct token *token, const char *word)
{
	return token->kind == 'w' && ear_text_is(token->text, word);
}

static bool is_hex(const struct token *token)
{
	return token->kind == 'w' && token->letters == H;
}

static bool is_all_hex(struct ear_text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (letter_of(text.text[i]) != H)
			return false;
	return true;
}

/* Digits, which may end in one of the tails of a physical address. */
static bool is_tailed_hex(struct token token)
{
	struct ear_text *text = &token.text;

	if (token.kind != 'w' || is_hex(&token))
		return token.kind == 'w';
	if (text->size > 2 && memcmp(text->text + text->size - 2, "_S", 2) == 0)
		text->size -= 2;
	else if (text->size > 3 && memcmp(text->text + text->size - 3, "_NS", 3) == 0)
		text->size -= 3;
	return is_all_hex(*text);
}

/* A word of digits of a register, with what may be between them. */
static bool is_value(const struct token *token)
{
	return token->kind == 'w' && (token->letters & V) == V;
}

/* --- Instructions --- */

static bool is_set(const struct token *token, bool *sized)
{
	*sized = is_word(token, "T16") || is_word(token, "T32");
	return *sized || is_word(token, "A") || is_word(token, "T") || is_word(token, "O");
}

/* The mode and the colon, then the first word of the text, of which anything may follow. */
static bool takes_tail(struct ear_text_cursor *cursor, bool state, bool bare)
{
	struct token token = take_token(cursor);

	if (token.kind == ':') {
		token = take_token(cursor);
	} else if (!bare) {
		if (token.kind != 'w' || take_token(cursor).kind != ':')
			return false;
		token = take_token(cursor);
	}
	if (state && is_word(&token, "CCFAIL"))
		token = take_token(cursor);
	return token.kind != '!';
}

static bool takes_state(struct ear_text_cursor *cursor, struct token token)
{
	bool sized;

	if (token.kind != '(')
		return false;
	token = take_token(cursor);
	if (!is_hex(&token) || take_token(cursor).kind != ':')
		return false;
	token = take_token(cursor);
	bool hyphens = token.kind == 'w' && token.text.text[0] == '-';
	if ((!hyphens && !is_hex(&token)) || take_token(cursor).kind != ')')
		return false;
	token = take_token(cursor);
	return is_set(&token, &sized) && takes_tail(cursor, true, false);
}

static bool takes_instruction(struct ear_text_cursor *cursor, bool state)
{
	struct token token = take_token(cursor);
	bool colon = false, sized, bracket = token.kind == '(';

	if (is_word(&token, "EXC") || is_word(&token, "Reset"))
		return take_token(cursor).kind != '!';
	if (state)
		return takes_state(cursor, token);
	if (bracket) {
		token = take_token(cursor);
		if (!is_hex(&token))
			return false;
		token = take_token(cursor);
		colon = token.kind == ':';
		if (colon) {
			token = take_token(cursor);
			if (!is_hex(&token))
				return false;
			token = take_token(cursor);
		}
		if (token.kind != ')')
			return false;
		token = take_token(cursor);
	}
	if (!is_hex(&token))
		return false;
	token = take_token(cursor);
	for (char sign = ':'; token.kind == sign; sign = ',') {
		if (!is_tailed_hex(take_token(cursor)))
			return false;
		token = take_token(cursor);
	}
	if (!is_set(&token, &sized)) {
		if (!is_hex(&token))
			return false;
		token = take_token(cursor);
		if (!is_set(&token, &sized))
			return false;
	} else if (!bracket) {
		return false;
	}
	return takes_tail(cursor, false, colon && sized);
}

/* --- Registers --- */

/* What a value has come to. */
struct digits {
	size_t count;
	bool zeros, hyphens; /* there are no others */
};

static void add_digits(struct digits *digits, const struct token *token)
{
	if (token->letters == H && token->text.text[0] != '0') { /* a number that is not 0 */
		digits->count += token->text.size;
		digits->zeros = digits->hyphens = false;
		return;
	}
	for (size_t i = 0; i < token->text.size; i++) {
		char c = token->text.text[i];
		if (c == '_' || c == 'x' || c == 'X')
			continue;
		digits->count++;
		digits->zeros &= c == '0';
		digits->hyphens &= c == '-';
	}
}

/* cpsr, fpcr, sp: a word, and perhaps one more. */
static bool takes_special(
	struct ear_text_cursor *cursor, const struct ear_tarmac_name *name, struct token token)
{
	struct digits digits = {0};

	if (!is_value(&token))
		return false;
	add_digits(&digits, &token);
	token = take_token(cursor);
	if (token.kind == ':') {
		token = take_token(cursor);
		if (!is_value(&token))
			return false;
		add_digits(&digits, &token);
	} else if (is_value(&token) && (!name->cpsr || is_hex(&token))) {
		add_digits(&digits, &token);
	}
	return token.kind != '!' && (name->cpsr || digits.count % 2 == 0);
}

/* A range of bits, "<127:64>", after its first sign. Fills in the digits that the value has. */
static bool takes_range(struct ear_text_cursor *cursor, unsigned *wanted)
{
	unsigned bits[2] = {0};
	size_t digits;

	for (unsigned i = 0; i < 2; i++) {
		struct token token = take_token(cursor);
		if (token.kind != 'w')
			return false;
		bits[i] = ear_tarmac_leading_number(token.text, &digits);
		if (digits != token.text.size || take_token(cursor).kind != (i ? '>' : ':'))
			return false;
	}
	if (bits[0] % 8 != 7 || bits[1] % 8 != 0 || bits[1] > bits[0] || bits[0] / 4 >= *wanted)
		return false;
	*wanted = (bits[0] + 1 - bits[1]) / 4;
	return true;
}

static bool takes_digits(struct ear_text_cursor *cursor, const struct ear_tarmac_name *name,
	struct token token, unsigned wanted)
{
	struct digits digits = {0, true, true};

	while (digits.count < wanted) {
		if (token.kind == 0)
			return (name->rule == EAR_TARMAC_UP_TO && digits.count % 2 == 0) ||
			       digits.zeros || digits.hyphens;
		if (!is_value(&token))
			return false;
		add_digits(&digits, &token);
		token = take_token(cursor);
		if (token.kind == ':')
			token = take_token(cursor);
	}
	return token.kind != '!' && digits.count % 2 == 0;
}

/* "x12 0123456789abcdef" and "r1 0000ab34", nearly always: all digits, and nothing else. */
static inline bool is_usual_register(struct ear_text_cursor cursor)
{
	char letter = ear_tarmac_lower(ear_text_peek(&cursor));
	size_t wanted = letter == 'x' ? 16 : 8, digits;

	if (letter != 'x' && letter != 'r' && letter != 'w')
		return false;
	struct ear_text name = {cursor.at + 1, (size_t)(cursor.end - cursor.at - 1)};
	unsigned number = ear_tarmac_leading_number(name, &digits);
	if (digits == 0 || number >= (letter == 'r' ? 16 : 31) ||
		name.size != digits + 1 + wanted || name.text[digits] != ' ')
		return false;
	uint8_t all = H;
	for (size_t i = digits + 1; i < name.size; i++)
		all &= letter_of(name.text[i]);
	return all == H;
}

static bool takes_register(struct ear_text_cursor *cursor)
{
	struct token token = take_token(cursor);
	struct ear_tarmac_name name = ear_tarmac_name(token.text);

	if (token.kind != 'w')
		return false;
	bool operation = is_word(&token, "DC") || is_word(&token, "IC") ||
			 is_word(&token, "TLBI") || is_word(&token, "AT");
	token = take_token(cursor);
	if (operation)
		return token.kind != '!';
	if (token.kind == '(') {
		if (take_token(cursor).kind != 'w' || take_token(cursor).kind != ')')
			return false;
		token = take_token(cursor);
	}
	unsigned wanted = name.digits;
	bool special = name.rule == EAR_TARMAC_ANY || name.rule == EAR_TARMAC_STACK;
	if (token.kind == '<') {
		/* Of a register without a width the range is compared with nothing. */
		if (special || wanted == 0 || !takes_range(cursor, &wanted))
			return false;
		token = take_token(cursor);
	}
	if (special)
		return takes_special(cursor, &name, token);
	if (name.rule == EAR_TARMAC_IGNORED)
		return token.kind != '!';
	return takes_digits(cursor, &name, token, wanted);
}

/* --- Accesses --- */

struct access_word {
	size_t size;
	bool text, coprocessor;
};

static void read_access_word(struct access_word *access, struct ear_text word)
{
	bool direction = false, sized = false;

	for (size_t i = 0; i < word.size; i++) {
		char c = word.text[i];
		if (!direction && (c == 'R' || c == 'W')) {
			direction = true;
		} else if (!sized && ear_text_is_digit(c)) {
			size_t digits;
			struct ear_text rest = {word.text + i, word.size - i};
			access->size = ear_tarmac_leading_number(rest, &digits);
			sized = true;
			i += digits - 1;
		} else if (word.size == 8 && i == 7 && (c == 'I' || c == 'A')) {
			access->text = true;
		} else if (c == 'C') {
			access->coprocessor = true;
		}
	}
}

static bool takes_data(struct ear_text_cursor *cursor, size_t size, struct token token)
{
	if (token.kind != 'w' || (size > 8 && size != 16))
		return false;
	struct token second = take_token(cursor);
	/* They use one word; a number in two would be another one. */
	return size == 16 ? is_hex(&second) : second.kind == 0;
}

static bool takes_access(struct ear_text_cursor *cursor, struct ear_text word)
{
	struct access_word access = {0};

	read_access_word(&access, word);
	if (access.text)
		return true;
	struct token token = take_token(cursor);
	if (is_word(&token, "X"))
		token = take_token(cursor);
	if (token.kind == '(') {
		do {
			token = take_token(cursor);
			if (token.kind == 0 || token.kind == '!')
				return false;
		} while (token.kind != ')');
		token = take_token(cursor);
	}
	if (is_word(&token, "TRANSFER") && access.coprocessor)
		return true;
	if (!is_hex(&token))
		return false;
	token = take_token(cursor);
	if (token.kind == ':') {
		if (!is_tailed_hex(take_token(cursor)))
			return false;
		token = take_token(cursor);
	}
	if (token.kind == '(') {
		token = take_token(cursor);
		return is_word(&token, "ABORTED") && take_token(cursor).kind == ')';
	}
	return takes_data(cursor, access.size, token);
}

/* Words of bytes up to 16 of them. */
static bool takes_diagram(struct ear_text_cursor *cursor)
{
	struct token token = take_token(cursor);
	size_t digits = 0;

	if (!is_hex(&token))
		return false;
	while (digits < 32) {
		token = take_token(cursor);
		if (token.kind != 'w' || token.text.size % 2 != 0)
			return false;
		digits += token.text.size;
	}
	return digits == 32;
}

/* --- Lines --- */

bool ear_tarmac_takes_instruction(const struct ear_tarmac_head *head,
	const struct ear_tarmac_state *state, const struct ear_tarmac_instruction *instruction)
{
	struct ear_text mode = instruction->mode, text = instruction->text;
	bool usual =
		head->kind == EAR_TARMAC_INSTRUCTION && instruction->has_index &&
		!instruction->has_physical && mode.size > 0 &&
		(instruction->set == 'A' || instruction->set == 'T' || instruction->set == 'O');
	uint8_t all = W;

	if (!usual || (head->stamped && state->foreign_unit) || head->foreign_cpu)
		return ear_tarmac_taken(head, state);
	for (size_t i = 0; i < mode.size; i++)
		all &= letter_of(mode.text[i]);
	uint8_t first = text.size > 0 ? letter_of(text.text[0]) : W;
	return all == W && (first & W || first == S);
}

bool ear_tarmac_taken(const struct ear_tarmac_head *head, const struct ear_tarmac_state *state)
{
	struct ear_text_cursor cursor = head->rest;

	if (head->continued)
		return takes_diagram(&cursor);
	cursor.at = head->word.text; /* the word again, as they cut it */
	if ((head->stamped && state->foreign_unit) || head->foreign_cpu)
		return false;
	struct token word = take_token(&cursor);
	switch (head->kind) {
	case EAR_TARMAC_INSTRUCTION:
	case EAR_TARMAC_STATE: return takes_instruction(&cursor, head->kind == EAR_TARMAC_STATE);
	case EAR_TARMAC_REGISTER: return is_usual_register(head->rest) || takes_register(&cursor);
	case EAR_TARMAC_DIAGRAM: return takes_diagram(&cursor);
	case EAR_TARMAC_ACCESS: return takes_access(&cursor, word.text);
	case EAR_TARMAC_EVENT:
		if (word.kind == 'w' && word.text.text[0] == 'M')
			return takes_access(&cursor, word.text);
		return word.kind != '!' && take_token(&cursor).kind != '!';
	default: return true;
	}
}
