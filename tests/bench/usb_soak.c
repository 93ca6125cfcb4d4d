/* A capture from usb: that continues while everything that happens on a bus happens, and the
 * account of it: each frame that the unit made was received with the right bytes, or is missing at
 * a place where the host told of a loss.
 *
 *   usb_soak [SECONDS [MEGABYTES-A-SECOND [SEED [packets|transfers]]]]      (60 40 1 packets)
 *
 * packets: each frame is a packet of its own and ends a transfer: the most work for the host.
 * transfers: the frames follow each other without short packets, 16 KiB to a transfer, as from a
 * unit that has more to send than the link takes.
 *
 * The device is emulated in this process (tests/usb/emulation): libusb is the real one, the kernel
 * and the cable are not. Prints a line each minute and the statistics at the end. Status 1 if a
 * byte was wrong, something was missing without a word, the memory grew, or the capture did not end
 * well.
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include <earshot/error.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/message.h"
#include "driver/base/clock.h"
#include "driver/session/session.h"
#include "fx2_model.h"
#include "thread_times.h"
#include "usb_bus.h"

#define FRAME_RECORDS   FAKE_RECORDS_MAX /* nearly a packet */
#define CATCH_UP_MS     100   /* the unit waits no longer than that, and is faster afterwards */
#define SILENCE_MS      60000 /* a capture that gives nothing for so long hangs */
#define SETTLED_SECONDS 120   /* from here on memory may not grow */
#define GROWTH_MAX_KIB  4096

static double seconds = 60, rate = 40e6;
static unsigned long seed = 1;
static bool whole_transfers;

static struct fx2_model fx2;
static struct usb_model plugged; /* fx2, behind the functions of this file */

static _Noreturn void fail(const char *text)
{
	printf("usb_soak: %s\n", text);
	fflush(stdout);
	_exit(1);
}

/* -- The device: the model, at a rate, with one more fault -- */

static atomic_bool eats; /* the next packet is too long for the transfer, and is lost by that */
static _Atomic uint64_t silent_until_ms;
static uint64_t pace_begin_ms, pace_bytes; /* the device's thread */

/* May something be made now? */
static bool is_due(void)
{
	uint64_t now_ms = ear_clock_ms();
	double due = rate * (double)(now_ms - pace_begin_ms) / 1000;

	if (now_ms < atomic_load(&silent_until_ms))
		return false;
	if (due - (double)pace_bytes > rate * CATCH_UP_MS / 1000) {
		pace_begin_ms = now_ms;
		pace_bytes = 0;
	}
	return due > (double)pace_bytes;
}

static int device_in(
	struct usb_model *model, uint8_t endpoint, uint8_t *bytes, size_t size, bool *ends)
{
	uint8_t lost[EAR_USB_PACKET_HIGH];
	size_t used = 0;

	(void)model;
	if (!is_due())
		return 0;
	if (atomic_exchange(&eats, false)) {
		fx2.base.in(&fx2.base, endpoint, lost, sizeof(lost), ends);
		return -EOVERFLOW;
	}
	do {
		int moved = fx2.base.in(&fx2.base, endpoint, bytes + used, size - used, ends);

		if (moved < 0 && used == 0)
			return moved;
		if (moved <= 0)
			break;
		used += (size_t)moved;
	} while (whole_transfers && size - used >= EAR_USB_PACKET_HIGH);
	pace_bytes += used;
	return (int)used;
}

static int device_control(
	struct usb_model *model, const uint8_t setup[8], uint8_t *data, size_t length)
{
	(void)model;
	return fx2.base.control(&fx2.base, setup, data, length);
}

static int device_out(struct usb_model *model, uint8_t endpoint, const uint8_t *bytes, size_t size)
{
	(void)model;
	return fx2.base.out(&fx2.base, endpoint, bytes, size);
}

static void device_clear_halt(struct usb_model *model, uint8_t endpoint)
{
	(void)model;
	fx2.base.clear_halt(&fx2.base, endpoint);
}

static void make_device(void)
{
	fx2_model_init(&fx2);
	fx2.endless = true;
	fx2.endless_records = FRAME_RECORDS;
	plugged = fx2.base;
	plugged.control = device_control;
	plugged.in = device_in;
	plugged.out = device_out;
	plugged.clear_halt = device_clear_halt;
	pace_begin_ms = ear_clock_ms();
}

static uint64_t records_made(void)
{
	pthread_mutex_lock(&fx2.mutex);
	uint64_t order = fx2.unit.order;
	pthread_mutex_unlock(&fx2.mutex);
	return order;
}

