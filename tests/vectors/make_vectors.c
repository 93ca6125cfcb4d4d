/* Writes the vectors of this folder: streams made by the reference encoder, then damaged as
 * each vector's sentence says, and what they mean.
 *
 *     make_vectors FOLDER
 *
 * The vectors are kept in the repository and are what the tests go by. This program is for
 * adding one: its output is read line by line before it is committed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "byte_buffer.h"
#include "common/protocol/bytes.h"
#include "decode_run.h"
#include "decoder/codec/encoder.h"
#include "describe.h"
#include "predict_stream.h"
#include "sample_stream.h"

#define FRAMES_MAX 16

/* A stream as a list of frames, so that a vector can lose or damage one of them. */
struct stream {
	struct ear_encoder encoder;
	struct byte_buffer frames[FRAMES_MAX];
	size_t frame_count;
	struct stream *shared; /* put the frames there instead: two harts on one wire */
	struct ear_predictor predictor;
	bool predicts;
};

static const char *folder;

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct stream *stream = context;
	struct stream *target = stream->shared ? stream->shared : stream;

	if (target->frame_count == FRAMES_MAX)
		abort();
	byte_buffer_append(&target->frames[target->frame_count++], bytes, size);
}

static void begin(struct stream *stream, unsigned xlen, unsigned hart, unsigned control)
{
	struct ear_unit unit = sample_unit(xlen, hart, control);

	memset(stream, 0, sizeof(*stream));
	ear_encoder_init(&stream->encoder, &unit, take_frame, stream);
}

static void end_predictor(struct stream *stream)
{
	if (stream->predicts)
		ear_predictor_fini(&stream->predictor);
	stream->predicts = false;
}

/* The same in predict mode, with the geometry small. */
static void begin_predict(
	struct stream *stream, unsigned xlen, unsigned flen, unsigned hart, unsigned control)
{
	const struct ear_geometry *geometry = ear_geometry_get(EAR_GEOMETRY_SMALL);
	struct ear_unit unit = predict_unit(geometry, xlen, flen, xlen == 64);

	memset(stream, 0, sizeof(*stream));
	unit.hart = (uint16_t)hart;
	unit.control = (uint8_t)control;
	if (ear_predictor_init(&stream->predictor, &unit, geometry) != 0)
		abort();
	stream->predicts = true;
	ear_encoder_init(&stream->encoder, &unit, take_frame, stream);
	ear_encoder_predict(&stream->encoder, &stream->predictor);
}

/* count records of the sample loop from index first on, 3 clocks each; one frame. */
static void put_records(struct stream *stream, uint64_t first, unsigned count)
{
	for (uint64_t order = first; order < first + count; order++) {
		struct ear_retire entry;
		sample_entry(&entry, order, stream->encoder.unit.xlen);
		ear_encoder_push(&stream->encoder, &entry, 100 + 3 * order);
	}
}

static void put_stop(struct stream *stream, uint64_t delivered, uint64_t lost, uint64_t filtered)
{
	ear_encoder_put(&stream->encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
						  .u.stop = {.reason = EAR_STOP_ENDED,
							  .retired = delivered + lost + filtered,
							  .delivered = delivered,
							  .lost = lost,
							  .filtered = filtered}});
}

static void put_lost(struct stream *stream, uint64_t first, uint64_t last)
{
	ear_encoder_put(&stream->encoder, &(struct ear_message){.kind = EAR_MSG_LOST,
						  .u.lost = {.reason = EAR_LOST_FIFO_FULL,
							  .count = last - first + 1,
							  .first = first,
							  .last = last}});
}

static void put_event(struct stream *stream, unsigned source, uint64_t order, uint32_t value)
{
	ear_encoder_put(&stream->encoder,
		&(struct ear_message){.kind = EAR_MSG_EVENT,
			.u.event = {.source = (uint8_t)source, .order = order, .value = value}});
}

/* Put bytes that the encoder would not make at the end of the frame being filled. */
static void put_bytes(struct stream *stream, const void *bytes, size_t size)
{
	struct ear_encoder *encoder = &stream->encoder;

	memcpy(encoder->frame + EAR_FRAME_HEADER_SIZE + encoder->payload_size, bytes, size);
	encoder->payload_size += size;
}

