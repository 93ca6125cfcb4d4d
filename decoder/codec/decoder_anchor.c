/* Saves and loads a decoder after a record.
 *
 * Layout: a head for the frame, the harts in the order of their numbers, each with its predictor;
 * then what differs in size from anchor to anchor: for each hart the frames it remembers and an
 * entry that waits, and the rest of a run. So the large parts stay at their offset in the state,
 * and one state is a small difference to the next.
 *
 * The message that the decoder is in is not saved but parsed again from the frame, whose checksum
 * shows that it is the same. A predictor is ahead of the records of a run, so these are saved.
 * One walk over the members measures, saves and loads (common/state_walk.h).
 */
#include "decoder/codec/decoder_anchor.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "common/state_walk.h"
#include "decoder/codec/decoder_internal.h"
#include "decoder/codec/decoder_state_internal.h"

#define ANCHOR_VERSION 3
#define FRM_MAX        7
#define MODE_MAX       3
#define REGISTER_MAX   31
#define OFFSET_MAX     ((uint64_t)1 << 62)

/* The frame that the decoder is in, and the position in it. */
struct head {
	uint8_t version, hart;
	uint16_t hart_count, sequence, missing_frames, payload_size, position;
	uint32_t crc;
	bool message_pending;
	uint32_t run; /* left of the message, if it is one of predict mode */
	uint8_t count, done;
	bool ticks_known, ticks_based; /* of the hart, before the frame */
	uint64_t ticks;
	uint64_t early_bytes; /* of the decoder */
	uint64_t offset;      /* of the frame in the stream, as the decoder counts */
};

static void walk_head(struct ear_state_walk *walk, struct head *head)
{
	ear_state_u8(walk, &head->version, ANCHOR_VERSION);
	walk->bad |= head->version != ANCHOR_VERSION;
	ear_state_u8(walk, &head->hart, UINT8_MAX);
	ear_state_u16(walk, &head->hart_count, EAR_STREAM_IDS);
	ear_state_u16(walk, &head->sequence, UINT16_MAX);
	ear_state_u16(walk, &head->missing_frames, UINT16_MAX);
	ear_state_u16(walk, &head->payload_size, EAR_FRAME_PAYLOAD_MAX);
	ear_state_u16(walk, &head->position, EAR_FRAME_PAYLOAD_MAX);
	ear_state_u32(walk, &head->crc);
	ear_state_bool(walk, &head->message_pending);
	ear_state_u32(walk, &head->run);
	ear_state_u8(walk, &head->count, EAR_GROUP_MAX);
	ear_state_u8(walk, &head->done, EAR_GROUP_MAX);
	ear_state_bool(walk, &head->ticks_known);
	ear_state_bool(walk, &head->ticks_based);
	ear_state_u64(walk, &head->ticks, UINT64_MAX);
	ear_state_u64(walk, &head->early_bytes, UINT64_MAX);
	ear_state_u64(walk, &head->offset, OFFSET_MAX);
}

static void walk_gap(struct ear_state_walk *walk, struct ear_reconstruct *hart)
{
	struct ear_gap *gap = &hart->gap;
	uint8_t reason = (uint8_t)gap->reason;

	ear_state_bool(walk, &hart->gap_pending);
	ear_state_u64(walk, &hart->gap_offset, UINT64_MAX);
	ear_state_u8(walk, &reason, EAR_GAP_REASONS - 1);
	if (walk->loading)
		gap->reason = (enum ear_gap_reason)reason;
	ear_state_bool(walk, &gap->count_known);
	ear_state_bool(walk, &gap->upper_bound);
	ear_state_bool(walk, &gap->at_start);
	ear_state_u64(walk, &gap->first, UINT64_MAX);
	ear_state_u64(walk, &gap->last, UINT64_MAX);
	ear_state_u64(walk, &gap->count, UINT64_MAX);
	ear_state_u64(walk, &gap->skipped_bytes, UINT64_MAX);
	ear_state_u64(walk, &gap->missing_frames, UINT64_MAX);
}

