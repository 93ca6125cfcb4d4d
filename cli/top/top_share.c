/* Small texts of a live view: shares, rates, names. */
#include "cli/top/top_share.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/printable.h"

const char *top_idle_share(
	const struct ear_top_sum *sum, const struct ear_top_idle *idle, double *share)
{
	const uint64_t clocks = sum->counts.all[EAR_TOP_CLOCKS];
	const uint64_t records = sum->counts.all[EAR_TOP_RECORDS];

	if (sum->decoded == 0)
		return NULL;
	if (clocks > 0) {
		*share = (double)idle->clocks / (double)clocks;
		return "clocks";
	}
	if (idle->waits > 0 || records == 0)
		return NULL;
	*share = (double)idle->records / (double)records;
	return "instructions";
}

double top_rate(const struct top_frame *frame, uint64_t count)
{
	return frame->has_rates ? (double)count / frame->seconds : 0;
}

void top_function_text(char *text, size_t size, const char *name, uint64_t entry)
{
	if (name && name[0])
		ear_printable_string(text, size, name, EAR_PRINTABLE_LINE);
	else if (entry)
		snprintf(text, size, "0x%" PRIx64, entry);
	else
		snprintf(text, size, "?");
}

void top_line_text(char *text, size_t size, const struct ear_top_pc *pc)
{
	text[0] = '\0';
	if (!pc->path)
		return;
	ear_printable_string(text, size, ear_names_base(pc->path), EAR_PRINTABLE_LINE);
	const size_t length = strlen(text);
	snprintf(text + length, size - length, ":%" PRIu32, pc->line);
}

const char *top_short(char text[TOP_SHORT_SIZE], double value)
{
	static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
	unsigned unit = 0;

	while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1000;
		unit++;
	}
	const int decimals = unit == 0 && value == (double)(uint64_t)value ? 0
			     : value < 9.995                               ? 2
			     : value < 99.95                               ? 1
									   : 0;
	snprintf(text, TOP_SHORT_SIZE, "%.*f%s", decimals, value, units[unit]);
	return text;
}

const char *top_state_word(enum top_state state)
{
	switch (state) {
	case TOP_RUNNING: return "running";
	case TOP_ENDED: return "ended";
	case TOP_INTERRUPTED: return "interrupted";
	case TOP_FAILED: return "failed";
	}
	return "failed";
}
