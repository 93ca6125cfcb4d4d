#include "follow.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decoder/codec/stream.h"
#include "library/shot/shot.h"
#include "retire_random.h"

#define BUFFER_SIZE (256u << 10)

struct follower {
	struct ear_iss *iss;
	uint64_t max, agreed;
	uint64_t order; /* of the next entry of the capture */
	bool broken;
};

static void print_entry(const char *who, const struct ear_retire *entry)
{
	fprintf(stderr,
		"  %-4s order %" PRIu64 " pc %" PRIx64 " > %" PRIx64 " insn %08" PRIx32
		" trap %d intr %d irq %d cause %" PRIx64 " mode %u\n"
		"       rs1 x%u=%" PRIx64 " rs2 x%u=%" PRIx64 " rd x%u=%" PRIx64 " mem %" PRIx64
		" r%02x=%" PRIx64 " w%02x=%" PRIx64,
		who, entry->order, entry->pc_rdata, entry->pc_wdata, entry->insn, entry->trap,
		entry->intr, entry->irq, entry->cause, entry->mode, entry->rs1_addr,
		entry->rs1_rdata, entry->rs2_addr, entry->rs2_rdata, entry->rd_addr,
		entry->rd_wdata, entry->mem_addr, entry->mem_rmask, entry->mem_rdata,
		entry->mem_wmask, entry->mem_wdata);
	for (unsigned k = 0; k < entry->csr_count; k++)
		fprintf(stderr, " c%03x=%" PRIx64, entry->csrs[k].number, entry->csrs[k].value);
	fputc('\n', stderr);
}

static void follow_entry(struct follower *follower, const struct ear_retire *seen)
{
	struct ear_retire entry;
	const char *field = "end of the program";

	if (ear_iss_follow(follower->iss, &entry, seen))
		field = retire_difference(&entry, seen);
	else
		entry = (struct ear_retire){0};
	if (!field) {
		follower->agreed++;
		return;
	}
	fprintf(stderr, "entry %" PRIu64 ": %s differs\n", seen->order, field);
	print_entry("core", seen);
	print_entry("iss", &entry);
	follower->broken = true;
}

static bool is_done(const struct follower *follower)
{
	return follower->broken || (follower->max && follower->agreed == follower->max);
}

static void follow_message(struct follower *follower, struct ear_message *message)
{
	switch (message->kind) {
	case EAR_MSG_SYNC: follower->order = message->u.sync.order; return;
	case EAR_MSG_LOST:
		fprintf(stderr, "the capture has lost records\n");
		follower->broken = true;
		return;
	case EAR_MSG_RAW32:
	case EAR_MSG_RAW64:
		if (message->u.retire.has_order)
			follower->order = message->u.retire.entry.order;
		message->u.retire.entry.order = follower->order++;
		follow_entry(follower, &message->u.retire.entry);
		return;
	default: return;
	}
}

static void follow_frame(struct follower *follower, const struct ear_frame *frame)
{
	static struct ear_message message;
	size_t at = 0;

	while (at < frame->payload_size && !is_done(follower)) {
		int size =
			ear_message_parse(&message, frame->payload + at, frame->payload_size - at);

		if (size < 0) {
			fprintf(stderr, "the capture is damaged: %s\n", ear_error_text(size));
			follower->broken = true;
			return;
		}
		follow_message(follower, &message);
		at += (size_t)size;
	}
}

/* Everything whole in bytes[0 .. size-1]; returns how much of it was used. */
static size_t follow_bytes(struct follower *follower, struct ear_stream *stream,
	const uint8_t *bytes, size_t size, bool final)
{
	struct ear_stream_item item;
	size_t used = 0;
	int result;

	while (!is_done(follower)) {
		result = ear_stream_next(stream, &item, bytes + used, size - used, final);
		if (result < 0)
			break;
		used += (size_t)result;
		if (item.kind == EAR_STREAM_FRAME && item.missing_frames == 0) {
			follow_frame(follower, &item.frame);
		} else {
			fprintf(stderr, "the capture is damaged: frames are missing\n");
			follower->broken = true;
		}
	}
	return used;
}

int64_t iss_follow_capture(struct ear_iss *iss, int fd, uint64_t max)
{
	static uint8_t buffer[BUFFER_SIZE];
	struct follower follower = {.iss = iss, .max = max};
	struct ear_shot_reader *reader;
	struct ear_stream stream;
	size_t held = 0, used, count = 0;
	int item = ear_shot_reader_new(&reader, fd, NULL, 0);

	if (item < 0) {
		fprintf(stderr, "cannot read: %s\n", ear_error_text(item));
		return -1;
	}
	ear_stream_init(&stream);
	do {
		item = ear_shot_reader_next(reader, buffer + held, sizeof(buffer) - held, &count);
		if (item == EAR_SHOT_BYTES)
			held += count;
		bool ended = item < 0 || item == EAR_SHOT_LOSS || item == EAR_SHOT_END;
		used = follow_bytes(&follower, &stream, buffer, held, ended);
		held -= used;
		memmove(buffer, buffer + used, held);
	} while (item > 0 && item != EAR_SHOT_LOSS && item != EAR_SHOT_END && !is_done(&follower));
	if (item < 0 || item == EAR_SHOT_LOSS) {
		fprintf(stderr, "cannot read: %s\n",
			item < 0 ? strerror(errno) : "the file is damaged");
		follower.broken = true;
	}
	ear_shot_reader_free(reader);
	return follower.broken ? -1 : (int64_t)follower.agreed;
}
