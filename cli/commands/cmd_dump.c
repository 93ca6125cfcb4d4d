/* 'earshot dump': the packets of a stream as the wire has them. Only frames and messages are
 * parsed; records are not reconstructed, so damage and unknown messages show where they are.
 */
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/input/input.h"
#include "cli/options/options.h"
#include "cli/show/difference_text.h"
#include "cli/show/statistics.h"
#include "common/protocol/message.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/stream.h"
#include "library/shot/shot_states.h"

struct dump {
	struct input input;
	struct ear_stream stream;
	uint64_t limit; /* lines; UINT64_MAX none */
	uint64_t line_count;
	uint64_t frame_count;
	bool unknown_version;
	struct shape {
		uint8_t xlen, flen; /* 0: no UNIT came yet */
	} shapes[EAR_STREAM_IDS];
};

static const struct command_option table[] = {
	{"limit", 'n', "LINES", .text = "Stop after LINES lines.", OPTION_VALUE(struct dump, limit),
		.max = UINT64_MAX},
	{0},
};

static void print_unit(const struct ear_unit *unit)
{
	printf("protocol %u.%u version %u xlen %u nret %u flen %u csr_slots %u features 0x%x "
	       "mode %u control 0x%x hart %u clock_hz %" PRIu32 " buffers 0x%" PRIx32,
		unit->protocol_major, unit->protocol_minor, unit->version, unit->xlen, unit->nret,
		unit->flen, unit->csr_slots, unit->features, unit->mode, unit->control, unit->hart,
		unit->clock_hz, unit->buffers);
	print_geometry(unit);
}

static void print_register(const char *name, unsigned number, uint64_t value)
{
	if (number || value)
		printf(" %s x%u=%" PRIx64, name, number, value);
}

static void print_memory(const struct ear_retire *entry)
{
	if (entry->mem_addr || entry->mem_rmask || entry->mem_wmask)
		printf(" mem %" PRIx64 " rmask %x wmask %x", entry->mem_addr, entry->mem_rmask,
			entry->mem_wmask);
	if (entry->mem_rdata)
		printf(" rdata %" PRIx64, entry->mem_rdata);
	if (entry->mem_wdata)
		printf(" wdata %" PRIx64, entry->mem_wdata);
}

static void print_entry(const struct ear_retire *entry, bool has_order)
{
	if (has_order)
		printf("order %" PRIu64 " ", entry->order);
	printf("pc %" PRIx64 " insn %" PRIx32 " next %" PRIx64 " mode %u", entry->pc_rdata,
		entry->insn, entry->pc_wdata, entry->mode);
	print_register("rs1", entry->rs1_addr, entry->rs1_rdata);
	print_register("rs2", entry->rs2_addr, entry->rs2_rdata);
	print_register("rd", entry->rd_addr, entry->rd_wdata);
	print_memory(entry);
	printf("%s%s%s%s", entry->trap ? " trap" : "", entry->irq ? " irq" : "",
		entry->intr ? " intr" : "", entry->halt ? " halt" : "");
	if (entry->trap || entry->cause)
		printf(" cause %" PRIx64, entry->cause);
	for (unsigned i = 0; i < entry->csr_count; i++)
		printf(" csr 0x%03x=%" PRIx64, entry->csrs[i].number, entry->csrs[i].value);
	if (entry->frd_valid)
		printf(" frd f%u=%" PRIx64, entry->frd_addr, entry->frd_wdata);
	if (entry->fflags)
		printf(" fflags %x", entry->fflags);
	if (entry->pc_paddr)
		printf(" pc_paddr %" PRIx64, entry->pc_paddr);
	if (entry->mem_paddr)
		printf(" mem_paddr %" PRIx64, entry->mem_paddr);
	printf("%s%s", entry->debug ? " debug" : "", entry->virt ? " virt" : "");
}

