/* An FX2LP by its protocol (docs/usb.md), not by its processor: fast enough for thousands of
 * captures. The real firmware on a model of the chip is in tests/usb/fx2model. Faults are counters
 * and flags that a transfer looks at, so each of them happens exactly once and where it was set.
 */
#include "fx2_model.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/base/clock.h"

#define PACKET 512

static void put_packet(struct fx2_model *model, const uint8_t *bytes, size_t size)
{
	if (model->queue_size + size + 2 > model->queue_room) {
		model->queue_room = 2 * (model->queue_room + size + 2);
		model->queue = realloc(model->queue, model->queue_room);
		assert(model->queue);
	}
	model->queue[model->queue_size] = (uint8_t)size;
	model->queue[model->queue_size + 1] = (uint8_t)(size >> 8);
	memcpy(model->queue + model->queue_size + 2, bytes, size);
	model->queue_size += size + 2;
	if (size > 0 && size % PACKET == 0)
		put_packet(model, bytes, 0); /* the host's transfer ends with it */
}

static void empty_queue(struct fx2_model *model)
{
	model->queue_size = 0;
	model->queue_used = 0;
}

/* -- The unit -- */

static void send_capture(struct fx2_model *model)
{
	uint8_t frame[FAKE_FRAME_MAX];

	model->captured = true;
	for (unsigned i = 0; i < model->frame_count; i++)
		put_packet(model, frame, fake_unit_records(&model->unit, frame, 1 + i % 20));
	if (model->ends)
		put_packet(model, frame, fake_unit_stop(&model->unit, frame, EAR_STOP_ENDED));
}

static void take_word(struct fx2_model *model)
{
	uint8_t frame[FAKE_FRAME_MAX];
	struct ear_control_word word;
	bool was_enabled = fake_unit_enabled(&model->unit);

	if (ear_control_word_parse(&word, model->word) < 0)
		return;
	size_t size = fake_unit_answer(&model->unit, frame, &word);
	if (model->garbage)
		for (size_t i = 0; i < size; i++)
			frame[i] = (uint8_t)(frame[i] * 7 + i * 13);
	if (!model->mute)
		put_packet(model, frame, size);
	bool enabled = fake_unit_enabled(&model->unit);
	model->unit.registers[EAR_REG_STATUS / 4] = enabled ? EAR_REG_STATUS_CAPTURING_MASK : 0;
	if (enabled && fake_unit_core_runs(&model->unit) && !model->captured)
		send_capture(model);
	if (was_enabled && !enabled && !model->mute)
		put_packet(model, frame, fake_unit_stop(&model->unit, frame, EAR_STOP_HOST));
	if (!enabled)
		model->captured = false;
}

/* -- Endpoints -- */

void fx2_model_pattern(uint8_t *bytes, uint64_t offset, size_t size)
{
	uint64_t number = offset / 8;

	for (size_t i = 0; i < size; i += 8) {
		memcpy(bytes + i, &number, 8);
		number++;
	}
}

static int in_pattern(struct fx2_model *model, uint8_t *bytes, size_t size)
{
	if (model->pattern_limit && size > model->pattern_limit - model->pattern_offset)
		size = (size_t)(model->pattern_limit - model->pattern_offset);
	size = size / PACKET * PACKET;
	fx2_model_pattern(bytes, model->pattern_offset, size);
	model->pattern_offset += size;
	return (int)size;
}

/* What is there. The unit ends a packet when it has no more, as its link does: after a full one
 * with an empty one.
 */
static int in_link(struct fx2_model *model, uint8_t *bytes, size_t size, bool *ends)
{
	size_t moved = model->link->read(model->link, bytes, size);

	*ends = moved == 0 ? model->link_owes_end : moved % PACKET != 0;
	model->link_owes_end = moved > 0 && moved % PACKET == 0;
	return (int)moved;
}

/* One packet of the queue. */
static int in_packet(struct fx2_model *model, uint8_t *bytes, size_t size, bool *ends)
{
	uint8_t frame[FAKE_FRAME_MAX];

	if (model->queue_used == model->queue_size) {
		empty_queue(model);
		if (model->endless && model->captured)
			put_packet(model, frame,
				fake_unit_records(&model->unit, frame, model->endless_records));
		else if (fake_unit_test_due(&model->unit, ear_clock_ms(), &model->test_begin_ms,
				 &model->tests_sent))
			put_packet(model, frame, fake_unit_test(&model->unit, frame));
		else
			return 0;
	}
	const uint8_t *packet = model->queue + model->queue_used;
	size_t length = (size_t)(packet[0] | packet[1] << 8);
	if (length > size)
		return -EOVERFLOW;
	memcpy(bytes, packet + 2, length);
	model->queue_used += length + 2;
	*ends = length == 0 || length % PACKET != 0;
	return (int)length;
}

