/* Runs of ordinary records against single ones: the same stream decoded record by record without a
 * run, and as runs in every way that they are taken, must give the same records, and leave the same
 * state, memory, calls and sets. The streams are those of the trials, with all their kinds of
 * damage, and what is packed from them, whose gaps are relayed, damaged again; and long runs with
 * anything odd among them.
 */
#include "check.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anchor_check.h"
#include "byte_buffer.h"
#include "common/protocol/frame.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/decoder_anchor.h"
#include "decoder/codec/record_encoder.h"
#include "fault.h"
#include "followers.h"
#include "library/index/file/index_bytes.h"
#include "library/index/index_collect.h"
#include "odd_stream.h"
#include "predict_stream.h"
#include "random.h"
#include "run.h"
#include "sample_stream.h"

#define LOSSES_MAX 4

/* A stream, and where the host lost bytes of it. */
struct stream {
	struct byte_buffer bytes;
	size_t losses[LOSSES_MAX + 1]; /* ascending; the last is the end */
	uint64_t sizes[LOSSES_MAX];
	size_t loss_count;
	bool with_reads;
};

/* One way through a stream. */
struct way {
	const struct stream *stream;
	struct ear_decoder *decoder;
	size_t at, loss; /* bytes used; losses told */
	struct followers followers;
	struct ear_index_collect collect;
	uint64_t position;
};

static void begin_decoder(struct way *way, bool one_by_one)
{
	way->decoder = malloc(sizeof(*way->decoder));
	assert_non_null(way->decoder);
	ear_decoder_init(way->decoder, NULL, NULL);
	way->decoder->with_reads = way->stream->with_reads;
	way->decoder->one_by_one = one_by_one;
}

static void end_decoder(struct way *way)
{
	ear_decoder_fini(way->decoder);
	free(way->decoder);
}

static void begin_way(struct way *way, const struct stream *stream,
	const struct followers_options *options, bool one_by_one)
{
	*way = (struct way){.stream = stream};
	begin_decoder(way, one_by_one);
	followers_begin(&way->followers, options);
	assert_int_equal(ear_index_collect_init(&way->collect), 0);
	ear_index_collect_begin(&way->collect);
}

static void end_way(struct way *way)
{
	end_decoder(way);
	followers_end(&way->followers);
	ear_index_collect_fini(&way->collect);
}

/* The next record, or if runs is true perhaps a run. As ear_decoder_next_run. */
static int next(struct way *way, bool runs, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	const struct stream *stream = way->stream;

	*run = NULL;
	for (;;) {
		size_t end = stream->losses[way->loss], used;
		bool final = way->loss == stream->loss_count;
		const uint8_t *bytes = stream->bytes.bytes + way->at;
		int result = runs ? ear_decoder_next_run(way->decoder, run, compacts, record, &used,
					    bytes, end - way->at, final)
				  : ear_decoder_next(way->decoder, record, &used, bytes,
					    end - way->at, final);
		way->at += used;
		if (result != EAR_E_MORE)
			return result;
		ear_decoder_host_loss(way->decoder, stream->sizes[way->loss++]);
	}
}

static void push(struct way *way, const struct ear_record *record)
{
	followers_push(&way->followers, way->position, record);
	ear_index_collect_push(&way->collect, record);
	way->position++;
}

/* A part of a run, as whatever the followers can take. */
static void push_part(struct way *way, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, unsigned how)
{
	struct ear_expanded_record expanded;
	struct ear_run_summary summary;
	struct ear_run_summary_room room;

	if (how == 0) {
		ear_compact_run_begin(&expanded, run);
		for (size_t i = 0; i < run->count; i++)
			push(way, ear_compact_run_get(&expanded, run, &compacts[i], i));
		return;
	}
	if (how == 1 && ear_run_summary_fits(run)) {
		ear_run_summary_make(&summary, &room, run, compacts);
		followers_push_summary(&way->followers, way->position, run, compacts);
		ear_index_collect_push_summary(&way->collect, &summary);
	} else {
		followers_push_run(&way->followers, way->position, run, compacts);
		ear_index_collect_push_run(&way->collect, run, compacts);
	}
	way->position += run->count;
}

