/* The bins of an instruction set, printed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/commands/coverage/coverage_isa.h"
#include "cli/show/json.h"

struct sum {
	uint64_t hit, found, unknown;
};

static void count(struct sum *sum, const struct isa_bin *bin)
{
	if (!bin->known) {
		sum->unknown++;
		return;
	}
	sum->found++;
	sum->hit += bin->count > 0;
}

static struct sum total_of(const struct isa_bins *bins)
{
	struct sum total = {0};

	for (size_t i = 0; i < bins->count; i++)
		count(&total, &bins->bins[i]);
	return total;
}

static void print_sum(const struct sum *sum)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 "/%" PRIu64, sum->hit, sum->found);
	if (sum->found > 0)
		printf("%13s %5.1f", text, 100.0 * (double)sum->hit / (double)sum->found);
	else
		printf("%13s %5s", "-", "-");
}

static bool same_row(const struct isa_bin *a, const struct isa_bin *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(b->group, "opcode") != 0;
}

/* A row for each instruction, trap, transition and CSR. */
void isa_bins_show_table(const struct isa_bins *bins)
{
	const struct sum total = total_of(bins);

	printf("%14s %13s %5s  %-30s %s\n", "count", "bins", "%", "what", "section");
	for (size_t i = 0; i < bins->count;) {
		const struct isa_bin *first = &bins->bins[i];
		struct sum sum = {0};
		for (; i < bins->count &&
			(&bins->bins[i] == first || same_row(first, &bins->bins[i]));
			i++)
			count(&sum, &bins->bins[i]);
		if (first->known)
			printf("%14" PRIu64 " ", first->count);
		else
			printf("%14s ", "-");
		print_sum(&sum);
		printf("  %-30s %s\n", first->name, first->section);
	}
	printf("%14s ", "");
	print_sum(&total);
	printf("  total, rv%u: %s\n", bins->xlen, bins->extensions);
	if (total.unknown > 0)
		printf("%" PRIu64 " bins are not known: the trace does not show them\n",
			total.unknown);
}

void isa_bins_show_missing(const struct isa_bins *bins)
{
	for (size_t i = 0; i < bins->count; i++) {
		const struct isa_bin *bin = &bins->bins[i];
		if (bin->known && bin->count == 0)
			printf("%s: %s (%s)\n", bin->name, bin->what, bin->section);
	}
}

void isa_bins_show_json(const struct isa_bins *bins, const struct verdict *verdict)
{
	const struct sum total = total_of(bins);

	struct json json = json_spaced();
	json_open(&json, NULL, '{');
	json_number(&json, "xlen", bins->xlen);
	json_text(&json, "extensions", bins->extensions);
	json_number(&json, "hit", total.hit);
	json_number(&json, "bins", total.found);
	json_number(&json, "unknown", total.unknown);
	verdict_json(verdict, &json);
	json_open(&json, "rows", '[');
	for (size_t i = 0; i < bins->count; i++) {
		const struct isa_bin *bin = &bins->bins[i];
		json_line(&json, 2);
		json_open(&json, NULL, '{');
		json_text(&json, "group", bin->group);
		json_text(&json, "name", bin->name);
		json_text(&json, "bin", bin->what);
		json_known(&json, "count", bin->known, bin->count);
		json_text(&json, "section", bin->section);
		json_close(&json, '}');
	}
	putchar('\n');
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
}

void isa_bins_show_html(const struct isa_bins *bins)
{
	const struct sum total = total_of(bins);

	printf("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
	       "<title>Instruction-set coverage</title>\n"
	       "<style>body{font-family:sans-serif} td,th{padding:0 .6em;text-align:left}\n"
	       ".hit{background:#d4f4d4} .missing{background:#f8d0d0} .unknown{background:#eee}\n"
	       "td:nth-child(4){text-align:right}</style></head>\n<body>\n"
	       "<h1>Instruction-set coverage, rv%u</h1>\n<p>%s</p>\n<p>%" PRIu64 " of %" PRIu64
	       " bins; %" PRIu64 " are not shown by the trace (-).</p>\n"
	       "<table>\n<tr><th>group</th><th>name</th><th>bin</th><th>count</th>"
	       "<th>section</th></tr>\n",
		bins->xlen, bins->extensions, total.hit, total.found, total.unknown);
	for (size_t i = 0; i < bins->count; i++) {
		const struct isa_bin *bin = &bins->bins[i];
		printf("<tr class=\"%s\"><td>%s</td><td>%s</td><td>%s</td><td>",
			!bin->known      ? "unknown"
			: bin->count > 0 ? "hit"
					 : "missing",
			bin->group, bin->name, bin->what);
		if (bin->known)
			printf("%" PRIu64, bin->count);
		else
			printf("-");
		printf("</td><td>%s</td></tr>\n", bin->section);
	}
	printf("</table>\n</body>\n</html>\n");
}
