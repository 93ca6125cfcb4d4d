/* The requests of USB 2.0 chapter 9: one switch over bmRequestType and bRequest together, so a
 * request to the wrong recipient matches no case and is refused like an unknown one.
 */
#include "requests.h"

#include "common/protocol/ear_protocol.h"
#include "descriptors.h"
#include "ep0.h"
#include "fpga.h"
#include "fx2lp.h"
#include "link.h"

/* bmRequestType in the high byte, bRequest in the low one. */
enum standard_request {
	GET_DEVICE_STATUS = 0x8000,
	GET_INTERFACE_STATUS = 0x8100,
	GET_ENDPOINT_STATUS = 0x8200,
	CLEAR_ENDPOINT_FEATURE = 0x0201,
	SET_ENDPOINT_FEATURE = 0x0203,
	GET_DESCRIPTOR = 0x8006,
	GET_CONFIGURATION = 0x8008,
	SET_CONFIGURATION = 0x0009,
	GET_INTERFACE = 0x810A,
	SET_INTERFACE = 0x010B,
};

#define FEATURE_ENDPOINT_HALT 0

bool requests_configured;

void requests_configure(bool configured)
{
	requests_configured = configured;
	fpga_release();
	link_restore();
}

static bool is_endpoint(void)
{
	if (setup.index == 0x00 || setup.index == 0x80)
		return true;
	return requests_configured &&
	       (setup.index == EAR_USB_ENDPOINT_IN || setup.index == EAR_USB_ENDPOINT_OUT);
}

static bool is_bulk(void)
{
	return setup.index != 0x00 && setup.index != 0x80;
}

static void send_status(bool known, bool halted)
{
	if (!known || setup.value != 0) {
		ep0_refuse(EAR_USB_ERROR_VALUE);
		return;
	}
	EP0BUF[0] = halted;
	EP0BUF[1] = 0;
	ep0_send(2);
}

static void change_halt(bool halt)
{
	if (!is_endpoint() || setup.value != FEATURE_ENDPOINT_HALT || setup.length != 0) {
		ep0_refuse(EAR_USB_ERROR_VALUE);
		return;
	}
	if (is_bulk() && halt)
		link_set_halt((uint8_t)setup.index);
	else if (is_bulk())
		link_clear_halt((uint8_t)setup.index);
	ep0_acknowledge();
}

static void send_descriptor(void)
{
	uint8_t size = descriptors_put(setup.value >> 8, setup.value & 0xFF);

	if (size == 0)
		ep0_refuse(EAR_USB_ERROR_VALUE);
	else
		ep0_send(size);
}

static void send_byte(bool known, uint8_t value)
{
	if (!known || setup.value != 0) {
		ep0_refuse(EAR_USB_ERROR_VALUE);
		return;
	}
	EP0BUF[0] = value;
	ep0_send(1);
}

static void set_configuration(void)
{
	if (setup.value > 1 || setup.index != 0 || setup.length != 0) {
		ep0_refuse(EAR_USB_ERROR_VALUE);
		return;
	}
	requests_configure(setup.value == 1);
	ep0_acknowledge();
}

static void set_interface(void)
{
	if (!requests_configured || setup.value != 0 || setup.index != 0 || setup.length != 0) {
		ep0_refuse(EAR_USB_ERROR_VALUE);
		return;
	}
	requests_configure(true);
	ep0_acknowledge();
}

void requests_standard(void)
{
	switch ((uint16_t)setup.type << 8 | setup.request) {
	case GET_DEVICE_STATUS: send_status(setup.index == 0, false); break;
	case GET_INTERFACE_STATUS:
		send_status(requests_configured && setup.index == 0, false);
		break;
	case GET_ENDPOINT_STATUS:
		send_status(is_endpoint(), is_bulk() && link_is_halted((uint8_t)setup.index));
		break;
	case CLEAR_ENDPOINT_FEATURE: change_halt(false); break;
	case SET_ENDPOINT_FEATURE: change_halt(true); break;
	case GET_DESCRIPTOR: send_descriptor(); break;
	case GET_CONFIGURATION: send_byte(setup.index == 0, requests_configured); break;
	case SET_CONFIGURATION: set_configuration(); break;
	case GET_INTERFACE: send_byte(requests_configured && setup.index == 0, 0); break;
	case SET_INTERFACE: set_interface(); break;
	default: ep0_refuse(EAR_USB_ERROR_REQUEST); break;
	}
}
