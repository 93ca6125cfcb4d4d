/* The records of parts, one part after the other, packed again (library/shot/excerpt.h). Where a
 * part begins before the end of what is written, its records are held against those of the part
 * that is there already, which is read a second time: so memory does not grow with the overlap.
 */
#include "cli/commands/join/join_write.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/show/metadata.h"
#include "common/sync.h"
#include "library/compare/compare_record.h"
#include "library/shot/shot_states.h"

#define LEVEL   3 /* of zstd, as for captures */
#define REFUSED 1 /* what the sink returns */

static int refuse(struct join *join, int status)
{
	join->reported = true;
	join->status = status;
	return REFUSED;
}

/* ---- The file. ---- */

static void add_names(struct metadata *metadata, const struct join *join)
{
	char names[4000] = "";
	size_t size = 0;

	for (size_t i = 0; i < join->count; i++) {
		const int added = snprintf(names + size, sizeof(names) - size, "%s%s",
			i > 0 ? ", " : "", join->parts[i].path);
		if (added < 0 || size + (size_t)added >= sizeof(names)) {
			names[size] = '\0';
			break;
		}
		size += (size_t)added;
	}
	metadata_add(metadata, "joined", "%zu: %s", join->count, names);
}

/* No instruction is missing between the parts of one capture: together they are a part of it. */
static bool is_part(const struct join *join)
{
	return join->parts[0].numbered && join->gaps == 0;
}

/* Are all numbers there, before anything is written? */
static bool has_all_numbers(const struct join *join)
{
	uint64_t last = join->parts[0].last;

	for (size_t i = 1; i < join->count; i++) {
		if (join->parts[i].first > last + 1)
			return false;
		last = join->parts[i].last > last ? join->parts[i].last : last;
	}
	return join->parts[0].numbered;
}

static void copy_fact(
	struct metadata *metadata, const struct ear_shot_reader *reader, const char *key)
{
	char value[4096];

	if (ear_shot_reader_fact(reader, key, value, sizeof(value)) >= 0)
		metadata_add(metadata, key, "%s", value);
}

static int begin_file(struct join *join)
{
	const struct ear_shot_reader *reader = join->input.window.reader;
	struct metadata *metadata = malloc(sizeof(*metadata));

	if (!metadata)
		return EAR_E_NO_MEMORY;
	metadata_init(metadata);
	metadata_add(metadata, "writer", "%s", cli_version);
	metadata_add_source_date(metadata, "created");
	metadata_add_command(metadata, join->argc, join->argv);
	add_names(metadata, join);
	if (has_all_numbers(join)) {
		copy_fact(metadata, reader, "part_of");
		copy_fact(metadata, reader, "part_created");
	}
	for (const char *const *key = metadata_program_keys; *key; key++)
		copy_fact(metadata, reader, *key);
	copy_fact(metadata, reader, "device");
	copy_fact(metadata, reader, "source");
	copy_fact(metadata, reader, "not_told");
	files_begin();
	int result = ear_shot_writer_new(&join->writer, join->fd, metadata->text, LEVEL);
	free(metadata);
	return result ? result : ear_excerpt_new(&join->excerpt, &join->decoder, join->writer);
}

static int finish_file(struct join *join)
{
	struct metadata *metadata = malloc(sizeof(*metadata));
	int result = metadata ? ear_excerpt_flush(join->excerpt) : EAR_E_NO_MEMORY;

	if (result == 0) {
		metadata_init(metadata);
		metadata_add_source_date(metadata, "ended");
		metadata_add(metadata, "end_reason", "end of part");
		if (is_part(join)) {
			metadata_add(metadata, "part_first", "%" PRIu64, join->parts[0].first);
			metadata_add(metadata, "part_last", "%" PRIu64, join->last);
		}
		metadata_add(metadata, "wire_bytes", "%" PRIu64, ear_excerpt_size(join->excerpt));
		metadata_add(metadata, "host_lost_bytes", "0");
		result = ear_shot_writer_finish(join->writer, metadata->text);
	}
	free(metadata);
	if (result == 0 && ear_sync_file(join->fd) != 0)
		result = EAR_E_IO;
	return result;
}