/* The unit's records are counted on over a loss of power, so that each of the soak has a number of
 * its own. */
static void lose_power(void)
{
	uint64_t order = records_made();

	fx2_model_power_cycle(&fx2);
	pthread_mutex_lock(&fx2.mutex);
	fx2.unit.order = order;
	pthread_mutex_unlock(&fx2.mutex);
}

/* -- What happens to it: a thread -- */

enum fault {
	FAULT_STALL,
	FAULT_ERROR,     /* EPROTO, EILSEQ or ETIME, once to three times */
	FAULT_OVERFLOW,  /* a packet is lost */
	FAULT_STATUS,    /* a transfer with all its bytes ends badly */
	FAULT_EMPTY,     /* empty packets */
	FAULT_SILENCE,   /* the device has nothing for a while */
	FAULT_NO_MEMORY, /* the kernel has none for transfers, for a while */
	FAULT_PAUSE,     /* the consumer sleeps for longer than the ring lasts */
	FAULT_UNPLUG,    /* and in again, perhaps elsewhere; the unit keeps its power */
	FAULT_POWER,     /* the same, and the unit loses its power */
	FAULT_COUNT,
};

static const char *const fault_texts[FAULT_COUNT] = {"stall", "bus error", "packet too long",
	"transfer with an error and bytes", "empty packets", "silent device", "no memory",
	"consumer asleep", "unplugged, kept power", "unplugged, lost power"};
/* Of 100. */
static const unsigned fault_weights[FAULT_COUNT] = {18, 22, 8, 18, 18, 5, 5, 3, 2, 1};
static atomic_uint fault_counts[FAULT_COUNT];
static atomic_uint pause_ms; /* for the consumer */
static _Atomic uint64_t away_ms;
static atomic_bool quit, over; /* the thread shall end; has ended */

/* The last ones, to tell when something is wrong. */
static struct {
	_Atomic uint64_t ms;
	atomic_uint fault;
} happened[8];
static atomic_uint happened_count;

static uint64_t random_state;

static unsigned draw(unsigned limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % limit;
}

static int draw_error(void)
{
	static const int errors[] = {EPROTO, EILSEQ, ETIME};

	return errors[draw(3)];
}

static void unplug(int *port, bool loses_power)
{
	unsigned away = draw(1500);

	usb_bus_unplug(*port);
	if (loses_power)
		lose_power();
	ear_clock_sleep_ms(away);
	atomic_fetch_add(&away_ms, away);
	*port = 2 + (int)draw(4);
	usb_bus_plug(&plugged, *port, true);
	if (draw(4) == 0)
		atomic_store(&fx2.halts_out, true);
}

static void happen(enum fault fault, int *port)
{
	struct usbfs_device *device = usb_bus_device(*port);

	atomic_fetch_add(&fault_counts[fault], 1);
	happened[happened_count % 8].fault = fault;
	happened[happened_count++ % 8].ms = ear_clock_ms();
	switch (fault) {
	case FAULT_STALL: atomic_store(&fx2.halts, true); break;
	case FAULT_ERROR:
		atomic_store(&fx2.in_errors, 1 + (int)draw(3));
		atomic_store(&fx2.in_error, draw_error());
		break;
	case FAULT_OVERFLOW: atomic_store(&eats, true); break;
	case FAULT_STATUS: usbfs_fail(device, USBFS_FAULT_URB, 0, draw_error()); break;
	case FAULT_EMPTY: atomic_store(&fx2.empty_packets, 1 + (int)draw(200)); break;
	case FAULT_SILENCE: atomic_store(&silent_until_ms, ear_clock_ms() + 50 + draw(1000)); break;
	case FAULT_NO_MEMORY:
		usbfs_set_memory(device, 1);
		ear_clock_sleep_ms(20 + draw(200));
		usbfs_set_memory(device, (size_t)16 << 20);
		break;
	case FAULT_PAUSE: atomic_store(&pause_ms, 300 + draw(300)); break;
	case FAULT_UNPLUG: unplug(port, false); break;
	case FAULT_POWER: unplug(port, true); break;
	case FAULT_COUNT: break;
	}
}

static void *faults_thread(void *context)
{
	int port = 3;

	(void)context;
	random_state = seed;
	while (!atomic_load(&quit)) {
		unsigned number = draw(100), fault = 0;

		ear_clock_sleep_ms(20 + draw(980));
		while (number >= fault_weights[fault])
			number -= fault_weights[fault++];
		happen((enum fault)fault, &port);
	}
	atomic_store(&over, true);
	return NULL;
}