static void drop_frame(struct stream *stream, size_t index)
{
	byte_buffer_free(&stream->frames[index]);
}

static void print_bytes(FILE *file, const struct byte_buffer *bytes)
{
	for (size_t i = 0; i < bytes->size; i++)
		fprintf(file, "%02X%c", bytes->bytes[i],
			i % 32 == 31 || i + 1 == bytes->size ? '\n' : ' ');
}

static void save(struct stream *stream, const char *name, const char *sentence)
{
	struct byte_buffer bytes = {0}, packets = {0}, records = {0};
	char path[1024];

	ear_encoder_flush(&stream->encoder);
	for (size_t i = 0; i < stream->frame_count; i++) {
		byte_buffer_append(&bytes, stream->frames[i].bytes, stream->frames[i].size);
		byte_buffer_free(&stream->frames[i]);
	}
	end_predictor(stream);
	describe_stream(&packets, bytes.bytes, bytes.size);
	decode_to_text(&records, bytes.bytes, bytes.size);

	snprintf(path, sizeof(path), "%s/%s.vec", folder, name);
	FILE *file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	fprintf(file, "# %s: %s\n\nbytes\n", name, sentence);
	print_bytes(file, &bytes);
	fprintf(file, "\npackets\n%s\nrecords\n%s", (char *)packets.bytes, (char *)records.bytes);
	if (fclose(file) != 0)
		exit(1);
	byte_buffer_free(&bytes);
	byte_buffer_free(&packets);
	byte_buffer_free(&records);
}

/* Undamaged streams ------------------------------------------------------------------------ */

static void make_plain(struct stream *stream)
{
	begin(stream, 32, 0, 0);
	put_records(stream, 0, 3);
	put_stop(stream, 3, 0, 0);
	save(stream, "minimal", "the smallest whole capture");

	begin(stream, 32, 0, 0);
	put_records(stream, 0, 5);
	put_lost(stream, 5, 12);
	put_records(stream, 13, 2);
	put_stop(stream, 7, 8, 0);
	save(stream, "unit-loss", "the unit lost 8 records, says so, and goes on");

	begin(stream, 32, 0, SAMPLE_CONTROL(EAR_TIME_MODE_SYNC));
	put_records(stream, 1000, 3);
	put_lost(stream, 1003, 1003);
	put_records(stream, 1004, 2);
	put_stop(stream, 5, 1, 0);
	save(stream, "time-at-sync", "time only behind a sync: the other records have none");

	begin(stream, 32, 0, 0);
	put_records(stream, 65534, 4);
	put_stop(stream, 4, 0, 0);
	save(stream, "periodic-sync", "UNIT and SYNC come again before index 65536");

	begin(stream, 32, 0, EAR_UNIT_CONTROL_FILTER);
	put_records(stream, 10, 1);
	put_records(stream, 20, 2);
	put_records(stream, 40, 1);
	put_stop(stream, 4, 0, 27);
	save(stream, "filtered", "a filter held records back: no gap, and each jump has its ORDER");

	begin(stream, 32, 0, 0);
	stream->encoder.sequence = 65535;
	put_records(stream, 7, 1);
	ear_encoder_flush(&stream->encoder);
	put_records(stream, 8, 1);
	put_stop(stream, 2, 0, 0);
	save(stream, "sequence-wraps",
		"the sequence number behind 65535 is 0, and nothing is lost");
}

static void make_times(struct stream *stream)
{
	static const uint64_t ticks[] = {1000, 1000, 1255, 1511, 67046, 132582, 4295099877u,
		8590067173u, 8590067173u, 8590067174u};

	begin(stream, 32, 0, SAMPLE_CONTROL(EAR_TIME_MODE_RECORD));
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		struct ear_retire entry;
		sample_entry(&entry, i, 32);
		ear_encoder_push(&stream->encoder, &entry, ticks[i]);
	}
	put_stop(stream, 10, 0, 0);
	save(stream, "time-of-records", "deltas of every width, each at its limits");
}