static void push_run(struct way *way, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, struct random *random)
{
	struct ear_compact_run part = *run;

	if (random_once_in(random, 4)) { /* in two */
		part.count = random_below(random, run->count + 1);
		if (part.count > 0)
			push_part(way, &part, compacts, (unsigned)random_below(random, 4));
		part.first_index += part.count;
		compacts += part.count;
		part.first_timed = part.count > 0 ? part.all_timed : part.first_timed;
		part.count = run->count - part.count;
	}
	if (part.count > 0)
		push_part(way, &part, compacts, (unsigned)random_below(random, 4));
}

/* The truth ------------------------------------------------------------------------------------ */

struct truth {
	uint64_t *digests;
	size_t count, capacity;
};

static void note(struct truth *truth, uint64_t digest)
{
	if (truth->count == truth->capacity) {
		truth->capacity = truth->capacity ? 2 * truth->capacity : 4096;
		truth->digests = realloc(truth->digests, truth->capacity * sizeof(*truth->digests));
		assert_non_null(truth->digests);
	}
	truth->digests[truth->count++] = digest;
}

/* Returns what ended it. */
static int read_singly(struct way *way, struct truth *truth, struct ear_record_encoder *packed)
{
	const struct ear_compact_record *compacts;
	const struct ear_compact_run *run;
	const struct ear_record *record;
	int result;

	while ((result = next(way, false, &run, &compacts, &record)) == 1) {
		note(truth, anchor_check_digest(record));
		push(way, record);
		if (packed)
			(void)ear_record_encoder_push(packed, record);
	}
	return result;
}

/* Runs ----------------------------------------------------------------------------------------- */

struct seen {
	uint64_t records, ordinary, anchors, refused;
};

/* A fresh decoder goes on from here. */
static void change_decoder(struct way *way, struct seen *seen)
{
	uint8_t *state;
	size_t size;

	if (ear_decoder_anchor_save(way->decoder, &state, &size) != 0)
		return;
	end_decoder(way);
	begin_decoder(way, false);
	assert_int_equal(
		ear_decoder_anchor_load(way->decoder, state, size,
			way->stream->bytes.bytes + way->at, way->stream->bytes.size - way->at),
		0);
	free(state);
	seen->anchors++;
}

static void check_one(const struct truth *truth, uint64_t at, const struct ear_record *record,
	size_t in_run, const char *name)
{
	if (at >= truth->count || anchor_check_digest(record) != truth->digests[at])
		fail_msg("%s: record %" PRIu64 " of %zu, %zu of its run, index %" PRIu64
			 " kind %u, is not the same",
			name, at, truth->count, in_run, record->index, record->kind);
}

static int read_runs(struct way *way, const struct truth *truth, bool anchors,
	struct random *random, struct seen *seen, const char *name)
{
	const struct ear_compact_record *compacts;
	struct ear_expanded_record expanded;
	const struct ear_compact_run *run;
	const struct ear_record *record;
	int result;

	for (;;) {
		result = next(way, !random_once_in(random, 20), &run, &compacts, &record);
		if (result != 1)
			return result;
		if (run) {
			ear_compact_run_begin(&expanded, run);
			for (size_t i = 0; i < run->count; i++)
				check_one(truth, way->position + i,
					ear_compact_run_get(&expanded, run, &compacts[i], i), i,
					name);
			seen->ordinary += run->ordinary ? run->count : 0;
			push_run(way, run, compacts, random);
		} else {
			check_one(truth, way->position, record, 0, name);
			push(way, record);
		}
		if (anchors && random_once_in(random, 60))
			change_decoder(way, seen);
	}
}

static void assert_same_sets(struct way *left, struct way *right)
{
	struct ear_index_bytes one = {0}, other = {0};
	struct ear_index_sets sets, again;

	assert_int_equal(ear_index_collect_take(&left->collect, 1, &sets), 0);
	assert_int_equal(ear_index_collect_take(&right->collect, 1, &again), 0);
	ear_index_sets_write(&sets, 0, &one);
	ear_index_sets_write(&again, 0, &other);
	assert_same(one.size, other.size);
	assert_memory_equal(one.bytes, other.bytes, one.size);
	ear_index_bytes_fini(&one);
	ear_index_bytes_fini(&other);
	ear_index_sets_fini(&sets);
	ear_index_sets_fini(&again);
}

