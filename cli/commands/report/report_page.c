/* The file: a page with the head in JSON, the sections' data, and the program that shows them. The
 * data are in script elements of types that no browser runs; the policy allows the one script and
 * the one style whose hashes it has, so it is the same for every report.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/cli.h"
#include "cli/commands/report/report.h"
#include "cli/report/report_bundle.h"
#include "common/source_date.h"

#define CHUNK        262144u
#define MESSAGES_MAX 100u
#define MESSAGE_MAX  1000u /* bytes of a line */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static uint64_t chunks_of(const struct report_section *section)
{
	return section->kind == REPORT_NONE ? 0 : (section->packed_bytes + CHUNK - 1) / CHUNK;
}

/* ---- The head. ---- */

static void put_date(FILE *file)
{
	char text[32] = "";
	struct tm parts;
	time_t date;

	(void)ear_source_date(&date);
	if (gmtime_r(&date, &parts))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	fprintf(file, "\"created\":\"%s\"", text);
}

/* What the command printed as errors, a string for each line. */
static void put_messages(FILE *file, const struct report_section *section)
{
	char line[MESSAGE_MAX + 2], rest[64];
	size_t count = 0, more = 0;

	fputs("\"messages\":[", file);
	if (section->errors)
		rewind(section->errors);
	while (section->errors && fgets(line, sizeof(line), section->errors)) {
		size_t length = strlen(line);
		const bool is_cut =
			length > 0 && line[length - 1] != '\n' && !feof(section->errors);
		while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
			line[--length] = '\0';
		for (int c = 0; is_cut && c != '\n' && c != EOF;)
			c = fgetc(section->errors);
		if (count >= MESSAGES_MAX) {
			more++;
			continue;
		}
		fputs(count++ > 0 ? "," : "", file);
		report_put_json(file, line);
	}
	if (section->kind == REPORT_NONE && section->status >= 128) {
		snprintf(line, sizeof(line), "signal %d ended the command", section->status - 128);
		fputs(count++ > 0 ? "," : "", file);
		report_put_json(file, line);
	}
	if (more > 0) {
		snprintf(rest, sizeof(rest), "and %zu more lines", more);
		fputc(',', file);
		report_put_json(file, rest);
	}
	fputc(']', file);
}

static void put_section(FILE *file, const struct report_section *section)
{
	static const char *const kinds[] = {[REPORT_JSON] = "json",
		[REPORT_LINES] = "lines",
		[REPORT_COLUMNS] = "columns",
		[REPORT_NONE] = "none"};
	const bool is_there = section->kind != REPORT_NONE;

	fprintf(file, "{\"name\":\"%s\",\"trace\":%d,\"command\":", section->name, section->trace);
	report_put_command(file, section->words, section->word_count);
	fprintf(file, ",\"status\":%d,", section->status);
	put_messages(file, section);
	fprintf(file,
		",\"kind\":\"%s\",\"bytes\":%" PRIu64 ",\"crc32\":\"%08" PRIx32
		"\",\"chunks\":%" PRIu64 "}",
		kinds[section->kind], is_there ? section->bytes : 0, is_there ? section->crc : 0,
		chunks_of(section));
}

static void put_head(FILE *file, const struct report *report)
{
	fputs("{\"format\":1,\"version\":", file);
	report_put_json(
		file, strchr(cli_version, ' ') ? strchr(cli_version, ' ') + 1 : cli_version);
	fputs(",\"title\":", file);
	report_put_json(file, base_of(report->traces[0]));
	fputc(',', file);
	put_date(file);
	fputs(",\"traces\":[", file);
	for (size_t i = 0; i < report->trace_count; i++) {
		fputs(i > 0 ? ",{\"name\":" : "{\"name\":", file);
		report_put_json(file, base_of(report->traces[i]));
		fputs(",\"path\":", file);
		report_put_json(file, report->traces[i]);
		fputc('}', file);
	}
	fputs("],\"left_out\":[", file);
	for (size_t i = 0; i < report->left_out_count; i++) {
		fputs(i > 0 ? "," : "", file);
		report_put_json(file, report->left_out[i]);
	}
	fputs("],\n\"sections\":[\n", file);
	for (size_t i = 0; i < report->section_count; i++) {
		put_section(file, &report->sections[i]);
		fputs(i + 1 < report->section_count ? ",\n" : "\n", file);
	}
	fputs("]}", file);
}

/* ---- The data. ---- */

static bool put_data(FILE *file, const struct report *report, size_t number)
{
	const struct report_section *section = &report->sections[number];
	char buffer[16384];

	if (chunks_of(section) == 0)
		return true;
	rewind(section->packed);
	for (uint64_t chunk = 0; chunk < chunks_of(section); chunk++) {
		uint64_t rest = section->packed_bytes - chunk * CHUNK;
		rest = rest < CHUNK ? rest : CHUNK;
		fprintf(file,
			"<script type=\"application/octet-stream\" data-section=\"%zu\" "
			"data-chunk=\"%" PRIu64 "\">",
			number, chunk);
		while (rest > 0) {
			const size_t wanted = rest < sizeof(buffer) ? (size_t)rest : sizeof(buffer);
			const size_t count = fread(buffer, 1, wanted, section->packed);
			if (count == 0) {
				errno = EIO;
				return false;
			}
			fwrite(buffer, 1, count, file);
			rest -= count;
		}
		fputs("</script>\n", file);
	}
	return true;
}

/* The mark of UTF-8 comes first: without it a browser looks for the encoding of all megabytes of a
 * file, in one task of its main thread. */
static void put_begin(FILE *file, const struct report *report)
{
	fprintf(file,
		"\xef\xbb\xbf<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src '%s'; style-src '%s'; img-src data:; worker-src blob:; base-uri 'none'; "
		"form-action 'none'; require-trusted-types-for 'script'; trusted-types earshot\">\n"
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
		ear_report_script_hash, ear_report_style_hash);
	report_put_html(file, base_of(report->traces[0]));
	if (report->trace_count > 1) {
		fputs(" and ", file);
		report_put_html(file, base_of(report->traces[1]));
	}
	fputs(" - earshot</title>\n<style>", file);
	fwrite(ear_report_style, 1, ear_report_style_size, file);
	fputs("</style></head>\n<body>\n<noscript>This report needs JavaScript to show its data. It "
	      "loads nothing from the network.</noscript>\n<script type=\"application/json\" "
	      "id=\"earshot-head\">",
		file);
	put_head(file, report);
	fputs("</script>\n", file);
}

bool report_write_page(struct report *report, FILE *file)
{
	errno = 0;
	put_begin(file, report);
	for (size_t i = 0; i < report->section_count; i++)
		if (!put_data(file, report, i))
			return false;
	fputs("<script>", file);
	fwrite(ear_report_script, 1, ear_report_script_size, file);
	fputs("</script>\n</body></html>\n", file);
	return fflush(file) == 0 && !ferror(file);
}

uint64_t report_page_size(const struct report *report)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return 0;
	put_begin(file, report);
	fclose(file);
	free(text);
	uint64_t sum = size + ear_report_script_size + 64;
	for (size_t i = 0; i < report->section_count; i++)
		sum += report->sections[i].packed_bytes + 96 * chunks_of(&report->sections[i]);
	return sum;
}
