#include "driver/link/transport.h"

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

static atomic_bool interrupted;

void ear_transport_interrupt(bool wanted)
{
	atomic_store_explicit(&interrupted, wanted, memory_order_relaxed);
}

bool ear_transport_interrupted(void)
{
	return atomic_load_explicit(&interrupted, memory_order_relaxed);
}

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

int ear_transport_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	return transport->ops->start(transport, sink, report);
}

int ear_transport_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	return transport->ops->write(transport, bytes, size, timeout_ms, report);
}

void ear_transport_stop(struct ear_transport *transport)
{
	transport->ops->stop(transport);
}

void ear_transport_close(struct ear_transport *transport)
{
	if (transport)
		transport->ops->close(transport);
}

static uint64_t count_of(_Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

void ear_transport_add_faults(
	struct ear_transport_fault_counts *counts, const struct ear_transport *transport)
{
	struct ear_transport_faults *faults = transport->faults;

	if (!faults)
		return;
	counts->stalls += count_of(&faults->stalls);
	counts->errors += count_of(&faults->errors);
	counts->overflows += count_of(&faults->overflows);
	counts->overruns += count_of(&faults->overruns);
	counts->write_again += count_of(&faults->write_again);
}
