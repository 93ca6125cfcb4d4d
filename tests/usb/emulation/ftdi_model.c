/* An FT232H for libftdi: the vendor requests that it sends, the EEPROM, and the FIFO as packets
 * with their two bytes of status. Only what a program can see over USB is modelled; the fake unit
 * takes the place of everything after the FIFO.
 */
#include "ftdi_model.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/base/clock.h"

#define PACKET       512
#define MODE_SYNCFF  0x40
#define ENDPOINT_IN  0x81
#define ENDPOINT_OUT 0x02

/* Requests. */
#define RESET        0x00
#define SET_FLOW     0x02
#define SET_LATENCY  0x09
#define GET_LATENCY  0x0A
#define SET_BITMODE  0x0B
#define READ_EEPROM  0x90
#define WRITE_EEPROM 0x91
#define POLL_STATUS  0x05

static void put(struct ftdi_model *model, const uint8_t *bytes, size_t size)
{
	if (model->queue_size + size > model->queue_room) {
		model->queue_room = 2 * (model->queue_room + size);
		model->queue = realloc(model->queue, model->queue_room);
		assert(model->queue);
	}
	memcpy(model->queue + model->queue_size, bytes, size);
	model->queue_size += size;
}

static void send_capture(struct ftdi_model *model)
{
	uint8_t frame[FAKE_FRAME_MAX];

	model->captured = true;
	for (unsigned i = 0; i < model->frame_count; i++)
		put(model, frame, fake_unit_records(&model->unit, frame, 1 + i % 20));
	if (model->ends)
		put(model, frame, fake_unit_stop(&model->unit, frame, EAR_STOP_ENDED));
}

static void take_word(struct ftdi_model *model)
{
	uint8_t frame[FAKE_FRAME_MAX];
	struct ear_control_word word;
	bool was_enabled = fake_unit_enabled(&model->unit);

	if (model->mute || ear_control_word_parse(&word, model->word) < 0)
		return;
	put(model, frame, fake_unit_answer(&model->unit, frame, &word));
	bool enabled = fake_unit_enabled(&model->unit);
	if (enabled && fake_unit_core_runs(&model->unit) && !model->captured)
		send_capture(model);
	if (was_enabled && !enabled)
		put(model, frame, fake_unit_stop(&model->unit, frame, EAR_STOP_HOST));
	if (!enabled)
		model->captured = false;
}

/* -- Endpoints -- */

