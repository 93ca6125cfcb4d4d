/* The whole way of predict mode: entries, encoder, frames, decoder, entries. docs/predict.md,
 * sections 1, 7 and 8. Random programs run on the simulator, with broken retire ports and broken
 * cores; random entries that no core would make; random geometries; random loss.
 */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/frame.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/reconstruct.h"
#include "iss/faults.h"
#include "iss/iss_state.h"
#include "iss_bare.h"
#include "predict_stream.h"
#include "random_program.h"
#include "retire_random.h"

/* Where entries come from. */
struct source {
	struct random random;
	struct ear_iss *iss; /* NULL: random entries */
	struct ear_faults faults;
	struct ear_unit unit;
	bool paddr;
	uint64_t order, ticks;
	uint64_t pages[16]; /* physical less virtual address */
};

static void source_init(struct source *source, uint64_t seed, bool program)
{
	struct ear_geometry geometry;

	*source = (struct source){.random = {seed * 2 + 1}};
	for (unsigned i = 0; i < 20; i++)
		random_next(&source->random);
	struct random *random = &source->random;
	unsigned xlen = random_once_in(random, 2) ? 32 : 64;
	unsigned flen = program ? 64 : 32 * (unsigned)random_below(random, 3);

	source->paddr = random_once_in(random, 3);
	source->order = random_once_in(random, 2) ? 0 : random_next(random) >> 8;
	random_geometry(&geometry, random);
	source->unit = predict_unit(&geometry, xlen, flen, source->paddr);
	if (!program)
		source->unit.csr_slots = (uint8_t)random_below(random, 9);
	for (unsigned i = 0; i < 16; i++)
		source->pages[i] = random_once_in(random, 3) ? 0 : random_next(random) << 12;
	if (!program)
		return;
	source->iss = iss_bare_new(xlen, seed);
	random_program_write(source->iss, &source->random);
	if (random_once_in(random, 2)) {
		struct ear_iss_bug bug;
		ear_iss_bug_draw(&bug, 1 + (enum ear_iss_bug_kind)random_below(random, 5), seed);
		bug.period = 1 + (uint32_t)random_below(random, 100);
		bug.moment = 10;
		ear_iss_bug_set(source->iss, &bug);
	}
	uint32_t flips[] = {0, 100, 10000, 300000};
	ear_faults_init(&source->faults, seed, flips[random_below(random, 4)], 64);
}

static void source_fini(struct source *source)
{
	if (source->iss)
		ear_iss_free(source->iss);
}

/* What the port of this unit has no room for is zero. */
static void fit_port(struct source *source, struct ear_retire *entry)
{
	struct random *random = &source->random;

	if (source->unit.flen == 0) {
		entry->frd_valid = false;
		entry->frd_addr = entry->fflags = 0;
		entry->frd_wdata = 0;
	} else if (source->unit.flen == 32) {
		entry->frd_wdata = (uint32_t)entry->frd_wdata;
	}
	if (entry->csr_count > source->unit.csr_slots)
		entry->csr_count = source->unit.csr_slots;
	if (!source->paddr) {
		entry->pc_paddr = entry->mem_paddr = 0;
	} else if (source->iss) {
		uint64_t pc = entry->pc_rdata, at = entry->mem_addr;
		entry->pc_paddr = pc + source->pages[pc >> 12 & 15];
		entry->mem_paddr = at ? at + source->pages[at >> 12 & 15] : 0;
		if (random_once_in(random, 50))
			entry->pc_paddr = 0;
	}
}

static void source_next(struct source *source, struct ear_retire *entry)
{
	memset(entry, 0, sizeof(*entry));
	if (source->iss) {
		if (!ear_faults_run(&source->faults, source->iss, entry, 1)) {
			random_program_revive(source->iss, &source->random);
			ear_faults_run(&source->faults, source->iss, entry, 1);
		}
		if (random_once_in(&source->random, 2000))
			source->iss->pc = EAR_ISS_MEMORY_BASE;
	} else {
		retire_random(entry, &source->random, source->unit.xlen);
	}
	fit_port(source, entry);
	entry->xlen = source->unit.xlen;
	entry->order = source->order++;
	source->ticks += random_below(&source->random, 3);
}

