/* A unit that predicts behind usb:, and bytes that are lost on the way. Nothing can be decoded
 * then before a hard SYNC: the host asks for it, and decoding continues exactly from it, with the
 * gap reported to the record (docs/predict.md, section 1). libusb and everything above it are the
 * real ones.
 */
#include <assert.h>
#include <earshot/error.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "check.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/decoder_state.h"
#include "driver/base/clock.h"
#include "fx2_model.h"
#include "predict_stream.h"
#include "retire_random.h"
#include "sample_stream.h"
#include "usb_bus.h"
#include "usb_capture.h"

#define BEFORE     3000u   /* records, at least, before anything is lost */
#define AFTER_SYNC 4000u   /* records after the last SYNC */
#define SYNCS      64u     /* that are asked for in a run, at most */
#define LOST       40u     /* frames that are lost */
#define RECORDS    400000u /* of a run, if nobody asks for a SYNC */
#define BYTES_A_MS 500u    /* of the link: less than any host can take */

enum harm {
	HARM_NONE,
	HARM_TOLD,   /* frames are lost, and the transfer says so */
	HARM_SILENT, /* frames are lost, and only the numbers of the next ones say so */
	HARM_BITS,   /* a bit of a frame is wrong */
};

/* An FX2LP whose endpoints are those of a unit that predicts. */
struct board {
	struct fx2_model fx2; /* first */
	struct predict_encoder encoder;
	struct byte_buffer frames; /* for the host, each after its length in two bytes */
	size_t frames_used;
	uint8_t word[EAR_CONTROL_WORD_SIZE];
	size_t word_size;
	bool capturing, ended;
	uint64_t order; /* of the next record */
	uint64_t begin_ms, sent;

	atomic_int harm;             /* that is done to the next frame */
	unsigned frames_lost;        /* of LOST */
	unsigned sync_count;         /* that the host has asked for */
	uint64_t sync_orders[SYNCS]; /* the next record each time */
	uint64_t limit; /* records of the run, at most: it ends AFTER_SYNC records after a SYNC */
};

static struct board board;

/* The record with this order, on both sides. Every third is a surprise. */
static void make_entry(struct ear_retire *entry, uint64_t order)
{
	struct random random = {order * 0x9E3779B97F4A7C15u + 1};

	sample_entry(entry, order, 32);
	if (random_once_in(&random, 3)) {
		retire_random(entry, &random, 32);
		entry->order = order;
	}
}

/* -- The unit -- */

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	uint8_t length[2] = {(uint8_t)size, (uint8_t)(size >> 8)};

	(void)context;
	byte_buffer_append(&board.frames, length, sizeof(length));
	byte_buffer_append(&board.frames, bytes, size);
}

static void put_stop(uint8_t reason)
{
	board.capturing = false;
	ear_encoder_put(&board.encoder.encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
							.u.stop = {.reason = reason,
								.retired = board.order,
								.delivered = board.order}});
}

/* A control word: the fake unit's registers answer it, in a frame of this unit. */
static void take_word(void)
{
	struct fake_unit *unit = &board.fx2.unit;
	struct ear_control_word word;
	struct ear_message reply;
	struct ear_frame frame;
	uint8_t bytes[FAKE_FRAME_MAX];

	if (ear_control_word_parse(&word, board.word) < 0)
		return;
	size_t size = fake_unit_answer(unit, bytes, &word);
	int parsed = ear_frame_parse(&frame, bytes, size);
	assert(parsed > 0);
	parsed = ear_message_parse(&reply, frame.payload, frame.payload_size);
	assert(parsed > 0);
	if (word.operation == EAR_CONTROL_WORD_WRITE && word.address == EAR_REG_COMMAND &&
		word.value & EAR_REG_COMMAND_SYNC_MASK) {
		assert(board.sync_count < SYNCS);
		board.sync_orders[board.sync_count++] = board.order;
		ear_encoder_sync(&board.encoder.encoder);
	}
	ear_encoder_put(&board.encoder.encoder, &reply);
	bool runs = fake_unit_enabled(unit) && fake_unit_core_runs(unit);
	if (runs && !board.capturing && !board.ended) {
		board.capturing = true;
		board.begin_ms = ear_clock_ms();
		board.sent = 0;
	}
	if (!fake_unit_enabled(unit) && board.capturing)
		put_stop(EAR_STOP_HOST);
}