/* A 64-bit count, from any byte of it; at most a packet. */
static void put_pattern(uint8_t *bytes, uint64_t offset, size_t size)
{
	uint64_t words[PACKET / 8 + 2];

	for (uint64_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = offset / 8 + i;
	memcpy(bytes, (const uint8_t *)words + offset % 8, size);
}

/* The next bytes of the stream. */
static size_t next_bytes(struct ftdi_model *model, uint8_t *bytes, size_t size)
{
	uint8_t frame[FAKE_FRAME_MAX];

	if (model->pattern) {
		put_pattern(bytes, model->pattern_offset, size);
		model->pattern_offset += size;
		return size;
	}
	if (model->link)
		return model->link->read(model->link, bytes, size);
	if (model->queue_used == model->queue_size) {
		model->queue_used = model->queue_size = 0;
		if (model->endless && model->captured)
			put(model, frame, fake_unit_records(&model->unit, frame, 20));
		else if (fake_unit_test_due(&model->unit, ear_clock_ms(), &model->test_begin_ms,
				 &model->tests_sent))
			put(model, frame, fake_unit_test(&model->unit, frame));
	}
	if (size > model->queue_size - model->queue_used)
		size = model->queue_size - model->queue_used;
	if (size > 0)
		memcpy(bytes, model->queue + model->queue_used, size);
	model->queue_used += size;
	return size;
}

static size_t put_status(struct ftdi_model *model, uint8_t *packet)
{
	packet[0] = 0x32;
	packet[1] = atomic_exchange(&model->overruns, false) ? 0x62 : 0x60;
	model->status_ms = ear_clock_ms();
	return 2;
}

static int in_packets(struct ftdi_model *model, uint8_t *bytes, size_t size, bool *ends)
{
	size_t used = 0;

	if (atomic_load(&model->runts) > 0) {
		atomic_fetch_sub(&model->runts, 1);
		bytes[0] = 0x32;
		*ends = true;
		return 1;
	}
	while (atomic_load(&model->mode) == MODE_SYNCFF && size - used >= PACKET) {
		size_t data = next_bytes(model, bytes + used + 2, PACKET - 2);

		if (data == 0)
			break;
		put_status(model, bytes + used);
		used += data + 2;
		if (data < PACKET - 2) {
			*ends = true;
			return (int)used;
		}
	}
	if (used > 0 || ear_clock_ms() - model->status_ms < atomic_load(&model->latency))
		return (int)used;
	*ends = true;
	return (int)put_status(model, bytes);
}

static int model_in(
	struct usb_model *base, uint8_t endpoint, uint8_t *bytes, size_t size, bool *ends)
{
	struct ftdi_model *model = (struct ftdi_model *)base;
	int moved;

	if (endpoint != ENDPOINT_IN)
		return -EPIPE;
	pthread_mutex_lock(&model->mutex);
	if (atomic_load(&model->mode) != MODE_SYNCFF)
		atomic_fetch_add(&model->reads_at_mode, 1);
	int error = atomic_exchange(&model->in_error, 0);
	if (atomic_exchange(&model->halts, false))
		model->halted = true;
	if (error)
		moved = -error;
	else if (model->halted)
		moved = -EPIPE;
	else
		moved = in_packets(model, bytes, size, ends);
	pthread_mutex_unlock(&model->mutex);
	return moved;
}

static int model_out(struct usb_model *base, uint8_t endpoint, const uint8_t *bytes, size_t size)
{
	struct ftdi_model *model = (struct ftdi_model *)base;

	if (endpoint != ENDPOINT_OUT)
		return -EPIPE;
	if (atomic_load(&model->mode) != MODE_SYNCFF)
		return 0;
	if (model->link)
		return (int)model->link->write(model->link, bytes, size);
	pthread_mutex_lock(&model->mutex);
	for (size_t i = 0; i < size; i++) {
		model->word[model->word_size++] = bytes[i];
		if (model->word_size == sizeof(model->word)) {
			model->word_size = 0;
			take_word(model);
		}
	}
	pthread_mutex_unlock(&model->mutex);
	return (int)size;
}

static void model_clear_halt(struct usb_model *base, uint8_t endpoint)
{
	struct ftdi_model *model = (struct ftdi_model *)base;

	(void)endpoint;
	pthread_mutex_lock(&model->mutex);
	model->halted = false;
	pthread_mutex_unlock(&model->mutex);
}

static void set_mode(struct ftdi_model *model, int mode)
{
	int before = atomic_exchange(&model->mode, mode);

	atomic_fetch_add(&model->mode_count, 1);
	if (!model->link || (before == MODE_SYNCFF) == (mode == MODE_SYNCFF))
		return;
	if (mode == MODE_SYNCFF)
		model->link->begin(model->link);
	else
		model->link->end(model->link);
}

/* -- EEPROM -- */

uint16_t ftdi_model_checksum(const uint16_t *words, unsigned count)
{
	unsigned sum = 0xAAAA;

	for (unsigned i = 0; i < count - 1; i++)
		sum = ((sum ^ words[i]) << 1 | ((sum ^ words[i]) >> 15 & 1)) & 0xFFFF;
	return (uint16_t)sum;
}

/* A word of it, NULL: there is no EEPROM. The first three are known, channel A and the ids; the
 * fourth is one that no program but the board maker's knows. */
static uint16_t *eeprom_word(struct ftdi_model *model, unsigned number)
{
	unsigned words = model->eeprom_words;

	if (!model->has_eeprom) {
		model->has_eeprom = true;
		memset(model->eeprom, model->channel == 0xFF ? 0xFF : 0, sizeof(model->eeprom));
		if (model->channel != 0xFF && words > 0) {
			model->eeprom[0] = model->channel;
			model->eeprom[1] = 0x0403;
			model->eeprom[2] = 0x6014;
			model->eeprom[3] = 0x0900;
			model->eeprom[words - 2] = 0xCAFE;
			model->eeprom[words - 1] = ftdi_model_checksum(model->eeprom, words);
		}
	}
	return words > 0 ? &model->eeprom[number % words] : NULL;
}

static int read_eeprom(struct ftdi_model *model, unsigned number, uint8_t *data, size_t length)
{
	const uint16_t *word = eeprom_word(model, number);

	memset(data, 0xFF, length);
	if (word && length >= 2) {
		data[0] = (uint8_t)*word;
		data[1] = (uint8_t)(*word >> 8);
	}
	return (int)length;
}

static int write_eeprom(struct ftdi_model *model, unsigned number, uint16_t value)
{
	uint16_t *word = eeprom_word(model, number);

	model->eeprom_writes++;
	if (word && !model->forgets)
		*word = value;
	return 0;
}

static int model_control(
	struct usb_model *base, const uint8_t setup[8], uint8_t *data, size_t length)
{
	struct ftdi_model *model = (struct ftdi_model *)base;

	if (setup[1] == model->refuse_request)
		return -EPIPE;
	switch (setup[1]) {
	case RESET:
		if (setup[2] != 0)
			atomic_fetch_add(&model->flush_count, 1);
		return 0;
	case SET_FLOW: atomic_store(&model->flow, setup[5]); return 0;
	case SET_LATENCY: atomic_store(&model->latency, setup[2]); return 0;
	case SET_BITMODE: set_mode(model, setup[3]); return 0;
	case GET_LATENCY: data[0] = (uint8_t)atomic_load(&model->latency); return 1;
	case READ_EEPROM: return read_eeprom(model, setup[4], data, length);
	case WRITE_EEPROM:
		return write_eeprom(model, setup[4], (uint16_t)(setup[2] | setup[3] << 8));
	case POLL_STATUS: data[0] = data[1] = 0; return 2;
	default: return 0;
	}
}

/* -- Life -- */

static void restart(struct ftdi_model *model)
{
	static const uint8_t stale[64] = {0xE5, 0xA1, 0x01};

	fake_unit_init(&model->unit);
	model->queue_size = model->queue_used = 0;
	model->captured = false;
	model->halted = false;
	model->word_size = 0;
	atomic_store(&model->latency, 16);
	atomic_store(&model->mode, 0);
	if (model->stale > 0)
		put(model, stale, model->stale);
}

void ftdi_model_init(struct ftdi_model *model)
{
	memset(model, 0, sizeof(*model));
	pthread_mutex_init(&model->mutex, NULL);
	usb_model_shape(&model->base, &(struct usb_shape){.vendor = 0x0403,
					      .product = 0x6014,
					      .version = 0x0900,
					      .class = 0xFF,
					      .subclass = 0xFF,
					      .protocol = 0xFF,
					      .endpoint_in = ENDPOINT_IN,
					      .endpoint_out = ENDPOINT_OUT,
					      .packet_size = PACKET,
					      .manufacturer = "FTDI",
					      .name = "Single RS232-HS",
					      .serial = "FT0001"});
	model->base.control = model_control;
	model->base.in = model_in;
	model->base.out = model_out;
	model->base.clear_halt = model_clear_halt;
	model->refuse_request = -1;
	model->channel = 1;
	model->eeprom_words = 128;
	restart(model);
}

void ftdi_model_power_cycle(struct ftdi_model *model)
{
	pthread_mutex_lock(&model->mutex);
	restart(model);
	pthread_mutex_unlock(&model->mutex);
}

void ftdi_model_fini(struct ftdi_model *model)
{
	pthread_mutex_destroy(&model->mutex);
	free(model->queue);
}
