/* Every transport, a row each, found by the beginning of a device's name. Transports themselves
 * know nothing of this list.
 */
#include "driver/transports.h"

#include <string.h>

#include "common/error.h"
#include "driver/stream/transport_file.h"
#include "driver/stream/transport_sim.h"
#include "driver/stream/transport_tcp.h"
#include "driver/stream/transport_uart.h"
#include "driver/usb/transport_ftdi.h"
#include "driver/usb/transport_usb.h"

typedef int open_function(
	struct ear_transport **transport, const char *device, struct ear_report *report);

/* All transports, by the beginning of the device's name. */
static const struct {
	const char *scheme;
	open_function *open;
} schemes[] = {
	{"sim:", ear_transport_sim_open},
	{"file:", ear_transport_file_open},
	{"usb:", ear_transport_usb_open},
	{"ftdi:", ear_transport_ftdi_open},
	{"uart:", ear_transport_uart_open},
	{"tcp:", ear_transport_tcp_open},
};

int ear_transport_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	*transport = NULL;
	if (ear_transport_interrupted())
		return ear_report_set(
			report, EAR_E_NO_DEVICE, "%s: interrupted; it was not opened", device);
	for (unsigned i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (!strncmp(device, schemes[i].scheme, strlen(schemes[i].scheme)))
			return schemes[i].open(transport, device, report);
	return ear_report_set(report, EAR_E_BAD_ARGUMENT,
		"%s: not a device name (they begin with sim:, usb:, ftdi:, uart:, tcp: or "
		"file:)",
		device);
}