static int board_out(struct usb_model *base, uint8_t endpoint, const uint8_t *bytes, size_t size)
{
	(void)base;
	if (endpoint != EAR_USB_ENDPOINT_OUT)
		return -EPIPE;
	pthread_mutex_lock(&board.fx2.mutex);
	for (size_t i = 0; i < size; i++) {
		board.word[board.word_size++] = bytes[i];
		if (board.word_size == sizeof(board.word)) {
			board.word_size = 0;
			take_word();
		}
	}
	pthread_mutex_unlock(&board.fx2.mutex);
	return (int)size;
}

/* Records until there is a frame, or the end of the run. */
static void run_core(void)
{
	while (board.capturing && board.frames_used == board.frames.size) {
		struct ear_retire entry;

		unsigned syncs = board.sync_count;
		bool enough = syncs && board.order >= board.sync_orders[syncs - 1] + AFTER_SYNC;
		if (board.order == board.limit || enough) {
			board.ended = true;
			put_stop(EAR_STOP_ENDED);
			return;
		}
		make_entry(&entry, board.order++);
		ear_encoder_push(&board.encoder.encoder, &entry, 0);
	}
}

/* The next frame, if the link is not too fast for it. Returns its size, or 0. */
static size_t next_frame(uint8_t *bytes)
{
	if (board.capturing && board.sent > (ear_clock_ms() - board.begin_ms) * BYTES_A_MS)
		return 0;
	run_core();
	if (board.frames_used == board.frames.size) {
		board.frames.size = board.frames_used = 0;
		return 0;
	}
	const uint8_t *frame = board.frames.bytes + board.frames_used;
	size_t size = (size_t)(frame[0] | frame[1] << 8);
	memcpy(bytes, frame + 2, size);
	board.frames_used += size + 2;
	board.sent += size;
	return size;
}

/* What does not arrive. Returns what the transfer says: 0, or a negative errno. */
static int do_harm(uint8_t *bytes, size_t *size)
{
	enum harm harm = (enum harm)atomic_load(&board.harm);

	if (harm == HARM_NONE || !board.capturing)
		return 0;
	if (harm == HARM_BITS) {
		bytes[*size / 2] ^= 0x10;
		atomic_store(&board.harm, HARM_NONE);
		return 0;
	}
	*size = 0;
	if (++board.frames_lost < LOST)
		return 0;
	atomic_store(&board.harm, HARM_NONE);
	return harm == HARM_TOLD ? -EOVERFLOW : 0;
}

static int board_in(
	struct usb_model *base, uint8_t endpoint, uint8_t *bytes, size_t size, bool *ends)
{
	(void)base;
	if (endpoint != EAR_USB_ENDPOINT_IN)
		return -EPIPE;
	assert(size >= EAR_FRAME_SIZE_MAX);
	pthread_mutex_lock(&board.fx2.mutex);
	size_t moved = board.fx2.running ? next_frame(bytes) : 0;
	int error = moved > 0 ? do_harm(bytes, &moved) : 0;
	pthread_mutex_unlock(&board.fx2.mutex);
	*ends = moved % 512 != 0;
	return error ? error : (int)moved;
}

/* -- The host -- */

struct host {
	struct ear_session *session;
	struct ear_decoder decoder;
	uint8_t window[64u << 10];
	size_t window_size;
	uint64_t next; /* index of the record that comes next */
	unsigned gap_count;
	struct ear_gap gap; /* the last */
	struct ear_session_end end;
	unsigned losses;     /* that the session reported */
	uint64_t lost_bytes; /* in them, as far as known */
	uint64_t resync_ms;  /* when it was last asked for */
};

static struct host host;

static int take_record(void *context, const struct ear_record *record)
{
	struct ear_retire entry;

	(void)context;
	if (record->kind == EAR_RECORD_GAP) {
		host.gap_count++;
		host.gap = record->u.gap;
		assert_true(record->u.gap.count_known);
		assert_true(record->u.gap.count == 0 || record->u.gap.first == host.next);
		host.next += record->u.gap.count;
		return 0;
	}
	assert_int_equal(record->kind, EAR_RECORD_INSTRUCTION);
	assert_int_equal(record->index, host.next);
	make_entry(&entry, record->index);
	assert_int_equal(record->pc, entry.pc_rdata);
	assert_int_equal(record->next_pc, entry.pc_wdata);
	assert_int_equal(record->opcode, entry.insn);
	if (entry.rd_addr)
		assert_int_equal(record->registers[0].value, entry.rd_wdata);
	host.next++;
	return 0;
}

