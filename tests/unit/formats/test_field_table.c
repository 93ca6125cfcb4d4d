/* The table of docs/text-formats.md, "Which format carries which field", is what the code says. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/codec/record_encoder.h"
#include "decoder/record/field.h"
#include "formats/base/writer.h"
#include "formats/formats.h"

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

static void print_table(FILE *to)
{
	/* Without blanks the names fit into 100 columns. */
	fprintf(to, "|field|shot|");
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		fprintf(to, "%s|", format->name);
	fprintf(to, "\n|---|---|");
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		fprintf(to, "---|");
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++) {
		uint64_t bit = EAR_FIELD_BIT(field);
		fprintf(to, "\n| %s | %s |", ear_field_text((enum ear_field)field),
			EAR_RECORD_ENCODER_FIELDS & bit ? "yes" : "");
		for (const struct ear_writer_format *format = ear_writer_formats; format->name;
			format++)
			fprintf(to, " %s |", format->fields & bit ? "yes" : "");
	}
	fprintf(to, "\n");
}

static void the_documented_table_is_the_codes(void **state)
{
	static const char begin_mark[] = "<!-- fields -->\n", end_mark[] = "<!-- end -->";
	char *text = load(EAR_TEST_DATA "/../../docs/text-formats.md");
	char *wanted = NULL;
	size_t size;
	FILE *memory = open_memstream(&wanted, &size);

	(void)state;
	print_table(memory);
	fclose(memory);
	char *begin = strstr(text, begin_mark);
	assert_non_null(begin);
	begin += strlen(begin_mark);
	char *end = strstr(begin, end_mark);
	assert_non_null(end);
	if ((size_t)(end - begin) != size || memcmp(begin, wanted, size) != 0) {
		fprintf(stderr, "the table should be:\n%s", wanted);
		fail();
	}
	free(wanted);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_documented_table_is_the_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