static void same_entry(const struct ear_retire *sent, const struct decoded_entry *got)
{
	const char *difference = retire_difference(sent, &got->entry);

	if (difference)
		fail_msg("entry %" PRIu64 " at pc %" PRIx64 " (%08x): %s", sent->order,
			sent->pc_rdata, sent->insn, difference);
}

/* Everything comes back ----------------------------------------------------------------------- */

/* Messages between the records: none of them may change the records. */
static void put_something(struct predict_encoder *encoder, struct source *source)
{
	struct random *random = &source->random;
	struct ear_message message = {.kind = EAR_MSG_REPLY, .u.reply = {.tag = 1}};

	switch (random_below(random, 5)) {
	case 0: ear_encoder_flush(&encoder->encoder); return;
	case 1: ear_encoder_sync(&encoder->encoder); return;
	case 2: message = (struct ear_message){.kind = EAR_MSG_UNIT, .u.unit = source->unit}; break;
	case 3:
		message = (struct ear_message){.kind = EAR_MSG_EVENT,
			.u.event = {.source = EAR_EVENT_PORT, .order = source->order}};
		break;
	default: break;
	}
	ear_encoder_put(&encoder->encoder, &message);
}

static void lose(struct predict_encoder *encoder, struct source *source)
{
	uint64_t count = 1 + random_below(&source->random, 1000);

	ear_encoder_put(&encoder->encoder, &(struct ear_message){.kind = EAR_MSG_LOST,
						   .u.lost = {.reason = EAR_LOST_FIFO_FULL,
							   .count = count,
							   .first = source->order,
							   .last = source->order + count - 1}});
	source->order += count;
}

static void put_stop(struct predict_encoder *encoder, uint64_t delivered)
{
	ear_encoder_put(&encoder->encoder,
		&(struct ear_message){.kind = EAR_MSG_STOP,
			.u.stop = {.reason = EAR_STOP_ENDED, .delivered = delivered}});
}

/* Encode count entries, decode them, compare. unknown: some fields are left to the predictor. */
static void check_source(struct source *source, unsigned count, bool unknown)
{
	struct ear_retire *sent = calloc(count, sizeof(*sent));
	uint64_t *ticks = calloc(count, sizeof(*ticks));
	struct byte_buffer stream = {0};
	struct decoded_list decoded = {0};
	struct predict_encoder encoder;
	uint64_t lost = 0, begin = source->order;
	unsigned time_mode = (unsigned)random_below(&source->random, 3);

	assert_true(sent);
	assert_true(ticks);
	source->unit.control = (uint8_t)(time_mode << 1);
	predict_encoder_init(&encoder, &source->unit, &stream);
	if (random_once_in(&source->random, 2))
		ear_encoder_flush_after(
			&encoder.encoder, 1 + (uint32_t)random_below(&source->random, 50));
	for (unsigned i = 0; i < count; i++) {
		source_next(source, &sent[i]);
		ear_encoder_elapse(&encoder.encoder, i);
		ticks[i] = source->ticks;
		if (unknown)
			ear_encoder_push_known(&encoder.encoder, &sent[i], ticks[i],
				(uint32_t)(random_next(&source->random) >> 44) & ~EAR_DIFFER_ORDER &
					~EAR_DIFFER_CSR);
		else
			ear_encoder_push(&encoder.encoder, &sent[i], ticks[i]);
		if (random_once_in(&source->random, 100))
			put_something(&encoder, source);
		if (random_once_in(&source->random, 300))
			lose(&encoder, source);
	}
	put_stop(&encoder, count);
	assert_int_equal(decode_entries(&decoded, stream.bytes, stream.size), 0);

	unsigned at = 0;
	for (size_t i = 0; i < decoded.count; i++) {
		const struct decoded_entry *got = &decoded.list[i];
		if (got->kind == EAR_RECORD_GAP) {
			assert_int_equal(got->gap.reason, EAR_GAP_UNIT_FIFO);
			lost += got->gap.count;
		}
		if (got->kind != EAR_RECORD_INSTRUCTION)
			continue;
		assert_below(at, count);
		same_entry(&sent[at], got);
		if (time_mode == EAR_TIME_MODE_RECORD ||
			(time_mode != EAR_TIME_MODE_OFF && at == 0)) {
			assert_true(got->has_ticks);
			assert_int_equal(got->ticks, ticks[at]);
		}
		at++;
	}
	assert_int_equal(at, count);
	assert_int_equal(source->order - begin, count + lost);
	decoded_list_free(&decoded);
	predict_encoder_fini(&encoder);
	byte_buffer_free(&stream);
	free(ticks);
	free(sent);
}

