/* Makes runs: entries of a loop that predicts well, or of a random program that does not, through
 * the reference encoder, with losses, filters, triggers, flushes and events as a unit would have
 * them. Several harts take turns by frames.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/codec/encoder.h"
#include "iss_bare.h"
#include "predict_stream.h"
#include "random_program.h"
#include "sample_stream.h"

#define MINOR_BEFORE_FIRST 2 /* units that do not mark the first SYNC of a capture */

/* One hart while its stream is made. */
struct maker {
	struct run_hart *hart;
	struct ear_unit unit;
	struct ear_iss *iss; /* NULL: the sample loop */
	struct predict_encoder encoder;
	struct byte_buffer frames; /* of this hart, in order */
	struct run_frame *list;
	size_t frame_count, frame_capacity;
	uint64_t ticks;
	unsigned per_frame;
	bool predict, syncs;
};

static void *checked(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct maker *maker = context;

	if (maker->frame_count == maker->frame_capacity) {
		maker->frame_capacity = maker->frame_capacity ? 2 * maker->frame_capacity : 64;
		maker->list =
			checked(realloc(maker->list, maker->frame_capacity * sizeof(*maker->list)));
	}
	maker->list[maker->frame_count++] = (struct run_frame){maker->frames.size, size, 0, false};
	byte_buffer_append(&maker->frames, bytes, size);
}

static void maker_init(struct maker *maker, struct run_hart *hart, struct random *random,
	const struct run_wish *wish, unsigned stream_id)
{
	unsigned xlen = random_once_in(random, 2) ? 32 : 64;
	unsigned time_mode = (unsigned)random_below(random, 3);
	struct ear_geometry geometry;

	memset(maker, 0, sizeof(*maker));
	maker->hart = hart;
	maker->per_frame = wish->per_frame;
	maker->predict = wish->predict;
	maker->syncs = wish->syncs;
	if (random_once_in(random, 2)) {
		maker->iss = iss_bare_new(xlen, random_next(random));
		random_program_write(maker->iss, random);
	}
	random_geometry(&geometry, random);
	geometry.operands = true;
	maker->unit = predict_unit(&geometry, xlen, maker->iss ? 64 : 0, false);
	maker->unit.hart = (uint16_t)stream_id;
	maker->unit.csr_slots = EAR_RETIRE_CSRS_MAX;
	hart->may_jump = wish->filter;
	hart->old = random_once_in(random, 4);
	if (hart->old)
		maker->unit.protocol_minor = MINOR_BEFORE_FIRST;
	maker->unit.control = (uint8_t)(time_mode << EAR_UNIT_CONTROL_TIME_MODE_SHIFT |
					(wish->filter ? EAR_UNIT_CONTROL_FILTER : 0));
	if (wish->predict) {
		predict_encoder_init_sink(&maker->encoder, &maker->unit, take_frame, maker);
	} else {
		maker->unit.mode = EAR_UNIT_MODE_RAW;
		ear_encoder_init(&maker->encoder.encoder, &maker->unit, take_frame, maker);
	}
	hart->stream_id = (uint8_t)stream_id;
	hart->base = wish->has_base                                 ? wish->base
		     : wish->from_zero || random_once_in(random, 2) ? 0
								    : random_next(random) >> 20;
	if (!wish->from_zero && random_once_in(random, 2))
		maker->encoder.encoder.sequence = (uint16_t)random_next(random);
	if (wish->has_base)
		maker->encoder.encoder.sequence = wish->sequence;
	hart->count = wish->count;
	hart->fates = checked(calloc(hart->count, 1));
	hart->entries = checked(calloc(hart->count, sizeof(*hart->entries)));
	hart->ticks = checked(calloc(hart->count, sizeof(*hart->ticks)));
}

static void maker_fini(struct maker *maker)
{
	if (maker->predict)
		predict_encoder_fini(&maker->encoder);
	if (maker->iss)
		ear_iss_free(maker->iss);
	byte_buffer_free(&maker->frames);
	free(maker->list);
}

static void make_entry(
	struct maker *maker, struct random *random, struct ear_retire *entry, uint64_t number)
{
	memset(entry, 0, sizeof(*entry));
	if (maker->iss)
		random_program_step(maker->iss, random, entry);
	else
		sample_entry(entry, number, maker->unit.xlen);
	entry->xlen = maker->unit.xlen;
	entry->order = maker->hart->base + number;
}

/* What became of the entries from number on: so many of them share a fate. */
static size_t draw_fate(struct random *random, const struct run_wish *wish, size_t number,
	size_t left, enum fate *fate)
{
	size_t count = 1;

	*fate = FATE_DELIVERED;
	if (wish->trigger && number == 0)
		*fate = FATE_FILTERED;
	else if (wish->losses && random_once_in(random, 150))
		*fate = FATE_LOST;
	else if (wish->filter && random_once_in(random, 40))
		*fate = FATE_FILTERED;
	if (*fate != FATE_DELIVERED)
		count = 1 + random_below(random, random_once_in(random, 8) ? 200 : 20);
	return count < left ? count : left;
}