static void make_events(struct stream *stream)
{
	struct ear_retire entry;

	begin(stream, 32, 0, 0);
	ear_encoder_prepare(&stream->encoder, 6, 0);
	put_event(stream, EAR_EVENT_START_TRIGGER, 6, EAR_TRIGGER_PC);
	put_records(stream, 6, 2);
	ear_encoder_put(&stream->encoder,
		&(struct ear_message){.kind = EAR_MSG_REPLY,
			.u.reply = {.tag = 9, .address = EAR_REG_ID, .value = EAR_ID_VALUE}});
	put_event(stream, EAR_EVENT_PORT, 8, 0xCAFE);
	sample_entry(&entry, 8, 32);
	entry.halt = true;
	ear_encoder_push(&stream->encoder, &entry, 0);
	put_event(stream, EAR_EVENT_STOP_TRIGGER, 9, EAR_TRIGGER_RECORDS);
	put_stop(stream, 3, 0, 6);
	save(stream, "events", "triggers, the event port and a reply between the records");
}

static void put_port(struct stream *stream, unsigned number, uint64_t order, uint32_t value)
{
	put_event(stream, EAR_EVENT_REGISTER + number, order, value);
}

/* The event port: where the next record has the order of an event, the short form. */
static void make_port(struct stream *stream, bool predict)
{
	if (predict)
		begin_predict(stream, 32, 0, 0, 0);
	else
		begin(stream, 32, 0, SAMPLE_CONTROL(EAR_TIME_MODE_SYNC));
	stream->encoder.unit.protocol_minor = 4;
	stream->encoder.unit.features |= EAR_REG_FEATURES_EVENT_PORT_MASK;
	put_port(stream, EAR_PORT_SWITCH, 0, 1);
	put_records(stream, 0, 3);
	put_port(stream, EAR_PORT_NAME, 3, 0x80001000);
	put_port(stream, EAR_PORT_MARK, 3, 7);
	put_records(stream, 3, 2);
	ear_encoder_flush(&stream->encoder);
	put_port(stream, EAR_PORT_SWITCH, 5, 2);
	put_records(stream, 5, 1);
	put_port(stream, EAR_PORT_METHOD_ENTRY, 8, 0x1234); /* inside of the gap */
	put_event(stream, EAR_EVENT_PORT_LOST, 9, 2);
	put_lost(stream, 6, 11);
	put_port(stream, EAR_PORT_METHOD_EXIT, 12, 0x1234);
	put_records(stream, 12, 1);
	put_port(stream, EAR_PORT_EXIT, 13, 0xFFFFFFD6);
	put_event(stream, EAR_EVENT_PORT_UNKNOWN, 13, 1);
	put_stop(stream, 7, 6, 0);
	save(stream, predict ? "predict-port" : "port",
		"writes to the event port, in the short form and with their order");
}

/* No unit sends this: a capture ends a link test. */
static void make_test(struct stream *stream)
{
	begin(stream, 32, 0, 0);
	put_records(stream, 0, 3);
	ear_encoder_put(&stream->encoder, &(struct ear_message){.kind = EAR_MSG_TEST,
						  .u.test = {.number = 5, .word_count = 4}});
	put_records(stream, 3, 2);
	put_stop(stream, 5, 0, 0);
	save(stream, "test-message", "a piece of the test pattern is passed over");
}

static void make_harts(struct stream *stream, struct stream *other)
{
	for (unsigned lose = 0; lose < 2; lose++) {
		begin(stream, 32, 0, 0);
		begin(other, 64, 1, 0);
		other->shared = stream;
		for (unsigned round = 0; round < 3; round++) {
			put_records(stream, 2 * round, 2);
			ear_encoder_flush(&stream->encoder);
			put_records(other, 100 + 2 * round, 2);
			ear_encoder_flush(&other->encoder);
		}
		put_stop(stream, 6, 0, 0);
		put_stop(other, 6, 0, 0);
		if (lose)
			drop_frame(stream, 3);
		if (lose)
			save(stream, "two-harts-one-loses",
				"a frame of hart 1 is missing: hart 0 has no gap");
		else
			save(stream, "two-harts",
				"two harts on one wire, each with its own numbers");
	}
}

/* What cores do ---------------------------------------------------------------------------- */

static void push(struct stream *stream, const struct ear_retire *entry)
{
	ear_encoder_push(&stream->encoder, entry, 0);
}

