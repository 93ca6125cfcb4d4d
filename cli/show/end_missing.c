/* What comes after the last record that is there, as a line and as JSON: one wording for why and
 * state. */
#include "cli/show/end_missing.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/plural.h"

void end_missing_print(const struct end_missing *end)
{
	if (end->missing && end->known)
		printf("the end of the trace is missing: %" PRIu64 " record%s after #%" PRIu64 "\n",
			end->records, ear_plural(end->records), end->after);
	else if (end->missing)
		printf("the end of the trace is missing: an unknown number of records after "
		       "#%" PRIu64 "\n",
			end->after);
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
