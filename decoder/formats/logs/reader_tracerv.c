/* FireSim's TracerV in its text form: the cycle and pc of each instruction that was committed, and
 * our own comment lines where records are missing. */
#include "decoder/formats/base/comment_line.h"
#include "decoder/formats/logs/logs.h"

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct ear_log_value v[3];

	if (ear_comment_line_is(line.at, (size_t)(line.end - line.at)))
		return ear_log_comment(log, line);
	if (ear_text_at_end(&line) || ear_text_peek(&line) == '#')
		return 0;
	if (!ear_log_scan(&line, "Cycle: %d I%d: %x", v))
		return ear_log_other(log, EAR_READER_OTHER "TracerV text");
	ear_log_begin(log, 0, v[2].number, v[2].digits);
	ear_log_time(log, v[0].number);
	ear_text_skip_blanks(&line);
	if (!ear_text_at_end(&line))
		ear_log_word(log, &line);
	return ear_log_end(log);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[3];

	return ear_log_scan(&line, "Cycle: %d I%d: %x", v) ? 95 : 0;
}

const struct ear_log_format ear_log_tracerv = {.judge = judge, .take = take};
