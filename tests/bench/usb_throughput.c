/* How many megabytes a second go through usb: and ftdi: and the ring to a consumer that looks at
 * every byte. The device is emulated in this process (tests/usb/emulation): libusb is the real one,
 * the kernel and the bus are not. So this measures the host's own part, not what a cable carries.
 *
 *   usb_throughput [MEGABYTES]      for each line (2048)
 *
 * Lines, "what: MB/s", and the seconds of processor time that each thread took for a gigabyte:
 *   usb    an FX2LP that always has full packets
 *   ftdi   an FT232H that always has full packets, the status taken out of each
 *
 * All bytes are compared with what was sent; a wrong, missing or dropped byte ends the program with
 * status 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/base/clock.h"
#include "driver/session/feed.h"
#include "driver/transports.h"
#include "ftdi_model.h"
#include "fx2_model.h"
#include "thread_times.h"
#include "usb_bus.h"

#define RING_SIZE ((size_t)8 << 20)

static uint64_t total;

static _Noreturn void fail(const char *text)
{
	fprintf(stderr, "usb_throughput: %s\n", text);
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* bytes[0 .. size-1] stand at this offset of the stream of 64-bit numbers. */
static void check(const uint8_t *bytes, size_t size, uint64_t offset)
{
	uint64_t number = offset / 8, word, wrong = 0;
	size_t i = 0;

	for (; i < size && (offset + i) % 8 != 0; i++)
		wrong |= bytes[i] ^ (uint8_t)(number >> 8 * ((offset + i) % 8));
	number = (offset + i) / 8;
	for (; i + 8 <= size; i += 8) {
		memcpy(&word, bytes + i, 8);
		wrong |= word ^ number++;
	}
	for (; i < size; i++)
		wrong |= bytes[i] ^ (uint8_t)(number >> 8 * ((offset + i) % 8));
	if (wrong)
		fail("a wrong byte");
}

static void measure(const char *what, const char *device)
{
	static struct ear_feed feed;
	static struct thread_times before, times;
	struct ear_transport_sink sink = {ear_feed_push, ear_feed_end, &feed, ear_feed_lose};
	struct ear_transport *transport;
	struct ear_report report;
	uint64_t offset = 0;

	thread_times_begin(&times);
	if (ear_feed_init(&feed, RING_SIZE, true))
		fail("out of memory");
	if (ear_transport_open(&transport, device, &report))
		fail(report.text);
	thread_times_look(&times);
	before = times;
	double begin = now();
	if (ear_transport_start(transport, &sink, &report))
		fail(report.text);
	while (offset < total) {
		struct ear_feed_item item;

		if (ear_feed_next(&feed, &item, ear_clock_ms() + 10000))
			fail("nothing came for 10 s");
		if (item.kind != EAR_FEED_BYTES)
			fail("a loss, or the end");
		check(item.bytes, item.size, offset);
		offset += item.size;
		ear_feed_consume(&feed, item.size);
	}
	double seconds = now() - begin, gigabytes = (double)offset / 1e9;
	thread_times_look(&times);
	ear_feed_cancel(&feed);
	ear_transport_close(transport);
	ear_feed_fini(&feed);
	printf("%s: %.0f MB/s; s/GB: capture thread %.2f, consumer %.2f, emulated device %.2f\n",
		what, 1000 * gigabytes / seconds,
		(times.seconds[THREAD_CAPTURE] - before.seconds[THREAD_CAPTURE]) / gigabytes,
		(times.seconds[THREAD_CONSUMER] - before.seconds[THREAD_CONSUMER]) / gigabytes,
		(times.seconds[THREAD_DEVICE] - before.seconds[THREAD_DEVICE]) / gigabytes);
}

int main(int argc, char **argv)
{
	static struct fx2_model fx2;
	static struct ftdi_model ftdi;
	unsigned long megabytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 2048;

	if (argc > 2 || megabytes == 0)
		fail("usage: usb_throughput [MEGABYTES]");
	total = (uint64_t)megabytes * 1000000;
	usb_bus_begin(argv);
	usb_bus_open();
	fx2_model_init(&fx2);
	fx2.pattern = true;
	usb_bus_plug(&fx2.base, 3, true);
	measure("usb", "usb:");
	usb_bus_unplug(3);
	fx2_model_fini(&fx2);
	ftdi_model_init(&ftdi);
	ftdi.pattern = true;
	usb_bus_plug(&ftdi.base, 3, true);
	measure("ftdi", "ftdi:");
	usb_bus_close();
	ftdi_model_fini(&ftdi);
	return 0;
}