/* -- What came: every byte compared, every gap counted -- */

struct check {
	struct fake_unit unit; /* makes what has to come next */
	uint64_t records, frames, frame_bytes, other_frames, bytes;
	uint64_t gaps,
		empty_gaps; /* places where the host told of a loss; where nothing was lost */
	uint64_t lost_records, lost_most;
	uint64_t dropped;   /* bytes that the host says it dropped itself */
	uint64_t inexact;   /* places where more than those was missing */
	uint64_t gap_bytes; /* of dropped, in the gap that was reported last */
	uint64_t cut;       /* bytes of frames without their end */
	bool at_gap;
	uint8_t carry[EAR_FRAME_SIZE_MAX];
	size_t carry_size;
};

static struct check check;

/* The frame of records with the number order: is it this one? */
static bool is_expected(const struct ear_frame *frame, size_t size, uint64_t order)
{
	uint8_t expected[FAKE_FRAME_MAX];

	check.unit.order = order;
	check.unit.sequence = frame->sequence;
	size_t expected_size = fake_unit_records(&check.unit, expected, FRAME_RECORDS);
	return size == expected_size &&
	       !memcmp(frame->payload - EAR_FRAME_HEADER_SIZE, expected, size);
}

static _Noreturn void fail_at(const struct ear_frame *frame, uint64_t next, const char *text)
{
	struct ear_message first;
	int size = ear_message_parse(&first, frame->payload, frame->payload_size);

	printf("frame %u: record %llu is due, this one begins with %llu; byte %llu of the "
	       "capture\n",
		frame->sequence, (unsigned long long)next,
		size > 0 ? (unsigned long long)first.u.retire.entry.order : 0,
		(unsigned long long)check.bytes);
	for (unsigned i = 0; i < 8; i++)
		printf("%u ms ago: %s\n",
			(unsigned)(ear_clock_ms() - happened[(happened_count + i) % 8].ms),
			fault_texts[happened[(happened_count + i) % 8].fault]);
	fail(text);
}

static void check_records(const struct ear_frame *frame, size_t size)
{
	struct ear_message first;
	uint64_t next = check.records + check.lost_records;

	if (!is_expected(frame, size, next)) {
		if (!check.at_gap)
			fail_at(frame, next, "wrong bytes, or something is missing without a word");
		if (ear_message_parse(&first, frame->payload, frame->payload_size) <= 0 ||
			first.u.retire.entry.order < next ||
			!is_expected(frame, size, first.u.retire.entry.order))
			fail_at(frame, next, "wrong bytes behind a gap");
		uint64_t lost = first.u.retire.entry.order - next;
		check.lost_records += lost;
		check.inexact +=
			check.gap_bytes > 0 && lost / FRAME_RECORDS * size != check.gap_bytes;
		if (lost > check.lost_most)
			check.lost_most = lost;
	} else if (check.at_gap) {
		check.empty_gaps++;
	}
	check.at_gap = false;
	check.gap_bytes = 0;
	check.records += FRAME_RECORDS;
	check.frames++;
	check.frame_bytes = size;
}

/* One frame from the front of the bytes; 0 if they are only its beginning. */
static size_t check_frame(const uint8_t *bytes, size_t size)
{
	struct ear_frame frame;
	int used = ear_frame_parse(&frame, bytes, size);

	if (used == EAR_E_MORE)
		return 0;
	if (used < 0)
		fail("bytes that are no frame");
	if (frame.payload[0] == EAR_MSG_RAW32)
		check_records(&frame, (size_t)used);
	else if (frame.payload[0] == EAR_MSG_REPLY || frame.payload[0] == EAR_MSG_STOP)
		check.other_frames++;
	else
		fail("a frame that nobody sent");
	return (size_t)used;
}

static void check_bytes(const uint8_t *bytes, size_t size)
{
	check.bytes += size;
	while (size > 0 && check.carry_size > 0) {
		size_t before = check.carry_size, more = sizeof(check.carry) - before;

		if (more > size)
			more = size;
		memcpy(check.carry + before, bytes, more);
		size_t used = check_frame(check.carry, before + more);
		check.carry_size = used > 0 ? 0 : before + more;
		used = used > 0 ? used - before : more;
		bytes += used;
		size -= used;
	}
	while (size > 0) {
		size_t used = check_frame(bytes, size);

		if (used == 0)
			break;
		bytes += used;
		size -= used;
	}
	memcpy(check.carry, bytes, size);
	check.carry_size = size;
}

