/* Events of tasks and methods as names of event records, and back.
 *
 * One table says what each kind has; both directions walk over it. Parsing takes exactly what
 * writing makes, so that a name is either such an event, complete, or none.
 */
#include "decoder/record/task_event_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/hex.h"

enum texts {
	NO_TEXT,
	ONE_TEXT,
	ANY_TEXTS,
};

static const struct kind {
	const char *word;
	const char *numbers; /* a letter each: d decimal, x address, i signed */
	enum texts texts;
} kinds[EAR_TASK_KINDS] = {
	[EAR_TASK_PROCESS] = {"process", "dd", ONE_TEXT},
	[EAR_TASK_SWITCH] = {"switch", "d", NO_TEXT},
	[EAR_TASK_FORK] = {"fork", "dd", NO_TEXT},
	[EAR_TASK_CLONE] = {"clone", "dd", NO_TEXT},
	[EAR_TASK_EXEC] = {"exec", "", ANY_TEXTS},
	[EAR_TASK_EXIT] = {"exit", "i", NO_TEXT},
	[EAR_TASK_NAME] = {"name", "d", ONE_TEXT},
	[EAR_TASK_MMAP] = {"mmap", "xxx", ONE_TEXT},
	[EAR_TASK_MUNMAP] = {"munmap", "xx", NO_TEXT},
	[EAR_TASK_SYMBOL] = {"symbol", "x", ONE_TEXT},
	[EAR_TASK_SYMBOL_GONE] = {"symbol-gone", "x", NO_TEXT},
	[EAR_TASK_METHOD_ENTER] = {"method-enter", "dx", NO_TEXT},
	[EAR_TASK_METHOD_EXIT] = {"method-exit", "dx", NO_TEXT},
	[EAR_TASK_METHOD_UNWIND] = {"method-unwind", "dx", NO_TEXT},
	[EAR_TASK_NATIVE_ENTER] = {"native-enter", "dx", NO_TEXT},
	[EAR_TASK_NATIVE_EXIT] = {"native-exit", "dx", NO_TEXT},
	[EAR_TASK_NATIVE_UNWIND] = {"native-unwind", "dx", NO_TEXT},
	[EAR_TASK_EXCEPTION] = {"exception", "xx", NO_TEXT},
	[EAR_TASK_MARK] = {"mark", "d", ONE_TEXT},
	[EAR_TASK_COUNTER] = {"counter", "dd", ONE_TEXT},
	[EAR_TASK_LIBC_INIT] = {"libc-init", "d", NO_TEXT},
	[EAR_TASK_MALLOC] = {"malloc", "dxd", NO_TEXT},
	[EAR_TASK_FREE] = {"free", "dx", NO_TEXT},
	[EAR_TASK_QUERY_MALLOC] = {"query-malloc", "dx", NO_TEXT},
};

static const char *number_format(char letter)
{
	return letter == 'x' ? " 0x%" PRIx64 : letter == 'i' ? " %" PRId64 : " %" PRIu64;
}

/* Append as much as there is room for; the size counts on. */
static size_t append(char *at, size_t room, size_t size, const char *bytes, size_t count)
{
	if (size <= room && count <= room - size)
		memcpy(at + size, bytes, count);
	return size + count;
}

size_t ear_task_event_begin(char *at, size_t room, const struct ear_task_event *event)
{
	const struct kind *kind = &kinds[event->kind];
	size_t size = append(at, room, 0, kind->word, strlen(kind->word));
	char number[24];

	for (size_t i = 0; kind->numbers[i]; i++) {
		int length = snprintf(
			number, sizeof(number), number_format(kind->numbers[i]), event->numbers[i]);
		size = append(at, room, size, number, (size_t)length);
	}
	return size;
}

static bool is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\';
}

size_t ear_task_event_add(char *at, size_t room, size_t size, struct ear_text text)
{
	static const char digits[] = "0123456789abcdef";

	size = append(at, room, size, " ", 1);
	if (text.size == 0)
		return append(at, room, size, "\"\"", 2);
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.text[i];
		char escape[4] = {'\\', 'x', digits[c >> 4], digits[c & 15]};
		size = is_plain(c) ? append(at, room, size, &text.text[i], 1)
				   : append(at, room, size, escape, sizeof(escape));
	}
	return size;
}

/* The next word, without the blank before it. */
static bool take_word(struct ear_text *rest, struct ear_text *word)
{
	if (rest->size < 2 || rest->text[0] != ' ')
		return false;
	const char *begin = rest->text + 1;
	const char *blank = memchr(begin, ' ', rest->size - 1);
	*word = (struct ear_text){begin, blank ? (size_t)(blank - begin) : rest->size - 1};
	rest->text += word->size + 1;
	rest->size -= word->size + 1;
	return word->size > 0;
}