/* ---- Records that two parts have. ---- */

static bool is_same_gap(const struct ear_gap *a, const struct ear_gap *b)
{
	return a->reason == b->reason && a->count_known == b->count_known &&
	       (!a->count_known || (a->first == b->first && a->count == b->count));
}

static bool is_same(const struct ear_record *a, const struct ear_record *b)
{
	struct ear_record_difference difference;

	if (a->kind != b->kind || a->hart != b->hart || a->index != b->index)
		return false;
	if (a->kind == EAR_RECORD_INSTRUCTION)
		return ear_record_compare(&difference, a, b, EAR_COMPARE_ALL, false);
	if (a->kind == EAR_RECORD_GAP)
		return is_same_gap(&a->u.gap, &b->u.gap);
	return a->kind != EAR_RECORD_EVENT ||
	       (a->u.event.source == b->u.event.source && a->u.event.value == b->u.event.value);
}

/* The record of the part before that this one is to be held against: found by its number, or by the
 * index of its hart. */
static int find_common(struct join *join)
{
	const struct join_part *reference = join->reference, *part = join->part;
	const struct ear_record *record;
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX];
	uint64_t at = 0;

	options.index = EAR_INDEX_NONE;
	options.error = error;
	int result = ear_trace_open(&join->before, reference->path, &options);
	if (result) {
		cli_error("%s: %s", reference->path, error);
		return refuse(join, EAR_EXIT_FAILED);
	}
	if (part->numbered && part->first == reference->first)
		result = 1;
	else if (part->numbered)
		result = ear_trace_seek_number(
			join->before, part->first - reference->first - 1, NULL);
	while (result >= 0 && !(part->numbered && part->first == reference->first) &&
		(result = ear_trace_next(join->before, &record)) == 1) {
		if (part->numbered || (record->kind == EAR_RECORD_INSTRUCTION &&
					      (record->hart & 0xFFu) == part->hart &&
					      record->index == part->index))
			break;
	}
	if (result == 1 && !part->numbered) {
		at = ear_trace_position(join->before) - 1;
		result = ear_trace_seek(join->before, at, NULL);
	} else {
		at = ear_trace_position(join->before);
	}
	if (result < 0) {
		cli_error("%s: %s", reference->path, ear_trace_error(join->before));
		return refuse(join, EAR_EXIT_FAILED);
	}
	if (result == 0) {
		cli_error("%s: it begins with index %" PRIu64
			  " of hart %u, and '%s' ends after that, but does not have it",
			part->path, part->index, part->hart, reference->path);
		return refuse(join, EAR_EXIT_NO);
	}
	join->part->written = (int64_t)join_part_written(reference, at) -
			      (part->numbered ? 0 : (int64_t)part->position);
	return 0;
}

/* Returns 1 if the record is there already, 0 if what is there has ended, or -1 after refuse. */
static int compare(struct join *join, const struct ear_record *record)
{
	const struct join_part *part = join->part, *reference = join->reference;
	const struct ear_record *other;

	/* What an independent capture has before its first instruction is of its own begin. */
	if (!part->numbered && join->position < part->position)
		return 1;
	const int result = ear_trace_next(join->before, &other);
	if (result < 0) {
		cli_error("%s: %s", reference->path, ear_trace_error(join->before));
		(void)refuse(join, EAR_EXIT_FAILED);
		return -1;
	}
	if (result == 0) {
		ear_trace_close(join->before);
		join->before = NULL;
		return 0;
	}
	if (is_same(other, record)) {
		join->compared++;
		return 1;
	}
	cli_error("%s: record %" PRIu64 " (hart %u, index %" PRIu64 ") differs from record %" PRIu64
		  " of '%s' (hart %u, index %" PRIu64 ")",
		part->path, join->position, record->hart, record->index,
		ear_trace_position(join->before) - 1, reference->path, other->hart, other->index);
	(void)refuse(join, EAR_EXIT_NO);
	return -1;
}