static void make_traps(struct stream *stream)
{
	static const struct ear_retire ecall = {.order = 50,
		.xlen = 32,
		.mode = 3,
		.ixl = 1,
		.trap = true,
		.insn = 0x73,
		.pc_rdata = 0x800001A0,
		.pc_wdata = 0x80000040,
		.cause = 11,
		.csr_count = 5,
		.csrs = {{833, 0x800001A0}, {834, 11}, {835, 0}, {768, 0x1800}, {784, 0}}};
	static const struct ear_retire mret = {.order = 51,
		.xlen = 32,
		.mode = 3,
		.ixl = 1,
		.insn = 0x30200073,
		.pc_rdata = 0x80000040,
		.pc_wdata = 0x800001A4,
		.csr_count = 2,
		.csrs = {{768, 0x88}, {784, 0}}};
	static const struct ear_retire irq = {.order = 52,
		.xlen = 64,
		.mode = 3,
		.ixl = 2,
		.trap = true,
		.irq = true,
		.insn = 0xFFE5,
		.pc_rdata = 0x8000010E,
		.pc_wdata = 0x80000080,
		.cause = 0x8000000000000007,
		.csr_count = 4,
		.csrs = {{833, 0x8000010E}, {834, 0x8000000000000007}, {835, 0},
			{768, 0xA00001880}}};
	static const struct ear_retire handler = {.order = 53,
		.xlen = 64,
		.mode = 3,
		.ixl = 2,
		.intr = true,
		.insn = 0x34202573,
		.pc_rdata = 0x80000080,
		.pc_wdata = 0x80000084,
		.rd_addr = 10,
		.rd_wdata = 0x8000000000000007};

	begin(stream, 32, 0, 0);
	push(stream, &ecall);
	push(stream, &mret);
	put_stop(stream, 2, 0, 0);
	save(stream, "trap", "an ecall with the CSRs that it writes, and the mret behind it");

	begin(stream, 64, 0, 0);
	push(stream, &irq);
	push(stream, &handler);
	put_stop(stream, 2, 0, 0);
	save(stream, "interrupt",
		"an interrupt instead of a branch, and the handler's first record");
}

static void make_wide(struct stream *stream)
{
	static const struct ear_retire store = {.order = 1,
		.xlen = 64,
		.mode = 1,
		.ixl = 2,
		.insn = 0xE298,
		.pc_rdata = 0x4000200A,
		.pc_wdata = 0x4000200C,
		.rs1_addr = 13,
		.rs1_rdata = 0x40001000,
		.rs2_addr = 14,
		.mem_addr = 0x40001000,
		.mem_wmask = 0xFF,
		.pc_paddr = 0x8000100A,
		.mem_paddr = 0x80004000};
	static const struct ear_retire divide = {.order = 2,
		.xlen = 64,
		.mode = 3,
		.ixl = 2,
		.insn = 0x1AF677D3,
		.pc_rdata = 0x800000BE,
		.pc_wdata = 0x800000C2,
		.frd_valid = true,
		.frd_addr = 15,
		.frd_wdata = 0x3FD5555555555555,
		.fflags = 1,
		.csr_count = 1,
		.csrs = {{3, 1}}};
	static const struct ear_retire virtual = {.order = 3,
		.xlen = 64,
		.mode = 1,
		.ixl = 2,
		.virt = true,
		.insn = 0x13,
		.pc_rdata = 0x1000,
		.pc_wdata = 0x1004};
	static const struct ear_retire debug = {.order = 4,
		.xlen = 64,
		.mode = 3,
		.ixl = 2,
		.debug = true,
		.insn = 0x7B200073,
		.pc_rdata = 0x2000,
		.pc_wdata = 0x3000};

	begin(stream, 64, 0, 0);
	push(stream, &store);
	push(stream, &divide);
	push(stream, &virtual);
	push(stream, &debug);
	put_stop(stream, 4, 0, 0);
	save(stream, "wide", "64 bits, physical addresses, floating point, VS and debug mode");
}

/* Damage ----------------------------------------------------------------------------------- */

/* Three frames of 3 records each, and a STOP in a frame of its own. */
static void begin_three_frames(struct stream *stream)
{
	begin(stream, 32, 0, 0);
	for (unsigned frame = 0; frame < 3; frame++) {
		put_records(stream, 3 * frame, 3);
		ear_encoder_flush(&stream->encoder);
	}
	put_stop(stream, 9, 0, 0);
}