static int fault_in(struct fx2_model *model, bool *ends, bool *happened)
{
	int error = atomic_load(&model->in_error);

	*happened = true;
	if (atomic_exchange(&model->halts, false))
		model->halted_in = true;
	if (model->halted_in)
		return -EPIPE;
	if (error) {
		if (atomic_fetch_sub(&model->in_errors, 1) <= 1)
			atomic_store(&model->in_error, 0);
		return -error;
	}
	if (atomic_exchange(&model->jumbo, false))
		return -EOVERFLOW;
	if (atomic_load(&model->empty_packets) > 0) {
		atomic_fetch_sub(&model->empty_packets, 1);
		*ends = true;
		return 0;
	}
	*happened = false;
	return 0;
}

static int model_in(
	struct usb_model *base, uint8_t endpoint, uint8_t *bytes, size_t size, bool *ends)
{
	struct fx2_model *model = (struct fx2_model *)base;
	bool happened;

	if (endpoint != EAR_USB_ENDPOINT_IN)
		return -EPIPE;
	pthread_mutex_lock(&model->mutex);
	int moved = fault_in(model, ends, &happened);
	if (!happened && model->running)
		moved = model->pattern ? in_pattern(model, bytes, size)
			: model->link  ? in_link(model, bytes, size, ends)
				       : in_packet(model, bytes, size, ends);
	pthread_mutex_unlock(&model->mutex);
	if (moved > 0)
		atomic_fetch_add(&model->sent, (uint64_t)moved);
	return moved;
}

static int model_out(struct usb_model *base, uint8_t endpoint, const uint8_t *bytes, size_t size)
{
	struct fx2_model *model = (struct fx2_model *)base;
	int result = (int)size;

	if (endpoint != EAR_USB_ENDPOINT_OUT)
		return -EPIPE;
	pthread_mutex_lock(&model->mutex);
	if (atomic_exchange(&model->halts_out, false))
		model->halted_out = true;
	if (model->halted_out)
		result = -EPIPE;
	else if (model->deaf || !model->running)
		result = 0;
	else if (model->link)
		result = (int)model->link->write(model->link, bytes, size);
	for (int i = 0; i < result && !model->link; i++) {
		model->word[model->word_size++] = bytes[i];
		if (model->word_size == sizeof(model->word)) {
			model->word_size = 0;
			take_word(model);
		}
	}
	pthread_mutex_unlock(&model->mutex);
	return result;
}

static void model_clear_halt(struct usb_model *base, uint8_t endpoint)
{
	struct fx2_model *model = (struct fx2_model *)base;

	pthread_mutex_lock(&model->mutex);
	if (endpoint == EAR_USB_ENDPOINT_IN)
		model->halted_in = atomic_load(&model->halts_again);
	else
		model->halted_out = false;
	pthread_mutex_unlock(&model->mutex);
}

/* -- Requests -- */

static int firmware_load(
	struct fx2_model *model, const uint8_t setup[8], uint8_t *data, size_t size)
{
	size_t address = (size_t)(setup[2] | setup[3] << 8);

	if (address + size > sizeof(model->memory))
		return -EPIPE;
	if (setup[0] & 0x80) {
		memcpy(data, model->memory + address, size);
		return (int)size;
	}
	memcpy(model->memory + address, data, size);
	if (model->damages_load && address == 0)
		model->memory[size / 2] ^= 0x10;
	if (address != EAR_USB_CPUCS)
		atomic_fetch_add(&model->load_count, 1);
	else if (data[0] == 0)
		atomic_store(&model->started, true);
	return (int)size;
}

static int give(uint8_t *data, size_t length, const uint8_t *bytes, size_t size)
{
	if (size > length)
		size = length;
	memcpy(data, bytes, size);
	return (int)size;
}

static int vendor_request(
	struct fx2_model *model, const uint8_t setup[8], uint8_t *data, size_t length)
{
	uint8_t status[EAR_USB_STATUS_SIZE] = {0};