static bool take_digits(uint64_t *number, const char *at, size_t size, unsigned base)
{
	uint64_t value = 0;

	if (size == 0 || (size > 1 && at[0] == '0'))
		return false;
	for (size_t i = 0; i < size; i++) {
		int digit = ear_hex_digit(at[i]);
		if (digit < 0 || (unsigned)digit >= base || (at[i] >= 'A' && at[i] <= 'F') ||
			value > (UINT64_MAX - (unsigned)digit) / base)
			return false;
		value = value * base + (unsigned)digit;
	}
	*number = value;
	return true;
}

static bool take_number(uint64_t *number, struct ear_text *rest, char letter)
{
	struct ear_text word;

	if (!take_word(rest, &word))
		return false;
	if (letter == 'x')
		return word.size > 2 && memcmp(word.text, "0x", 2) == 0 &&
		       take_digits(number, word.text + 2, word.size - 2, 16);
	bool negative = letter == 'i' && word.text[0] == '-';
	if (!take_digits(number, word.text + negative, word.size - negative, 10))
		return false;
	if (letter == 'i' && *number > (uint64_t)INT64_MAX + negative)
		return false;
	if (negative && *number == 0)
		return false;
	*number = negative ? 0 - *number : *number;
	return true;
}

/* One byte of a word, plain or escaped. Returns its length in the word, 0 if it is malformed. */
static size_t take_byte(const char *at, size_t size, char *byte)
{
	*byte = at[0];
	if (is_plain((unsigned char)at[0]))
		return 1;
	if (size < 4 || at[0] != '\\' || at[1] != 'x')
		return 0;
	int high = ear_hex_digit(at[2]), low = ear_hex_digit(at[3]);
	if (high < 0 || low < 0)
		return 0;
	*byte = (char)(high << 4 | low);
	return 4;
}

static bool is_empty(struct ear_text word)
{
	return word.size == 2 && memcmp(word.text, "\"\"", 2) == 0;
}

bool ear_task_event_text(struct ear_text *texts, char *to, size_t *size)
{
	struct ear_text word;

	if (!take_word(texts, &word))
		return false;
	*size = 0;
	for (size_t i = 0, length; i < word.size && !is_empty(word); i += length) {
		length = take_byte(word.text + i, word.size - i, &to[*size]);
		if (length == 0)
			return false;
		++*size;
	}
	return true;
}

/* Are the texts as the kind has them? */
static bool check_texts(struct ear_text rest, enum texts texts)
{
	struct ear_text word;
	size_t count = 0;
	char byte;

	for (; rest.size > 0; count++) {
		if (!take_word(&rest, &word))
			return false;
		for (size_t i = 0, length; i < word.size && !is_empty(word); i += length) {
			length = take_byte(word.text + i, word.size - i, &byte);
			if (length == 0)
				return false;
		}
	}
	return texts == ANY_TEXTS || count == (texts == ONE_TEXT);
}

bool ear_task_event_read(struct ear_task_event *event, const struct ear_record *record)
{
	struct ear_text name = record->u.event.name;
	unsigned kind = 0;

	if (record->kind != EAR_RECORD_EVENT || record->u.event.source != 0 || !name.text)
		return false;
	const char *blank = memchr(name.text, ' ', name.size);
	size_t length = blank ? (size_t)(blank - name.text) : name.size;
	while (kind < EAR_TASK_KINDS && (strlen(kinds[kind].word) != length ||
						memcmp(kinds[kind].word, name.text, length) != 0))
		kind++;
	if (kind == EAR_TASK_KINDS)
		return false;
	*event = (struct ear_task_event){.kind = (enum ear_task_event_kind)kind,
		.texts = {name.text + length, name.size - length}};
	for (size_t i = 0; kinds[kind].numbers[i]; i++)
		if (!take_number(&event->numbers[i], &event->texts, kinds[kind].numbers[i]))
			return false;
	return true;
}

bool ear_task_event_parse(struct ear_task_event *event, const struct ear_record *record)
{
	return ear_task_event_read(event, record) &&
	       check_texts(event->texts, kinds[event->kind].texts);
}

bool ear_task_event_is(const struct ear_record *record, struct ear_text name)
{
	struct ear_text own = record->u.event.name;
	struct ear_task_event event;

	if (!own.text || !name.text || own.size < name.size ||
		memcmp(own.text, name.text, name.size) != 0)
		return false;
	return own.size == name.size ||
	       (own.text[name.size] == ' ' && ear_task_event_parse(&event, record) &&
		       strlen(kinds[event.kind].word) == name.size);
}
