/* The flight recorder: the stream goes into a ring of segments (library/shot/segments.h), each of
 * which begins with a state of the decoder, so that any of them can become the first. Records are
 * decoded once to look for the event; what is kept is decoded again when it is written, because
 * the outputs want records of that part only.
 */
#include "cli/live/flight.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "decoder/codec/decoder_state.h"

#define MEMORY_MAX ((uint64_t)256 << 20) /* a larger ring is in files */

/* Read from the ring at once while the capture runs: more than comes at once, and so little that
 * the device need not wait for long. */
#define STEP_SIZE ((uint64_t)1 << 20)

/* Beginning and end ----------------------------------------------------------------------- */

static int take_kept(void *context, const struct ear_record *record)
{
	struct flight *flight = context;

	if (record->kind == EAR_RECORD_GAP && record->u.gap.at_start)
		flight->blind_bytes += record->u.gap.skipped_bytes;
	return outputs_record(flight->outputs, record);
}

/* Ordinary records are only counted, which is faster. */
static int count_run(
	void *context, const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	(void)context;
	(void)run;
	(void)compacts;
	return 0;
}

/* The name of the segments' files without their number: beside the first output, or in a folder.
 * The time and the process make it a new one each time: what a capture that died has left is not
 * touched. NULL if it cannot be.
 */
static char *make_path(const struct flight *flight)
{
	const char *output = flight->outputs->list[0].path;
	const char *name = strrchr(output, '/');
	size_t size = (flight->folder ? strlen(flight->folder) : 0) + strlen(output) + 64;
	char *path = malloc(size);
	char when[32];
	time_t now = time(NULL);
	struct tm broken_down;

	if (!path)
		return NULL;
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &broken_down));
	if (flight->folder)
		snprintf(path, size, "%s/%s.ring-%s-%ld-", flight->folder, name ? name + 1 : output,
			when, (long)getpid());
	else
		snprintf(path, size, "%s.ring-%s-%ld-", output, when, (long)getpid());
	return path;
}

/* The first violation is the event. */
static int note_violation(void *context, const struct ear_violation *violation)
{
	struct flight *flight = context;

	if (flight->seen)
		return 0;
	flight->seen = true;
	flight->phase = FLIGHT_AFTER;
	flight->event_index = violation->record->index;
	snprintf(flight->event_text, sizeof(flight->event_text), "%s", violation->text);
	return 0;
}

bool flight_wants_operands(const struct flight *flight)
{
	return flight->checker != NULL;
}

bool flight_open(struct flight *flight, const char *metadata)
{
	const struct ear_checker_options checking = {
		.captured = true,
		.rules = flight->until.rules,
		.devices = flight->devices,
		.device_count = flight->device_count,
		.found = note_violation,
		.context = flight,
	};
	bool in_files = flight->folder || flight->size > MEMORY_MAX;

	ear_decoder_init(&flight->kept, take_kept, flight);
	flight->kept.with_reads = outputs_want_reads(flight->outputs);
	if (!outputs_want_records(flight->outputs))
		flight->kept.run_sink = count_run;
	if (in_files && !flight->folder && strcmp(flight->outputs->list[0].path, "-") == 0) {
		cli_error("a ring of this size is kept in files: name a folder with --ring-dir");
		return false;
	}
	if (flight->has_until && flight->until.violation &&
		ear_checker_new(&flight->checker, &checking) != 0) {
		cli_error("out of memory");
		return false;
	}
	if (in_files)
		flight->path = make_path(flight);
	int result = in_files && !flight->path ? EAR_E_NO_MEMORY
					       : ear_segments_new(&flight->segments, flight->size,
							 flight->path, metadata);
	if (result)
		cli_error("%s: the ring cannot be made: %s", flight->path ? flight->path : "memory",
			result == EAR_E_IO ? strerror(errno) : ear_error_text(result));
	return result == 0;
}

void flight_close(struct flight *flight)
{
	struct ear_segments_statistics statistics = {.files = 0};
	bool keep = flight->failed || flight->outputs->failed;

	if (flight->segments)
		ear_segments_statistics(flight->segments, &statistics);
	if (keep && statistics.files > 0)
		cli_error("what was kept is in %s*.shot", flight->path);
	ear_segments_free(flight->segments, keep);
	ear_decoder_fini(&flight->kept);
	ear_checker_free(flight->checker);
	free(flight->path);
}

/* A function of the ring gave this. */
static void check(struct flight *flight, int result)
{
	if (result == 0 || flight->failed)
		return;
	flight->failed = true;
	cli_error("the ring failed: %s; what it holds is written",
		result == EAR_E_IO ? strerror(errno) : ear_error_text(result));
}

