/* What may be shown of text from outside: a table of cases, and random bytes against a second
 * reading of the rule.
 */
#include "common/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"

static void check(const char *text, size_t size, const char *expected, enum ear_printable_kind kind)
{
	char shown[1024];
	size_t used;
	size_t written =
		ear_printable_copy(shown, sizeof(shown) - 1, &used, text, size, kind, true);

	shown[written] = '\0';
	assert_int_equal(used, size);
	if (strcmp(shown, expected) != 0)
		fail_msg("became \"%s\", not \"%s\"", shown, expected);
	if (size > 0 && strcmp(shown, expected) == 0)
		assert_int_equal(ear_printable_span(text, size, kind) == size,
			written == size && memcmp(shown, text, size) == 0);
}

static void what_can_be_seen_is_shown_as_it_is(void **state)
{
	static const char *const texts[] = {"", " ", "~", "addi x5, x5, 1", "\xc3\xa9t\xc3\xa9",
		"\xe2\x82\xac", "\xe4\xb8\xad\xe6\x96\x87", "\xf0\x9f\x98\x80", "back\\slash",
		"\"%s\""};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		check(texts[i], strlen(texts[i]), texts[i], EAR_PRINTABLE_LINE);
		check(texts[i], strlen(texts[i]), texts[i], EAR_PRINTABLE_TEXT);
	}
}