static void check_loss(uint64_t size)
{
	if (check.at_gap)
		check.empty_gaps++; /* two in one place */
	check.gaps++;
	check.at_gap = true;
	check.dropped += size;
	check.gap_bytes += size;
	check.cut += check.carry_size;
	check.carry_size = 0;
}

/* -- Memory -- */

static long memory_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long size, resident;

	if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
		fail("cannot tell how much memory is used");
	fclose(file);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* -- The soak -- */

static struct thread_times times;
static long memory_settled, memory_most;

static void tell(const struct ear_session *session, double elapsed)
{
	struct ear_session_statistics now;

	ear_session_statistics(session, &now);
	printf("%5.0f s: %.3f GB received, %llu gaps, returned %llu times, stalls %llu, errors "
	       "%llu, "
	       "overflows %llu, %ld KiB, capture thread %.1f %%\n",
		elapsed, (double)now.received / 1e9, (unsigned long long)check.gaps,
		(unsigned long long)now.reconnect_count, (unsigned long long)now.faults.stalls,
		(unsigned long long)now.faults.errors, (unsigned long long)now.faults.overflows,
		memory_kib(), 100 * times.seconds[THREAD_CAPTURE] / elapsed);
	fflush(stdout);
}

/* Once a second. */
static void look(struct ear_session *session, double elapsed)
{
	static unsigned long minutes;
	long memory = memory_kib();

	thread_times_look(&times);
	if (elapsed < SETTLED_SECONDS || memory_settled == 0)
		memory_settled = memory;
	if (memory > memory_most)
		memory_most = memory;
	if ((unsigned long)(elapsed / 60) > minutes) {
		minutes = (unsigned long)(elapsed / 60);
		tell(session, elapsed);
	}
}

/* The time is over: when nothing happens any more and bytes come, stop. */
static void end_well(struct ear_session *session, uint64_t now_ms)
{
	static uint64_t calm_ms;
	struct ear_session_statistics now;

	atomic_store(&quit, true);
	ear_session_statistics(session, &now);
	if (now.absent || !atomic_load(&over))
		calm_ms = now_ms;
	if (now_ms - calm_ms > 2000)
		ear_session_stop(session);
}

/* Returns how long it took. */
static double run(struct ear_session *session, struct ear_session_item *item)
{
	uint64_t begin_ms = ear_clock_ms(), heard_ms = begin_ms, looked_ms = begin_ms;

	do {
		uint64_t now_ms = ear_clock_ms();
		unsigned sleep_ms = atomic_exchange(&pause_ms, 0);

		item->kind = EAR_SESSION_LOSS;
		if (now_ms - looked_ms >= 1000) {
			looked_ms = now_ms;
			look(session, (double)(now_ms - begin_ms) / 1000);
		}
		if ((double)(now_ms - begin_ms) > seconds * 1000)
			end_well(session, now_ms);
		if (sleep_ms > 0)
			ear_clock_sleep_ms(sleep_ms);
		if (ear_session_next(session, item, 50)) {
			if (now_ms - heard_ms > SILENCE_MS)
				fail("nothing has come for a minute");
			continue;
		}
		heard_ms = now_ms;
		if (item->kind == EAR_SESSION_BYTES) {
			check_bytes(item->bytes, item->size);
			ear_session_consume(session, item->size);
		} else if (item->kind == EAR_SESSION_LOSS) {
			check_loss(item->loss_size);
		}
	} while (item->kind != EAR_SESSION_END);
	thread_times_look(&times);
	return (double)(ear_clock_ms() - begin_ms) / 1000;
}