static void take_bytes(const struct ear_session_item *item)
{
	size_t room = sizeof(host.window) - host.window_size, used;
	size_t size = item->size < room ? item->size : room;

	memcpy(host.window + host.window_size, item->bytes, size);
	host.window_size += size;
	ear_session_consume(host.session, size);
	assert_int_equal(
		ear_decoder_push(&host.decoder, &used, host.window, host.window_size, false), 0);
	host.window_size -= used;
	memmove(host.window, host.window + used, host.window_size);
}

static bool take_item(const struct ear_session_item *item)
{
	size_t used;

	switch (item->kind) {
	case EAR_SESSION_BYTES: take_bytes(item); return true;
	case EAR_SESSION_LOSS:
		host.losses++;
		host.lost_bytes += item->loss_size;
		ear_decoder_host_loss(&host.decoder, item->loss_size);
		return true;
	default:
		assert_int_equal(
			ear_decoder_push(&host.decoder, &used, host.window, host.window_size, true),
			0);
		host.end = *item->end;
		return false;
	}
}

/* As the command does: damage that only the decoder sees. */
static void ask_for_sync(void)
{
	uint64_t now_ms = ear_clock_ms();

	if (!ear_decoder_is_lost(&host.decoder) || now_ms < host.resync_ms + 500)
		return;
	host.resync_ms = now_ms;
	ear_session_resync(host.session);
}

/* A capture to its end. asks: the consumer asks for a SYNC by itself. sleep_ms: how long it does
 * not look at the ring, once.
 */
static void run(
	const struct ear_session_options *options, enum harm harm, bool asks, unsigned sleep_ms)
{
	uint64_t limit_ms = ear_clock_ms() + 30000;
	struct ear_capture_config config;
	struct ear_session_item item;
	struct ear_report report;
	bool more = true;

	host = (struct host){.session = NULL};
	ear_decoder_init(&host.decoder, take_record, NULL);
	ear_capture_config_init(&config);
	usb_bus_plug(&board.fx2.base, 3, true);
	assert_int_equal(ear_session_open(&host.session, "usb:", options, &report), 0);
	assert_int_equal(ear_session_start(host.session, &config), 0);
	while (more) {
		assert_below(ear_clock_ms(), limit_ms);
		int error = ear_session_next(host.session, &item, 20);
		more = error || take_item(&item);
		if (asks)
			ask_for_sync();
		if (host.next >= BEFORE && (harm || sleep_ms)) {
			atomic_store(&board.harm, (int)harm);
			ear_clock_sleep_ms(sleep_ms);
			harm = HARM_NONE;
			sleep_ms = 0;
		}
	}
	ear_session_close(host.session);
}

static bool is_sync(uint64_t order)
{
	for (unsigned i = 0; i < board.sync_count; i++)
		if (board.sync_orders[i] == order)
			return true;
	return false;
}

/* All records are there, but for those of one gap, which ends exactly at a SYNC. */
static void expect_one_gap(enum ear_gap_reason reason)
{
	const struct ear_decoder_statistics *statistics = &host.decoder.statistics;

	if (host.end.reason != EAR_SESSION_END_STOP)
		fail_msg("%s", host.end.report.text);
	assert_int_equal(host.end.stop_reason, EAR_STOP_ENDED);
	assert_below(board.order, RECORDS);
	assert_int_equal(host.gap_count, 1);
	assert_int_equal(host.gap.reason, reason);
	assert_at_least(host.gap.first, BEFORE);
	assert_above(host.gap.count, 0);
	assert_true(is_sync(host.gap.last + 1));
	assert_int_equal(host.next, board.order);
	assert_int_equal(statistics->records + statistics->missing, board.order);
	assert_int_equal(statistics->records, statistics->stop_delivered - host.gap.count);
	assert_int_equal(statistics->disagreements, 0);
	assert_int_equal(statistics->unknown_gaps, 0);
}