static void walk_mark(struct ear_state_walk *walk, struct ear_frame_mark *mark)
{
	ear_state_u64(walk, &mark->number, UINT64_MAX);
	ear_state_u64(walk, &mark->order, UINT64_MAX);
	ear_state_u32(walk, &mark->crc);
	ear_state_u16(walk, &mark->payload_size, EAR_FRAME_PAYLOAD_MAX);
	ear_state_bool(walk, &mark->indexed);
}

/* A hart with its number and the sequence number of its next frame. */
struct hart_head {
	uint8_t id;
	uint16_t next_sequence;
	bool has_predictor;
};

static void walk_hart(
	struct ear_state_walk *walk, struct ear_reconstruct *hart, struct hart_head *head)
{
	ear_state_u8(walk, &head->id, UINT8_MAX);
	ear_state_u16(walk, &head->next_sequence, UINT16_MAX);
	ear_state_bool(walk, &head->has_predictor);
	ear_state_bool(walk, &hart->order_known);
	ear_state_u64(walk, &hart->expected_order, UINT64_MAX);
	ear_state_bool(walk, &hart->filtered);
	ear_state_bool(walk, &hart->no_causes);
	ear_state_bool(walk, &hart->every_record_timed);
	ear_state_bool(walk, &hart->ticks_known);
	ear_state_bool(walk, &hart->ticks_based);
	ear_state_u64(walk, &hart->ticks, UINT64_MAX);
	ear_state_u8(walk, &hart->frm, FRM_MAX);
	ear_state_u8(walk, &hart->vtype, UINT8_MAX);
	ear_state_u8(walk, &hart->unit_minor, UINT8_MAX);
	ear_state_u8(walk, &hart->check_minor, UINT8_MAX);
	walk_gap(walk, hart);
	ear_state_capture(walk, &hart->capture);
	ear_state_bool(walk, &hart->stopped);
	walk_mark(walk, &hart->frame);
	ear_state_bool(walk, &hart->frame_fresh);
	ear_state_bool(walk, &hart->frame_timed);
	ear_state_bool(walk, &hart->unit_fresh);
	ear_state_bool(walk, &hart->unit_seen);
	ear_state_bool(walk, &hart->predict);
	ear_state_bool(walk, &hart->following);
	ear_state_bool(walk, &hart->fresh);
	ear_state_u32(walk, &hart->unchecked);
	ear_state_bool(walk, &hart->entry_waits);
}

static void walk_entry(struct ear_state_walk *walk, struct ear_retire *entry)
{
	ear_state_u64(walk, &entry->order, UINT64_MAX);
	ear_state_u64(walk, &entry->pc_rdata, UINT64_MAX);
	ear_state_u64(walk, &entry->pc_wdata, UINT64_MAX);
	ear_state_u64(walk, &entry->rs1_rdata, UINT64_MAX);
	ear_state_u64(walk, &entry->rs2_rdata, UINT64_MAX);
	ear_state_u64(walk, &entry->rd_wdata, UINT64_MAX);
	ear_state_u64(walk, &entry->mem_addr, UINT64_MAX);
	ear_state_u64(walk, &entry->mem_rdata, UINT64_MAX);
	ear_state_u64(walk, &entry->mem_wdata, UINT64_MAX);
	ear_state_u64(walk, &entry->cause, UINT64_MAX);
	ear_state_u64(walk, &entry->frd_wdata, UINT64_MAX);
	ear_state_u64(walk, &entry->pc_paddr, UINT64_MAX);
	ear_state_u64(walk, &entry->mem_paddr, UINT64_MAX);
	ear_state_u32(walk, &entry->insn);
	ear_state_u8(walk, &entry->xlen, 64);
	ear_state_bool(walk, &entry->trap);
	ear_state_bool(walk, &entry->halt);
	ear_state_bool(walk, &entry->intr);
	ear_state_bool(walk, &entry->irq);
	ear_state_bool(walk, &entry->debug);
	ear_state_bool(walk, &entry->virt);
	ear_state_u8(walk, &entry->mode, MODE_MAX);
	ear_state_u8(walk, &entry->ixl, MODE_MAX);
	ear_state_u8(walk, &entry->rs1_addr, REGISTER_MAX);
	ear_state_u8(walk, &entry->rs2_addr, REGISTER_MAX);
	ear_state_u8(walk, &entry->rd_addr, REGISTER_MAX);
	ear_state_u8(walk, &entry->mem_rmask, UINT8_MAX);
	ear_state_u8(walk, &entry->mem_wmask, UINT8_MAX);
	ear_state_bool(walk, &entry->frd_valid);
	ear_state_u8(walk, &entry->frd_addr, REGISTER_MAX);
	ear_state_u8(walk, &entry->fflags, REGISTER_MAX);
	ear_state_u8(walk, &entry->csr_count, EAR_RETIRE_CSRS_MAX);
	for (unsigned i = 0; i < entry->csr_count; i++) {
		ear_state_u16(walk, &entry->csrs[i].number, 4095);
		ear_state_u64(walk, &entry->csrs[i].value, UINT64_MAX);
	}
	walk->bad |= walk->loading && entry->xlen != 32 && entry->xlen != 64;
}

