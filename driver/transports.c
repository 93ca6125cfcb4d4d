/* The table of transports: one row each, chosen by the beginning of a device's name. This is the
 * only file of the driver that knows all of them; the transports do not know the table, so none of
 * them depends on another. A new transport is a file of its own and a row here.
 */
#include "driver/transports.h"

#include <earshot/error.h>
#include <string.h>

#include "driver/stream/transport_file.h"
#include "driver/stream/transport_sim.h"
#include "driver/stream/transport_tcp.h"
#include "driver/stream/transport_uart.h"
#include "driver/usb/transport_ftdi.h"
#include "driver/usb/transport_usb.h"
#include "driver/usb/usb_device.h"

struct row {
	const char *scheme;
	int (*open)(
		struct ear_transport **transport, const char *device, struct ear_report *report);
	struct ear_arrivals *(*arrivals)(void); /* NULL: nothing reports such a device's arrival */
};

/* A serial port is on USB as a rule, often as the second channel of an FT2232H. */
static const struct row rows[] = {
	{"sim:", ear_transport_sim_open, NULL},
	{"file:", ear_transport_file_open, NULL},
	{"usb:", ear_transport_usb_open, ear_usb_arrivals},
	{"ftdi:", ear_transport_ftdi_open, ear_usb_arrivals},
	{"uart:", ear_transport_uart_open, ear_usb_arrivals},
	{"tcp:", ear_transport_tcp_open, NULL},
};

/* NULL: no transport has such a name. */
static const struct row *find_row(const char *device)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strncmp(device, rows[i].scheme, strlen(rows[i].scheme)))
			return &rows[i];
	return NULL;
}

int ear_transport_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	const struct row *row = find_row(device);

	*transport = NULL;
	if (ear_transport_interrupted())
		return ear_report_set(
			report, EAR_E_NO_DEVICE, "%s: interrupted before it was opened", device);
	if (row)
		return row->open(transport, device, report);
	return ear_report_set(report, EAR_E_BAD_ARGUMENT,
		"%s: not a device name (they begin with sim:, usb:, ftdi:, uart:, tcp: or "
		"file:)",
		device);
}

struct ear_arrivals *ear_transport_arrivals(const char *device)
{
	const struct row *row = find_row(device);

	return row && row->arrivals ? row->arrivals() : NULL;
}
