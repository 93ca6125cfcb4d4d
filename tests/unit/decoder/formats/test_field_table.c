/* The table of docs/text-formats.md, "Which format carries which field", is what the code says. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/codec/record_encoder.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "decoder/record/field.h"
#include "document.h"

/* The next one that is text; branch traces are listed apart. */
static const struct ear_writer_format *next_text(const struct ear_writer_format *format)
{
	while (format->make_of_bytes)
		format++;
	return format;
}

static void print_table(FILE *to)
{
	const struct ear_writer_format *first = next_text(ear_writer_formats), *format;

	/* Without blanks the names fit into 100 columns. */
	fprintf(to, "|field|shot|");
	for (format = first; format->name; format = next_text(format + 1))
		fprintf(to, "%s|", format->name);
	fprintf(to, "\n|---|---|");
	for (format = first; format->name; format = next_text(format + 1))
		fprintf(to, "---|");
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++) {
		uint64_t bit = EAR_FIELD_BIT(field);
		fprintf(to, "\n| %s | %s |", ear_field_text((enum ear_field)field),
			EAR_RECORD_ENCODER_FIELDS & bit ? "yes" : "");
		for (format = first; format->name; format = next_text(format + 1))
			fprintf(to, " %s |",
				ear_format_limit(format->name, (enum ear_field)field) ? "~"
				: format->fields & bit                                ? "yes"
										      : "");
	}
	fprintf(to, "\n");
}

#define WIDTH 100

/* What "~" means, of one format. */
static void print_limits(FILE *to)
{
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++) {
		int column = 0;
		for (const struct ear_format_limit *limit = ear_format_limits; limit->format;
			limit++) {
			char text[256];
			if (strcmp(limit->format, format->name) != 0)
				continue;
			int size = snprintf(text, sizeof(text), "%s: %s",
				ear_field_text(limit->field), limit->text);
			if (column == 0)
				column = fprintf(to, "- **%s**:", format->name);
			else
				column += fprintf(to, ";");
			if (column + 2 + size > WIDTH)
				column = fprintf(to, "\n ") - 1;
			column += fprintf(to, " %s", text);
		}
		if (column > 0)
			fprintf(to, "\n");
	}
}

/* Of a format that is only read, and of branch traces, what its records can have. */
static void print_read(FILE *to)
{
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++) {
		if (ear_writer_find(format->name) && !format->make_of_bytes)
			continue;
		int column = fprintf(to, "- **%s**:", format->name);
		const char *comma = "";
		for (unsigned field = 0; field < EAR_FIELD_COUNT; field++) {
			const char *text = ear_field_text((enum ear_field)field);
			if (!(format->fields & EAR_FIELD_BIT(field)))
				continue;
			column += fprintf(to, "%s", comma);
			if (column + 2 + (int)strlen(text) > WIDTH)
				column = fprintf(to, "\n ") - 1;
			column += fprintf(to, " %s", text);
			comma = ",";
		}
		fprintf(to, "\n");
	}
}

static const struct version {
	const char *format, *tool, *versions, *from;
} versions[] = {
#define RUN                                  "run"
#define SOURCE                               "its source"
#define LOG                                  "published logs"
#define DOCUMENT                             "its document"
#define VERSION(name, program, which, known) {(name), (program), (which), known},
#include "decoder/formats/versions.def"
};

/* Of each format that is read, in the order of --help. */
static void print_versions(FILE *to)
{
	fprintf(to, "| format | tool | versions | known from |\n|---|---|---|---|\n");
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++)
		for (size_t i = 0; i < COUNT_OF(versions); i++)
			if (strcmp(versions[i].format, format->name) == 0)
				fprintf(to, "| %s | %s | %s | %s |\n", format->name,
					versions[i].tool, versions[i].versions, versions[i].from);
}

/* A user's own pattern is of no tool. */
static void each_format_that_is_read_has_its_tools(void **state)
{
	size_t rows = 0;

	(void)state;
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++) {
		const size_t before = rows;
		for (size_t i = 0; i < COUNT_OF(versions); i++)
			rows += strcmp(versions[i].format, format->name) == 0;
		if (rows == before && strcmp(format->name, "pattern") != 0)
			fail_msg("%s has no row in versions.def", format->name);
	}
	assert_int_equal(rows, COUNT_OF(versions));
}

/* A limit is of a field that the format carries. */
static void a_limit_is_of_what_is_carried(void **state)
{
	(void)state;
	for (const struct ear_format_limit *limit = ear_format_limits; limit->format; limit++)
		assert_true(ear_writer_find(limit->format)->fields & EAR_FIELD_BIT(limit->field));
}

static void the_documented_table_is_the_codes(void **state)
{
	(void)state;
	document_check_table(EAR_TEST_DATA "/../../docs/text-formats.md", "fields", print_table);
	document_check_table(
		EAR_TEST_DATA "/../../docs/text-formats.md", "fields-partly", print_limits);
	document_check_table(
		EAR_TEST_DATA "/../../docs/text-formats.md", "fields-read", print_read);
	document_check_table(
		EAR_TEST_DATA "/../../docs/text-formats.md", "versions", print_versions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_format_that_is_read_has_its_tools),
		cmocka_unit_test(a_limit_is_of_what_is_carried),
		cmocka_unit_test(the_documented_table_is_the_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
