/* When a decoder's state is written, and what is done with one that is read.
 *
 * One flipped bit in a capture file costs its zstd frame and, in predict mode, everything up to the
 * next state. States cost bytes, and time to make: shot_states.h says how much of both is spent.
 */
#include "library/shot/shot_states.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/codec/decoder_state.h"
#include "library/shot/shot_format.h"

/* Making a state costs some nanoseconds a byte, decoding a record some tens: with so many records
 * for each byte, states take a few percent of the time. */
#define RECORDS_PER_BYTE 8u
#define DISTANCE_MIN     65536u
#define BASE_SHARE       12u /* a tenth, less what the measuring of the base may be wrong by */
#define RECORDS_LOG2     31  /* so many records use the allowance up */
#define RECORDS_LOG2_MIN 16

_Static_assert(EAR_DECODER_STATE_MAX <= EAR_SHOT_STATE_MAX, "a state fits its frame");

void ear_shot_states_init(struct ear_shot_states *states, uint64_t interval)
{
	bool automatic = interval == EAR_SHOT_STATES_AUTOMATIC;

	*states = (struct ear_shot_states){
		.interval = interval,
		.allowance = EAR_SHOT_STATES_ALLOWANCE,
		.next = automatic ? 1 : interval / 4,
	};
}

static uint64_t distance_of(size_t state_size)
{
	uint64_t distance = state_size * RECORDS_PER_BYTE;

	return distance < DISTANCE_MIN ? DISTANCE_MIN : distance;
}

/* 1 if it was written, 0 if it costs more than limit or cannot be had here, or an error. */
static int write_state(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder, bool whole, uint64_t limit)
{
	const struct ear_decoder_statistics *statistics = &decoder->statistics;
	struct ear_shot_state state = {
		.instructions = statistics->records,
		.records = statistics->records + statistics->gaps + statistics->events,
	};
	uint64_t cost;

	int result = ear_decoder_save(decoder, &state.bytes, &state.size);
	if (result)
		return result == EAR_E_UNSUPPORTED ? 0 : result;
	states->distance = distance_of(state.size);
	result = ear_shot_writer_state(writer, &state, &whole, limit, &cost);
	free(state.bytes);
	if (result < 0)
		return result;
	if (whole)
		states->whole_cost = cost;
	else
		states->cost = cost;
	if (result == 0)
		return 0;
	states->last = statistics->records;
	if (states->first_cost == 0)
		states->first_cost = cost;
	if (whole) {
		states->last_whole = statistics->records;
		states->whole_bytes += cost;
	}
	return 1;
}

int ear_shot_states_write_whole(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder)
{
	int result = write_state(states, writer, decoder, true, UINT64_MAX);

	if (states->interval != EAR_SHOT_STATES_AUTOMATIC)
		states->next = decoder->statistics.records + states->interval;
	else
		states->next = decoder->statistics.records + states->distance;
	return result < 0 ? result : 0;
}

static bool predicts(const struct ear_decoder *decoder)
{
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (decoder->harts[id] && decoder->harts[id]->predictor)
			return true;
	return false;
}

/* The part of rest that may be used after so many records: one half is given out evenly to each
 * doubling of the records from 2^16 to 2^31, the other with their root.
 */
static uint64_t share(uint64_t rest, uint64_t records)
{
	unsigned log2 = 63u - (unsigned)__builtin_clzll(records | 1);
	uint64_t low = 0, high = rest + 1;

	if (log2 >= RECORDS_LOG2)
		return rest;
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;
		if (middle * middle << (RECORDS_LOG2 - 16) <= rest * rest * (records >> 16))
			low = middle;
		else
			high = middle;
	}
	if (log2 < RECORDS_LOG2_MIN)
		return low / 2;
	uint64_t doublings = log2 - RECORDS_LOG2_MIN;
	uint64_t even =
		rest * doublings + (rest * ((records - (1ull << log2)) >> 10) >> (log2 - 10));
	return (low + even / (RECORDS_LOG2 - RECORDS_LOG2_MIN)) / 2;
}

/* How many bytes the file may be larger by its states, after so many records. */
static uint64_t room_for(const struct ear_shot_states *states, uint64_t base, uint64_t records)
{
	uint64_t tenth = base / BASE_SHARE, first = states->first_cost;

	if (tenth >= states->allowance)
		return tenth;
	if (first == 0 || first >= states->allowance)
		return states->allowance;
	first += share(states->allowance - first, records);
	return first > tenth ? first : tenth;
}

/* What may be written here. */
struct plan {
	bool due, whole;
	bool settle;    /* by estimates: is to be made again with what is exact */
	uint64_t limit; /* bytes */
};

/* Where a record takes a byte or more, the zstd frames of a megabyte hold so few records that
 * states where they end anyway are close enough: no others are worth what they cost.
 */
static bool is_dense(const struct ear_decoder *decoder)
{
	return decoder->statistics.bytes > EAR_SHOT_CHUNK_SIZE / 4 &&
	       decoder->statistics.bytes > decoder->statistics.records;
}