static void print_fields(const struct ear_message *message)
{
	switch (message->kind) {
	case EAR_MSG_UNIT: print_unit(&message->u.unit); break;
	case EAR_MSG_SYNC:
		printf("%s%s order %" PRIu64,
			message->u.sync.flags & EAR_SYNC_HARD ? "hard" : "soft",
			message->u.sync.flags & EAR_SYNC_FIRST ? " first" : "",
			message->u.sync.order);
		break;
	case EAR_MSG_LOST:
		printf("reason %u count %" PRIu64 " first %" PRIu64 " last %" PRIu64,
			message->u.lost.reason, message->u.lost.count, message->u.lost.first,
			message->u.lost.last);
		break;
	case EAR_MSG_TIME: printf("%" PRIu64, message->u.ticks); break;
	case EAR_MSG_TIME_DELTA1:
	case EAR_MSG_TIME_DELTA2:
	case EAR_MSG_TIME_DELTA4: printf("+%" PRIu64, message->u.ticks); break;
	case EAR_MSG_EVENT:
		if (message->u.event.source == EAR_EVENT_HELD_LO ||
			message->u.event.source == EAR_EVENT_HELD_HI)
			printf("held clocks, %s half: ",
				message->u.event.source == EAR_EVENT_HELD_LO ? "lower" : "upper");
		printf("source %u order %" PRIu64 " value 0x%" PRIx32, message->u.event.source,
			message->u.event.order, message->u.event.value);
		break;
	case EAR_MSG_PORT:
		printf("register %u value 0x%" PRIx32,
			(unsigned)message->u.event.source - EAR_EVENT_REGISTER,
			message->u.event.value);
		break;
	case EAR_MSG_REPLY:
		printf("tag %u status %u register 0x%03x value 0x%" PRIx32, message->u.reply.tag,
			message->u.reply.status, message->u.reply.address, message->u.reply.value);
		break;
	case EAR_MSG_STOP:
		printf("%s: retired %" PRIu64 " delivered %" PRIu64 " lost %" PRIu64
		       " filtered %" PRIu64,
			statistics_stop_text(message->u.stop.reason), message->u.stop.retired,
			message->u.stop.delivered, message->u.stop.lost, message->u.stop.filtered);
		break;
	case EAR_MSG_CHECK:
		printf("pc %" PRIx32 " digest %08" PRIx32, message->u.check.pc,
			message->u.check.digest);
		break;
	case EAR_MSG_TEST:
		printf("number %" PRIu32 " words %u, %u bits not as expected",
			message->u.test.number, message->u.test.word_count,
			message->u.test.changed_bits);
		break;
	case EAR_MSG_RAW32:
	case EAR_MSG_RAW64:
		print_entry(&message->u.retire.entry, message->u.retire.has_order);
		break;
	default: break;
	}
}

/* Returns false when the limit is reached. */
static bool end_line(struct dump *dump)
{
	putchar('\n');
	return ++dump->line_count < dump->limit;
}

/* Returns the bytes of the message, or why it cannot be read. */
static int dump_message(struct shape *shape, const uint8_t *bytes, size_t size)
{
	struct ear_record_message difference;
	struct ear_message message;
	int used;

	if (ear_message_is_difference(bytes[0])) {
		if (shape->xlen == 0) {
			printf("record message, which only a UNIT before it makes readable");
			return (int)size;
		}
		used = ear_record_message_parse(&difference, bytes, size, shape->xlen, shape->flen);
		if (used >= 0)
			print_difference(bytes[0], &difference);
		return used;
	}
	used = ear_message_parse(&message, bytes, size);
	if (used < 0)
		return used;
	printf("%s ", ear_message_name(message.kind));
	print_fields(&message);
	if (message.kind == EAR_MSG_UNIT)
		*shape = (struct shape){message.u.unit.xlen, message.u.unit.flen};
	return used;
}

static bool dump_frame(struct dump *dump, const struct ear_stream_item *item)
{
	const struct ear_frame *frame = &item->frame;
	size_t position = 0;

	if (item->missing_frames) {
		printf("%08" PRIx64 " missing %u frames", item->offset, item->missing_frames);
		if (!end_line(dump))
			return false;
	}
	printf("%08" PRIx64 " frame hart %u sequence %u payload %zu", item->offset,
		frame->stream_id, frame->sequence, frame->payload_size);
	dump->frame_count++;
	if (!end_line(dump))
		return false;

	while (position < frame->payload_size) {
		printf("%08" PRIx64 "   ", item->offset + EAR_FRAME_HEADER_SIZE + position);
		int used = dump_message(&dump->shapes[frame->stream_id], frame->payload + position,
			frame->payload_size - position);
		if (used < 0) {
			printf("unreadable: %s (kind 0x%02x); %zu bytes to the end of the frame",
				ear_error_text(used), frame->payload[position],
				frame->payload_size - position);
			return end_line(dump);
		}
		position += (size_t)used;
		if (!end_line(dump))
			return false;
	}
	return true;
}

