/* What comes after the last record that is there, as a line and as JSON: one wording for why and
 * state. */
#include "cli/show/end_missing.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/plural.h"

void end_missing_text(const struct end_missing *end, char *text, size_t size)
{
	char records[64] = "an unknown number of records";

	if (end->known)
		snprintf(records, sizeof(records), "%" PRIu64 " record%s", end->records,
			ear_plural(end->records));
	snprintf(text, size, "the end of the trace is missing: %s after #%" PRIu64, records,
		end->after);
}

void end_missing_print(const struct end_missing *end)
{
	char text[128];

	end_missing_text(end, text, sizeof(text));
	if (end->missing)
		puts(text);
}

void end_missing_json(const struct end_missing *end, struct json *json)
{
	if (!end->missing) {
		json_null(json, "end_missing");
		return;
	}
	json_open(json, "end_missing", '{');
	json_number(json, "after", end->after);
	json_known(json, "records", end->known, end->records);
	json_close(json, '}');
}
