/* Durations of calls as a table, CSV or JSON. */
#include "cli/commands/calls/calls_sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/show/json.h"

#define NAME_MAX_ 256
#define BAR_MAX   40

/* "main", "[0x80000150]", "[others]". */
static const char *name_of(const struct calls_show *show, uint64_t entry, char text[NAME_MAX_])
{
	if (entry == UINT64_MAX)
		snprintf(text, NAME_MAX_, "[others]");
	else if (!show->names || ear_names_text(show->names, entry, text, NAME_MAX_) <= 0)
		snprintf(text, NAME_MAX_, "[0x%" PRIx64 "]", entry);
	return text;
}

static bool has_time(const struct ear_call_sum *sum)
{
	for (size_t i = 0; i < ear_call_sum_count(sum); i++)
		if (ear_call_sum_function(sum, i)->clocks.count > 0)
			return true;
	return false;
}

/* ---- The table. ---- */

static int compare(const void *a, const void *b)
{
	const struct ear_call_sum_function *const *left = a, *const *right = b;
	const double x = (*left)->records.sum, y = (*right)->records.sum;

	if (x != y)
		return x > y ? -1 : 1;
	return (*left)->entry < (*right)->entry ? -1 : (*left)->entry > (*right)->entry;
}

static void print_durations(const struct ear_durations *durations)
{
	if (durations->count == 0) {
		printf(" %9s %11s %9s %9s %9s", "-", "-", "-", "-", "-");
		return;
	}
	printf(" %9" PRIu64 " %11.1f %9" PRIu64 " %9" PRIu64 " %9" PRIu64, durations->min,
		durations->sum / (double)durations->count, ear_durations_at_most(durations, 500),
		ear_durations_at_most(durations, 990), durations->max);
}

static void print_table(const struct calls_show *show,
	const struct ear_call_sum_function *const *list, size_t count, bool timed)
{
	char name[NAME_MAX_];

	printf("%12s %51s", "", "records");
	printf(timed ? " %51s\n%12s" : "\n%12s", timed ? "clocks" : "calls", "calls");
	for (int i = 0; i < 1 + timed; i++)
		printf(" %9s %11s %9s %9s %9s", "min", "mean", "50 % <=", "99 % <=", "max");
	printf("  function\n");
	for (size_t i = 0; i < count; i++) {
		printf("%12" PRIu64, list[i]->calls);
		print_durations(&list[i]->records);
		if (timed)
			print_durations(&list[i]->clocks);
		printf("  %s\n", name_of(show, list[i]->entry, name));
	}
}

/* ---- For other programs. ---- */

static void print_csv_durations(const struct ear_durations *durations)
{
	printf(",%" PRIu64, durations->count);
	if (durations->count == 0)
		printf(",,,,,");
	else
		printf(",%" PRIu64 ",%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64, durations->min,
			durations->sum / (double)durations->count,
			ear_durations_at_most(durations, 500),
			ear_durations_at_most(durations, 990), durations->max);
}

static void print_csv(const struct calls_show *show,
	const struct ear_call_sum_function *const *list, size_t count)
{
	char name[NAME_MAX_];

	puts("function,entry,calls,ended,records_min,records_mean,records_50_to,records_99_to,"
	     "records_max,timed,clocks_min,clocks_mean,clocks_50_to,clocks_99_to,clocks_max");
	for (size_t i = 0; i < count; i++) {
		calls_print_csv(name_of(show, list[i]->entry, name));
		printf(",0x%" PRIx64 ",%" PRIu64, list[i]->entry, list[i]->calls);
		print_csv_durations(&list[i]->records);
		print_csv_durations(&list[i]->clocks);
		printf("\n");
	}
}

