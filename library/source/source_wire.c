/* Capture files and dumps as records.
 *
 * After a jump into the middle the same bytes come as on the way from the beginning, and the
 * decoder knows the same; but for what only the whole way shows: how much of a damaged zstd frame
 * can be read, a state that is a difference to one before, a frame that came long before. All this
 * is rare and noticed where it is asked for: then the way from the beginning is gone after all
 * (redo), to the same record, and reading continues there.
 */
#include "library/source/source_wire.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdlib.h>

#include "common/protocol/bytes.h"
#include "common/protocol/frame.h"
#include "common/stop.h"
#include "decoder/codec/decoder_anchor.h"
#include "library/shot/shot_states.h"

int ear_source_wire_init(struct ear_source_wire *wire, int fd, const uint8_t *prefix, size_t size,
	bool partial, bool shared)
{
	ear_decoder_init(&wire->decoder, NULL, NULL);
	int result = ear_window_init(&wire->window, fd, prefix, size, partial);
	if (result == 0 && shared)
		ear_shot_reader_use_offsets(wire->window.reader);
	return result;
}

void ear_source_wire_fini(struct ear_source_wire *wire)
{
	ear_window_fini(&wire->window);
	ear_decoder_fini(&wire->decoder);
}

/* Checksums -------------------------------------------------------------------------------- */

/* Add what the window has of the stream before this offset. */
static void sum_up_to(struct ear_source_wire *wire, uint64_t end)
{
	uint64_t from = wire->window_byte > wire->summed ? wire->window_byte : wire->summed;
	uint64_t last = wire->window_byte + ear_window_size(&wire->window);

	if (end > last)
		end = last;
	if (!wire->summing || from >= end)
		return;
	ear_checksum_add(&wire->checksum,
		ear_window_bytes(&wire->window) + (from - wire->window_byte), (size_t)(end - from));
	wire->summed = end;
}

static void sum_loss(struct ear_source_wire *wire)
{
	uint64_t at = wire->window_byte + ear_window_size(&wire->window);
	uint8_t bytes[8];

	if (!wire->summing || at < wire->loss_at)
		return;
	ear_store_le64(bytes, wire->window.loss_size);
	ear_checksum_add(&wire->checksum, bytes, sizeof(bytes));
	wire->loss_at = at + 1;
}

void ear_source_wire_sum(struct ear_source_wire *wire)
{
	wire->summing = true;
	ear_checksum_begin(&wire->checksum);
	wire->summed = wire->window_byte;
	wire->loss_at = wire->summed + (wire->position > 0);
}

uint64_t ear_source_wire_checksum(struct ear_source_wire *wire)
{
	if (wire->decoder.in_frame)
		sum_up_to(wire, wire->window_byte + wire->decoder.frame_size);
	return ear_checksum_value(&wire->checksum);
}

/* Reading ---------------------------------------------------------------------------------- */

static void use(struct ear_source_wire *wire, size_t used)
{
	if (used == 0)
		return;
	sum_up_to(wire, wire->window_byte + used);
	ear_window_consume(&wire->window, used);
	wire->window_byte += used;
}

/* Behind the bytes of the window: what the file says there, and more bytes. */
static int refill(struct ear_source_wire *wire)
{
	struct ear_window *window = &wire->window;
	char text[1024];
	int result = wire->short_of_memory ? EAR_E_NO_MEMORY : 0;

	if (ear_stopped()) {
		errno = EINTR;
		return EAR_E_IO;
	}
	if (result)
		return result;
	if (window->at_loss) {
		sum_loss(wire);
		ear_decoder_host_loss(&wire->decoder, window->loss_size);
	}
	if (window->at_state)
		result = ear_shot_states_pass(window->reader, &wire->decoder);
	if (result == 0 && window->at_line_diff && wire->line_diff_sink && !wire->redoing)
		result = wire->line_diff_sink(
			wire->line_diff_context, ear_shot_reader_line_diff(window->reader));
	if (result == 0)
		result = ear_window_fill(window);
	wire->short_of_memory = result == EAR_E_NO_MEMORY;
	if (!wire->begun &&
		ear_shot_reader_fact(window->reader, "not_told", text, sizeof(text)) >= 0)
		wire->absent.fields = ear_absent_fields_parse(text);
	wire->begun = true;
	return result;
}

int ear_source_wire_begin(struct ear_source_wire *wire)
{
	return wire->begun ? 0 : refill(wire);
}

/* The next record or run. Returns EAR_E_UNSUPPORTED where only the way from the beginning shows it.
 */
static int next_of_decoder(struct ear_source_wire *wire, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	struct ear_window *window = &wire->window;

	for (;;) {
		const uint8_t *bytes = ear_window_bytes(window);
		size_t size = ear_window_size(window), used;
		wire->decoder.end_meant = window->end_meant;
		int result = run ? ear_decoder_next_run(&wire->decoder, run, compacts, record,
					   &used, bytes, size, window->final)
				 : ear_decoder_next(&wire->decoder, record, &used, bytes, size,
					   window->final);
		use(wire, used);
		if (result != EAR_E_MORE)
			return result;
		result = refill(wire);
		if (result == 0 && ear_shot_reader_is_unsure(window->reader))
			result = EAR_E_UNSUPPORTED;
		if (result)
			return result;
		if (run && wire->absent.fields)
			run = NULL; /* before the first record it was not known */
	}
}

