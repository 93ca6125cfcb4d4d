/* The calls of struct ear_transport, and what is common to all transports: the request to give up,
 * which a signal handler may set, and adding up the counters of faults.
 */
#include "driver/link/transport.h"

static atomic_bool interrupted;

void ear_transport_interrupt(bool wanted)
{
	atomic_store_explicit(&interrupted, wanted, memory_order_relaxed);
}

bool ear_transport_interrupted(void)
{
	return atomic_load_explicit(&interrupted, memory_order_relaxed);
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