static void print_json_buckets(struct json *json, const struct ear_durations *durations)
{
	json_open(json, "buckets", '[');
	for (unsigned i = 0; i < EAR_DURATION_BUCKETS; i++) {
		if (durations->buckets[i] == 0)
			continue;
		json_open(json, NULL, '[');
		json_number(json, NULL, ear_duration_first(i));
		json_number(json, NULL, ear_duration_last(i));
		json_number(json, NULL, durations->buckets[i]);
		json_close(json, ']');
	}
	json_close(json, ']');
}

static void print_json_durations(
	struct json *json, const char *key, const struct ear_durations *durations)
{
	if (durations->count == 0) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_number(json, "count", durations->count);
	json_number(json, "min", durations->min);
	json_real(json, "mean", durations->sum / (double)durations->count, 3);
	json_number(json, "50_to", ear_durations_at_most(durations, 500));
	json_number(json, "99_to", ear_durations_at_most(durations, 990));
	json_number(json, "max", durations->max);
	print_json_buckets(json, durations);
	json_close(json, '}');
}

static void print_json(const struct calls_show *show,
	const struct ear_call_sum_function *const *list, size_t count)
{
	char name[NAME_MAX_];

	for (size_t i = 0; i < count; i++) {
		struct json json = json_spaced();
		json_open(&json, NULL, '{');
		json_text(&json, "function", name_of(show, list[i]->entry, name));
		json_hex(&json, "entry", true, list[i]->entry);
		json_number(&json, "calls", list[i]->calls);
		print_json_durations(&json, "records", &list[i]->records);
		print_json_durations(&json, "clocks", &list[i]->clocks);
		json_close(&json, '}');
		putchar('\n');
	}
}

bool calls_sum_show(const struct calls_show *show, const struct ear_call_sum *sum, uint64_t max)
{
	size_t count = ear_call_sum_count(sum);
	const struct ear_call_sum_function **list = calloc(count + 1, sizeof(*list));

	if (!list) {
		cli_error("out of memory");
		return false;
	}
	for (size_t i = 0; i < count; i++)
		list[i] = ear_call_sum_function(sum, i);
	qsort(list, count, sizeof(*list), compare);
	const size_t all = count;
	count = max && max < count ? (size_t)max : count;
	switch (show->format) {
	case CALLS_CSV: print_csv(show, list, count); break;
	case CALLS_JSON: print_json(show, list, count); break;
	default:
		print_table(show, list, count, has_time(sum));
		if (count < all)
			printf("... and %zu more (--limit N)\n", all - count);
		break;
	}
	free(list);
	return true;
}

/* ---- Histograms. ---- */

static void print_buckets(const struct ear_durations *durations, const char *unit)
{
	uint64_t highest = 0;

	for (unsigned i = 0; i < EAR_DURATION_BUCKETS; i++)
		highest = durations->buckets[i] > highest ? durations->buckets[i] : highest;
	if (highest == 0)
		return;
	printf("%25s %12s\n", unit, "calls");
	for (unsigned i = 0; i < EAR_DURATION_BUCKETS; i++) {
		const uint64_t calls = durations->buckets[i];
		if (calls == 0)
			continue;
		const int bar = (int)((double)calls * BAR_MAX / (double)highest + 0.5);
		printf("%12" PRIu64 " %12" PRIu64 " %12" PRIu64 "  ", ear_duration_first(i),
			ear_duration_last(i), calls);
		for (int j = 0; j < bar; j++)
			putchar('#');
		putchar('\n');
	}
}

void calls_histogram_show(const struct calls_show *show, const struct ear_call_sum *sum)
{
	char name[NAME_MAX_];

	for (size_t i = 0; i < ear_call_sum_count(sum); i++) {
		const struct ear_call_sum_function *function = ear_call_sum_function(sum, i);
		printf("%s: %" PRIu64 " calls, %" PRIu64 " of them ended\n",
			name_of(show, function->entry, name), function->calls,
			function->records.count);
		print_buckets(&function->records, "records");
		print_buckets(&function->clocks, "clocks");
	}
}