static void walk_run(struct ear_state_walk *walk, struct ear_compact_run *run)
{
	uint8_t count = (uint8_t)run->count;

	_Static_assert(EAR_COMPACT_RUN_MAX <= UINT8_MAX, "a count is a byte");
	ear_state_u8(walk, &count, EAR_COMPACT_RUN_MAX);
	if (walk->loading)
		run->count = count;
	if (run->count == 0)
		return;
	ear_state_u64(walk, &run->first_index, UINT64_MAX);
	ear_state_u64(walk, &run->stream_offset, UINT64_MAX);
	ear_state_u64(walk, &run->ticks, UINT64_MAX);
	ear_state_u16(walk, &run->hart, EAR_STREAM_IDS - 1);
	ear_state_u8(walk, &run->xlen, 64);
	ear_state_u8(walk, &run->privilege, EAR_PRIVILEGE_DEBUG);
	ear_state_u8(walk, &run->frm, FRM_MAX);
	ear_state_u8(walk, &run->vtype, UINT8_MAX);
	ear_state_bool(walk, &run->first_timed);
	ear_state_bool(walk, &run->all_timed);
	walk->bad |= walk->loading && run->xlen != 32 && run->xlen != 64;
}

static void walk_compact(struct ear_state_walk *walk, struct ear_compact_record *compact)
{
	ear_state_u64(walk, &compact->pc, UINT64_MAX);
	ear_state_u64(walk, &compact->next_pc, UINT64_MAX);
	ear_state_u64(walk, &compact->result, UINT64_MAX);
	ear_state_u64(walk, &compact->address, UINT64_MAX);
	ear_state_u64(walk, &compact->data, UINT64_MAX);
	ear_state_u32(walk, &compact->opcode);
	ear_state_u32(walk, &compact->offset);
	ear_state_u8(walk, &compact->opcode_size, 4);
	ear_state_u8(walk, &compact->rd, REGISTER_MAX);
	ear_state_u8(walk, &compact->size, UINT8_MAX);
	ear_state_u8(walk, &compact->flags, EAR_COMPACT_TAKEN | EAR_COMPACT_WRITE);
	ear_state_u32(walk, &compact->ticks);
	walk->bad |= walk->loading && compact->opcode_size != 2 && compact->opcode_size != 4;
	walk->bad |= walk->loading && compact->size > 8 && compact->size != EAR_COMPACT_NO_ACCESS;
}

static void walk_operands(struct ear_state_walk *walk, struct ear_operands *operands)
{
	ear_state_u64(walk, &operands->a, UINT64_MAX);
	ear_state_u64(walk, &operands->b, UINT64_MAX);
	ear_state_u8(walk, &operands->rs1, REGISTER_MAX);
	ear_state_u8(walk, &operands->rs2, REGISTER_MAX);
}

/* Saving ----------------------------------------------------------------------------------- */