static void put_lost(struct maker *maker, size_t number, size_t count)
{
	uint64_t first = maker->hart->base + number;

	ear_encoder_put(&maker->encoder.encoder, &(struct ear_message){.kind = EAR_MSG_LOST,
							 .u.lost = {.reason = EAR_LOST_FIFO_FULL,
								 .count = count,
								 .first = first,
								 .last = first + count - 1}});
}

static void put_between(struct maker *maker, struct random *random, size_t number)
{
	struct ear_encoder *encoder = &maker->encoder.encoder;

	if (maker->per_frame && random_once_in(random, maker->per_frame))
		ear_encoder_flush(encoder);
	if (maker->predict && maker->syncs && random_once_in(random, 400))
		ear_encoder_sync(encoder);
	if (random_once_in(random, 300))
		ear_encoder_put(encoder, &(struct ear_message){.kind = EAR_MSG_EVENT,
						 .u.event = {.source = EAR_EVENT_PORT,
							 .order = maker->hart->base + number}});
}

static void put_stop(struct maker *maker)
{
	struct run_hart *hart = maker->hart;

	ear_encoder_put(&maker->encoder.encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
							 .u.stop = {.reason = EAR_STOP_ENDED,
								 .retired = hart->count,
								 .delivered = hart->delivered,
								 .lost = hart->lost,
								 .filtered = hart->filtered}});
	maker->list[maker->frame_count - 1].ends = true;
}

static void make_hart(struct maker *maker, struct random *random, const struct run_wish *wish)
{
	struct run_hart *hart = maker->hart;
	struct ear_retire skipped;
	enum fate fate;

	for (size_t number = 0; number < hart->count;) {
		size_t count = draw_fate(random, wish, number, hart->count - number, &fate);
		memset(hart->fates + number, (int)fate, count);
		if (fate == FATE_LOST)
			put_lost(maker, number, count);
		hart->lost += fate == FATE_LOST ? count : 0;
		hart->filtered += fate == FATE_FILTERED ? count : 0;
		hart->delivered += fate == FATE_DELIVERED ? count : 0;
		for (; count > 0; count--, number++) {
			bool delivered = fate == FATE_DELIVERED;
			maker->ticks += random_below(random, 3);
			hart->ticks[number] = maker->ticks;
			make_entry(maker, random, delivered ? &hart->entries[number] : &skipped,
				number);
			if (!delivered)
				continue;
			ear_encoder_push(&maker->encoder.encoder, &hart->entries[number],
				hart->ticks[number]);
			put_between(maker, random, number + 1);
		}
	}
	put_stop(maker);
}

/* The frames of all harts in one stream, in turns. */
static void interleave(struct run *run, const struct maker *makers, struct random *random)
{
	size_t next[RUN_HARTS_MAX] = {0}, left = 0;

	for (unsigned i = 0; i < run->hart_count; i++)
		left += makers[i].frame_count;
	run->frames = checked(calloc(left, sizeof(*run->frames)));
	for (; left > 0; left--) {
		unsigned hart;
		do
			hart = (unsigned)random_below(random, run->hart_count);
		while (next[hart] == makers[hart].frame_count);
		const struct run_frame *frame = &makers[hart].list[next[hart]++];
		run->frames[run->frame_count++] = (struct run_frame){
			run->bytes.size, frame->size, (uint8_t)hart, frame->ends};
		byte_buffer_append(
			&run->bytes, makers[hart].frames.bytes + frame->offset, frame->size);
	}
}

void run_make(struct run *run, struct random *random, const struct run_wish *wish)
{
	static struct maker makers[RUN_HARTS_MAX];

	memset(run, 0, sizeof(*run));
	run->predict = wish->predict;
	run->syncs = wish->syncs;
	run->hart_count = wish->hart_count;
	for (unsigned i = 0; i < run->hart_count; i++) {
		maker_init(&makers[i], &run->harts[i], random, wish, 3 * i);
		make_hart(&makers[i], random, wish);
	}
	interleave(run, makers, random);
	for (unsigned i = 0; i < run->hart_count; i++)
		maker_fini(&makers[i]);
}

void run_free(struct run *run)
{
	for (unsigned i = 0; i < run->hart_count; i++) {
		free(run->harts[i].fates);
		free(run->harts[i].entries);
		free(run->harts[i].ticks);
	}
	byte_buffer_free(&run->bytes);
	free(run->frames);
	memset(run, 0, sizeof(*run));
}

bool run_is_unchecked(const struct run *run)
{
	bool old = false;

	for (unsigned i = 0; i < run->hart_count; i++)
		old |= run->harts[i].old;
	return run->predict && run->syncs && old;
}

struct run_hart *run_hart_find(struct run *run, unsigned stream_id)
{
	for (unsigned i = 0; i < run->hart_count; i++)
		if (run->harts[i].stream_id == stream_id)
			return &run->harts[i];
	return NULL;
}