/* From the ring to the outputs ------------------------------------------------------------ */

/* From now on nothing is evicted. */
static void begin_writing(struct flight *flight)
{
	struct ear_segments_statistics statistics;

	if (flight->writing)
		return;
	ear_segments_statistics(flight->segments, &statistics);
	flight->writing = true;
	flight->let_go_bytes = statistics.evicted_bytes;
	flight->let_go_records = statistics.records;
}

static void write_bytes(struct flight *flight, size_t count)
{
	size_t used, done = 0;
	int result;

	flight->window_size += count;
	do {
		size_t step = outputs_step(flight->outputs, &flight->kept);
		size_t rest = flight->window_size - done, size = rest < step ? rest : step;
		result = ear_decoder_push(&flight->kept, &used, flight->window + done, size,
			count == 0 && size == rest);
		outputs_bytes(flight->outputs, flight->window + done, used);
		outputs_decoded(flight->outputs, &flight->kept);
		done += used;
	} while (result == 0 && used > 0 && done < flight->window_size);
	check(flight, result);
	flight->window_size -= done;
	memmove(flight->window, flight->window + done, flight->window_size);
}

/* The state into the outputs. The decoder that took it over cannot be asked for it: after a loss it
 * has a gap to report first, and no state until then. */
static void put_state(struct flight *flight, const struct ear_shot_state *state)
{
	const struct ear_decoder *kept = &flight->kept;
	struct ear_decoder alone;

	ear_decoder_init(&alone, take_kept, flight);
	int result = ear_decoder_load(&alone, state->bytes, state->size);
	if (result == 0) {
		alone.stream.offset = kept->stream.offset;
		alone.statistics.records = kept->statistics.records;
		alone.statistics.gaps = kept->statistics.gaps;
		alone.statistics.events = kept->statistics.events;
		outputs_state(flight->outputs, &alone);
	}
	check(flight, result);
	ear_decoder_fini(&alone);
}

/* A state is used only where decoding begins, and after damage; others are for seeking. */
static void write_state(struct flight *flight)
{
	uint64_t offset = flight->kept.stream.offset;
	struct ear_shot_state state;

	if (!ear_decoder_wants_state(&flight->kept) ||
		ear_segments_state(flight->segments, &state) != 0)
		return;
	int result = ear_decoder_load(&flight->kept, state.bytes, state.size);
	if (result == EAR_E_NO_MEMORY)
		check(flight, result);
	if (result == 0) {
		flight->kept.stream.offset = offset;
		put_state(flight, &state);
	}
	free(state.bytes);
}

/* Write at most so many bytes, and one chunk more. Returns false if there was no more to read. */
static bool write_some(struct flight *flight, uint64_t most)
{
	begin_writing(flight);
	for (uint64_t done = 0; done < most && outputs_alive(flight->outputs);) {
		size_t count;
		int item = ear_segments_read(flight->segments, flight->window + flight->window_size,
			sizeof(flight->window) - flight->window_size, &count);

		switch (item) {
		case EAR_SHOT_BYTES:
			write_bytes(flight, count);
			done += count;
			break;
		case EAR_SHOT_LOSS:
			ear_decoder_host_loss(&flight->kept, count);
			outputs_loss(flight->outputs, count);
			break;
		case EAR_SHOT_STATE: write_state(flight); break;
		case EAR_SHOT_END: return false;
		default: check(flight, item); return false;
		}
	}
	return outputs_alive(flight->outputs);
}

/* While it runs ---------------------------------------------------------------------------- */

static void store(struct flight *flight, const uint8_t *bytes, size_t size)
{
	if (flight->phase == FLIGHT_DONE)
		flight->surplus_bytes += size;
	else if (!flight->failed && size > 0)
		check(flight, ear_segments_push(flight->segments, bytes, size));
}

static void watch(struct flight *flight, const struct ear_record *record)
{
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;

	if (flight->seen) {
		flight->after_count += instruction;
	} else if (flight->has_until && !flight->by_unit && until_record(&flight->until, record)) {
		flight->seen = true;
		flight->event_index = record->index;
		if (!instruction) {
			flight->event_index = until_mismatch_index(record);
			flight->after_count = record->index - 1 - flight->event_index;
		}
		flight->phase = FLIGHT_AFTER;
	}
	if (flight->phase == FLIGHT_AFTER && flight->after_count >= flight->after)
		flight->phase = FLIGHT_LAST;
}

