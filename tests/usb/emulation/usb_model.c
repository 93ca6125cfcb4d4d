/* The requests that every USB device answers in the same way (chapter 9 of USB 2.0), from the
 * model's tables, so that a model of a chip has its own requests only.
 */
#include "usb_model.h"

#include <errno.h>
#include <string.h>

#define REQUEST_GET_STATUS        0
#define REQUEST_CLEAR_FEATURE     1
#define REQUEST_GET_DESCRIPTOR    6
#define REQUEST_GET_CONFIGURATION 8
#define REQUEST_SET_CONFIGURATION 9
#define REQUEST_SET_INTERFACE     11

static int give(uint8_t *data, size_t length, const uint8_t *bytes, size_t size)
{
	if (size > length)
		size = length;
	memcpy(data, bytes, size);
	return (int)size;
}

static int give_string(struct usb_model *model, uint8_t index, uint8_t *data, size_t length)
{
	static const uint8_t languages[] = {4, 3, 9, 4};
	uint8_t descriptor[128] = {0, 3};
	size_t size = 2;

	if (index == 0)
		return give(data, length, languages, sizeof(languages));
	if (index >= 4 || !model->strings[index])
		return -EPIPE;
	for (const char *at = model->strings[index]; *at && size < sizeof(descriptor) - 1; at++) {
		descriptor[size] = (uint8_t)*at;
		size += 2;
	}
	descriptor[0] = (uint8_t)size;
	return give(data, length, descriptor, size);
}

static int give_descriptor(
	struct usb_model *model, const uint8_t setup[8], uint8_t *data, size_t length)
{
	switch (setup[3]) {
	case 1: return give(data, length, model->device_descriptor, 18);
	case 2: return give(data, length, model->config, model->config_size);
	case 3: return give_string(model, setup[2], data, length);
	default: return -EPIPE;
	}
}

int usb_model_control(struct usb_model *model, const uint8_t setup[8], uint8_t *data, size_t length)
{
	static const uint8_t zero[2], one[1] = {1};

	if (setup[0] & 0x60)
		return model->control(model, setup, data, length);
	switch (setup[1]) {
	case REQUEST_GET_STATUS: return give(data, length, zero, 2);
	case REQUEST_CLEAR_FEATURE:
		if ((setup[0] & 0x1F) == 2)
			model->clear_halt(model, setup[4]);
		return 0;
	case REQUEST_GET_DESCRIPTOR: return give_descriptor(model, setup, data, length);
	case REQUEST_GET_CONFIGURATION: return give(data, length, one, 1);
	case REQUEST_SET_CONFIGURATION:
	case REQUEST_SET_INTERFACE: return 0;
	default: return -EPIPE;
	}
}

void usb_model_shape(struct usb_model *model, const struct usb_shape *shape)
{
	const uint8_t low = (uint8_t)shape->packet_size, high = (uint8_t)(shape->packet_size >> 8);
	const uint8_t device[18] = {18, 1, 0, 2, 0, 0, 0, 64, (uint8_t)shape->vendor,
		(uint8_t)(shape->vendor >> 8), (uint8_t)shape->product,
		(uint8_t)(shape->product >> 8), (uint8_t)shape->version,
		(uint8_t)(shape->version >> 8), shape->manufacturer ? 1 : 0, shape->name ? 2 : 0,
		shape->serial ? 3 : 0, 1};
	const uint8_t config[32] = {9, 2, 32, 0, 1, 1, 0, 0x80, 250, 9, 4, 0, 0, 2, shape->class,
		shape->subclass, shape->protocol, 0, 7, 5, shape->endpoint_out, 2, low, high, 0, 7,
		5, shape->endpoint_in, 2, low, high, 0};

	memcpy(model->device_descriptor, device, sizeof(device));
	memcpy(model->config, config, sizeof(config));
	model->config_size = sizeof(config);
	model->strings[1] = shape->manufacturer;
	model->strings[2] = shape->name;
	model->strings[3] = shape->serial;
}
