#include "describe.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decoder/codec/stream.h"

struct line {
	char *text;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	line->used += (size_t)vsnprintf(
		line->text + line->used, DESCRIBE_SIZE - line->used, format, arguments);
	va_end(arguments);
}

static void add_register(struct line *line, const char *name, unsigned number, uint64_t value)
{
	if (number || value)
		add(line, " %s x%u=%" PRIx64, name, number, value);
}

static void add_value(struct line *line, const char *name, uint64_t value)
{
	if (value)
		add(line, " %s %" PRIx64, name, value);
}

static void add_flag(struct line *line, const char *name, bool set)
{
	if (set)
		add(line, " %s", name);
}

static void add_entry(struct line *line, const struct ear_retire *entry, bool has_order)
{
	if (has_order)
		add(line, " order %" PRIu64, entry->order);
	add(line, " mode %u ixl %u", entry->mode, entry->ixl);
	add_flag(line, "trap", entry->trap);
	add_flag(line, "halt", entry->halt);
	add_flag(line, "intr", entry->intr);
	add_flag(line, "irq", entry->irq);
	add_flag(line, "debug", entry->debug);
	add_flag(line, "virt", entry->virt);
	add(line, " insn %" PRIx32 " pc %" PRIx64 " next %" PRIx64, entry->insn, entry->pc_rdata,
		entry->pc_wdata);
	add_register(line, "rs1", entry->rs1_addr, entry->rs1_rdata);
	add_register(line, "rs2", entry->rs2_addr, entry->rs2_rdata);
	add_register(line, "rd", entry->rd_addr, entry->rd_wdata);
	if (entry->mem_addr || entry->mem_rmask || entry->mem_wmask)
		add(line, " mem %" PRIx64 " rmask %x wmask %x", entry->mem_addr, entry->mem_rmask,
			entry->mem_wmask);
	add_value(line, "rdata", entry->mem_rdata);
	add_value(line, "wdata", entry->mem_wdata);
	add_value(line, "cause", entry->cause);
	for (unsigned i = 0; i < entry->csr_count; i++)
		add(line, " c%u=%" PRIx64, entry->csrs[i].number, entry->csrs[i].value);
	if (entry->frd_valid)
		add(line, " f%u=%" PRIx64, entry->frd_addr, entry->frd_wdata);
	add_value(line, "fflags", entry->fflags);
	add_value(line, "pc_paddr", entry->pc_paddr);
	add_value(line, "mem_paddr", entry->mem_paddr);
}

static void add_unit(struct line *line, const struct ear_unit *unit)
{
	add(line,
		" protocol %u.%u version %x xlen %u nret %u flen %u csr_slots %u features %x "
		"mode %u control %x hart %u clock_hz %" PRIu32 " buffers %" PRIx32,
		unit->protocol_major, unit->protocol_minor, unit->version, unit->xlen, unit->nret,
		unit->flen, unit->csr_slots, unit->features, unit->mode, unit->control, unit->hart,
		unit->clock_hz, unit->buffers);
	if (unit->mode != EAR_UNIT_MODE_PREDICT)
		return;
	add(line, " geometry ");
	for (unsigned i = 0; i < sizeof(unit->geometry); i++)
		add(line, "%02x", unit->geometry[i]);
}

void describe_message(char *text, const struct ear_message *message)
{
	struct line line = {text, 0};

	add(&line, "%s", ear_message_name(message->kind));
	switch (message->kind) {
	case EAR_MSG_UNIT: add_unit(&line, &message->u.unit); break;
	case EAR_MSG_SYNC:
		add(&line, " flags %02x order %" PRIu64, message->u.sync.flags,
			message->u.sync.order);
		break;
	case EAR_MSG_LOST:
		add(&line, " reason %u count %" PRIu64 " first %" PRIu64 " last %" PRIu64,
			message->u.lost.reason, message->u.lost.count, message->u.lost.first,
			message->u.lost.last);
		break;
	case EAR_MSG_TIME: add(&line, " %" PRIu64, message->u.ticks); break;
	case EAR_MSG_TIME_DELTA1:
	case EAR_MSG_TIME_DELTA2:
	case EAR_MSG_TIME_DELTA4: add(&line, " +%" PRIu64, message->u.ticks); break;
	case EAR_MSG_EVENT:
		add(&line, " source %u order %" PRIu64 " value %" PRIx32, message->u.event.source,
			message->u.event.order, message->u.event.value);
		break;
	case EAR_MSG_PORT:
		add(&line, " source %u value %" PRIx32, message->u.event.source,
			message->u.event.value);
		break;
	case EAR_MSG_REPLY:
		add(&line, " tag %x status %u address %x value %" PRIx32, message->u.reply.tag,
			message->u.reply.status, message->u.reply.address, message->u.reply.value);
		break;
	case EAR_MSG_RAW32:
	case EAR_MSG_RAW64:
		add_entry(&line, &message->u.retire.entry, message->u.retire.has_order);
		break;
	case EAR_MSG_STOP:
		add(&line,
			" reason %u retired %" PRIu64 " delivered %" PRIu64 " lost %" PRIu64
			" filtered %" PRIu64,
			message->u.stop.reason, message->u.stop.retired, message->u.stop.delivered,
			message->u.stop.lost, message->u.stop.filtered);
		break;
	case EAR_MSG_CHECK:
		add(&line, " pc %" PRIx32 " digest %" PRIx32, message->u.check.pc,
			message->u.check.digest);
		break;
	case EAR_MSG_TEST:
		add(&line, " number %" PRIu32 " words %u", message->u.test.number,
			message->u.test.word_count);
		break;
	default: break;
	}
}