static void make_lost_frames(struct stream *stream)
{
	begin_three_frames(stream);
	drop_frame(stream, 1);
	save(stream, "missing-frame", "a frame never came: the next ORDER tells what was in it");

	begin_three_frames(stream);
	drop_frame(stream, 2);
	save(stream, "missing-tail", "the last records never came: STOP tells how many they were");

	begin_three_frames(stream);
	drop_frame(stream, 0);
	save(stream, "joined-late", "the beginning is missing, and nobody can know it");

	begin(stream, 32, 0, EAR_UNIT_CONTROL_FILTER);
	put_records(stream, 10, 2);
	ear_encoder_flush(&stream->encoder);
	put_records(stream, 12, 2);
	ear_encoder_flush(&stream->encoder);
	put_records(stream, 30, 2);
	put_stop(stream, 6, 0, 16);
	drop_frame(stream, 1);
	save(stream, "missing-frame-filtered", "behind a filter the count is an upper bound");

	begin(stream, 32, 0, 0);
	put_records(stream, 0, 2);
	ear_encoder_flush(&stream->encoder);
	put_records(stream, 2, 2);
	ear_encoder_flush(&stream->encoder);
	put_lost(stream, 4, 9);
	put_records(stream, 10, 1);
	put_stop(stream, 5, 6, 0);
	drop_frame(stream, 1);
	save(stream, "loss-behind-loss", "what went missing on the way, then what the unit lost");
}

static void make_damaged(struct stream *stream)
{
	begin_three_frames(stream);
	stream->frames[1].bytes[30] ^= 0x10;
	save(stream, "damaged-frame", "a wrong bit: the frame is skipped and its records counted");

	begin_three_frames(stream);
	stream->frames[1].bytes[6] ^= 0x80;
	save(stream, "damaged-length",
		"a wrong length: the frames behind it are found all the same");

	begin_three_frames(stream);
	stream->frames[0].bytes[0] = 0;
	save(stream, "damaged-beginning", "the first frame is damaged: the second one begins");

	begin_three_frames(stream);
	byte_buffer_append(&stream->frames[1], "\xE5\xA1\x01\xE5 noise", 10);
	save(stream, "noise-between", "bytes between the frames: nothing was in them");

	begin_three_frames(stream);
	stream->frames[3].size -= 7;
	save(stream, "cut", "the data end inside the last frame");

	begin_three_frames(stream);
	struct byte_buffer *other = &stream->frames[1];
	uint8_t crc[EAR_FRAME_CRC_SIZE];
	other->bytes[2] = EAR_PROTOCOL_MAJOR + 1;
	other->size -= EAR_FRAME_CRC_SIZE;
	ear_store_le32(crc, (uint32_t)crc32(0, other->bytes, (uInt)other->size));
	byte_buffer_append(other, crc, sizeof(crc));
	save(stream, "other-version", "a good frame of another protocol major is passed over");
}

static void make_bad_messages(struct stream *stream)
{
	begin(stream, 32, 0, 0);
	put_records(stream, 0, 2);
	put_bytes(stream, "\x7F\x01\x02\x03", 4);
	ear_encoder_flush(&stream->encoder);
	put_records(stream, 4, 2);
	put_stop(stream, 6, 0, 0);
	save(stream, "bad-message", "an unknown kind makes the rest of its frame unreadable");

	begin(stream, 32, 0, 0);
	put_records(stream, 0, 2);
	put_bytes(stream, "\x8A\x30\x00\xC0", 4);
	ear_encoder_flush(&stream->encoder);
	put_records(stream, 3, 1);
	put_stop(stream, 4, 0, 0);
	save(stream, "reserved-bit", "a reserved mask bit makes the rest of its frame unreadable");

	begin(stream, 32, 0, 0);
	put_records(stream, 0, 2);
	put_bytes(stream, "\x83\x01\x05", 3);
	ear_encoder_flush(&stream->encoder);
	put_records(stream, 2, 1);
	put_stop(stream, 3, 0, 0);
	save(stream, "message-past-the-frame", "no message may run past the end of its frame");

	begin(stream, 32, 0, 0);
	put_bytes(stream,
		"\x81\x1E\x01\x07\x01\x00\x20\x01\x00\x00\x00\x00\x00\x00\x00\x00"
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xDE\xAD\xBE\xEF",
		32);
	put_records(stream, 0, 1);
	put_stop(stream, 1, 0, 0);
	save(stream, "longer-unit", "a later minor version adds to UNIT: it is passed over");
}