static void what_moves_a_terminal_is_shown_as_bytes(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"\x1b]0;mine\x07", "\\x1b]0;mine\\x07"},
		{"\x1b[2J", "\\x1b[2J"},
		{"a\bb\vc\fd", "a\\x08b\\x0bc\\x0cd"},
		{"\x7f", "\\x7f"},
		{"\xc2\x9b"
		 "2J",
			"\\xc2\\x9b2J"},    /* CSI as a C1 character */
		{"\xc2\x85", "\\xc2\\x85"}, /* next line */
		{"\x9b"
		 "2J",
			"\\x9b2J"}, /* and as a byte */
		{"\xe2\x80\xae"
		 "fdp.exe",
			"\\xe2\\x80\\xaefdp.exe"},            /* from right to left */
		{"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},          /* isolate */
		{"\xd8\x9c", "\\xd8\\x9c"},                   /* Arabic letter mark */
		{"\xe2\x80\x8b", "\\xe2\\x80\\x8b"},          /* of no width */
		{"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},          /* line separator */
		{"\xef\xbb\xbf", "\\xef\\xbb\\xbf"},          /* byte order mark */
		{"\xf3\xa0\x81\xa1", "\\xf3\\xa0\\x81\\xa1"}, /* tag letter */
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* surrogate */
		{"\xc0\x9b", "\\xc0\\x9b"},                   /* overlong */
		{"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},
		{"\xf0\x80\x80\x9b", "\\xf0\\x80\\x80\\x9b"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond the last character */
		{"\xff\xfe", "\\xff\\xfe"},
		{"\xef\xbf\xbf", "\\xef\\xbf\\xbf"}, /* no character */
		{"\xc3", "\\xc3"},                   /* cut */
		{"\xe2\x82", "\\xe2\\x82"},
		{"\xc3(", "\\xc3("},
		{"\xe2\x82"
		 "a",
			"\\xe2\\x82"
			"a"},
		{"a\rb", "a\\x0db"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		check(cases[i].text, strlen(cases[i].text), cases[i].shown, EAR_PRINTABLE_LINE);
		check(cases[i].text, strlen(cases[i].text), cases[i].shown, EAR_PRINTABLE_TEXT);
	}
	check("a\0b", 3, "a\\x00b", EAR_PRINTABLE_TEXT);
}

static void a_line_has_no_end_in_it(void **state)
{
	(void)state;
	check("a\nb\tc\r\nd", 8, "a\\x0ab\\x09c\\x0d\\x0ad", EAR_PRINTABLE_LINE);
	check("a\nb\tc\r\nd", 8, "a\nb\tc\r\nd", EAR_PRINTABLE_TEXT);
	check("\r", 1, "\\x0d", EAR_PRINTABLE_TEXT);
}

static void a_string_that_is_too_long_is_cut_before_a_character(void **state)
{
	char shown[6];

	(void)state;
	ear_printable_string(shown, sizeof(shown), "abcd\xc3\xa9", EAR_PRINTABLE_LINE);
	assert_string_equal(shown, "abcd");
	ear_printable_string(shown, sizeof(shown), "ab\x1b", EAR_PRINTABLE_LINE);
	assert_string_equal(shown, "ab");
}

/* -- Random bytes -- */

/* The rule once more, for what was shown: no control, nothing unseen, and UTF-8. */
static bool is_clean(const uint8_t *text, size_t size, enum ear_printable_kind kind)
{
	for (size_t i = 0; i < size; i++) {
		uint32_t code = text[i];
		size_t more = code < 0x80 ? 0 : code < 0xe0 ? 1 : code < 0xf0 ? 2 : 3;

		if (code >= 0x80 && (code < 0xc2 || code > 0xf4))
			return false;
		if (more > 0)
			code &= 0x3fu >> more;
		for (size_t k = 0; k < more; k++) {
			if (++i >= size || (text[i] & 0xc0) != 0x80)
				return false;
			code = code << 6 | (text[i] & 0x3fu);
		}
		bool layout = kind == EAR_PRINTABLE_TEXT &&
			      (code == '\n' || code == '\t' ||
				      (code == '\r' && i + 1 < size && text[i + 1] == '\n'));
		bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
		bool moves = code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
			     (code >= 0x2028 && code <= 0x202e) ||
			     (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
		bool none = (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ||
			    (code & 0xfffe) == 0xfffe || (more == 2 && code < 0x800) ||
			    (more == 3 && code < 0x10000);
		if ((control && !layout) || moves || none)
			return false;
	}
	return true;
}

/* Bytes of all kinds, of those that matter more than others, and of plain text. */
static size_t make_bytes(struct random *random, uint8_t *bytes, size_t limit)
{
	static const char *const chunks[] = {"\x1b[2J", "\xc2\x9b", "\xe2\x80\xae", "\xc3\xa9",
		"\xf0\x9f\x98\x80", "\r\n", "\r", "\t", "plain text and more of it, ", "\xe2\x80"};
	size_t size = 0, wanted = random_below(random, limit - 40);

	while (size < wanted) {
		uint64_t kind = random_below(random, 4);
		const char *chunk = chunks[random_below(random, COUNT_OF(chunks))];

		if (kind == 0) {
			bytes[size++] = (uint8_t)random_next(random);
		} else if (kind == 1) {
			bytes[size++] = (uint8_t)(0x80 + random_below(random, 0x80));
		} else {
			memcpy(bytes + size, chunk, strlen(chunk));
			size += strlen(chunk);
		}
	}
	return size;
}

static void whatever_comes_what_is_shown_is_clean(void **state)
{
	struct random random = {0x7072696e74};

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		uint8_t bytes[1000];
		size_t size = make_bytes(&random, bytes, i % 10 ? 100 : sizeof(bytes));
		enum ear_printable_kind kind = i & 1 ? EAR_PRINTABLE_TEXT : EAR_PRINTABLE_LINE;
		/* Blocks of exact sizes, for the sanitizers. */
		char *exact = malloc(size + 1), *shown = malloc(4 * size + 1), *chunks;
		size_t used, written = 0, done = 0;

		memcpy(exact, bytes, size);
		written = ear_printable_copy(shown, 4 * size, &used, exact, size, kind, true);
		assert_int_equal(used, size);
		if (!is_clean((uint8_t *)shown, written, kind))
			fail_msg("trial %u: %zu bytes are not clean", i, written);
		size_t span = ear_printable_span(exact, size, kind);
		assert_memory_equal(exact, shown, span);
		assert_int_equal(span == size, written == size);

		/* In chunks, with little room, it becomes the same. */
		chunks = malloc(4 * size + 1);
		size_t total = 0;
		while (done < size) {
			size_t part = 1 + random_below(&random, 20);
			bool final = done + part >= size;
			if (final)
				part = size - done;
			size_t chunk = ear_printable_copy(chunks + total, 4 * size - total, &used,
				exact + done, part, kind, final);
			if (used == 0 && !final) { /* more of the character */
				part = size - done < part + 4 ? size - done : part + 4;
				chunk = ear_printable_copy(chunks + total, 4 * size - total, &used,
					exact + done, part, kind, done + part == size);
			}
			assert_above(used, 0);
			total += chunk;
			done += used;
		}
		assert_int_equal(total, written);
		assert_memory_equal(chunks, shown, total);
		free(exact);
		free(shown);
		free(chunks);
	}
}

static void check_json(const char *text, size_t size, const char *expected, size_t used)
{
	char shown[EAR_PRINTABLE_JSON_SIZE];

	assert_int_equal(ear_printable_json(shown, text, size), used);
	assert_string_equal(shown, expected);
}

static void what_json_has_for_a_hidden_character(void **state)
{
	(void)state;
	check_json("\033[", 2, "\\u001b", 1);
	check_json("\x7f", 1, "\\u007f", 1);
	check_json("\xc2\x9b", 2, "\\u009b", 2);
	check_json("\xe2\x80\xae"
		   "a",
		4, "\\u202e", 3);
	check_json("\xf3\xa0\x81\x81", 4, "\\udb40\\udc41", 4);
	check_json("\xff", 1, "\\udcff", 1);
	check_json("\xe2\x80", 2, "\\udce2", 1); /* it ends too early */
	check_json("\xe2\x80"
		   "a",
		3, "\\udce2", 1);                        /* it goes on otherwise */
	check_json("\xc0\x80", 2, "\\udcc0", 1);         /* longer than needed */
	check_json("\xed\xa0\x80", 3, "\\udced", 1);     /* a surrogate */
	check_json("\xf4\x90\x80\x80", 4, "\\udcf4", 1); /* beyond Unicode */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_be_seen_is_shown_as_it_is),
		cmocka_unit_test(what_moves_a_terminal_is_shown_as_bytes),
		cmocka_unit_test(a_line_has_no_end_in_it),
		cmocka_unit_test(a_string_that_is_too_long_is_cut_before_a_character),
		cmocka_unit_test(whatever_comes_what_is_shown_is_clean),
		cmocka_unit_test(what_json_has_for_a_hidden_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