static struct head head_of(const struct ear_decoder *decoder)
{
	const struct ear_stream_item *item = &decoder->item;
	const struct ear_record_message *message = &decoder->difference;
	struct head head = {
		.version = ANCHOR_VERSION,
		.hart = item->frame.stream_id,
		.hart_count = (uint16_t)decoder->statistics.hart_count,
		.sequence = item->frame.sequence,
		.missing_frames = item->missing_frames,
		.payload_size = (uint16_t)decoder->payload_size,
		.position = (uint16_t)decoder->position,
		.crc = decoder->hart->frame.crc,
		.message_pending = decoder->message_pending,
		.ticks_known = decoder->ticks.known,
		.ticks_based = decoder->ticks.based,
		.ticks = decoder->ticks.value,
		.early_bytes = decoder->early_bytes,
		.offset = decoder->frame_offset,
	};

	if (head.message_pending && decoder->message_is_difference) {
		head.run = message->run;
		head.count = (uint8_t)message->count;
		head.done = (uint8_t)message->done;
	}
	return head;
}

static void save_hart(struct ear_state_walk *walk, const struct ear_decoder *decoder, unsigned id)
{
	struct ear_reconstruct *hart = decoder->harts[id];
	struct hart_head head = {
		(uint8_t)id, decoder->stream.next_sequence[id], hart->predictor != NULL};

	walk_hart(walk, hart, &head);
	if (hart->predictor)
		ear_state_save_predictor(walk, hart->predictor);
}

/* The newest frames, and which ones are older. */
static void save_frames(struct ear_state_walk *walk, const struct ear_frame_memory *memory)
{
	size_t left = memory->count > EAR_DECODER_ANCHOR_FRAMES
			      ? memory->count - EAR_DECODER_ANCHOR_FRAMES
			      : 0;
	uint16_t count = (uint16_t)(memory->count - left);
	uint64_t number = memory->cut_number, order = memory->cut_order;
	bool cut = memory->cut || left > 0;

	if (!memory->cut && left > 0) {
		number = ear_frame_memory_mark(memory, 0)->number;
		order = ear_frame_memory_mark(memory, 0)->order;
	}
	ear_state_u16(walk, &count, UINT16_MAX);
	ear_state_bool(walk, &cut);
	ear_state_u64(walk, &number, UINT64_MAX);
	ear_state_u64(walk, &order, UINT64_MAX);
	for (size_t i = left; i < memory->count; i++) {
		struct ear_frame_mark mark = *ear_frame_memory_mark(memory, i);
		walk_mark(walk, &mark);
	}
}

static void save_run(struct ear_state_walk *walk, const struct ear_decoder *decoder)
{
	size_t next = decoder->run_next;
	struct ear_compact_run run = decoder->run;
	bool operands_known = decoder->operands_known, with_reads = decoder->with_reads;

	run.count = next < decoder->run.count ? decoder->run.count - next : 0;
	run.first_index += next;
	if (next > 0)
		run.first_timed = run.all_timed;
	walk_run(walk, &run);
	if (run.count == 0)
		return;
	ear_state_bool(walk, &with_reads);
	ear_state_bool(walk, &operands_known);
	for (size_t i = next; i < decoder->run.count; i++) {
		struct ear_compact_record compact = decoder->compacts[i];
		struct ear_operands operands = decoder->operands[i];
		walk_compact(walk, &compact);
		if (operands_known)
			walk_operands(walk, &operands);
	}
}

/* Only a walk that loads changes what it walks over. */
static void save_all(struct ear_state_walk *walk, const struct ear_decoder *decoder)
{
	struct head head = head_of(decoder);

	walk_head(walk, &head);
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (decoder->harts[id])
			save_hart(walk, decoder, id);
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		struct ear_reconstruct *hart = decoder->harts[id];
		if (hart)
			save_frames(walk, &hart->frames);
		if (hart && hart->entry_waits)
			walk_entry(walk, &hart->entry);
	}
	if (head.done > 0)
		walk_entry(walk, &decoder->hart->entry);
	save_run(walk, decoder);
}