static void restart(struct ear_source_wire *wire)
{
	struct ear_decoder *decoder = &wire->decoder;
	bool with_reads = decoder->with_reads, with_operands = decoder->with_operands;

	ear_decoder_fini(decoder);
	ear_decoder_init(decoder, NULL, NULL);
	decoder->with_reads = with_reads;
	decoder->with_operands = with_operands;
	wire->window_byte = 0;
	wire->unsure = false;
}

/* So many records from the beginning. */
static int pass(struct ear_source_wire *wire, uint64_t wanted)
{
	for (uint64_t position = 0; position < wanted;) {
		const struct ear_compact_run *run = NULL;
		const struct ear_compact_record *compacts;
		const struct ear_record *record;
		bool far = wanted - position >= EAR_COMPACT_RUN_MAX;
		int result = next_of_decoder(wire, far ? &run : NULL, &compacts, &record);
		if (result != 1)
			return result == 0 ? EAR_E_BAD_FILE : result;
		position += run ? run->count : 1;
	}
	return 0;
}

static int redo(struct ear_source_wire *wire)
{
	restart(wire);
	ear_window_rewind(&wire->window);
	wire->redoing = true;
	int result = pass(wire, wire->position);
	wire->redoing = false;
	return result;
}

static int redo_and_next(struct ear_source_wire *wire, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	int result = redo(wire);

	return result ? result : next_of_decoder(wire, run, compacts, record);
}

/* This is all that a source adds to the work of the decoder, so it is short. */
static inline int next_surely(struct ear_source_wire *wire, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	int result = next_of_decoder(wire, run, compacts, record);

	if (result == EAR_E_UNSUPPORTED && !wire->unsure)
		result = redo_and_next(wire, run, compacts, record);
	if (result != 1)
		return result;
	if (run && *run) {
		wire->position += (*run)->count;
		wire->number += (*run)->count;
		return 1;
	}
	wire->position++;
	wire->number += (*record)->kind == EAR_RECORD_INSTRUCTION;
	if (wire->absent.fields)
		*record = ear_absent_fields_remove(&wire->absent, *record);
	return 1;
}

int ear_source_wire_next(struct ear_source_wire *wire, const struct ear_record **record)
{
	return next_surely(wire, NULL, NULL, record);
}

int ear_source_wire_next_run(struct ear_source_wire *wire, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	*run = NULL;
	return next_surely(wire, wire->absent.fields ? NULL : run, compacts, record);
}

/* Anchors ---------------------------------------------------------------------------------- */

void ear_source_wire_rewind(struct ear_source_wire *wire)
{
	restart(wire);
	ear_window_rewind(&wire->window);
	wire->begun = false;
	wire->position = wire->number = 0;
	wire->summing = false;
}

int ear_source_wire_save(const struct ear_source_wire *wire, struct ear_source_wire_place *place,
	uint8_t **state, size_t *size)
{
	place->position = wire->position;
	place->number = wire->number;
	place->byte = wire->window_byte;
	int result = ear_decoder_anchor_save(&wire->decoder, state, size);
	if (result)
		return result;
	if (ear_shot_reader_place(
		    wire->window.reader, place->byte, &place->file_offset, &place->frame_byte))
		return 0;
	free(*state);
	*state = NULL;
	return EAR_E_UNSUPPORTED;
}

/* Have a whole frame in the window. What the file says in the midst of it the decoder knows. */
static int fill_frame(struct ear_source_wire *wire)
{
	struct ear_window *window = &wire->window;
	int result = 0;

	while (result == 0 && ear_window_size(window) < EAR_FRAME_SIZE_MAX && !window->final) {
		struct ear_frame frame;
		if (ear_frame_parse(&frame, ear_window_bytes(window), ear_window_size(window)) > 0)
			break;
		result = ear_window_fill(window);
	}
	return result;
}

int ear_source_wire_load(struct ear_source_wire *wire, const struct ear_source_wire_place *place,
	const uint8_t *state, size_t size)
{
	struct ear_window *window = &wire->window;
	int result = ear_source_wire_begin(wire);

	restart(wire);
	wire->position = place->position;
	wire->number = place->number;
	wire->summing = false;
	if (result == 0)
		result =
			ear_window_jump(window, place->file_offset, place->frame_byte, place->byte);
	wire->window_byte = place->byte;
	if (result == 0)
		result = fill_frame(wire);
	if (result == 0)
		result = ear_decoder_anchor_load(&wire->decoder, state, size,
			ear_window_bytes(window), ear_window_size(window));
	/* Of a damaged zstd frame more or less may have been read on the way from the beginning. */
	if ((result == 0 || result == EAR_E_BAD_FILE) && ear_shot_reader_is_unsure(window->reader))
		result = redo(wire);
	return result;
}

/* What a state of the file leaves out, as it is where nothing was lost before. */
static void assume_no_loss(struct ear_reconstruct *hart)
{
	ear_frame_memory_forget(&hart->frames);
	hart->unit_fresh = true;
	hart->ticks_based = hart->ticks_known || hart->ticks > 0;
}

int ear_source_wire_load_place(
	struct ear_source_wire *wire, const struct ear_source_wire_place *place)
{
	struct ear_window *window = &wire->window;
	uint64_t instructions;
	int result = ear_source_wire_begin(wire);

	restart(wire);
	wire->position = place->position;
	wire->number = place->number;
	wire->summing = false;
	wire->window_byte = place->byte;
	if (result)
		return result;
	result = ear_window_jump_state(window, place->file_offset, place->byte);
	if (result == 0)
		result = ear_shot_states_load(window->reader, &wire->decoder, &instructions);
	window->at_state = false;
	wire->unsure = true;
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (wire->decoder.harts[id])
			assume_no_loss(wire->decoder.harts[id]);
	return result;
}
