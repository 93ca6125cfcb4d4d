/* Breakpoints and watchpoints. There are few watchpoints; breakpoints are sorted, behind a filter
 * that nearly all addresses fail.
 */
#include "cli/gdb/points.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/gdb/wire/packet.h"

static void free_point(struct ear_gdb_point *point)
{
	for (size_t i = 0; point && i < point->condition_count; i++)
		free(point->conditions[i].code);
	free(point);
}

void ear_gdb_points_fini(struct ear_gdb_points *points)
{
	for (size_t i = 0; i < points->break_count; i++)
		free_point(points->breaks[i]);
	for (size_t i = 0; i < points->watch_count; i++)
		free_point(points->watches[i]);
	free(points->breaks);
	free(points->watches);
	*points = (struct ear_gdb_points){0};
}

/* ---- Packets. ---- */

/* "X3,260000": one condition more. */
static int take_condition(struct ear_gdb_point *point, const char **at)
{
	struct ear_gdb_condition *condition = &point->conditions[point->condition_count];
	uint64_t size;

	if (**at != 'X' || point->condition_count == EAR_GDB_CONDITIONS_MAX)
		return -1;
	++*at;
	if (!ear_gdb_take_hex(at, &size) || *(*at)++ != ',' || size == 0 || strlen(*at) / 2 < size)
		return -1;
	char *digits = strndup(*at, (size_t)size * 2);
	condition->size = (size_t)size;
	condition->code = malloc((size_t)size);
	bool good = digits && condition->code &&
		    ear_gdb_take_bytes(digits, condition->code, (size_t)size) == (int)size;
	free(digits);
	if (!good) {
		free(condition->code);
		return -1;
	}
	point->condition_count++;
	*at += size * 2;
	return 0;
}

static int parse(struct ear_gdb_point *point, const char *text)
{
	uint64_t kind;

	if (!ear_gdb_take_hex(&text, &kind) || kind > EAR_GDB_ACCESS || *text++ != ',' ||
		!ear_gdb_take_hex(&text, &point->address) || *text++ != ',' ||
		!ear_gdb_take_hex(&text, &point->size))
		return -1;
	point->kind = kind == EAR_GDB_HARDWARE ? EAR_GDB_SOFTWARE : (enum ear_gdb_kind)kind;
	if (point->kind == EAR_GDB_SOFTWARE)
		point->size = 1;
	else if (point->size == 0 || point->address + (point->size - 1) < point->address)
		return -1;
	while (*text == ';' && text[1] == 'X') {
		text++;
		if (take_condition(point, &text))
			return -1;
	}
	/* Commands would be for output while the program runs: there are none here. */
	return *text == '\0' || *text == ';' ? 0 : -1;
}

/* ---- The set. ---- */

