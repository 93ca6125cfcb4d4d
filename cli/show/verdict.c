/* One sentence and one rule for all commands: damage makes a success a failure, and no difference
 * or violation that was found a smaller one. What was asked for, or what the unit counted, is said
 * only.
 */
#include "cli/show/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/options/options.h"
#include "common/plural.h"

bool verdict_take_incomplete(void *value, const struct command_option *option, const char *argument)
{
	if (strcmp(argument, "ok") != 0)
		return option_fail(option, argument, "ok");
	*(const char **)value = argument;
	return true;
}

void verdict_join(struct ear_missing *sum, const struct ear_missing *more, uint64_t instructions)
{
	if (more->verdict == EAR_DAMAGED && sum->verdict != EAR_DAMAGED)
		sum->first = instructions + more->first;
	if (more->verdict > sum->verdict)
		sum->verdict = more->verdict;
	sum->records += more->records;
	sum->gaps += more->gaps;
	sum->lost += more->lost;
	sum->missing += more->missing;
	sum->unknown |= more->unknown;
	sum->no_start |= more->no_start;
	sum->no_end |= more->no_end;
	sum->meant_end |= more->meant_end;
	sum->wrong |= more->wrong;
	sum->lines += more->lines;
	sum->words += more->words;
	sum->unpaired += more->unpaired;
	sum->bytes += more->bytes;
	sum->fault = sum->fault ? sum->fault : more->fault;
}

void verdict_add(struct verdict *verdict, const char *name, const struct ear_missing *missing)
{
	const bool said = missing->verdict == EAR_DAMAGED || missing->verdict == EAR_PART;

	if (said && !verdict->name)
		verdict->name = name;
	else
		verdict->more += said;
	verdict->no_place |= verdict->more > 0;
	verdict->known = true;
	verdict->missing.size = sizeof(verdict->missing);
	verdict_join(&verdict->missing, missing, 0);
	if (missing->fault && missing->fault == verdict->missing.fault) {
		snprintf(verdict->fault, sizeof(verdict->fault), "%s", missing->fault);
		verdict->missing.fault =
			verdict->fault; /* the trace may be closed before the end */
	}
	if (missing->mended && !verdict->mended_name) {
		snprintf(verdict->mended, sizeof(verdict->mended), "%s", missing->mended);
		verdict->mended_name = name;
	}
}

/* Could what is missing have made the status another one? */
static bool is_open(int status, bool found)
{
	return status == EAR_EXIT_DONE || (status == EAR_EXIT_NO && !found);
}

static int say(const struct verdict *verdict, bool quiet, int status, bool found)
{
	const struct ear_missing *missing = &verdict->missing;
	const bool damaged = missing->verdict == EAR_DAMAGED;
	char text[512], place[64] = "", more[64] = "";

	(void)ear_missing_text(missing, text, sizeof(text));
	if (damaged && missing->gaps > 0 && !verdict->no_place)
		snprintf(place, sizeof(place), ", from instruction %" PRIu64 " on", missing->first);
	if (verdict->more > 0)
		snprintf(more, sizeof(more), " (and %u other file%s)", verdict->more,
			ear_plural(verdict->more));
	if (!quiet)
		cli_warning("%s%s is %s%s: %s", verdict->name, more, damaged ? "damaged" : "a part",
			place, text);
	return damaged && !verdict->incomplete && is_open(status, found) ? EAR_EXIT_FAILED : status;
}

void verdict_say_unpaired(const char *name, uint64_t count)
{
	cli_warning("%s: %" PRIu64
		    " line%s no partner: of the two lines of an instruction one is missing",
		name, count, count == 1 ? " has" : "s have");
}

int verdict_end(const struct verdict *verdict, bool quiet, int status, bool found)
{
	if (verdict->empty && is_open(status, found)) {
		cli_error("%s: there is no record in it", verdict->empty);
		status = EAR_EXIT_FAILED;
	}
	if (verdict->mended_name && !quiet)
		cli_warning("%s: %s", verdict->mended_name, verdict->mended);
	return verdict->name ? say(verdict, quiet, status, found) : status;
}

static bool is_accounted(const struct ear_missing *missing)
{
	return !missing->unknown && !missing->no_start && !missing->no_end && !missing->meant_end &&
	       missing->lines == 0 && missing->words == 0 && !missing->wrong && !missing->fault;
}

void verdict_json(const struct verdict *verdict, struct json *json)
{
	const struct ear_missing *missing = &verdict->missing;

	if (!verdict->known || missing->verdict == EAR_UNKNOWN) {
		json_null(json, "complete");
		json_null(json, "accounted");
	} else {
		json_bool(json, "complete", missing->verdict == EAR_WHOLE);
		json_bool(json, "accounted", is_accounted(missing));
	}
	if (missing->words > 0)
		json_number(json, "unknown_words", missing->words);
	if (missing->unpaired > 0)
		json_number(json, "unpaired_lines", missing->unpaired);
}

/* A member that is there only if it is not 0. */
static void add_count(char *text, size_t size, const char *name, uint64_t count)
{
	const size_t length = strlen(text);

	if (count > 0)
		snprintf(text + length, size - length, ", \"%s\": %" PRIu64, name, count);
}

const char *verdict_members(const struct verdict *verdict)
{
	const struct ear_missing *missing = &verdict->missing;
	static char text[160];

	if (!verdict->known || missing->verdict == EAR_UNKNOWN)
		strcpy(text, "\"complete\": null, \"accounted\": null");
	else
		snprintf(text, sizeof(text), "\"complete\": %s, \"accounted\": %s",
			missing->verdict == EAR_WHOLE ? "true" : "false",
			is_accounted(missing) ? "true" : "false");
	add_count(text, sizeof(text), "unknown_words", missing->words);
	add_count(text, sizeof(text), "unpaired_lines", missing->unpaired);
	return text;
}
