/* A core that is wrong: the self-check of the whole trace, for results and where instructions go.
 * What is wrong first is what counts: values after it may be right for a wrong one.
 */
#include <earshot/check.h>

#include <stdio.h>
#include <string.h>

#include "library/api/trace_internal.h"
#include "library/why/diagnosis.h"

#define FOUND            1
#define TEXT_RECORDS_MAX (EAR_WHY_CHECKED_MAX / 16) /* reading a text takes longer */

static int take(void *context, const struct ear_violation *violation)
{
	struct ear_why *why = context;

	why->core =
		ear_diagnosis_place_of(violation->record, violation->position, violation->number);
	snprintf(why->core_text, sizeof(why->core_text), "%s: %.*s",
		ear_check_rule_name(violation->rule), EAR_WHY_TEXT_MAX - 32, violation->text);
	return FOUND;
}

int ear_diagnose_core(struct ear_diagnosis *diagnosis)
{
	struct ear_trace *trace = diagnosis->past->trace;
	struct ear_check_options options = EAR_CHECK_DEFAULTS;
	struct ear_check_counts counts = {.size = sizeof(counts)};

	const uint64_t most =
		ear_past_is_capture(diagnosis->past) ? EAR_WHY_CHECKED_MAX : TEXT_RECORDS_MAX;

	/* What is inferred follows from the semantics. */
	if (diagnosis->end > most || trace->inference || trace->options.code)
		return 0;
	options.rules = 1u << EAR_CHECK_RESULT | 1u << EAR_CHECK_NEXT_PC | 1u << EAR_CHECK_STORED;
	const int result = ear_trace_check(
		trace, &options, take, &diagnosis->why, &counts, diagnosis->past->progress);
	return result < 0 ? result : 0;
}