/* ---- Records. ---- */

static uint64_t first_index(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_GAP && record->u.gap.count_known ? record->u.gap.first
									   : record->index;
}

/* What is missing between the parts before the first record of a hart. */
static int put_gap(struct join *join, const struct ear_record *record)
{
	const unsigned hart = record->hart & 0xFF;
	const uint64_t expected = join->expected[hart], index = first_index(record);
	struct join_part *part = join->part;

	if (join->seen[hart])
		return 0;
	join->seen[hart] = true;
	if (join->continues || !join->known[hart] || index == expected)
		return 0;
	if (index < expected) {
		cli_error("%s: hart %u begins with index %" PRIu64
			  ", but what is before ends with %" PRIu64 ": it is not of the same run",
			part->path, hart, index, expected - 1);
		return refuse(join, EAR_EXIT_NO);
	}
	if (!join->quiet)
		cli_warning("%s: before it %" PRIu64 " record%s missing of hart %u (index %" PRIu64
			    " to %" PRIu64 "): a gap says so",
			part->path, index - expected, index - expected == 1 ? " is" : "s are", hart,
			expected, index - 1);
	part->gaps[part->gap_count++] = join->position;
	join->written++;
	join->gaps++;
	return ear_excerpt_gap(join->excerpt, hart, expected, index - 1);
}

static void note(struct join *join, const struct ear_record *record)
{
	const unsigned hart = record->hart & 0xFF;

	join->known[hart] = true;
	if (record->kind == EAR_RECORD_INSTRUCTION)
		join->expected[hart] = record->index + 1;
	else if (record->kind == EAR_RECORD_GAP && record->u.gap.count_known)
		join->expected[hart] = record->u.gap.last + 1;
	join->instructions += record->kind == EAR_RECORD_INSTRUCTION;
	join->written++;
}

static int take(void *context, const struct ear_record *record)
{
	struct join *join = context;
	int result = 0;

	if (join->before) {
		result = compare(join, record);
		join->position += result == 1;
		if (result != 0)
			return result == 1 ? 0 : REFUSED;
		/* What was compared is the end of what is written. */
		join->continues = true;
	}
	result = put_gap(join, record);
	if (result == 0)
		result = ear_excerpt_push(join->excerpt, record);
	note(join, record);
	join->position++;
	return result;
}

/* ---- A part. ---- */

static void show_progress(struct join *join)
{
	if (!cli_progress_due(&join->last_progress))
		return;
	const int percent = input_percent(join->input.fd, join->input.size);

	cli_progress("joining: %zu of %zu, %d%%, %" PRIu64 " records",
		(size_t)(join->part - join->parts) + 1, join->count, percent < 0 ? 0 : percent,
		join->written);
}

static int take_items(struct join *join)
{
	struct ear_window *window = &join->input.window;
	struct ear_shot_line_diff diff;
	int result = 0;

	if (window->at_loss)
		ear_decoder_host_loss(&join->decoder, window->loss_size);
	if (window->at_state)
		result = ear_shot_states_pass(window->reader, &join->decoder);
	if (window->at_line_diff) {
		diff = ear_shot_reader_line_diff(window->reader);
		free(diff.bytes);
		join->unpacked = true;
	}
	return result;
}

/* The first part begins with a state: so does the file. */
static int begin_state(struct join *join)
{
	if (join->begun || join->decoder.statistics.hart_count == 0)
		return 0;
	join->begun = true;
	if (join->written > 0)
		return 0;
	const int result = ear_excerpt_begin(join->excerpt);
	if (result == 0)
		ear_excerpt_follow(join->excerpt, &join->decoder);
	return result;
}

