/* A part of a capture as text, so that parts that know nothing of each other are, one after the
 * other, the text of the whole.
 *
 * What a writer needs to know of the records before is a snapshot (struct ear_writer_cut). Here it
 * is the one after the first record of the trace: the header is written. A part begins with it, and
 * must end with it, or else the next one would begin with another one: then its text is refused. So
 * no part needs to know another one, and no text can be wrong.
 */
#include "cli/commands/convert/convert_part.h"

#include <earshot/error.h>
#include <string.h>

#include "cli/base/cli.h"

static bool is_text(const struct convert *convert)
{
	return convert->outputs.count == 1 && convert->format && !convert->format->folder;
}

const char *convert_part_refuse(const struct convert *convert)
{
	if (strcmp(convert->output, "-") != 0)
		return "--part writes to standard output, and not to a file (-o)";
	if (!is_text(convert) || !ear_writer_team_parts(convert->format))
		return "--part needs a format whose lines do not depend on those before: -f "
		       "whisper, whisper-log, riscv-dv or json";
	if (convert->with_port || convert->hart.given || convert->limit != UINT64_MAX)
		return "--part goes without --event-port, --tasks, --hart and --limit";
	return NULL;
}

void convert_part_confine(const struct convert *convert)
{
	trace_input_confine(convert->input.path, EAR_INDEX_AUTO);
}

/* Of a packed text (pack.h) the lines are kept, too, as a whole. */
static bool is_packed(struct convert *convert)
{
	char source[32];

	return ear_source_fact(convert->input.source, "source", source, sizeof(source)) >= 0 &&
	       strcmp(source, "whisper") == 0 && strcmp(convert->format->name, "whisper") == 0;
}

bool convert_part_open(struct convert *convert)
{
	struct trace_input *trace = &convert->trace;

	if (strcmp(ear_source_format(convert->input.source), "shot") != 0) {
		cli_error("%s: --part needs a capture file", convert->input.name);
		return false;
	}
	if (is_packed(convert)) {
		cli_error("%s: it has the text that it was made of, which comes back as a whole: "
			  "convert it without --part",
			convert->input.name);
		return false;
	}
	trace->path = convert->input.path;
	trace->options.format = "shot";
	trace->options.reads = ear_writer_has_reads(convert->format);
	if (!trace_input_open_trace(trace) || !trace_parts_plan(&convert->parts, trace))
		return false;
	if (ear_trace_seek(trace->trace, 0, &trace->progress) >= 0)
		return true;
	trace_input_fail(trace);
	return false;
}

/* The snapshot after the first record of the trace. */
static int find_snapshot(struct convert *convert, const struct ear_record *first)
{
	struct ear_writer_team team;
	struct ear_writer_chunk chunk;
	int result = ear_writer_chunk_init(&chunk);

	if (result == 0)
		result = ear_writer_team_init(
			&team, convert->format, &convert->outputs.writer_options, 1);
	else
		team = (struct ear_writer_team){0};
	if (result == 0)
		result = ear_writer_chunk_begin(&team, &chunk);
	if (result == 0)
		result = ear_writer_chunk_enter(&team, &chunk, 0);
	if (result == 0)
		result = ear_writer_push(chunk.writer, first);
	if (result == 0)
		result = ear_writer_chunk_leave(&chunk);
	if (result == 0)
		result = ear_snapshot_copy(&convert->after_first, &chunk.end);
	ear_writer_chunk_fini(&chunk);
	ear_writer_team_fini(&team);
	return result;
}

bool convert_part_begin(struct convert *convert)
{
	struct trace_input *trace = &convert->trace;
	struct ear_writer *writer = convert->outputs.list[0].writer;
	const uint64_t begin = convert->parts.plan.begins[0];
	const struct ear_record *first;
	int result = ear_trace_next(trace->trace, &first);

	if (result > 0) {
		result = find_snapshot(convert, first);
		if (result == 0 && begin > 0)
			result = writer->cut->restore(writer, &convert->after_first);
		if (result) {
			cli_error("%s", ear_error_text(result));
			return false;
		}
		result = ear_trace_seek(trace->trace, begin, &trace->progress);
	}
	if (result >= 0)
		return true;
	trace_input_fail(trace);
	return false;
}

int convert_part_next(struct convert *convert, const struct ear_record **record)
{
	struct trace_input *trace = &convert->trace;

	if (ear_trace_position(trace->trace) >= convert->parts.plan.begins[1])
		return 0;
	int result = ear_trace_next(trace->trace, record);
	if (result > 0)
		convert->input.record_count++;
	else if (result < 0)
		trace_input_fail(trace);
	return result;
}

static bool ends_as_it_began(struct convert *convert)
{
	struct ear_snapshot end = {0};
	const struct ear_writer *writer = convert->outputs.list[0].writer;
	const bool any = convert->input.record_count > 0;
	const int result = any ? writer->cut->save(writer, &end) : 0;
	const bool same =
		!any || (result == 0 && ear_snapshot_equal(&end, &convert->after_first, false));

	ear_snapshot_fini(&end);
	if (result)
		cli_error("%s", ear_error_text(result));
	else if (!same)
		cli_error(
			"%s: its text has something for each hart, which other parts cannot know: "
			"take another format (-f), or convert it without --part",
			convert->input.name);
	return same;
}

int convert_part_judge(struct convert *convert, int status)
{
	struct trace_input *trace = &convert->trace;
	const struct ear_part_plan *plan = &convert->parts.plan;
	const bool last = convert->parts.part == convert->parts.of;
	char text[512];

	if (cli_interrupted)
		return status;
	trace_input_judge(trace, plan->begins[0], last ? UINT64_MAX : plan->begins[1]);
	const struct ear_missing *missing = &trace->verdict.missing;
	if (trace->verdict.known && missing->verdict != EAR_WHOLE && missing->verdict != EAR_PART &&
		ear_missing_text(missing, text, sizeof(text)) > 0)
		cli_warning("%s: %s", convert->input.name, text);
	return missing->wrong || !ends_as_it_began(convert) ? EAR_EXIT_FAILED : status;
}

void convert_part_close(struct convert *convert)
{
	ear_snapshot_fini(&convert->after_first);
	trace_input_close(&convert->trace);
}