/* Predict mode ----------------------------------------------------------------------------- */

/* count records of the loop from index first on, of a copy of it that stands higher. */
static void put_copy(struct stream *stream, uint64_t first, unsigned count, uint32_t higher)
{
	for (uint64_t order = first; order < first + count; order++) {
		struct ear_retire entry;
		sample_entry(&entry, order, stream->encoder.unit.xlen);
		entry.pc_rdata += higher;
		entry.pc_wdata += higher;
		ear_encoder_push(&stream->encoder, &entry, 100 + 3 * order);
	}
}

static void make_predict_plain(struct stream *stream)
{
	begin_predict(stream, 32, 0, 0, 0);
	put_records(stream, 0, 20);
	put_stop(stream, 20, 0, 0);
	save(stream, "predict-minimal",
		"a loop costs its first round, then its data; the CHECK is good");

	begin_predict(stream, 32, 0, 0, 0);
	put_records(stream, 0, 12);
	put_copy(stream, 12, 12, 0x100);
	put_stop(stream, 24, 0, 0);
	save(stream, "predict-dictionary", "a copy of the loop: its opcodes are sent by number");

	begin_predict(stream, 32, 0, 0, 0);
	put_records(stream, 0, 6);
	put_copy(stream, 6, 3, 0x100);
	ear_encoder_flush(&stream->encoder);
	put_copy(stream, 9, 3, 0x100);
	ear_encoder_flush(&stream->encoder);
	put_copy(stream, 12, 4, 0x200);
	ear_encoder_flush(&stream->encoder);
	put_copy(stream, 16, 2, 0x200);
	put_stop(stream, 18, 0, 0);
	save(stream, "predict-group-at-frame-end",
		"one, three and two opcodes wait for a group when the frame ends");

	begin_predict(stream, 32, 0, 0, SAMPLE_CONTROL(EAR_TIME_MODE_RECORD));
	put_records(stream, 0, 8);
	put_stop(stream, 8, 0, 0);
	save(stream, "predict-time-of-records", "a time before each record ends runs and groups");

	begin_predict(stream, 32, 0, 0, SAMPLE_CONTROL(EAR_TIME_MODE_SYNC));
	put_records(stream, 0, 8);
	put_lost(stream, 8, 13);
	put_records(stream, 14, 7);
	ear_encoder_sync(&stream->encoder);
	put_records(stream, 21, 2);
	put_stop(stream, 17, 6, 0);
	save(stream, "predict-time-at-sync", "time behind SYNC and behind LOST");

	begin_predict(stream, 32, 0, 0, 0);
	ear_encoder_prepare(&stream->encoder, 6, 0);
	put_event(stream, EAR_EVENT_START_TRIGGER, 6, EAR_TRIGGER_PC);
	put_records(stream, 6, 9);
	ear_encoder_put(&stream->encoder,
		&(struct ear_message){.kind = EAR_MSG_REPLY,
			.u.reply = {.tag = 9, .address = EAR_REG_ID, .value = EAR_ID_VALUE}});
	put_records(stream, 15, 2);
	put_event(stream, EAR_EVENT_PORT, 17, 0xCAFE);
	put_records(stream, 17, 1);
	put_stop(stream, 12, 0, 6);
	save(stream, "predict-events",
		"the reply stands before a run that is older; the event ends its run");
}