int ear_decoder_anchor_save(const struct ear_decoder *decoder, uint8_t **bytes, size_t *size)
{
	struct ear_state_walk walk = {.bytes = NULL};

	if (!decoder->in_frame)
		return EAR_E_UNSUPPORTED;
	save_all(&walk, decoder);
	*size = walk.at;
	*bytes = malloc(walk.at);
	if (!*bytes)
		return EAR_E_NO_MEMORY;
	walk = (struct ear_state_walk){.bytes = *bytes, .size = *size};
	save_all(&walk, decoder);
	return 0;
}

/* Loading ---------------------------------------------------------------------------------- */

static int load_hart(struct ear_state_walk *walk, struct ear_decoder *decoder)
{
	struct hart_head head = {0};
	struct ear_reconstruct *hart = malloc(sizeof(*hart));

	if (!hart)
		return EAR_E_NO_MEMORY;
	ear_reconstruct_init(hart, 0);
	walk_hart(walk, hart, &head);
	if (walk->bad || decoder->harts[head.id]) {
		free(hart);
		return EAR_E_BAD_FILE;
	}
	hart->hart = head.id;
	hart->with_reads = decoder->with_reads;
	decoder->harts[head.id] = hart;
	decoder->statistics.hart_count++;
	decoder->stream.sequence_known[head.id] = true;
	decoder->stream.next_sequence[head.id] = head.next_sequence;
	if (hart->unchecked > EAR_RUN_CHECK_INTERVAL || (hart->following && !head.has_predictor) ||
		(hart->entry_waits && !hart->following))
		return EAR_E_BAD_FILE;
	return head.has_predictor ? ear_state_load_predictor(walk, hart) : 0;
}

/* Marks in a wrong order do no harm: they are not found. */
static int load_frames(struct ear_state_walk *walk, struct ear_frame_memory *memory)
{
	uint16_t count = 0;

	ear_state_u16(walk, &count, EAR_DECODER_ANCHOR_FRAMES);
	ear_state_bool(walk, &memory->cut);
	ear_state_u64(walk, &memory->cut_number, UINT64_MAX);
	ear_state_u64(walk, &memory->cut_order, UINT64_MAX);
	for (unsigned i = 0; i < count && !walk->bad; i++) {
		struct ear_frame_mark mark = {.number = 0};
		walk_mark(walk, &mark);
		ear_frame_memory_add(memory, &mark);
	}
	if (!walk->bad && memory->count != count)
		return EAR_E_NO_MEMORY;
	return walk->bad ? EAR_E_BAD_FILE : 0;
}

static int load_harts(struct ear_state_walk *walk, struct ear_decoder *decoder, unsigned count)
{
	int result = 0;

	for (unsigned i = 0; i < count && result == 0; i++)
		result = load_hart(walk, decoder);
	for (unsigned id = 0; id < EAR_STREAM_IDS && result == 0; id++) {
		struct ear_reconstruct *hart = decoder->harts[id];
		if (hart)
			result = load_frames(walk, &hart->frames);
		if (hart && hart->entry_waits)
			walk_entry(walk, &hart->entry);
	}
	return result;
}

/* The frame must be the one that the state was saved in. */
static int load_frame(struct ear_decoder *decoder, const struct head *head, const uint8_t *stream,
	size_t stream_size)
{
	struct ear_frame frame;
	int size = ear_frame_parse(&frame, stream, stream_size);

	if (size < 0 || frame.stream_id != head->hart || frame.sequence != head->sequence ||
		frame.payload_size != head->payload_size || head->position > frame.payload_size ||
		ear_load_le32(frame.payload + frame.payload_size) != head->crc ||
		!decoder->harts[head->hart] || decoder->harts[head->hart]->frame.crc != head->crc)
		return EAR_E_BAD_FILE;
	decoder->hart = decoder->harts[head->hart];
	decoder->in_frame = true;
	decoder->item = (struct ear_stream_item){.kind = EAR_STREAM_FRAME,
		.offset = head->offset,
		.frame = frame,
		.missing_frames = head->missing_frames};
	decoder->frame_offset = head->offset;
	decoder->frame_size = (size_t)size;
	decoder->payload_size = frame.payload_size;
	decoder->position = head->position;
	decoder->ticks.known = head->ticks_known;
	decoder->ticks.based = head->ticks_based;
	decoder->ticks.value = head->ticks;
	decoder->early_bytes = head->early_bytes;
	decoder->stream.offset = head->offset + (uint64_t)size;
	return 0;
}