static void check_sources(uint64_t seeds, bool program, bool unknown)
{
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct source source;
		source_init(&source, seed + (unknown ? 1000 : 0), program);
		check_source(&source, program ? 4000 : 1500, unknown);
		source_fini(&source);
	}
}

static void programs_come_back(void **state)
{
	(void)state;
	check_sources(150, true, false);
}

static void entries_that_no_core_would_make_come_back(void **state)
{
	(void)state;
	check_sources(100, false, false);
}

/* Both sides fill in fields that the source of a trace lacks in the same way. */
static void fields_that_are_not_known_are_those_that_the_decoder_makes(void **state)
{
	(void)state;
	check_sources(60, true, true);
	check_sources(40, false, true);
}

/* Loss on the way ----------------------------------------------------------------------------- */

struct frames {
	struct byte_buffer list[4096];
	bool syncs[4096]; /* begins with UNIT and SYNC, or with a CHECK before these */
	size_t count;
};

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct frames *frames = context;
	const uint8_t *payload = bytes + EAR_FRAME_HEADER_SIZE;

	assert_below(frames->count, COUNT_OF(frames->list));
	if (payload[0] == EAR_MSG_CHECK)
		payload += EAR_MSG_SIZE_CHECK;
	frames->syncs[frames->count] = payload[0] == EAR_MSG_UNIT;
	byte_buffer_append(&frames->list[frames->count++], bytes, size);
}

static void join_frames(
	struct byte_buffer *stream, const struct frames *frames, const bool *dropped)
{
	for (size_t i = 0; i < frames->count; i++)
		if (!dropped || !dropped[i])
			byte_buffer_append(stream, frames->list[i].bytes, frames->list[i].size);
}

/* The frame of each record of the whole stream. */
static void find_frames(
	unsigned *frame_of, const struct decoded_list *decoded, const struct frames *frames)
{
	uint64_t end = frames->list[0].size;
	unsigned frame = 0;

	for (size_t i = 0; i < decoded->count; i++) {
		while (decoded->list[i].stream_offset >= end)
			end += frames->list[++frame].size;
		frame_of[i] = frame;
	}
}

/* The records that can be known, in order, and between them gaps with the right numbers. */
static void check_lossy(const struct decoded_list *whole, const unsigned *frame_of,
	const bool *followed, const struct decoded_list *got, uint64_t *gaps)
{
	uint64_t next = 0; /* index after the last record or gap */
	bool known = false;
	size_t at = 0;

	for (size_t i = 0; i < whole->count; i++) {
		const struct decoded_entry *entry = &whole->list[i];
		if (!followed[frame_of[i]])
			continue;
		assert_below(at, got->count);
		if (got->list[at].kind == EAR_RECORD_GAP) {
			const struct ear_gap *gap = &got->list[at++].gap;
			assert_int_equal(gap->count_known, known || entry->index == 0);
			if (gap->count_known) {
				assert_int_equal(gap->first, next);
				assert_int_equal(gap->count, entry->index - next);
			}
			(*gaps)++;
			next = entry->index;
		}
		assert_below(at, got->count);
		assert_same(got->list[at].kind, EAR_RECORD_INSTRUCTION);
		same_entry(&entry->entry, &got->list[at]);
		if (known)
			assert_int_equal(got->list[at].index, next);
		next = got->list[at++].index + 1;
		known = true;
	}
	/* STOP has the count of what is missing at the end, if it came. */
	for (; at < got->count; at++)
		assert_int_equal(got->list[at].kind, EAR_RECORD_GAP);
}