static void make_predict_traps(struct stream *stream)
{
	static const struct ear_retire set_mtvec = {.xlen = 32,
		.mode = 3,
		.ixl = 1,
		.insn = 0x30529073,
		.pc_rdata = 0x8000019C,
		.pc_wdata = 0x800001A0,
		.rs1_addr = 5,
		.rs1_rdata = 0x80000040,
		.csr_count = 1,
		.csrs = {{773, 0x80000040}}};
	static const struct ear_retire ecall = {.order = 1,
		.xlen = 32,
		.mode = 3,
		.ixl = 1,
		.trap = true,
		.insn = 0x73,
		.pc_rdata = 0x800001A0,
		.pc_wdata = 0x80000040,
		.cause = 11,
		.csr_count = 5,
		.csrs = {{833, 0x800001A0}, {834, 11}, {835, 0}, {768, 0x1800}, {784, 0}}};
	static const struct ear_retire mret = {.mode = 3,
		.xlen = 32,
		.ixl = 1,
		.intr = true,
		.insn = 0x30200073,
		.pc_rdata = 0x80000040,
		.pc_wdata = 0x800001A0,
		.csr_count = 2,
		.csrs = {{768, 0x80}, {784, 0}}};
	static const struct ear_retire irq = {.mode = 3,
		.xlen = 32,
		.ixl = 1,
		.trap = true,
		.irq = true,
		.insn = 0x73,
		.pc_rdata = 0x800001A0,
		.pc_wdata = 0x80000040,
		.cause = 0x80000007,
		.csr_count = 5,
		.csrs = {{833, 0x800001A0}, {834, 0x80000007}, {835, 0}, {768, 0x1800}, {784, 0}}};
	struct ear_retire entry;

	begin_predict(stream, 32, 0, 0, 0);
	push(stream, &set_mtvec);
	push(stream, &ecall);
	for (unsigned i = 0; i < 3; i++) {
		entry = mret;
		entry.order = 2 * i + 2;
		push(stream, &entry);
		entry = irq;
		entry.order = 2 * i + 3;
		push(stream, &entry);
	}
	put_stop(stream, 8, 0, 0);
	save(stream, "predict-interrupt",
		"a trap costs its opcode, and so does mret; then interrupts cost a byte each");
}

static void make_predict_wide(struct stream *stream)
{
	static const struct ear_retire divide = {.order = 1,
		.xlen = 64,
		.mode = 3,
		.ixl = 2,
		.insn = 0x1AF677D3,
		.pc_rdata = 0x800000BE,
		.pc_wdata = 0x800000C2,
		.frd_valid = true,
		.frd_addr = 15,
		.frd_wdata = 0x3FD5555555555555,
		.fflags = 1,
		.pc_paddr = 0x4000800000BE};
	struct ear_retire entry;

	begin_predict(stream, 64, 64, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		entry = divide;
		entry.order = 10 + i;
		entry.frd_wdata += i;
		entry.pc_rdata += 4 * i;
		entry.pc_wdata += 4 * i;
		entry.pc_paddr += 4 * i;
		push(stream, &entry);
	}
	entry.order = 13;
	entry.pc_rdata += 4, entry.pc_paddr += 4;
	entry.pc_wdata = divide.pc_rdata;
	push(stream, &entry);
	entry = divide;
	entry.order = 14;
	entry.frd_wdata = 0xBFD5555555555555;
	push(stream, &entry);
	entry.order = 15;
	entry.pc_rdata += 4, entry.pc_paddr += 4, entry.pc_wdata += 4;
	entry.virt = true, entry.mode = 1;
	push(stream, &entry);
	put_stop(stream, 6, 0, 0);
	save(stream, "predict-wide",
		"64 bits, physical addresses, VS mode; of a known FP operation only the result is "
		"sent");
}

/* Loss in predict mode --------------------------------------------------------------------- */

/* Three frames, the third one with a hard SYNC, and the STOP. */
static void begin_three_predicted(struct stream *stream)
{
	begin_predict(stream, 32, 0, 0, 0);
	put_records(stream, 0, 8);
	ear_encoder_flush(&stream->encoder);
	put_records(stream, 8, 9);
	ear_encoder_flush(&stream->encoder);
	ear_encoder_sync(&stream->encoder);
	put_records(stream, 17, 8);
	put_stop(stream, 25, 0, 0);
}