static int decode_part(struct join *join)
{
	struct input *input = &join->input;
	bool final = false, begun = false;
	int result = 0;

	while (!final && !cli_interrupted && result == 0) {
		size_t used;
		if (!input_fill(input))
			return refuse(join, EAR_EXIT_FAILED);
		if (!join->excerpt)
			result = begin_file(join);
		else if (!begun)
			ear_excerpt_follow(join->excerpt, &join->decoder);
		begun = true;
		final = input->window.final;
		join->decoder.end_meant = input->window.end_meant;
		if (result == 0)
			result = begin_state(join);
		if (result == 0)
			result = ear_decoder_push(&join->decoder, &used,
				ear_window_bytes(&input->window), ear_window_size(&input->window),
				final);
		if (result)
			break;
		ear_window_consume(&input->window, used);
		result = take_items(join);
		show_progress(join);
	}
	return result;
}

/* Does the part begin before what is written ends, with it, or after it? */
static int place_part(struct join *join)
{
	struct join_part *part = join->part;

	memset(join->seen, 0, sizeof(join->seen));
	join->position = join->compared = 0;
	join->continues = !join->reference || (part->numbered && part->first == join->last + 1);
	part->written = (int64_t)join->written;
	if (!join->reference)
		return 0;
	if (part->numbered)
		return part->first <= join->last ? find_common(join) : 0;
	if (join->known[part->hart] && part->index < join->expected[part->hart])
		return find_common(join);
	return 0;
}

/* A part that is whole in what is there already has no end of its own. */
static void end_part(struct join *join)
{
	const struct join_part *part = join->part;

	if (join->compared > 0 && !join->quiet)
		cli_warning("%s: %" PRIu64 " record%s in '%s', too, with the same values",
			part->path, join->compared, join->compared == 1 ? " is" : "s are",
			join->reference->path);
	if (!join->before)
		join->reference = part;
	if (part->numbered && (part == join->parts || part->last > join->last))
		join->last = part->last;
	ear_trace_close(join->before);
	join->before = NULL;
}

static void judge_part(struct join *join)
{
	const struct ear_shot_reader *reader = join->input.window.reader;
	const char *fault = ear_shot_reader_fault(reader);

	if (!fault)
		return;
	cli_warning("%s: %s", join->part->path, fault);
	join->status = EAR_EXIT_NO;
}

static int join_part(struct join *join)
{
	int result = place_part(join);

	if (result)
		return result;
	join->input = (struct input){0};
	if (!input_open(&join->input, join->part->path))
		return refuse(join, EAR_EXIT_FAILED);
	ear_decoder_init(&join->decoder, take, join);
	join->decoder.one_by_one = true;
	result = decode_part(join);
	if (result == 0 && !cli_interrupted) {
		end_part(join);
		judge_part(join);
	}
	ear_decoder_fini(&join->decoder);
	input_close(&join->input);
	return result;
}

int join_write(struct join *join)
{
	int result = 0;

	for (size_t i = 0; i < join->count && result == 0 && !cli_interrupted; i++) {
		join->part = &join->parts[i];
		result = join_part(join);
	}
	if (result == 0 && !cli_interrupted)
		result = finish_file(join);
	cli_progress_clear();
	if (cli_interrupted)
		cli_error("interrupted: '%s' is not complete", join->output);
	if (cli_interrupted || join->reported)
		return join->reported ? join->status : EAR_EXIT_FAILED;
	if (result == EAR_E_UNSUPPORTED)
		cli_error(
			"%s: a unit predicts with a geometry that this program does not know: its "
			"records cannot be joined",
			join->part->path);
	else if (result == EAR_E_IO)
		cli_error("%s: %s", join->output, strerror(errno));
	else if (result)
		cli_error("%s: %s", join->part->path, ear_error_text(result));
	if (result)
		return EAR_EXIT_FAILED;
	if (join->unpacked)
		cli_warning("%s: it has the records, not the text that they were packed from",
			join->output);
	return join->status;
}

void join_fini(struct join *join)
{
	ear_trace_close(join->before);
	ear_excerpt_free(join->excerpt);
	ear_shot_writer_free(join->writer);
}