static void check_loss(uint64_t seed, uint64_t *gaps)
{
	static struct frames frames;
	static bool dropped[COUNT_OF(frames.list)], followed[COUNT_OF(frames.list)];
	struct byte_buffer stream = {0}, lossy = {0};
	struct decoded_list whole = {0}, got = {0};
	struct predict_encoder encoder;
	struct ear_retire entry;
	struct source source;
	const unsigned count = 4000;

	source_init(&source, seed, seed % 4 != 0);
	frames.count = 0;
	predict_encoder_init_sink(&encoder, &source.unit, take_frame, &frames);
	source.order = 0;
	for (unsigned i = 0; i < count; i++) {
		source_next(&source, &entry);
		ear_encoder_push(&encoder.encoder, &entry, 0);
		if (random_once_in(&source.random, 100))
			ear_encoder_flush(&encoder.encoder);
		if (random_once_in(&source.random, 400)) {
			ear_encoder_flush(&encoder.encoder);
			ear_encoder_sync(&encoder.encoder);
		}
	}
	put_stop(&encoder, count);
	join_frames(&stream, &frames, NULL);
	assert_int_equal(decode_entries(&whole, stream.bytes, stream.size), 0);
	assert_int_equal(whole.count, count);

	unsigned *frame_of = calloc(count, sizeof(*frame_of));
	assert_non_null(frame_of);
	find_frames(frame_of, &whole, &frames);
	bool following = false;
	for (size_t i = 0; i < frames.count; i++) {
		dropped[i] = random_once_in(&source.random, 12);
		following = !dropped[i] && (following || frames.syncs[i]);
		followed[i] = following;
	}
	join_frames(&lossy, &frames, dropped);
	assert_int_equal(decode_entries(&got, lossy.bytes, lossy.size), 0);
	check_lossy(&whole, frame_of, followed, &got, gaps);

	for (size_t i = 0; i < frames.count; i++)
		byte_buffer_free(&frames.list[i]);
	free(frame_of);
	decoded_list_free(&whole);
	decoded_list_free(&got);
	byte_buffer_free(&lossy);
	byte_buffer_free(&stream);
	predict_encoder_fini(&encoder);
	source_fini(&source);
}

static void after_loss_the_records_are_exact_from_the_next_hard_sync_on(void **state)
{
	uint64_t gaps = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++)
		check_loss(seed, &gaps);
	assert_above(gaps, 150);
}

/* Digest -------------------------------------------------------------------------------------- */

struct spoiled {
	struct ear_decoder decoder;
	const struct ear_retire *sent;
	uint64_t taken, wrong, gaps;
};

static int take_spoiled(void *context, const struct ear_record *record)
{
	struct spoiled *spoiled = context;

	if (record->kind != EAR_RECORD_INSTRUCTION) {
		spoiled->gaps++;
		return 0;
	}
	const struct ear_retire *sent = &spoiled->sent[spoiled->taken++];
	spoiled->wrong += retire_difference(sent, &spoiled->decoder.hart->entry) != NULL;
	return 0;
}

/* Change one bit of what the decoder remembers. */
static void spoil(struct ear_predictor *predictor, struct random *random)
{
	uint64_t bit = (uint64_t)1 << random_below(random, 32);

	switch (random_below(random, 10)) {
	case 0: predictor->x[1 + random_below(random, 31)] ^= bit; return;
	case 1: predictor->pc ^= bit; return;
	case 2: predictor->mtvec ^= bit; return;
	case 3: predictor->f[random_below(random, 32)] ^= bit; return;
	case 4: predictor->dictionary[random_below(random, 16)] ^= (uint32_t)bit; return;
	case 5: predictor->mepc ^= bit; return;
	case 6: predictor->order ^= bit; return;
	case 7: predictor->digest ^= (uint32_t)bit; return;
	case 8: predictor->mode ^= 1; return;
	default:
		predictor->code.bytes[random_below(random, 128)] ^=
			(uint8_t)(bit | bit >> 8 | bit >> 16 | bit >> 24);
		return;
	}
}

