#include "document.h"

#include "check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *document_block(
	const struct byte_buffer *document, const char *kind, const char *name, const char **end)
{
	char comment[128];

	snprintf(comment, sizeof(comment), "<!-- %s %s -->\n```", kind, name);
	const char *found = strstr((char *)document->bytes, comment);
	if (!found)
		fail_msg("no %s %s in the document", kind, name);
	const char *begin = strchr(found + strlen(comment), '\n') + 1;
	*end = strstr(begin, "```");
	assert_non_null(*end);
	return begin;
}

void document_example(
	struct byte_buffer *bytes, const struct byte_buffer *document, const char *name)
{
	const char *end, *at = document_block(document, "example", name, &end);

	while (at < end) {
		if (*at == '#') {
			at = strchr(at, '\n');
		} else if (isspace((unsigned char)*at)) {
			at++;
		} else {
			char digits[3] = {at[0], at[1], '\0'};
			char *after;
			uint8_t byte = (uint8_t)strtoul(digits, &after, 16);
			if (*after != '\0' || !isspace((unsigned char)at[2]))
				fail_msg("%s: \"%.8s\" is no byte", name, at);
			byte_buffer_append(bytes, &byte, 1);
			at += 2;
		}
	}
}

size_t document_check_examples(
	const struct byte_buffer *document, bool (*known)(const char *name, size_t length))
{
	static const char mark[] = "<!-- example ";
	size_t examples = 0, blocks = 0;

	for (const char *at = (char *)document->bytes; (at = strstr(at, mark)); examples++) {
		at += strlen(mark);
		size_t length = strcspn(at, " ");
		if (!known(at, length))
			fail_msg("nothing checks the example %.*s", (int)length, at);
	}
	for (const char *at = (char *)document->bytes; (at = strstr(at, "```hex")); blocks++)
		at++;
	assert_int_equal(examples, blocks);
	return examples;
}

static char *load(const char *path)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size_t size = (size_t)ftell(file);
	char *text = malloc(size + 1);
	rewind(file);
	assert_int_equal(fread(text, 1, size, file), size);
	text[size] = '\0';
	fclose(file);
	return text;
}

void document_check_table(const char *path, const char *name, void (*print)(FILE *to))
{
	char *text = load(path), *wanted = NULL, mark[128];
	size_t size;
	FILE *memory = open_memstream(&wanted, &size);

	print(memory);
	fclose(memory);
	snprintf(mark, sizeof(mark), "<!-- %s -->\n", name);
	char *begin = strstr(text, mark);
	assert_non_null(begin);
	begin += strlen(mark);
	char *end = strstr(begin, "<!-- end -->");
	assert_non_null(end);
	bool same = (size_t)(end - begin) == size && memcmp(begin, wanted, size) == 0;
	if (!same && getenv("EAR_WRITE_DOCUMENTS")) {
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fprintf(file, "%.*s%s%s", (int)(begin - text), text, wanted, end);
		assert_int_equal(fclose(file), 0);
	} else if (!same) {
		fprintf(stderr, "the table \"%s\" should be:\n%s", name, wanted);
		fail();
	}
	free(wanted);
	free(text);
}