static void account(const struct ear_session_statistics *statistics, double elapsed)
{
	static const char *const thread_texts[THREAD_KINDS] = {"capture thread (libusb, transport)",
		"consumer (session, comparing)", "emulated device", "other threads"};
	uint64_t made = records_made(), size = check.frame_bytes;
	uint64_t frames = made / FRAME_RECORDS; /* whole ones */
	double away = (double)atomic_load(&away_ms) / 1000;

	printf("\nran %.1f s, seed %lu, %s; unplugged for %.1f s of it\n", elapsed, seed,
		whole_transfers ? "16 KiB to a transfer" : "a frame to a transfer", away);
	printf("made      %llu frames of %llu bytes: %.3f GB, %.2f MB/s while plugged in\n",
		(unsigned long long)frames, (unsigned long long)size, (double)(frames * size) / 1e9,
		(double)(frames * size) / 1e6 / (elapsed - away));
	printf("received  %llu frames, every byte right; and %llu replies and the like\n",
		(unsigned long long)check.frames, (unsigned long long)check.other_frames);
	printf("lost      %llu frames in %llu gaps (most in one: %llu), %llu other gaps without a "
	       "loss; %llu bytes of cut frames\n",
		(unsigned long long)(check.lost_records / FRAME_RECORDS),
		(unsigned long long)(check.gaps - check.empty_gaps),
		(unsigned long long)(check.lost_most / FRAME_RECORDS),
		(unsigned long long)check.empty_gaps, (unsigned long long)check.cut);
	printf("          of them dropped while the ring was full: %llu bytes at %llu places, "
	       "more was missing at %llu of them\n",
		(unsigned long long)check.dropped, (unsigned long long)statistics->drop_count,
		(unsigned long long)check.inexact);
	printf("missing without a word: %lld frames\n",
		(long long)(made - check.records - check.lost_records) / FRAME_RECORDS);
	printf("host: returned %llu times, %llu stalls, %llu errors, %llu overflows, %llu control "
	       "words sent again\n",
		(unsigned long long)statistics->reconnect_count,
		(unsigned long long)statistics->faults.stalls,
		(unsigned long long)statistics->faults.errors,
		(unsigned long long)statistics->faults.overflows,
		(unsigned long long)statistics->control_resent);
	for (int i = 0; i < FAULT_COUNT; i++)
		printf("fault %-33s %u\n", fault_texts[i], atomic_load(&fault_counts[i]));
	for (int i = 0; i < THREAD_KINDS; i++)
		printf("cpu %-35s %.1f s, %.2f %%, %.2f s/GB\n", thread_texts[i], times.seconds[i],
			100 * times.seconds[i] / elapsed,
			times.seconds[i] / (double)check.bytes * 1e9);
	printf("memory %ld KiB when settled, at most %ld KiB, now %ld KiB\n", memory_settled,
		memory_most, memory_kib());
}

static void read_arguments(int argc, char **argv)
{
	if (argc > 1)
		seconds = strtod(argv[1], NULL);
	if (argc > 2)
		rate = 1e6 * strtod(argv[2], NULL);
	if (argc > 3)
		seed = strtoul(argv[3], NULL, 10);
	whole_transfers = argc > 4 && !strcmp(argv[4], "transfers");
	if (argc > 5 || seconds <= 0 || rate <= 0 ||
		(argc > 4 && !whole_transfers && strcmp(argv[4], "packets") != 0))
		fail("usage: usb_soak [SECONDS [MEGABYTES-A-SECOND [SEED [packets|transfers]]]]");
}

int main(int argc, char **argv)
{
	struct ear_session_statistics statistics;
	struct ear_session_options options;
	struct ear_capture_config config;
	struct ear_session_item item;
	struct ear_session *session;
	struct ear_report report;
	pthread_t thread;

	usb_bus_begin(argv);
	thread_times_begin(&times);
	read_arguments(argc, argv);
	usb_bus_open();
	usb_bus_set_megabytes(16);
	make_device();
	fake_unit_init(&check.unit);
	usb_bus_plug(&plugged, 3, true);
	ear_session_options_init(&options);
	options.reconnect_timeout_ms = EAR_SESSION_WAIT_FOR_EVER;
	ear_capture_config_init(&config);
	if (ear_session_open(&session, "usb:", &options, &report))
		fail(report.text);
	if (ear_session_start(session, &config))
		fail(ear_session_message(session));
	if (pthread_create(&thread, NULL, faults_thread, NULL))
		fail("cannot start a thread");
	pthread_setname_np(thread, "soak-faults");
	double elapsed = run(session, &item);
	pthread_join(thread, NULL);
	ear_session_statistics(session, &statistics);
	account(&statistics, elapsed);
	if (item.end->reason != EAR_SESSION_END_STOP)
		fail(item.end->report.text);
	if (records_made() != check.records + check.lost_records)
		fail("something is missing without a word");
	if (elapsed > 2 * SETTLED_SECONDS && memory_most > memory_settled + GROWTH_MAX_KIB)
		fail("the memory has grown");
	ear_session_close(session);
	usb_bus_unplug(usb_bus_device(2) ? 2 : usb_bus_device(3) ? 3 : usb_bus_device(4) ? 4 : 5);
	if (usb_bus_open_files() || usb_bus_unreaped())
		fail("files or transfers were left behind");
	usb_bus_close();
	fx2_model_fini(&fx2);
	printf("all of it is accounted for\n");
	return 0;
}