/* A decoder whose state is wrong may make wrong records, but it does not stay unnoticed. */
static void a_wrong_bit_in_the_decoder_is_noticed(void **state)
{
	enum { COUNT = 3000 };
	struct ear_retire *sent = calloc(COUNT, sizeof(*sent));
	unsigned noticed = 0, harmless = 0;

	(void)state;
	assert_non_null(sent);
	for (uint64_t seed = 1; seed <= 200; seed++) {
		static struct spoiled spoiled;
		struct byte_buffer first = {0}, rest = {0};
		struct predict_encoder encoder;
		struct source source;
		size_t used;

		source_init(&source, seed, true);
		spoiled = (struct spoiled){.sent = sent};
		predict_encoder_init(&encoder, &source.unit, &first);
		for (unsigned i = 0; i < COUNT; i++) {
			source_next(&source, &sent[i]);
			if (i == COUNT / 2) {
				ear_encoder_flush(&encoder.encoder);
				encoder.encoder.context = &rest;
			}
			ear_encoder_push(&encoder.encoder, &sent[i], 0);
		}
		put_stop(&encoder, COUNT);

		ear_decoder_init(&spoiled.decoder, take_spoiled, &spoiled);
		spoiled.decoder.one_by_one = true;
		ear_decoder_push(&spoiled.decoder, &used, first.bytes, first.size, false);
		assert_int_equal(used, first.size);
		assert_int_equal(spoiled.taken, COUNT / 2);
		assert_int_equal(spoiled.wrong, 0);
		spoil(spoiled.decoder.hart->predictor, &source.random);
		ear_decoder_push(&spoiled.decoder, &used, rest.bytes, rest.size, true);
		bool reported = spoiled.decoder.statistics.disagreements > 0;
		if (spoiled.wrong && !reported)
			fail_msg("seed %" PRIu64 ": %" PRIu64 " wrong entries and no word of it",
				seed, spoiled.wrong);
		assert_int_equal(spoiled.gaps > 0, reported);
		noticed += reported;
		harmless += !reported;
		ear_decoder_fini(&spoiled.decoder);
		byte_buffer_free(&rest);
		byte_buffer_free(&first);
		predict_encoder_fini(&encoder);
		source_fini(&source);
	}
	free(sent);
	assert_above(noticed, 60);
	assert_above(harmless, 0);
}

/* Limits -------------------------------------------------------------------------------------- */

/* The loop "c.j ." */
static struct ear_retire jump_entry(uint64_t order)
{
	return (struct ear_retire){.order = order,
		.xlen = 32,
		.mode = 3,
		.ixl = 1,
		.insn = 0xA001,
		.pc_rdata = 0x100,
		.pc_wdata = 0x100};
}

static struct ear_unit small_unit(unsigned time_mode)
{
	struct ear_unit unit = predict_unit(ear_geometry_get(EAR_GEOMETRY_SMALL), 32, 0, false);

	unit.control = (uint8_t)(time_mode << 1);
	return unit;
}