/* What the checker returned. */
static void end_on_error(struct flight *flight, int result)
{
	if (result == 0)
		return;
	cli_error("the check for a violation has ended: %s", ear_error_text(result));
	ear_checker_free(flight->checker);
	flight->checker = NULL;
}

/* With a violation as the event. Records after it are counted as in watch. */
static void judge_record(struct flight *flight, const struct ear_record *record)
{
	if (flight->checker && !flight->seen) {
		end_on_error(flight, ear_checker_push(flight->checker, record, 0, record->index));
		if (flight->phase == FLIGHT_AFTER && flight->after == 0)
			flight->phase = FLIGHT_LAST;
	} else {
		watch(flight, record);
	}
}

static void judge_run(struct flight *flight, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, const struct ear_operands *operands)
{
	if (flight->checker && !flight->seen) {
		end_on_error(flight, ear_checker_push_run(flight->checker, run, compacts, operands,
					     0, run->first_index));
		if (flight->seen)
			flight->after_count =
				run->first_index + run->count - 1 - flight->event_index;
	} else {
		flight->after_count += run->count;
	}
	if (flight->phase == FLIGHT_AFTER && flight->after_count >= flight->after)
		flight->phase = FLIGHT_LAST;
}

/* Only the event that the unit's stop trigger fired is of interest, and its record. */
static int take_unwatched(void *context, const struct ear_record *record)
{
	struct flight *flight = context;

	if (flight->by_unit && record->kind == EAR_RECORD_EVENT &&
		record->u.event.source == EAR_EVENT_STOP_TRIGGER) {
		flight->seen = true;
		flight->event_index = record->index - 1;
	}
	return 0;
}

/* Bytes that go into the ring together, and no record of them can be the event or the last one. As
 * flight_push.
 */
static int push_unwatched(struct flight *flight, struct ear_decoder *decoder, size_t *used,
	const uint8_t *bytes, size_t size, bool final)
{
	decoder->sink = take_unwatched;
	decoder->run_sink = count_run;
	decoder->context = flight;
	int result = ear_decoder_push(decoder, used, bytes, size, final);
	store(flight, bytes, *used);
	return result;
}

/* The same, but each record is looked at. */
static int push_watched(struct flight *flight, struct ear_decoder *decoder, size_t *used,
	const uint8_t *bytes, size_t size, bool final)
{
	const struct ear_compact_record *compacts;
	const struct ear_compact_run *run = NULL;
	const struct ear_record *record;
	size_t part, stored = 0;
	int result;

	*used = 0;
	do {
		const uint8_t *rest = size > 0 ? bytes + *used : NULL;
		result = flight->until.violation
				 ? ear_decoder_next_run(decoder, &run, &compacts, &record, &part,
					   rest, size - *used, final)
				 : ear_decoder_next(
					   decoder, &record, &part, rest, size - *used, final);
		*used += part;
		if (part > 0 && flight->phase == FLIGHT_LAST) {
			/* After the frame with the last record. */
			store(flight, bytes + stored, *used - stored);
			stored = *used;
			flight->phase = FLIGHT_DONE;
		}
		if (result != 1 || flight->phase == FLIGHT_DONE)
			continue;
		if (run)
			judge_run(flight, run, compacts, ear_decoder_operands(decoder));
		else if (flight->until.violation)
			judge_record(flight, record);
		else
			watch(flight, record);
	} while (result == 1);
	store(flight, bytes + stored, *used - stored);
	return result == EAR_E_MORE ? 0 : result;
}

static void make_room(struct flight *flight)
{
	if (flight->phase == FLIGHT_RECORDING) {
		while (ear_segments_excess(flight->segments))
			ear_segments_evict(flight->segments);
	} else if (ear_segments_excess(flight->segments)) {
		write_some(flight, STEP_SIZE);
		outputs_flush(flight->outputs);
		if (!flight->outputs->failed)
			ear_segments_forget(flight->segments);
	}
}

int flight_push(struct flight *flight, struct ear_decoder *decoder, size_t *used,
	const uint8_t *bytes, size_t size, bool final)
{
	size_t chunk_max = ear_segments_chunk_size(flight->segments);
	bool last;
	int result;

	*used = 0;
	do {
		size_t rest = size - *used, part;
		size_t chunk = rest < chunk_max ? rest : chunk_max;

		/* A few bytes may hold millions of records, and states are wanted among them.
		 */
		if (chunk > EAR_SHOT_STATES_STEP &&
			ear_shot_states_end_frames(&flight->outputs->states, decoder))
			chunk = EAR_SHOT_STATES_STEP;
		last = chunk == rest;
		bool watched =
			flight->has_until && !flight->by_unit && flight->phase != FLIGHT_DONE;
		result = (watched ? push_watched : push_unwatched)(flight, decoder, &part,
			size > 0 ? bytes + *used : NULL, chunk, final && last);
		*used += part;
		if (result == 0 && flight->phase != FLIGHT_DONE && !flight->failed && !final)
			check(flight, ear_segments_turn(flight->segments, decoder));
		if (flight->seen && !flight->synced) {
			/* Now: a crash must not lose what led up to the event. */
			flight->synced = true;
			flight_flush(flight, true);
		}
		make_room(flight);
	} while (result == 0 && !last);
	return result;
}