static void add_insn(struct line *line, const struct ear_difference *difference, uint32_t insn)
{
	if (difference->from_number)
		add(line, " number %u", difference->number);
	else
		add(line, " insn %" PRIx32, insn);
}

/* Differences are reported with their sign, fields that are sent whole without. */
static void add_told(struct line *line, const char *name, uint64_t value, bool relative)
{
	if (relative && (int64_t)value < 0)
		add(line, " %s -%" PRIx64, name, 0 - value);
	else
		add(line, " %s %s%" PRIx64, name, relative ? "+" : "", value);
}

/* The fields of the mask, in its order. */
static void add_differences(
	struct line *line, const struct ear_difference *difference, const struct ear_retire *entry)
{
	uint32_t mask = difference->mask;

	if (mask & EAR_DIFFER_ORDER)
		add(line, " order %" PRIu64, entry->order);
	if (mask & EAR_DIFFER_PC)
		add(line, " pc %" PRIx64, entry->pc_rdata);
	if (mask & EAR_DIFFER_HEAD)
		add(line, " halt %u intr %u mode %u ixl %u debug %u virt %u", entry->halt,
			entry->intr, entry->mode, entry->ixl, entry->debug, entry->virt);
	if (mask & EAR_DIFFER_IRQ)
		add(line, " irq");
	if (mask & EAR_DIFFER_INSN)
		add_insn(line, difference, entry->insn);
	if (mask & EAR_DIFFER_NUMBERS)
		add(line, " rs1 x%u rs2 x%u", entry->rs1_addr, entry->rs2_addr);
	if (mask & EAR_DIFFER_RS1)
		add(line, " rs1 %" PRIx64, entry->rs1_rdata);
	if (mask & EAR_DIFFER_RS2)
		add(line, " rs2 %" PRIx64, entry->rs2_rdata);
	if (mask & EAR_DIFFER_TRAP)
		add(line, " trap %u cause %" PRIx64, entry->trap, entry->cause);
	if (mask & EAR_DIFFER_ADDRESS)
		add(line, " mem %" PRIx64, entry->mem_addr);
	if (mask & EAR_DIFFER_MASKS)
		add(line, " rmask %x wmask %x", entry->mem_rmask, entry->mem_wmask);
	if (mask & EAR_DIFFER_RDATA)
		add_told(line, "rdata", entry->mem_rdata, difference->relative);
	if (mask & EAR_DIFFER_WDATA)
		add(line, " wdata %" PRIx64, entry->mem_wdata);
	if (mask & EAR_DIFFER_RD_ADDR)
		add(line, " rd x%u", entry->rd_addr);
	if (mask & EAR_DIFFER_RD)
		add_told(line, "rd", entry->rd_wdata, difference->relative);
	if (mask & EAR_DIFFER_FRD)
		add(line, " frd %u f%u fflags %x", entry->frd_valid, entry->frd_addr,
			entry->fflags);
	if (mask & EAR_DIFFER_FVALUE)
		add(line, " frd %" PRIx64, entry->frd_wdata);
	if (mask & EAR_DIFFER_NEXT_PC)
		add(line, " next %" PRIx64, entry->pc_wdata);
	if (mask & EAR_DIFFER_CSR)
		add(line, " csrs %u", entry->csr_count);
	for (unsigned i = 0; mask & EAR_DIFFER_CSR && i < entry->csr_count; i++)
		add(line, " c%u=%" PRIx64, entry->csrs[i].number, entry->csrs[i].value);
	if (mask & EAR_DIFFER_PADDR)
		add(line, " pc_paddr %" PRIx64 " mem_paddr %" PRIx64, entry->pc_paddr,
			entry->mem_paddr);
}