/* Runs of 65535 are sent as RUN, and a CHECK comes after each 65536 records. */
static void the_longest_runs_come_back(void **state)
{
	const unsigned count = 3 * 65536 + 7;
	struct ear_unit unit = small_unit(EAR_TIME_MODE_SYNC);
	struct byte_buffer stream = {0};
	struct decoded_list decoded = {0};
	struct predict_encoder encoder;

	(void)state;
	predict_encoder_init(&encoder, &unit, &stream);
	for (unsigned i = 0; i < count; i++) {
		struct ear_retire entry = jump_entry(i);
		ear_encoder_push(&encoder.encoder, &entry, i);
	}
	put_stop(&encoder, count);
	/* one GENERAL and a run of 65535; CHECK and TIME; a longest run and one; ... */
	assert_int_equal(stream.size,
		8 + 36 + 10 + 9 + (4 + 4 + 4) + 3 + 2 * (9 + 5 + 3 + 1) + (9 + 5 + 1) + 9 + 34 + 4);
	assert_int_equal(decode_entries(&decoded, stream.bytes, stream.size), 0);
	assert_int_equal(decoded.count, count);
	for (unsigned i = 0; i < count; i++) {
		struct ear_retire entry = jump_entry(i);
		same_entry(&entry, &decoded.list[i]);
		assert_int_equal(decoded.list[i].has_ticks, i % 65536 == 0);
		if (i % 65536 == 0)
			assert_int_equal(decoded.list[i].ticks, i);
	}
	decoded_list_free(&decoded);
	predict_encoder_fini(&encoder);
	byte_buffer_free(&stream);
}

/* Records of an endless loop, one a clock: a frame every 1000 clocks, and what is in it makes no
 * difference. Where the loop stops it comes to an end once.
 */
static void an_endless_run_is_sent_every_flush_cycles(void **state)
{
	struct ear_unit unit = small_unit(EAR_TIME_MODE_OFF);
	struct predict_encoder encoder;
	struct byte_buffer stream = {0};
	size_t size = 0;
	uint64_t now = 0, sent_at = 0;

	(void)state;
	predict_encoder_init(&encoder, &unit, &stream);
	ear_encoder_flush_after(&encoder.encoder, 1000);
	for (; now < 70000; now++) {
		struct ear_retire entry = jump_entry(now);

		ear_encoder_elapse(&encoder.encoder, now);
		if (stream.size != size) {
			assert_int_equal(now - sent_at, 1001);
			sent_at = now;
			size = stream.size;
		}
		ear_encoder_push(&encoder.encoder, &entry, 0);
	}
	assert_in_range(stream.size, 69 * 16, 69 * 24 + 100);
	for (; now < 80000; now++)
		ear_encoder_elapse(&encoder.encoder, now);
	assert_int_equal(stream.size - size, 16); /* a RUN */
	predict_encoder_fini(&encoder);
	byte_buffer_free(&stream);
}

/* A reply ends the frame and says nothing of the run: the run does not wait any longer for that.
 */
static void a_reply_does_not_put_the_flush_off(void **state)
{
	struct ear_unit unit = small_unit(EAR_TIME_MODE_OFF);
	struct predict_encoder encoder;
	struct byte_buffer stream = {0};

	(void)state;
	predict_encoder_init(&encoder, &unit, &stream);
	ear_encoder_flush_after(&encoder.encoder, 1000);
	for (unsigned now = 0; now <= 1001; now++) {
		struct ear_retire entry = jump_entry(now);

		ear_encoder_elapse(&encoder.encoder, now);
		assert_int_equal(encoder.encoder.run > 0, now > 1 && now <= 1000);
		if (now == 500)
			ear_encoder_put(
				&encoder.encoder, &(struct ear_message){.kind = EAR_MSG_REPLY});
		ear_encoder_push(&encoder.encoder, &entry, 0);
	}
	predict_encoder_fini(&encoder);
	byte_buffer_free(&stream);
}

static void append_frame(
	struct byte_buffer *stream, uint16_t sequence, const uint8_t *payload, size_t size)
{
	uint8_t frame[EAR_FRAME_SIZE_MAX];

	memcpy(frame + EAR_FRAME_HEADER_SIZE, payload, size);
	byte_buffer_append(stream, frame, ear_frame_finish(frame, size, 0, sequence));
}