static int setup(void **state)
{
	struct ear_unit unit = predict_unit(ear_geometry_get(EAR_GEOMETRY_SMALL), 32, 64, true);
	uint32_t *registers = board.fx2.unit.registers;

	memset(&board, 0, sizeof(board));
	fx2_model_init(&board.fx2);
	board.fx2.base.in = board_in;
	board.fx2.base.out = board_out;
	board.limit = RECORDS;
	registers[EAR_REG_FEATURES / 4] = EAR_REG_FEATURES_PREDICT_MASK |
					  EAR_REG_FEATURES_PADDR_MASK | EAR_REG_FEATURES_CORE_MASK |
					  EAR_REG_FEATURES_STALL_MASK;
	registers[EAR_REG_SHAPE / 4] = 32 | 1 << 8 | 64 << 16 | EAR_RETIRE_CSRS_MAX << 24;
	registers[EAR_REG_HART / 4] = 0;
	unit.csr_slots = EAR_RETIRE_CSRS_MAX;
	predict_encoder_init_sink(&board.encoder, &unit, take_frame, NULL);
	return usb_capture_setup(state);
}

static int teardown(void **state)
{
	int result = usb_capture_teardown(state);

	ear_decoder_fini(&host.decoder);
	predict_encoder_fini(&board.encoder);
	byte_buffer_free(&board.frames);
	fx2_model_fini(&board.fx2);
	return result;
}

static void without_a_loss_no_sync_is_asked_for(void **state)
{
	struct ear_session_options options;

	(void)state;
	usb_capture_options(&options);
	board.limit = 10000;
	run(&options, HARM_NONE, true, 0);
	assert_int_equal(host.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(host.decoder.statistics.records, 10000);
	assert_int_equal(host.gap_count, 0);
	assert_int_equal(board.sync_count, 0);
}

/* The link says that something is missing: the session asks, whatever its user does. */
static void frames_that_a_transfer_lost(void **state)
{
	struct ear_session_options options;

	(void)state;
	usb_capture_options(&options);
	run(&options, HARM_TOLD, false, 0);
	expect_one_gap(EAR_GAP_DAMAGE);
	assert_int_equal(host.losses, 1);
	assert_int_equal(board.sync_count, 1);
	assert_int_equal(host.decoder.statistics.missing_frames, LOST);
}

/* The host was too slow: it knows how many bytes there were. */
static void bytes_that_the_ring_had_no_room_for(void **state)
{
	struct ear_session_options options;

	(void)state;
	usb_capture_options(&options);
	options.ring_size = 1u << 17; /* a quarter of a second */
	options.ring_full = EAR_RING_FULL_DROP;
	run(&options, HARM_NONE, false, 500);
	expect_one_gap(EAR_GAP_HOST_RING);
	assert_above(host.losses, 0);
	assert_above(host.lost_bytes, 100 * EAR_FRAME_SIZE_MAX);
	assert_int_equal(host.decoder.statistics.host_lost_bytes, host.lost_bytes);
}

/* Nobody but the decoder sees it. */
static void frames_that_are_missing_in_silence(void **state)
{
	struct ear_session_options options;

	(void)state;
	usb_capture_options(&options);
	run(&options, HARM_SILENT, true, 0);
	expect_one_gap(EAR_GAP_MISSING_FRAME);
	assert_int_equal(host.losses, 0);
	assert_int_equal(host.decoder.statistics.missing_frames, LOST);
}

static void a_bit_that_is_wrong(void **state)
{
	struct ear_session_options options;

	(void)state;
	usb_capture_options(&options);
	run(&options, HARM_BITS, true, 0);
	expect_one_gap(EAR_GAP_DAMAGE);
	assert_int_equal(host.losses, 0);
	assert_above(host.decoder.statistics.skipped_bytes, 0);
	assert_int_equal(host.decoder.statistics.missing_frames, 1);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			without_a_loss_no_sync_is_asked_for, setup, teardown),
		cmocka_unit_test_setup_teardown(frames_that_a_transfer_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(
			bytes_that_the_ring_had_no_room_for, setup, teardown),
		cmocka_unit_test_setup_teardown(
			frames_that_are_missing_in_silence, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bit_that_is_wrong, setup, teardown),
	};
	int failed;

	(void)argc;
	usb_bus_begin(argv);
	usb_bus_open();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	usb_bus_close();
	return failed;
}