static int load_message(
	struct ear_state_walk *walk, struct ear_decoder *decoder, const struct head *head)
{
	struct ear_record_message *message = &decoder->difference;

	if (head->message_pending &&
		(head->position == head->payload_size ||
			ear_decoder_parse_message(decoder, decoder->item.frame.payload) < 0))
		return EAR_E_BAD_FILE;
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (decoder->harts[id] && decoder->harts[id]->entry_waits)
			walk->bad |= !head->message_pending || !decoder->message_is_difference ||
				     id != head->hart;
	if (!head->message_pending || !decoder->message_is_difference) {
		walk->bad |= head->done > 0;
		return walk->bad ? EAR_E_BAD_FILE : 0;
	}
	if (head->run > message->run || head->count + head->done != message->count ||
		(head->done > 0 && head->run > 0))
		return EAR_E_BAD_FILE;
	message->run = head->run;
	message->count = head->count;
	message->done = head->done;
	if (head->done > 0)
		walk_entry(walk, &decoder->hart->entry);
	return walk->bad ? EAR_E_BAD_FILE : 0;
}

static int load_run(struct ear_state_walk *walk, struct ear_decoder *decoder)
{
	struct ear_compact_run *run = &decoder->run;
	bool with_reads = false;

	walk_run(walk, run);
	if (walk->bad || run->count == 0) {
		run->count = 0;
		return walk->bad ? EAR_E_BAD_FILE : 0;
	}
	ear_state_bool(walk, &with_reads);
	ear_state_bool(walk, &decoder->operands_known);
	for (size_t i = 0; i < run->count; i++) {
		walk_compact(walk, &decoder->compacts[i]);
		if (decoder->operands_known)
			walk_operands(walk, &decoder->operands[i]);
	}
	if (walk->bad)
		return EAR_E_BAD_FILE;
	ear_compact_run_begin(&decoder->expanded, run);
	return with_reads == decoder->with_reads ? 0 : EAR_E_UNSUPPORTED;
}

int ear_decoder_anchor_load(struct ear_decoder *decoder, const uint8_t *bytes, size_t size,
	const uint8_t *stream, size_t stream_size)
{
	struct ear_state_walk walk = {.bytes = (uint8_t *)bytes, .size = size, .loading = true};
	struct head head = {0};

	walk_head(&walk, &head);
	if (walk.bad || head.hart_count == 0)
		return EAR_E_BAD_FILE;
	int result = load_harts(&walk, decoder, head.hart_count);
	if (result == 0)
		result = load_frame(decoder, &head, stream, stream_size);
	if (result == 0)
		result = load_message(&walk, decoder, &head);
	if (result == 0)
		result = load_run(&walk, decoder);
	return result == 0 && walk.at != size ? EAR_E_BAD_FILE : result;
}

/* Comparing -------------------------------------------------------------------------------- */

/* A state without what may differ: the harts and their frames are in the decoder, the rest is bytes
 * that must be the same. */
struct side {
	struct head head;
	struct ear_decoder decoder;
	const uint8_t *rest;
	size_t rest_size;
};

static int load_side(struct side *side, const uint8_t *bytes, size_t size)
{
	struct ear_state_walk walk = {.bytes = (uint8_t *)bytes, .size = size, .loading = true};

	walk_head(&walk, &side->head);
	int result = walk.bad ? EAR_E_BAD_FILE
			      : load_harts(&walk, &side->decoder, side->head.hart_count);
	if (result == 0 && walk.bad)
		result = EAR_E_BAD_FILE;
	if (result == 0) {
		side->rest = bytes + walk.at;
		side->rest_size = size - walk.at;
	}
	return result;
}

/* Numbers of frames begin anew with each decoder; only their low half, and their distance from each
 * other, mean something. */