/* Without a predictor nothing is learned, and decoding can continue at the next zstd frame. */
static struct plan plan_raw(const struct ear_shot_states *states,
	const struct ear_shot_writer *writer, const struct ear_decoder *decoder)
{
	uint64_t records = decoder->statistics.records;

	return (struct plan){
		.due = records != states->last && ear_shot_writer_growth(writer).at_frame,
		.whole = states->last == 0 || records - states->last_whole >= EAR_SHOT_STATES_SEEK,
		.limit = UINT64_MAX,
	};
}

static struct plan plan_predict(const struct ear_shot_states *states,
	const struct ear_shot_writer *writer, const struct ear_decoder *decoder)
{
	uint64_t records = decoder->statistics.records;
	struct ear_shot_growth now = ear_shot_writer_growth(writer);
	uint64_t room = room_for(states, now.base, records);
	uint64_t cut = now.cut_cost;
	bool whole = states->last == 0;

	/* Where the room grows with the file, states are spread evenly over it. */
	if (now.cuts > 0 && now.base / BASE_SHARE >= states->allowance) {
		double each = (double)now.growth / (double)now.cuts;
		uint64_t even = (uint64_t)(0.75 * (double)records * each / (double)room);
		if (records - states->last < even)
			return (struct plan){.due = false};
	}
	/* What the ends of frames have cost until now is what the next one will cost: here, or, if
	 * that is counted already, after the state. */
	if (now.cuts > 0 && now.growth > now.state_bytes + now.cuts * cut)
		cut = (now.growth - now.state_bytes) / now.cuts;
	/* Whole ones take no more than a quarter of the room. */
	if (!whole && records - states->last_whole >= EAR_SHOT_STATES_SEEK)
		whole = states->whole_bytes + states->whole_cost <= room / 4 &&
			now.growth + cut + states->whole_cost <= room;
	/* The next delta may cost much less than the last one: it is worth a try. */
	if (now.growth + cut + (whole ? states->whole_cost : states->cost / 8) > room)
		return (struct plan){.due = false};
	return (struct plan){.due = true, .whole = whole, .limit = room - now.growth - cut};
}

static struct plan plan(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder)
{
	uint64_t records = decoder->statistics.records;

	if (!ear_shot_states_due(states, decoder) || !ear_decoder_can_save(decoder))
		return (struct plan){.due = false};
	if (states->interval != EAR_SHOT_STATES_AUTOMATIC)
		return (struct plan){.due = true, .whole = true, .limit = UINT64_MAX};
	if (!predicts(decoder))
		return plan_raw(states, writer, decoder);
	if (!is_dense(decoder))
		ear_shot_writer_measure(writer);
	else if (!ear_shot_writer_growth(writer).at_frame)
		return (struct plan){.due = false};
	if (states->distance == 0)
		states->distance = distance_of(ear_decoder_state_size(decoder));
	if (records - states->last < states->distance) {
		states->next = states->last + states->distance;
		return (struct plan){.due = false};
	}
	struct plan made = plan_predict(states, writer, decoder);
	if (!made.due)
		states->next = records + states->distance / 4;
	made.settle = made.due && !is_dense(decoder);
	return made;
}

bool ear_shot_states_ready(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder)
{
	return plan(states, writer, decoder).due;
}

bool ear_shot_states_end_frames(
	const struct ear_shot_states *states, const struct ear_decoder *decoder)
{
	return states->interval > 0 && (states->interval != EAR_SHOT_STATES_AUTOMATIC ||
					       (predicts(decoder) && !is_dense(decoder)));
}

int ear_shot_states_write(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder)
{
	struct plan made = plan(states, writer, decoder);

	if (!made.due)
		return 0;
	if (states->interval != EAR_SHOT_STATES_AUTOMATIC)
		return ear_shot_states_write_whole(states, writer, decoder);
	uint64_t records = decoder->statistics.records;
	int result = made.settle ? ear_shot_writer_measure_now(writer) : 0;
	if (result)
		return result;
	if (made.settle)
		made = plan_predict(states, writer, decoder);
	if (made.due)
		result = write_state(states, writer, decoder, made.whole, made.limit);
	states->next = records + states->distance;
	/* Settling costs time: not too often in vain. */
	if (result == 0 && (records - states->last) / 8 > states->distance)
		states->next = records + (records - states->last) / 8;
	if (!predicts(decoder))
		states->next = 1;
	return result < 0 ? result : 0;
}

int ear_shot_states_load(
	struct ear_shot_reader *reader, struct ear_decoder *decoder, uint64_t *instructions)
{
	struct ear_shot_state state;
	int result = ear_shot_reader_state(reader, &state);

	if (result)
		return result;
	result = ear_decoder_load(decoder, state.bytes, state.size);
	*instructions = state.instructions;
	free(state.bytes);
	return result;
}

int ear_shot_states_pass(struct ear_shot_reader *reader, struct ear_decoder *decoder)
{
	uint64_t instructions;
	uint8_t *bytes;
	size_t size;
	int result = 0;

	if (ear_decoder_wants_state(decoder))
		result = ear_shot_states_load(reader, decoder, &instructions);
	if (result == EAR_E_NO_MEMORY)
		return result;
	if (!ear_shot_reader_state_is_broken(reader) || !ear_decoder_can_save(decoder))
		return 0;
	result = ear_decoder_save(decoder, &bytes, &size);
	if (result == 0)
		ear_shot_reader_give_state(reader, bytes, size);
	return result == EAR_E_UNSUPPORTED ? 0 : result;
}