static void assert_same_statistics(
	const struct ear_decoder_statistics *one, const struct ear_decoder_statistics *other)
{
	assert_same(one->frames, other->frames);
	assert_same(one->bytes, other->bytes);
	assert_same(one->skipped_bytes, other->skipped_bytes);
	assert_same(one->missing_frames, other->missing_frames);
	assert_same(one->bad_messages, other->bad_messages);
	assert_same(one->records, other->records);
	assert_same(one->gaps, other->gaps);
	assert_same(one->unit_lost, other->unit_lost);
	assert_same(one->missing, other->missing);
	assert_same(one->unknown_gaps, other->unknown_gaps);
	assert_same(one->repeated_frames, other->repeated_frames);
	assert_same(one->events, other->events);
	assert_same(one->ended, other->ended);
	assert_same(one->unended, other->unended);
	assert_same(one->unbalanced, other->unbalanced);
	assert_same(one->disagreements, other->disagreements);
	assert_same(one->first_index, other->first_index);
	assert_same(one->last_index, other->last_index);
	assert_same(one->first_ticks, other->first_ticks);
	assert_same(one->last_ticks, other->last_ticks);
	assert_same(one->last_ticks_known, other->last_ticks_known);
	assert_same(one->hart_count, other->hart_count);
}

static void check_stream(const struct stream *stream, struct ear_record_encoder *packed,
	struct random *random, struct seen *seen, const char *name)
{
	const struct followers_options options = {
		.key = (enum ear_memory_key)random_below(random, 3),
		.captured = !random_once_in(random, 4),
		.part = random_once_in(random, 3),
	};
	bool anchors = random_once_in(random, 3);
	struct truth truth = {NULL, 0, 0};
	struct way one, other;

	begin_way(&one, stream, &options, true);
	begin_way(&other, stream, &options, false);
	int result = read_singly(&one, &truth, packed);
	int again = read_runs(&other, &truth, anchors, random, seen, name);
	seen->records += truth.count;
	if (anchors && again == EAR_E_UNSUPPORTED) {
		seen->refused++; /* a frame that is older than the anchor remembers */
	} else {
		assert_int_equal(again, result);
		if (other.position != truth.count)
			fail_msg("%s: %" PRIu64 " of %zu records", name, other.position,
				truth.count);
		if (!anchors)
			assert_same_statistics(
				&one.decoder->statistics, &other.decoder->statistics);
		followers_assert_same(&one.followers, &other.followers, truth.count);
		assert_same_sets(&one, &other);
	}
	end_way(&one);
	end_way(&other);
	free(truth.digests);
}

/* Streams -------------------------------------------------------------------------------------- */

static void place_losses(struct stream *stream, struct random *random)
{
	size_t from = 0;

	stream->loss_count = random_once_in(random, 3) ? random_below(random, LOSSES_MAX + 1) : 0;
	for (size_t i = 0; i < stream->loss_count; i++) {
		from += random_below(random, stream->bytes.size - from + 1);
		stream->losses[i] = from;
		stream->sizes[i] = random_below(random, 3) * 100;
	}
	stream->losses[stream->loss_count] = stream->bytes.size;
}

static void make_wish(struct run_wish *wish, struct random *random, bool predict)
{
	/* Indexes go round, by 32 bits or by 64. */
	static const uint64_t bases[] = {((uint64_t)1 << 32) - 300, ((uint64_t)1 << 48) - 300};

	*wish = (struct run_wish){
		.predict = predict,
		.hart_count = 1 + (unsigned)random_below(random, RUN_HARTS_MAX),
		.count = 100 + random_below(random, 1500),
		.per_frame = random_once_in(random, 3) ? 0 : 1 + (unsigned)random_below(random, 90),
		.losses = random_once_in(random, 2),
		.filter = random_once_in(random, 3),
		.trigger = random_once_in(random, 4),
		.syncs = random_once_in(random, 3),
		.from_zero = random_once_in(random, 2),
		.has_base = random_once_in(random, 8),
		.base = bases[random_below(random, COUNT_OF(bases))],
		.sequence = (uint16_t)random_next(random),
	};
}

/* Takes the frames of packed records, not all of them as they are. */
struct damage {
	struct byte_buffer *bytes;
	struct random random;
	bool whole;
};

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct damage *damage = context;
	struct random *random = &damage->random;
	uint64_t fate = damage->whole ? 99 : random_below(random, 60);

	if (fate < 4)
		return;
	byte_buffer_append(damage->bytes, bytes, size);
	if (fate == 4)
		byte_buffer_append(damage->bytes, bytes, size);
	if (fate == 5)
		damage->bytes->bytes[damage->bytes->size - 1 - random_below(random, size)] ^= 4;
}

