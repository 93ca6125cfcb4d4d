/* The model of the chip, run by a thread that gives it time in small steps. Between two steps the
 * unit at the slave FIFO may move bytes, and the hub looks whether the chip has left the bus or
 * come to it. One lock covers the chip; the bus's own lock is never taken under it.
 */
#include "check.h"

#include "fx2_board.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/protocol/ear_protocol.h"
#include "driver/base/clock.h"
#include "emulation/usb_bus.h"
#include "fx2_device.h"

#define PACKET      512
#define TICK_MS     1
#define CATCH_UP_MS 20 /* a busy machine may be late; more is not caught up */

/* -- The unit at the slave FIFO; with the lock -- */

/* The end of a packet, or an empty packet after a full one, or later. */
static void end_packet(struct fx2_board *board)
{
	if (!board->unended || !fx2_chip_flag_b(board->chip))
		return;
	fx2_chip_fifo_pktend(board->chip);
	board->unended = false;
}

/* A frame to the chip, or later. */
static void send(struct fx2_board *board)
{
	size_t taken;

	end_packet(board);
	if (board->frame_size == 0 || !fx2_chip_flag_b(board->chip))
		return;
	taken = fx2_chip_fifo_write(board->chip, board->frame, board->frame_size);
	assert_int_equal(taken, board->frame_size);
	board->frame_size = 0;
	board->unended = true;
	end_packet(board);
}

static void take_word(struct fx2_board *board)
{
	bool was_enabled = fake_unit_enabled(&board->unit), enabled;
	struct ear_control_word word;

	board->word_size = 0;
	if (ear_control_word_parse(&word, board->word) < 0)
		return;
	board->frame_size = fake_unit_answer(&board->unit, board->frame, &word);
	enabled = fake_unit_enabled(&board->unit);
	board->unit.registers[EAR_REG_STATUS / 4] = enabled ? EAR_REG_STATUS_CAPTURING_MASK : 0;
	if (enabled && fake_unit_core_runs(&board->unit) && !board->capturing) {
		board->capturing = true;
		board->frames_left = board->frame_count + 1;
	}
	if (was_enabled && !enabled)
		board->frames_left = board->capturing && board->frames_left > 0 ? 1 : 0;
	if (!enabled)
		board->capturing = false;
}

static void make_frame(struct fx2_board *board)
{
	if (board->frames_left == 0)
		return;
	if (--board->frames_left > 0)
		board->frame_size = fake_unit_records(&board->unit, board->frame, 20);
	else
		board->frame_size = fake_unit_stop(&board->unit, board->frame, EAR_STOP_ENDED);
}

/* As ear_link_fx2 does it: words first, whole frames only. */
static void run_unit(struct fx2_board *board)
{
	bool busy = true;

	while (busy) {
		send(board);
		if (board->frame_size > 0)
			return;
		busy = fx2_chip_fifo_read(board->chip, board->word + board->word_size, 1) == 1;
		if (busy && ++board->word_size == sizeof(board->word))
			take_word(board);
		if (board->frame_size == 0)
			make_frame(board);
		busy |= board->frame_size > 0;
	}
}

/* -- The bus; the functions of usb_model -- */

static int error_of(int result)
{
	switch (result) {
	case FX2_STALL: return -EPIPE;
	case FX2_NO_DEVICE: return -EPROTO;
	case FX2_TIMEOUT: return -ETIMEDOUT;
	default: return result;
	}
}

static struct fx2_board *lock(struct usb_model *base)
{
	struct fx2_board *board = ((struct fx2_board_face *)base)->board;

	pthread_mutex_lock(&board->mutex);
	return board;
}

static int board_control(
	struct usb_model *base, const uint8_t setup[8], uint8_t *data, size_t length)
{
	struct fx2_board *board = lock(base);
	int result = fx2_chip_control(board->chip, setup, data, FX2_ANSWER_US);

	(void)length;
	pthread_mutex_unlock(&board->mutex);
	return error_of(result);
}

static int board_in(
	struct usb_model *base, uint8_t endpoint, uint8_t *bytes, size_t size, bool *ends)
{
	struct fx2_board *board = lock(base);
	int total = 0, result = 0;

	while (size - (size_t)total >= PACKET && !*ends) {
		run_unit(board);
		result = fx2_chip_in(board->chip, endpoint, bytes + total);
		if (result < 0)
			break;
		total += result;
		*ends = result < PACKET;
	}
	pthread_mutex_unlock(&board->mutex);
	return total > 0 || result == FX2_NAK ? total : error_of(result);
}

static int board_out(struct usb_model *base, uint8_t endpoint, const uint8_t *bytes, size_t size)
{
	struct fx2_board *board = lock(base);
	int result =
		fx2_chip_out(board->chip, endpoint, bytes, size < PACKET ? (unsigned)size : PACKET);

	run_unit(board);
	pthread_mutex_unlock(&board->mutex);
	return result == FX2_NAK ? 0 : error_of(result);
}

static void board_clear_halt(struct usb_model *base, uint8_t endpoint)
{
	struct fx2_board *board = lock(base);

	fx2_device_control(board->chip, 0x02, 1, 0, endpoint, NULL, 0);
	pthread_mutex_unlock(&board->mutex);
}

/* -- The hub -- */