/* Index of the first breakpoint at address or after it. */
static size_t find(const struct ear_gdb_points *points, uint64_t address)
{
	size_t low = 0, high = points->break_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (points->breaks[middle]->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t find_watch(const struct ear_gdb_points *points, const struct ear_gdb_point *wanted)
{
	size_t i = 0;

	while (i < points->watch_count && (points->watches[i]->kind != wanted->kind ||
						  points->watches[i]->address != wanted->address ||
						  points->watches[i]->size != wanted->size))
		i++;
	return i;
}

static void summarize(struct ear_gdb_points *points)
{
	points->filter = 0;
	points->watched = 0;
	for (size_t i = 0; i < points->break_count; i++)
		points->filter |= (uint64_t)1 << points->breaks[i]->address / 2 % 64;
	for (size_t i = 0; i < points->watch_count; i++) {
		enum ear_gdb_kind kind = points->watches[i]->kind;
		points->watched |= kind == EAR_GDB_WRITE  ? EAR_QUERY_WRITE
				   : kind == EAR_GDB_READ ? EAR_QUERY_READ
							  : EAR_QUERY_READ | EAR_QUERY_WRITE;
	}
}

/* Put a point at index at of a list; it replaces the one that is there. */
static int put(struct ear_gdb_point ***list, size_t *count, size_t at, bool replaces,
	struct ear_gdb_point *point)
{
	if (replaces) {
		free_point((*list)[at]);
		(*list)[at] = point;
		return 0;
	}
	if (*count == EAR_GDB_POINTS_MAX)
		return -2;
	struct ear_gdb_point **grown = realloc(*list, (*count + 1) * sizeof(**list));
	if (!grown)
		return -2;
	*list = grown;
	memmove(grown + at + 1, grown + at, (*count - at) * sizeof(*grown));
	grown[at] = point;
	++*count;
	return 0;
}

static void take_out(struct ear_gdb_point **list, size_t *count, size_t at)
{
	free_point(list[at]);
	--*count;
	memmove(list + at, list + at + 1, (*count - at) * sizeof(*list));
}

int ear_gdb_points_insert(struct ear_gdb_points *points, const char *text)
{
	struct ear_gdb_point *point = calloc(1, sizeof(*point));
	int result = point ? parse(point, text) : -2;

	if (result == 0 && point->kind == EAR_GDB_SOFTWARE) {
		size_t at = find(points, point->address);
		bool replaces =
			at < points->break_count && points->breaks[at]->address == point->address;
		result = put(&points->breaks, &points->break_count, at, replaces, point);
	} else if (result == 0) {
		size_t at = find_watch(points, point);
		result = put(&points->watches, &points->watch_count, at, at < points->watch_count,
			point);
	}
	if (result)
		free_point(point);
	summarize(points);
	return result;
}

int ear_gdb_points_remove(struct ear_gdb_points *points, const char *text)
{
	struct ear_gdb_point *point = calloc(1, sizeof(*point));
	int result = point ? parse(point, text) : -2;

	if (result == 0 && point->kind == EAR_GDB_SOFTWARE) {
		size_t at = find(points, point->address);
		if (at < points->break_count && points->breaks[at]->address == point->address)
			take_out(points->breaks, &points->break_count, at);
	} else if (result == 0) {
		size_t at = find_watch(points, point);
		if (at < points->watch_count)
			take_out(points->watches, &points->watch_count, at);
	}
	free_point(point);
	summarize(points);
	return result;
}

const struct ear_gdb_point *ear_gdb_points_break(
	const struct ear_gdb_points *points, uint64_t address)
{
	if (!(points->filter >> address / 2 % 64 & 1))
		return NULL;
	size_t at = find(points, address);
	return at < points->break_count && points->breaks[at]->address == address
		       ? points->breaks[at]
		       : NULL;
}

const struct ear_gdb_point *ear_gdb_points_watch(
	const struct ear_gdb_points *points, uint64_t address, uint64_t size, bool write)
{
	const enum ear_gdb_kind other = write ? EAR_GDB_READ : EAR_GDB_WRITE;

	for (size_t i = 0; i < points->watch_count; i++) {
		const struct ear_gdb_point *point = points->watches[i];
		bool touches =
			address - point->address < point->size || point->address - address < size;
		if (point->kind != other && touches)
			return point;
	}
	return NULL;
}

/* Why a condition could not be evaluated: then it counts as true. */
static void explain(char *text, enum ear_gdb_value result, uint64_t value)
{
	static const char begin[] = "the condition cannot be evaluated here";

	switch (result) {
	case EAR_GDB_NO_REGISTER:
		snprintf(text, EAR_GDB_TEXT_MAX, "%s: register %" PRIu64 " is not known", begin,
			value);
		break;
	case EAR_GDB_NO_MEMORY:
		snprintf(text, EAR_GDB_TEXT_MAX, "%s: memory at 0x%" PRIx64 " is not known", begin,
			value);
		break;
	case EAR_GDB_DIVIDED_BY_0:
		snprintf(text, EAR_GDB_TEXT_MAX, "%s: it divides by zero", begin);
		break;
	case EAR_GDB_TOO_LONG:
		snprintf(text, EAR_GDB_TEXT_MAX, "%s: it takes too long", begin);
		break;
	default:
		snprintf(text, EAR_GDB_TEXT_MAX,
			"%s: what GDB made of it is no valid code, at byte %" PRIu64, begin, value);
		break;
	}
}

bool ear_gdb_point_counts(
	const struct ear_gdb_point *point, const struct ear_gdb_readers *readers, char *text)
{
	bool counts = point->condition_count == 0;

	for (size_t i = 0; i < point->condition_count && !counts; i++) {
		uint64_t value;
		enum ear_gdb_value found = ear_gdb_evaluate(
			point->conditions[i].code, point->conditions[i].size, readers, &value);
		if (found != EAR_GDB_VALUE)
			explain(text, found, value);
		counts = found != EAR_GDB_VALUE || value != 0;
	}
	return counts;
}