static void check_trial(uint64_t seed, bool predict, struct seen *seen)
{
	struct random random = {seed * 0x9E3779B97F4A7C15u | 1};
	enum fault fault = (enum fault)random_below(&random, FAULT_COUNT);
	struct ear_geometry geometry;
	struct stream stream = {.loss_count = 0}, second = {.loss_count = 0};
	struct damage damage = {&second.bytes, {seed * 2 + 1}, random_once_in(&random, 4)};
	struct run runs[2];
	struct run_wish wish;
	struct damaged damaged;
	char name[128];

	if (fault == FAULT_DROP_WRAP)
		fault = FAULT_NONE;
	make_wish(&wish, &random, predict);
	run_make(&runs[0], &random, &wish);
	run_make(&runs[1], &random, &wish);
	fault_make(&damaged, fault, runs, &random);
	byte_buffer_append(&stream.bytes, damaged.bytes.bytes, damaged.bytes.size);
	stream.with_reads = random_once_in(&random, 6);
	place_losses(&stream, &random);
	random_geometry(&geometry, &random);
	const struct ear_record_encoder_options options = {
		.geometry = &geometry, .fields = EAR_RECORD_ENCODER_FIELDS};
	struct ear_record_encoder *packed = ear_record_encoder_new(take_frame, &damage, &options);
	assert_non_null(packed);
	snprintf(name, sizeof(name), "seed %" PRIu64 " %s %s", seed, fault_name(fault),
		predict ? "predict" : "raw");
	check_stream(&stream, packed, &random, seen, name);
	ear_record_encoder_finish(packed);
	ear_record_encoder_free(packed);
	place_losses(&second, &random);
	snprintf(name + strlen(name), sizeof(name) - strlen(name), ", packed");
	check_stream(&second, NULL, &random, seen, name);
	byte_buffer_free(&stream.bytes);
	byte_buffer_free(&second.bytes);
	fault_free(&damaged);
	run_free(&runs[0]);
	run_free(&runs[1]);
}

static void check_odd_trial(uint64_t seed, struct seen *seen)
{
	struct random random = {seed * 0x9E3779B97F4A7C15u | 1};
	struct stream stream = {.loss_count = 0};
	struct byte_buffer bytes = {NULL, 0, 0};
	struct damage damage = {&stream.bytes, {seed * 2 + 1}, !random_once_in(&random, 4)};
	char name[64];

	/* Short ones, too: after a break nothing is open any more. */
	odd_stream_make(&bytes, &random,
		20 + random_below(&random, random_once_in(&random, 3) ? 150 : 3000));
	for (size_t at = 0; at < bytes.size;) {
		struct ear_frame frame;
		int size = ear_frame_parse(&frame, bytes.bytes + at, bytes.size - at);
		assert_above(size, 0);
		take_frame(&damage, bytes.bytes + at, (size_t)size);
		at += (size_t)size;
	}
	stream.with_reads = random_once_in(&random, 6);
	place_losses(&stream, &random);
	snprintf(name, sizeof(name), "seed %" PRIu64 " odd", seed);
	check_stream(&stream, NULL, &random, seen, name);
	byte_buffer_free(&bytes);
	byte_buffer_free(&stream.bytes);
}

static uint64_t wish_of(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : usual;
}

/* For long runs, and to repeat a trial that failed: EAR_RUNS_SEED, EAR_RUNS_TRIALS. */
static void runs_are_what_single_records_are(void **state)
{
	uint64_t first = wish_of("EAR_RUNS_SEED", 1), count = wish_of("EAR_RUNS_TRIALS", 600);
	struct seen seen = {0};

	(void)state;
	for (uint64_t seed = first; seed < first + count; seed++)
		check_trial(seed, seed % 4 != 0, &seen);
	if (count < 100)
		return;
	assert_at_least(seen.records, count * 1000);
	assert_at_least(seen.ordinary, count * 100);
	assert_at_least(seen.anchors, count);
}

static void runs_with_anything_odd_are_what_single_records_are(void **state)
{
	uint64_t first = wish_of("EAR_RUNS_SEED", 1), count = wish_of("EAR_RUNS_TRIALS", 600);
	struct seen seen = {0};

	(void)state;
	for (uint64_t seed = first; seed < first + count; seed++)
		check_odd_trial(seed, &seen);
	if (count < 100)
		return;
	assert_at_least(seen.records, count * 500);
	assert_at_least(seen.ordinary, count * 250);
	assert_at_least(seen.anchors, count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_what_single_records_are),
		cmocka_unit_test(runs_with_anything_odd_are_what_single_records_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