/* A hostile unit cannot make the decoder return records without end: 65536, then a CHECK. */
static void more_records_than_there_may_be_without_a_check_are_refused(void **state)
{
	static const uint8_t runs[] = {0x0E, 0xFF, 0xFF, 0x0E, 0xFF, 0xFF, 0x0E, 0xFF, 0xFF};
	struct byte_buffer stream = {0};
	struct decoded_list decoded = {0};
	struct ear_message message = {.kind = EAR_MSG_UNIT, .u.unit = small_unit(0)};
	uint8_t payload[128];

	(void)state;
	size_t size = ear_message_build(payload, &message);
	message = (struct ear_message){
		.kind = EAR_MSG_SYNC, .u.sync = {.flags = EAR_SYNC_HARD | EAR_SYNC_FIRST}};
	size += ear_message_build(payload + size, &message);
	memcpy(payload + size, runs, sizeof(runs));
	append_frame(&stream, 0, payload, size + sizeof(runs));
	assert_int_equal(decode_entries(&decoded, stream.bytes, stream.size), 0);
	assert_int_equal(decoded.count, 65538); /* and the missing end */
	assert_int_equal(decoded.list[65536].kind, EAR_RECORD_GAP);
	assert_int_equal(decoded.list[65536].gap.reason, EAR_GAP_BAD_MESSAGE);
	assert_false(decoded.list[65536].gap.count_known);
	decoded_list_free(&decoded);
	byte_buffer_free(&stream);
}

/* Two units' parts of one capture whose indexes and frame numbers fit: ten records of the first,
 * and ten of the second from a hard SYNC on. The first part ends with a CHECK, if checked.
 */
static void join_parts(struct byte_buffer *stream, const struct ear_unit units[2], bool checked)
{
	uint16_t sequence = 0;

	for (unsigned part = 0; part < 2; part++) {
		struct predict_encoder encoder;
		predict_encoder_init(&encoder, &units[part], stream);
		encoder.encoder.first_due = part == 0 && units[0].protocol_minor >= 3;
		encoder.encoder.sequence = sequence;
		for (uint64_t order = 0; order < 10; order++) {
			struct ear_retire entry = jump_entry(10 * part + order);
			ear_encoder_push(&encoder.encoder, &entry, 0);
		}
		if (part == 0 && checked)
			ear_encoder_check(&encoder.encoder);
		if (part == 1)
			put_stop(&encoder, 20);
		ear_encoder_flush(&encoder.encoder);
		sequence = encoder.encoder.sequence;
		predict_encoder_fini(&encoder);
	}
}

/* What comes after a hard SYNC cannot show any more that a record before was wrong. */
static void a_hard_sync_without_a_check_before_it_is_a_failed_check(void **state)
{
	static const struct {
		uint8_t minors[2]; /* of the two parts */
		bool checked, other_shape, fails;
	} rows[] = {{{3, 3}, false, false, true}, {{3, 3}, false, true, true},
		{{3, 3}, true, false, false}, {{3, 3}, true, true, false},
		{{2, 2}, false, false, false}, {{3, 2}, false, false, true},
		{{3, 2}, true, false, false}, {{2, 3}, false, false, true}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_unit units[2] = {small_unit(0), small_unit(0)};
		struct byte_buffer stream = {0};
		struct decoded_list decoded = {0};
		if (rows[i].other_shape)
			units[1] = predict_unit(ear_geometry_get(EAR_GEOMETRY_LARGE), 32, 0, false);
		for (unsigned part = 0; part < 2; part++)
			units[part].protocol_minor = rows[i].minors[part];
		join_parts(&stream, units, rows[i].checked);
		assert_int_equal(decode_entries(&decoded, stream.bytes, stream.size), 0);
		assert_int_equal(decoded.count, 20 + rows[i].fails);
		if (rows[i].fails) {
			assert_int_equal(decoded.list[10].kind, EAR_RECORD_GAP);
			assert_int_equal(decoded.list[10].gap.reason, EAR_GAP_DISAGREE);
			assert_int_equal(decoded.list[10].gap.count, 0);
		}
		assert_int_equal(decoded.list[10 + rows[i].fails].index, 10);
		decoded_list_free(&decoded);
		byte_buffer_free(&stream);
	}
}