void flight_loss(struct flight *flight, uint64_t size)
{
	if (flight->phase != FLIGHT_DONE && !flight->failed)
		check(flight, ear_segments_loss(flight->segments, size));
}

void flight_flush(struct flight *flight, bool sync)
{
	if (!flight->failed)
		check(flight, ear_segments_flush(flight->segments));
	if (sync && !flight->failed)
		check(flight, ear_segments_sync(flight->segments));
}

void flight_describe(
	const struct flight *flight, const struct ear_decoder *decoder, char *text, size_t size)
{
	struct ear_segments_statistics statistics;

	ear_segments_statistics(flight->segments, &statistics);
	uint64_t percent = statistics.bytes * 100 / flight->size;
	if (flight->phase == FLIGHT_RECORDING)
		snprintf(text, size, ", ring %d%%: the last %" PRIu64 " records",
			percent < 100 ? (int)percent : 100,
			decoder->statistics.records - statistics.records);
	else
		snprintf(text, size, ", %" PRIu64 " records after the event", flight->after_count);
}

/* The end ---------------------------------------------------------------------------------- */

void flight_finish(struct flight *flight)
{
	int result = ear_segments_close(flight->segments);
	if (!flight->failed)
		check(flight, result);
	while (write_some(flight, STEP_SIZE))
		cli_progress("writing: %" PRIu64 " records", flight->kept.statistics.records);
	write_bytes(flight, 0);
	cli_progress_clear();
}

void flight_add_metadata(const struct flight *flight, struct metadata *metadata)
{
	metadata_add(metadata, "let_go_records", "%" PRIu64, flight->let_go_records);
	metadata_add(metadata, "let_go_bytes", "%" PRIu64, flight->let_go_bytes);
	if (flight->seen)
		metadata_add(metadata, "event_index", "%" PRIu64, flight->event_index);
	if (flight->event_text[0])
		metadata_add(metadata, "event_violation", "%s", flight->event_text);
}

void flight_print_summary(const struct flight *flight, uint64_t records)
{
	const struct ear_decoder_statistics *statistics = &flight->kept.statistics;
	uint64_t before = statistics->records + flight->let_go_records;

	fprintf(stderr, "earshot: kept %" PRIu64 " records in %" PRIu64 " bytes",
		statistics->records, statistics->bytes);
	if (statistics->records)
		fprintf(stderr, ", index %" PRIu64 " to %" PRIu64, statistics->first_index,
			statistics->last_index);
	fprintf(stderr, "; evicted %" PRIu64 " records in %" PRIu64 " bytes before them",
		flight->let_go_records, flight->let_go_bytes);
	if (flight->surplus_bytes)
		fprintf(stderr, ", and %" PRIu64 " records in %" PRIu64 " bytes after them",
			records > before ? records - before : 0, flight->surplus_bytes);
	fputc('\n', stderr);
	if (flight->seen)
		fprintf(stderr,
			"earshot: the event of --until is at index %" PRIu64 ", with %" PRIu64
			" records after it\n",
			flight->event_index, flight->after_count);
	if (flight->event_text[0])
		fprintf(stderr, "earshot: %s\n", flight->event_text);
}

int flight_judge(const struct flight *flight)
{
	if (flight->failed)
		return EAR_EXIT_FAILED;
	if (flight->blind_bytes)
		cli_warning("the first %" PRIu64
			    " bytes of the file cannot be decoded: something was "
			    "lost before them, and no state of the unit is known there",
			flight->blind_bytes);
	if (flight->has_until && !flight->seen) {
		cli_warning("the event of --until was not seen; the file holds the last %" PRIu64
			    " records",
			flight->kept.statistics.records);
		return EAR_EXIT_NO;
	}
	if (flight->seen && flight->after_count < flight->after)
		cli_warning("the capture ended %" PRIu64 " records after the event, not %" PRIu64,
			flight->after_count, flight->after);
	return EAR_EXIT_DONE;
}