static void read_string(struct fx2_board *board, struct fx2_board_face *face, uint8_t index)
{
	uint8_t data[255];
	int size = fx2_device_control(
		board->chip, 0x80, 6, 0x0300 | index, 0x0409, data, sizeof(data));

	face->base.strings[index] = NULL;
	if (size < 2)
		return;
	for (int i = 2; i + 1 < size && i / 2 < (int)sizeof(face->texts[0]); i += 2)
		face->texts[index - 1][i / 2 - 1] = (char)data[i];
	face->base.strings[index] = face->texts[index - 1];
}

/* What the kernel does with a new device. */
static void enumerate(struct fx2_board *board)
{
	struct fx2_board_face *face = &board->faces[board->plug_count % COUNT_OF(board->faces)];
	int size;

	memset(face, 0, sizeof(*face));
	face->board = board;
	face->base.control = board_control;
	face->base.in = board_in;
	face->base.out = board_out;
	face->base.clear_halt = board_clear_halt;
	fx2_device_enumerate(board->chip, true);
	assert_int_equal(fx2_device_control(
				 board->chip, 0x80, 6, 0x0100, 0, face->base.device_descriptor, 18),
		18);
	size = fx2_device_control(
		board->chip, 0x80, 6, 0x0200, 0, face->base.config, sizeof(face->base.config));
	assert_above(size, 9);
	face->base.config_size = (size_t)size;
	for (uint8_t index = 1; index <= 3; index++)
		if (face->base.device_descriptor[13 + index] == index)
			read_string(board, face, index);
}

/* Follow the chip onto the bus and off it. Without the lock, which the bus's threads take. */
static void follow(struct fx2_board *board, bool connected, unsigned connections)
{
	if (board->plugged && (!connected || connections != board->connections)) {
		usb_bus_unplug(board->port);
		board->plugged = false;
	}
	if (connected && !board->plugged) {
		struct fx2_board_face *face =
			&board->faces[board->plug_count % COUNT_OF(board->faces)];

		pthread_mutex_lock(&board->mutex);
		enumerate(board);
		pthread_mutex_unlock(&board->mutex);
		usb_bus_plug(&face->base, board->port, true);
		board->plugged = true;
		board->connections = connections;
		atomic_fetch_add(&board->plug_count, 1);
	}
}

static void *board_thread(void *context)
{
	struct fx2_board *board = context;
	uint64_t then_ms = ear_clock_ms();

	while (!atomic_load(&board->quits)) {
		uint64_t now_ms = ear_clock_ms(), passed_ms = now_ms - then_ms;
		unsigned connections;
		bool connected;

		if (passed_ms > CATCH_UP_MS)
			passed_ms = CATCH_UP_MS;
		then_ms = now_ms;
		pthread_mutex_lock(&board->mutex);
		fx2_chip_run(board->chip, (uint32_t)passed_ms * 1000);
		connected = fx2_chip_connected(board->chip);
		connections = fx2_chip_connections(board->chip);
		pthread_mutex_unlock(&board->mutex);
		follow(board, connected, connections);
		ear_clock_sleep_ms(TICK_MS);
	}
	return NULL;
}

void fx2_board_open(struct fx2_board *board, int port, unsigned frame_count)
{
	memset(board, 0, sizeof(*board));
	pthread_mutex_init(&board->mutex, NULL);
	board->port = port;
	board->frame_count = frame_count;
	fake_unit_init(&board->unit);
	board->chip = fx2_chip_new();
	assert_non_null(board->chip);
	fx2_chip_power_on(board->chip);
	follow(board, true, fx2_chip_connections(board->chip));
	assert_int_equal(pthread_create(&board->thread, NULL, board_thread, board), 0);
}

void fx2_board_renew_unit(struct fx2_board *board, unsigned frame_count)
{
	pthread_mutex_lock(&board->mutex);
	fake_unit_init(&board->unit);
	board->frame_count = frame_count;
	board->frames_left = 0;
	board->capturing = false;
	board->word_size = board->frame_size = 0;
	board->unended = false;
	pthread_mutex_unlock(&board->mutex);
}

void fx2_board_close(struct fx2_board *board)
{
	char fault[200] = "";

	atomic_store(&board->quits, true);
	pthread_join(board->thread, NULL);
	if (board->plugged)
		usb_bus_unplug(board->port);
	if (fx2_chip_fault(board->chip))
		snprintf(fault, sizeof(fault), "%s", fx2_chip_fault(board->chip));
	fx2_chip_free(board->chip);
	pthread_mutex_destroy(&board->mutex);
	if (fault[0])
		fail_msg("%s", fault);
}

void fx2_board_run_away(struct fx2_board *board)
{
	pthread_mutex_lock(&board->mutex);
	fx2_chip_run_away(board->chip);
	pthread_mutex_unlock(&board->mutex);
}

void fx2_board_halt(struct fx2_board *board)
{
	pthread_mutex_lock(&board->mutex);
	assert_int_equal(
		fx2_device_control(board->chip, 0x02, 3, 0, EAR_USB_ENDPOINT_IN, NULL, 0), 0);
	pthread_mutex_unlock(&board->mutex);
}

uint32_t fx2_board_status(struct fx2_board *board, unsigned offset)
{
	uint32_t value;

	pthread_mutex_lock(&board->mutex);
	value = fx2_device_status(board->chip, offset);
	pthread_mutex_unlock(&board->mutex);
	return value;
}