/* The kinds of the messages before a hard SYNC that is asked for after ten records. */
static void a_check_comes_before_a_hard_sync_of_units_since_1_3(void **state)
{
	(void)state;
	for (uint8_t minor = 2; minor <= 3; minor++) {
		struct ear_unit unit = small_unit(0);
		struct predict_encoder encoder;
		struct byte_buffer stream = {0};
		unit.protocol_minor = minor;
		predict_encoder_init(&encoder, &unit, &stream);
		for (uint64_t order = 0; order < 10; order++) {
			struct ear_retire entry = jump_entry(order);
			ear_encoder_push(&encoder.encoder, &entry, 0);
		}
		ear_encoder_flush(&encoder.encoder);
		size_t second = stream.size + EAR_FRAME_HEADER_SIZE;
		for (uint64_t order = 10; order < 12; order++) {
			struct ear_retire entry = jump_entry(order);
			ear_encoder_sync(&encoder.encoder);
			ear_encoder_sync(&encoder.encoder); /* asked twice: one is enough */
			ear_encoder_push(&encoder.encoder, &entry, 0);
		}
		ear_encoder_flush(&encoder.encoder);
		assert_int_equal(stream.bytes[second], minor >= 3 ? EAR_MSG_CHECK : EAR_MSG_UNIT);
		if (minor >= 3)
			assert_int_equal(stream.bytes[second + EAR_MSG_SIZE_CHECK], EAR_MSG_UNIT);
		predict_encoder_fini(&encoder);
		byte_buffer_free(&stream);
	}
}

/* UNITs of changing shapes: each gets its predictor, none is kept. No unit does so: it
 * sends a CHECK before, and the missing one is reported.
 */
static void a_unit_that_changes_its_shape_is_followed(void **state)
{
	struct byte_buffer stream = {0};
	struct decoded_list decoded = {0};
	struct random random = {11};
	unsigned expected = 0;

	(void)state;
	for (uint16_t i = 0; i < 300; i++) {
		struct ear_geometry geometry;
		uint8_t payload[128];
		random_geometry(&geometry, &random);
		struct ear_unit unit = predict_unit(&geometry, i & 1 ? 32 : 64, 0, i & 2);
		struct ear_message message = {.kind = EAR_MSG_UNIT, .u.unit = unit};
		if (i % 5 == 4) /* one that this decoder cannot have */
			message.u.unit.geometry[1] = (uint8_t)(17 + i % 200);
		size_t size = ear_message_build(payload, &message);
		message = (struct ear_message){.kind = EAR_MSG_SYNC,
			.u.sync = {.flags = EAR_SYNC_HARD, .order = 2 * (uint64_t)expected}};
		size += ear_message_build(payload + size, &message);
		payload[size++] = 0x02; /* two records as predicted */
		append_frame(&stream, i, payload, size);
		expected += i % 5 != 4;
	}
	assert_int_equal(decode_entries(&decoded, stream.bytes, stream.size), 0);
	unsigned records = 0;
	for (size_t i = 0; i < decoded.count; i++)
		records += decoded.list[i].kind == EAR_RECORD_INSTRUCTION;
	assert_int_equal(records, 2 * expected);
	decoded_list_free(&decoded);
	byte_buffer_free(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_come_back),
		cmocka_unit_test(entries_that_no_core_would_make_come_back),
		cmocka_unit_test(fields_that_are_not_known_are_those_that_the_decoder_makes),
		cmocka_unit_test(after_loss_the_records_are_exact_from_the_next_hard_sync_on),
		cmocka_unit_test(a_wrong_bit_in_the_decoder_is_noticed),
		cmocka_unit_test(the_longest_runs_come_back),
		cmocka_unit_test(an_endless_run_is_sent_every_flush_cycles),
		cmocka_unit_test(a_reply_does_not_put_the_flush_off),
		cmocka_unit_test(more_records_than_there_may_be_without_a_check_are_refused),
		cmocka_unit_test(a_hard_sync_without_a_check_before_it_is_a_failed_check),
		cmocka_unit_test(a_check_comes_before_a_hard_sync_of_units_since_1_3),
		cmocka_unit_test(a_unit_that_changes_its_shape_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
