/* The USB descriptors, as tables of bytes. What depends on the speed of the bus (packet sizes, the
 * type of the other speed's configuration) is filled in after the table was copied to EP0BUF, so
 * there is one table for both speeds.
 */
#include "descriptors.h"

#include "common/protocol/ear_protocol.h"
#include "fx2lp.h"
#include "link.h"
#include "settings.h"

#define LOW(value)  ((value)&0xFF)
#define HIGH(value) ((value) >> 8)

enum descriptor_type {
	TYPE_DEVICE = 1,
	TYPE_CONFIGURATION = 2,
	TYPE_STRING = 3,
	TYPE_QUALIFIER = 6,
	TYPE_OTHER_SPEED = 7,
};

enum string_index {
	STRING_LANGUAGES,
	STRING_MANUFACTURER,
	STRING_PRODUCT,
	STRING_SERIAL,
};

#define DEVICE_SERIAL_OFFSET          16
#define CONFIGURATION_TYPE_OFFSET     1
#define CONFIGURATION_OUT_SIZE_OFFSET 22
#define CONFIGURATION_IN_SIZE_OFFSET  29

/* A row for each field or descriptor. */
/* clang-format off */
static const __code uint8_t device[18] = {
	18, TYPE_DEVICE, 0x00, 0x02,  /* USB 2.0 */
	0, 0, 0, EAR_USB_PACKET_FULL, /* class: see the interface */
	LOW(EAR_USB_VENDOR_ID), HIGH(EAR_USB_VENDOR_ID),
	LOW(EAR_USB_PRODUCT_ID), HIGH(EAR_USB_PRODUCT_ID),
	EAR_USB_VERSION_MINOR, EAR_USB_VERSION_MAJOR,
	STRING_MANUFACTURER, STRING_PRODUCT, STRING_SERIAL,
	1, /* configurations */
};

static const __code uint8_t qualifier[10] = {
	10, TYPE_QUALIFIER, 0x00, 0x02, 0, 0, 0, EAR_USB_PACKET_FULL, 1, 0,
};

/* Sizes of packets and, for the other speed, the type are filled in. */
static const __code uint8_t configuration[32] = {
	9, TYPE_CONFIGURATION, 32, 0, 1, 1, 0, 0x80, 250, /* bus powered, 500 mA */
	9, 4, EAR_USB_INTERFACE, 0, 2,
	EAR_USB_INTERFACE_CLASS, EAR_USB_INTERFACE_SUBCLASS, EAR_USB_VERSION_MAJOR, 0,
	7, 5, EAR_USB_ENDPOINT_OUT, 2, 0, 0, 0,
	7, 5, EAR_USB_ENDPOINT_IN, 2, 0, 0, 0,
};
/* clang-format on */

static const __code char manufacturer[] = "Earshot";
static const __code char product[] = "Earshot FX2LP";

static uint8_t put(const __code uint8_t *bytes, uint8_t size)
{
	uint8_t i;

	for (i = 0; i < size; i++)
		EP0BUF[i] = bytes[i];
	return size;
}

static void put_packet_size(uint8_t offset, uint16_t size)
{
	EP0BUF[offset] = LOW(size);
	EP0BUF[offset + 1] = HIGH(size);
}

static uint8_t put_configuration(uint8_t type)
{
	uint16_t size = EAR_USB_PACKET_FULL;

	if (link_is_high_speed() == (type == TYPE_CONFIGURATION))
		size = EAR_USB_PACKET_HIGH;
	put(configuration, sizeof(configuration));
	EP0BUF[CONFIGURATION_TYPE_OFFSET] = type;
	put_packet_size(CONFIGURATION_OUT_SIZE_OFFSET, size);
	put_packet_size(CONFIGURATION_IN_SIZE_OFFSET, size);
	return sizeof(configuration);
}

static uint8_t put_text(const __code char *text, uint8_t length)
{
	uint8_t i;

	for (i = 0; i < length; i++) {
		EP0BUF[2 + 2 * i] = text[i];
		EP0BUF[3 + 2 * i] = 0;
	}
	EP0BUF[0] = 2 + 2 * length;
	EP0BUF[1] = TYPE_STRING;
	return 2 + 2 * length;
}

static uint8_t put_string(uint8_t index)
{
	uint8_t length;

	switch (index) {
	case STRING_LANGUAGES:
		EP0BUF[0] = 4;
		EP0BUF[1] = TYPE_STRING;
		EP0BUF[2] = 0x09;
		EP0BUF[3] = 0x04;
		return 4;
	case STRING_MANUFACTURER: return put_text(manufacturer, sizeof(manufacturer) - 1);
	case STRING_PRODUCT: return put_text(product, sizeof(product) - 1);
	case STRING_SERIAL:
		length = settings_serial_length();
		return length ? put_text((const __code char *)settings + EAR_USB_SETTINGS_SERIAL,
					length)
			      : 0;
	default: return 0;
	}
}

uint8_t descriptors_put(uint8_t type, uint8_t index)
{
	if (type == TYPE_STRING)
		return put_string(index);
	if (index != 0)
		return 0;
	switch (type) {
	case TYPE_DEVICE:
		put(device, sizeof(device));
		if (settings_serial_length() == 0)
			EP0BUF[DEVICE_SERIAL_OFFSET] = 0;
		return sizeof(device);
	case TYPE_QUALIFIER: return put(qualifier, sizeof(qualifier));
	case TYPE_CONFIGURATION:
	case TYPE_OTHER_SPEED: return put_configuration(type);
	default: return 0;
	}
}