	switch (setup[1]) {
	case EAR_USB_REQUEST_IDENTIFY:
		return give(data, length, model->identify, model->identify_size);
	case EAR_USB_REQUEST_STATUS:
		status[EAR_USB_STATUS_ERROR] =
			model->fpga_bytes ? EAR_USB_ERROR_FPGA_NOT_DONE : EAR_USB_ERROR_SPEED;
		return give(data, length, status, sizeof(status));
	case EAR_USB_REQUEST_START:
		if (model->refuses_start)
			return -EPIPE;
		atomic_fetch_add(&model->start_count, 1);
		empty_queue(model);
		model->word_size = 0;
		model->link_owes_end = false;
		if (model->link)
			model->link->begin(model->link);
		model->running = true;
		return 0;
	case EAR_USB_REQUEST_FPGA_BEGIN: model->fpga_bytes = 0; return 0;
	case EAR_USB_REQUEST_FPGA_DATA: model->fpga_bytes += length; return (int)length;
	case EAR_USB_REQUEST_FPGA_END: return model->fpga_bytes == model->fpga_size ? 0 : -EPIPE;
	case EAR_USB_REQUEST_STOP:
		atomic_fetch_add(&model->stop_count, 1);
		if (model->running && model->link)
			model->link->end(model->link);
		model->running = false;
		return 0;
	default: return -EPIPE;
	}
}

static int model_control(
	struct usb_model *base, const uint8_t setup[8], uint8_t *data, size_t length)
{
	struct fx2_model *model = (struct fx2_model *)base;
	int result;

	if (model->never_answers)
		return -ETIMEDOUT;
	pthread_mutex_lock(&model->mutex);
	if (setup[1] == EAR_USB_REQUEST_FIRMWARE_LOAD)
		result = firmware_load(model, setup, data, length);
	else
		result = model->bare ? -EPIPE : vendor_request(model, setup, data, length);
	pthread_mutex_unlock(&model->mutex);
	return result;
}

/* -- Life -- */

static void init(struct fx2_model *model, const struct usb_shape *shape)
{
	memset(model, 0, sizeof(*model));
	pthread_mutex_init(&model->mutex, NULL);
	usb_model_shape(&model->base, shape);
	model->base.control = model_control;
	model->base.in = model_in;
	model->base.out = model_out;
	model->base.clear_halt = model_clear_halt;
	fake_unit_init(&model->unit);
}

void fx2_model_init(struct fx2_model *model)
{
	static const uint8_t identify[EAR_USB_IDENTIFY_SIZE] = {'E', 'A', 'R', 'U',
		EAR_USB_VERSION_MAJOR, EAR_USB_VERSION_MINOR, EAR_PROTOCOL_MAJOR,
		EAR_PROTOCOL_MINOR, 7, 0, 1, 2, 0, 2, 0, 0};

	init(model, &(struct usb_shape){.vendor = EAR_USB_VENDOR_ID,
			    .product = EAR_USB_PRODUCT_ID,
			    .version = EAR_USB_VERSION_MAJOR << 8 | EAR_USB_VERSION_MINOR,
			    .class = EAR_USB_INTERFACE_CLASS,
			    .subclass = EAR_USB_INTERFACE_SUBCLASS,
			    .protocol = EAR_USB_VERSION_MAJOR,
			    .endpoint_in = EAR_USB_ENDPOINT_IN,
			    .endpoint_out = EAR_USB_ENDPOINT_OUT,
			    .packet_size = PACKET,
			    .manufacturer = "Earshot",
			    .name = "Earshot FX2LP",
			    .serial = "EAR0001"});
	memcpy(model->identify, identify, sizeof(identify));
	model->identify_size = sizeof(identify);
	model->endless_records = 20;
}

void fx2_model_init_bare(struct fx2_model *model)
{
	init(model, &(struct usb_shape){.vendor = EAR_USB_BARE_VENDOR_ID,
			    .product = EAR_USB_BARE_PRODUCT_ID,
			    .version = 0xA001,
			    .class = 0xFF,
			    .endpoint_in = 0x82,
			    .endpoint_out = 0x02,
			    .packet_size = PACKET});
	model->bare = true;
}

void fx2_model_power_cycle(struct fx2_model *model)
{
	pthread_mutex_lock(&model->mutex);
	fake_unit_init(&model->unit);
	empty_queue(model);
	model->running = false;
	model->captured = false;
	model->halted_in = false;
	model->halted_out = false;
	model->word_size = 0;
	pthread_mutex_unlock(&model->mutex);
}

void fx2_model_fini(struct fx2_model *model)
{
	pthread_mutex_destroy(&model->mutex);
	free(model->queue);
}