void describe_record_message(char *text, uint8_t header, const struct ear_record_message *message)
{
	static const char *const names[16] = {
		[EAR_PREDICT_RUN] = "RUN",
		[EAR_PREDICT_INSN] = "INSN",
		[EAR_PREDICT_INSN24] = "INSN24",
		[EAR_PREDICT_NUMBER] = "NUMBER",
		[EAR_PREDICT_NUMBER_HIGH] = "NUMBER_HIGH",
		[EAR_PREDICT_GROUP2] = "GROUP2",
		[EAR_PREDICT_GROUP3] = "GROUP3",
		[EAR_PREDICT_GROUP4] = "GROUP4",
		[EAR_PREDICT_RDATA1] = "RDATA1",
		[EAR_PREDICT_RDATA2] = "RDATA2",
		[EAR_PREDICT_RDATA4] = "RDATA4",
		[EAR_PREDICT_VALUE] = "VALUE",
		[EAR_PREDICT_IRQ] = "IRQ",
		[EAR_PREDICT_FVALUE] = "FVALUE",
		[EAR_PREDICT_GENERAL] = "GENERAL",
	};
	struct line line = {text, 0};

	add(&line, "%s run %" PRIu32, names[header >> 4], message->run);
	for (unsigned i = 0; message->grouped && i < message->count; i++)
		add_insn(&line, &message->differences[i], message->insns[i]);
	if (message->count == 1 && header >> 4 != EAR_PREDICT_IRQ)
		add_differences(&line, &message->differences[0], &message->entry);
}

void describe_control_word(char *text, const struct ear_control_word *word)
{
	struct line line = {text, 0};

	add(&line, "operation %u tag %x address %x value %" PRIx32, word->operation, word->tag,
		word->address, word->value);
}

static void append_line(struct byte_buffer *lines, uint64_t offset, const char *text)
{
	char line[DESCRIBE_SIZE + 32];
	int size = snprintf(line, sizeof(line), "%-5" PRIu64 " %s\n", offset, text);

	byte_buffer_append(lines, line, (size_t)size);
}

/* One message of a frame into text. Record messages are those of *unit. As ear_message_parse. */
static int describe_next(char *text, struct ear_unit *unit, const uint8_t *bytes, size_t size)
{
	struct ear_record_message difference;
	struct ear_message message;
	int used;

	if (unit->mode == EAR_UNIT_MODE_PREDICT && ear_message_is_difference(bytes[0])) {
		used = ear_record_message_parse(&difference, bytes, size, unit->xlen, unit->flen);
		if (used > 0)
			describe_record_message(text, bytes[0], &difference);
		return used;
	}
	used = ear_message_parse(&message, bytes, size);
	if (used > 0)
		describe_message(text, &message);
	if (used > 0 && message.kind == EAR_MSG_UNIT)
		*unit = message.u.unit;
	return used;
}

static void describe_frame(
	struct byte_buffer *lines, struct ear_unit *unit, const struct ear_stream_item *item)
{
	char text[DESCRIBE_SIZE];
	size_t position = 0;

	snprintf(text, sizeof(text), "frame hart %u sequence %u payload %zu%s",
		item->frame.stream_id, item->frame.sequence, item->frame.payload_size,
		item->missing_frames ? " behind missing frames" : "");
	append_line(lines, item->offset, text);
	while (position < item->frame.payload_size) {
		uint64_t offset = item->offset + EAR_FRAME_HEADER_SIZE + position;
		int used = describe_next(text, unit, item->frame.payload + position,
			item->frame.payload_size - position);
		if (used < 0) {
			append_line(lines, offset,
				used == EAR_E_MORE ? "message runs past the frame" : "bad message");
			return;
		}
		append_line(lines, offset, text);
		position += (size_t)used;
	}
}

void describe_stream(struct byte_buffer *lines, const uint8_t *bytes, size_t size)
{
	struct ear_stream stream;
	struct ear_stream_item item;
	struct ear_unit units[EAR_STREAM_IDS] = {{0}};
	size_t position = 0;
	int used;

	ear_stream_init(&stream);
	while ((used = ear_stream_next(&stream, &item, bytes + position, size - position, true)) >=
		0) {
		char text[DESCRIBE_SIZE];
		position += (size_t)used;
		if (item.kind == EAR_STREAM_FRAME) {
			describe_frame(lines, &units[item.frame.stream_id], &item);
			continue;
		}
		snprintf(text, sizeof(text), "skipped %" PRIu64 " bytes%s%s", item.skipped_bytes,
			item.cut ? ", cut" : "", item.unknown_version ? ", unknown version" : "");
		append_line(lines, item.offset, text);
	}
	byte_buffer_append(lines, "", 1);
	lines->size--; /* the NUL stands after the end */
}