static bool dump_item(struct dump *dump, const struct ear_stream_item *item)
{
	if (item->kind == EAR_STREAM_FRAME)
		return dump_frame(dump, item);
	dump->unknown_version |= item->unknown_version;
	printf("%08" PRIx64 " skipped %" PRIu64 " bytes: no valid frame%s%s", item->offset,
		item->skipped_bytes, item->unknown_version ? ", another protocol version" : "",
		item->cut ? ", the data end" : "");
	return end_line(dump);
}

/* A file that begins in the middle of a run has no UNIT at its beginning, but a state of the
 * decoder, which knows the widths of the unit. A damaged one is ignored. Returns 0 or
 * EAR_E_NO_MEMORY.
 */
static int take_state(struct dump *dump)
{
	struct ear_decoder decoder;
	uint64_t instructions;

	ear_decoder_init(&decoder, NULL, NULL);
	int result = ear_shot_states_load(dump->input.window.reader, &decoder, &instructions);
	if (result == 0) {
		for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
			const struct ear_reconstruct *hart = decoder.harts[id];
			if (hart && hart->predictor && dump->shapes[id].xlen == 0)
				dump->shapes[id] = (struct shape){
					hart->predictor->xlen, hart->predictor->flen};
		}
	}
	ear_decoder_fini(&decoder);
	return result == EAR_E_NO_MEMORY ? result : 0;
}

/* Returns false when the limit is reached, the input failed or the output did. */
static bool dump_window(struct dump *dump)
{
	struct input *input = &dump->input;
	struct ear_stream_item item;

	for (;;) {
		int used = ear_stream_next(&dump->stream, &item, ear_window_bytes(&input->window),
			ear_window_size(&input->window), input->window.final);
		if (used < 0)
			return true;
		if (!dump_item(dump, &item))
			return false;
		ear_window_consume(&input->window, (size_t)used);
	}
}

static int dump_file(struct dump *dump)
{
	struct input *input = &dump->input;
	bool more = dump->limit > 0;

	while (more && !cli_interrupted && !ferror(stdout)) {
		if (!input_fill(input))
			return EAR_EXIT_FAILED;
		more = dump_window(dump);
		if (more && input->window.at_loss) {
			printf("%08" PRIx64 " lost %" PRIu64 " bytes: %s", dump->stream.offset,
				input->window.loss_size,
				input->window.loss_size ? "the host's ring was full"
							: "the file is damaged here");
			more = end_line(dump);
		}
		if (more && input->window.at_state && dump->frame_count == 0 &&
			take_state(dump) != 0) {
			cli_error("%s: %s", input->name, ear_error_text(EAR_E_NO_MEMORY));
			return EAR_EXIT_FAILED;
		}
		more = more && !input->window.final;
	}
	if (fflush(stdout) != 0 && errno != EPIPE) {
		cli_error("standard output: %s", strerror(errno));
		return EAR_EXIT_FAILED;
	}
	const char *fault = ear_shot_reader_fault(input->window.reader);
	if (fault)
		cli_warning("%s: %s", input->name, fault);
	if (ear_shot_reader_mended(input->window.reader))
		cli_warning("%s: %s", input->name, ear_shot_reader_mended(input->window.reader));
	if (dump->frame_count == 0 && dump->line_count < dump->limit) {
		cli_error("%s: no frame of the wire protocol in it", input->name);
		return EAR_EXIT_FAILED;
	}
	return cli_interrupted ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

static int run(int argc, char **argv)
{
	static struct dump dump = {.limit = UINT64_MAX};
	int status;

	int first = options_parse(&cmd_dump, argc, argv, &dump, &status);
	if (first < 0)
		return status;
	if (first + 1 != argc)
		return cli_usage("dump", first == argc ? "which file?" : "one file, please");
	confine_trace(NULL);
	confine_files((const char *const[]){argv[first], NULL}, (const char *const[]){NULL});
	if (!files_write("", "-") || !input_open(&dump.input, argv[first]))
		return EAR_EXIT_FAILED;
	ear_stream_init(&dump.stream);
	cli_catch_signals(NULL);
	status = dump_file(&dump);
	input_close(&dump.input);
	return status;
}

const struct command cmd_dump = {
	.name = "dump",
	.arguments = "[OPTION]... FILE",
	.summary = "show the packets of a capture, one per line",
	.about =
		"Show the packets of a capture file (.shot) or a raw dump, one per line: the offset "
		"in the stream (hexadecimal), the kind, and the fields as docs/protocol.md names "
		"them. Messages are indented below their frame. FILE - is standard input.",
	.options = table,
	.run = run,
};