static void make_predict_loss(struct stream *stream)
{
	begin_three_predicted(stream);
	save(stream, "predict-hard-sync",
		"COMMAND.SYNC: everything is learned anew, nothing is lost");

	begin_three_predicted(stream);
	drop_frame(stream, 0);
	save(stream, "predict-joined-late",
		"the beginning is missing: records from the hard SYNC on");

	begin_three_predicted(stream);
	drop_frame(stream, 1);
	save(stream, "predict-missing-frame", "a frame never came, and the SYNC is behind it");

	begin_predict(stream, 32, 0, 0, 0);
	for (unsigned frame = 0; frame < 4; frame++) {
		put_records(stream, 7 * frame, 7);
		ear_encoder_flush(&stream->encoder);
	}
	ear_encoder_sync(&stream->encoder);
	put_records(stream, 28, 4);
	put_stop(stream, 32, 0, 0);
	drop_frame(stream, 1);
	save(stream, "predict-missing-frame-then-sync",
		"frames behind the missing one cannot be followed: one gap up to the SYNC");

	begin_predict(stream, 32, 0, 0, 0);
	for (unsigned frame = 0; frame < 3; frame++) {
		put_records(stream, 7 * frame, 7);
		ear_encoder_flush(&stream->encoder);
	}
	put_stop(stream, 21, 0, 0);
	drop_frame(stream, 1);
	save(stream, "predict-missing-frame-no-sync",
		"no SYNC comes: STOP tells how many there were");

	begin_predict(stream, 32, 0, 0, 0);
	put_records(stream, 0, 14);
	put_lost(stream, 14, 20);
	put_records(stream, 21, 7);
	put_stop(stream, 21, 7, 0);
	save(stream, "predict-unit-loss",
		"the unit lost 7 records: no SYNC, the others are differences");

	begin_three_predicted(stream);
	stream->frames[1].bytes[20] ^= 0x04;
	save(stream, "predict-damaged-frame", "a wrong bit: as if the frame were missing");
}

static void make_predict_disagreement(struct stream *stream)
{
	begin_predict(stream, 32, 0, 0, 0);
	put_records(stream, 0, 9);
	ear_encoder_put(
		&stream->encoder, &(struct ear_message){.kind = EAR_MSG_CHECK,
					  .u.check = {.pc = (uint32_t)stream->predictor.pc,
						  .digest = stream->predictor.digest ^ 0x100}});
	put_records(stream, 9, 9);
	ear_encoder_flush(&stream->encoder);
	ear_encoder_sync(&stream->encoder);
	put_records(stream, 18, 3);
	put_stop(stream, 21, 0, 0);
	save(stream, "predict-disagreement",
		"a CHECK with another digest: nothing more is shown before the SYNC");

	begin_predict(stream, 32, 0, 0, 0);
	put_records(stream, 0, 9);
	ear_encoder_flush(&stream->encoder);
	put_bytes(stream, "\x00\x01", 2);
	put_records(stream, 9, 9);
	ear_encoder_flush(&stream->encoder);
	ear_encoder_sync(&stream->encoder);
	put_records(stream, 18, 3);
	put_stop(stream, 21, 0, 0);
	save(stream, "predict-bad-message",
		"a run of nothing is no message: what comes behind it cannot be followed");

	begin_predict(stream, 32, 0, 0, 0);
	stream->encoder.unit.geometry[1] = 17;
	put_records(stream, 0, 9);
	put_stop(stream, 9, 0, 0);
	save(stream, "predict-geometry", "a shadow state that this decoder cannot have");
}

static void make_predict_harts(struct stream *stream, struct stream *other)
{
	begin_predict(stream, 32, 0, 0, 0);
	begin(other, 64, 1, 0);
	other->shared = stream;
	for (unsigned round = 0; round < 3; round++) {
		put_records(stream, 7 * round, 7);
		ear_encoder_flush(&stream->encoder);
		put_records(other, 100 + 2 * round, 2);
		ear_encoder_flush(&other->encoder);
	}
	put_stop(stream, 21, 0, 0);
	put_stop(other, 6, 0, 0);
	drop_frame(stream, 3);
	save(stream, "predict-and-raw",
		"a hart in predict mode does not care for a frame of another");
}

int main(int argc, char **argv)
{
	struct stream *stream = malloc(sizeof(*stream)), *other = malloc(sizeof(*other));

	if (argc != 2 || !stream || !other) {
		fputs("usage: make_vectors FOLDER\n", stderr);
		return 2;
	}
	folder = argv[1];
	make_plain(stream);
	make_times(stream);
	make_events(stream);
	make_port(stream, false);
	make_port(stream, true);
	make_test(stream);
	make_harts(stream, other);
	make_traps(stream);
	make_wide(stream);
	make_lost_frames(stream);
	make_damaged(stream);
	make_bad_messages(stream);
	make_predict_plain(stream);
	make_predict_traps(stream);
	make_predict_wide(stream);
	make_predict_loss(stream);
	make_predict_disagreement(stream);
	make_predict_harts(stream, other);
	free(stream);
	free(other);
	return 0;
}