static bool same_mark(const struct ear_frame_mark *a, const struct ear_frame_mark *b)
{
	return (uint16_t)a->number == (uint16_t)b->number && a->order == b->order &&
	       a->crc == b->crc && a->payload_size == b->payload_size && a->indexed == b->indexed;
}

/* The newest frames are the same, and what is older than those of begin it asks for. */
static bool frames_meet(const struct ear_frame_memory *end, const struct ear_frame_memory *begin)
{
	const struct ear_frame_mark *a, *b;

	if (begin->count > end->count)
		return false;
	if (begin->count < end->count && (!begin->cut || begin->cut_number || begin->cut_order))
		return false;
	for (size_t i = 1; i <= begin->count; i++) {
		a = ear_frame_memory_mark(end, end->count - i);
		b = ear_frame_memory_mark(begin, begin->count - i);
		if (!same_mark(a, b) ||
			ear_frame_memory_mark(end, end->count - 1)->number - a->number !=
				ear_frame_memory_mark(begin, begin->count - 1)->number - b->number)
			return false;
	}
	return true;
}

static bool take_frames(struct side *end, struct side *begin)
{
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		struct ear_reconstruct *a = end->decoder.harts[id], *b = begin->decoder.harts[id];
		if (!a != !b)
			return false;
		if (!a)
			continue;
		if (!frames_meet(&a->frames, &b->frames))
			return false;
		/* Of a hart that the decoder is not in, this is a frame that has ended. */
		if (id != end->head.hart) {
			a->frame_fresh = b->frame_fresh = false;
			a->frame_timed = b->frame_timed = false;
		} else if (!same_mark(&a->frame, &b->frame)) {
			return false;
		}
		a->frame = b->frame = (struct ear_frame_mark){0};
		ear_frame_memory_clear(&a->frames);
		ear_frame_memory_clear(&b->frames);
		a->frames.cut_number = b->frames.cut_number = 0;
		a->frames.cut_order = b->frames.cut_order = 0;
	}
	return true;
}

static void walk_side(struct ear_state_walk *walk, struct side *side)
{
	walk_head(walk, &side->head);
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (side->decoder.harts[id])
			save_hart(walk, &side->decoder, id);
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (side->decoder.harts[id] && side->decoder.harts[id]->entry_waits)
			walk_entry(walk, &side->decoder.harts[id]->entry);
}

static int save_side(struct side *side, uint8_t **bytes, size_t *size)
{
	struct ear_state_walk walk = {.bytes = NULL};

	walk_side(&walk, side);
	*size = walk.at;
	*bytes = malloc(walk.at);
	if (!*bytes)
		return EAR_E_NO_MEMORY;
	walk = (struct ear_state_walk){.bytes = *bytes, .size = *size};
	walk_side(&walk, side);
	return 0;
}

static int compare_sides(struct side *end, struct side *begin)
{
	uint8_t *a = NULL, *b = NULL;
	size_t a_size, b_size;

	if (end->rest_size != begin->rest_size ||
		memcmp(end->rest, begin->rest, end->rest_size) != 0 || !take_frames(end, begin))
		return 0;
	int result = save_side(end, &a, &a_size);
	if (result == 0)
		result = save_side(begin, &b, &b_size);
	if (result == 0)
		result = a_size == b_size && memcmp(a, b, a_size) == 0;
	free(a);
	free(b);
	return result;
}

int ear_decoder_anchor_meets(
	const uint8_t *end, size_t end_size, const uint8_t *begin, size_t begin_size)
{
	struct side *sides = calloc(2, sizeof(*sides));

	if (!sides)
		return EAR_E_NO_MEMORY;
	ear_decoder_init(&sides[0].decoder, NULL, NULL);
	ear_decoder_init(&sides[1].decoder, NULL, NULL);
	int result = load_side(&sides[0], end, end_size);
	if (result == 0)
		result = load_side(&sides[1], begin, begin_size);
	if (result == 0)
		result = compare_sides(&sides[0], &sides[1]);
	ear_decoder_fini(&sides[0].decoder);
	ear_decoder_fini(&sides[1].decoder);
	free(sides);
	return result == EAR_E_BAD_FILE ? 0 : result;
}
