/* An emulated device for a program that knows nothing of it, such as the built earshot:
 *
 *   EARSHOT_EMULATION=fx2,frames=500
 * LD_PRELOAD=.../usb_emulation_preload.so:libumockdev-preload.so.0
 *
 * The first word is the device: fx2, bare or ftdi. Then, in any order:
 *   frames=N    the program's frames, then STOP     endless     frames for ever
 *   unplug=N    pulled out after N bytes            replug=MS   and in again MS later, without
 * power stall=N     the endpoint halts after N bytes    error=N     a bus error after N bytes
 *   overflow=N  an overlong packet after N bytes    megabytes=N usbfs_memory_mb
 *   fpga=N      bytes of the bitstream that its FPGA wants
 *   channel=N   what an FTDI chip's EEPROM says of channel A: 1 FIFO, 0xFF it is empty
 *   mute forbidden busy major=N                     what their names say
 *
 * At the end a line to standard error says what the program has left open, if it has.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/base/clock.h"
#include "ftdi_model.h"
#include "fx2_model.h"
#include "usb_bus.h"

#define PORT 3

static struct fx2_model fx2;
static struct ftdi_model ftdi;
static struct usb_model *model;
static bool is_ftdi;
static pthread_t watcher;
static bool watching;
static atomic_bool quit;

/* The options; 0 none. */
static uint64_t unplug_at, replug_ms, stall_at, error_at, overflow_at;

static uint64_t option(const char *options, const char *name, uint64_t without)
{
	size_t length = strlen(name);

	for (const char *at = strchr(options, ','); at; at = strchr(at, ',')) {
		at++;
		if (strncmp(at, name, length) != 0)
			continue;
		if (at[length] == '=')
			return strtoull(at + length + 1, NULL, 0);
		if (at[length] == ',' || at[length] == '\0')
			return 1;
	}
	return without;
}

/* Has the device sent so much? Once for each place. */
static bool reached(uint64_t *place, uint64_t sent)
{
	if (*place == 0 || sent < *place)
		return false;
	*place = 0;
	return true;
}

static void *watch(void *context)
{
	(void)context;
	while (!atomic_load(&quit)) {
		uint64_t sent = atomic_load(&fx2.sent);

		ear_clock_sleep_ms(1);
		if (reached(&stall_at, sent))
			atomic_store(&fx2.halts, true);
		if (reached(&overflow_at, sent))
			atomic_store(&fx2.jumbo, true);
		if (reached(&error_at, sent)) {
			atomic_store(&fx2.in_errors, 1);
			atomic_store(&fx2.in_error, EPROTO);
		}
		if (!reached(&unplug_at, sent))
			continue;
		usb_bus_unplug(PORT);
		if (replug_ms == 0)
			continue;
		ear_clock_sleep_ms((unsigned)replug_ms);
		fx2_model_power_cycle(&fx2);
		usb_bus_plug(model, PORT, true);
	}
	return NULL;
}

static void configure(const char *options)
{
	fx2.frame_count = ftdi.frame_count = (unsigned)option(options, "frames", 0);
	fx2.ends = ftdi.ends = fx2.frame_count > 0;
	fx2.endless = ftdi.endless = option(options, "endless", 0);
	ftdi.channel = (uint8_t)option(options, "channel", 1);
	fx2.fpga_size = option(options, "fpga", 0);
	fx2.mute = ftdi.mute = option(options, "mute", 0);
	fx2.base.device_descriptor[13] = (uint8_t)option(options, "major", 1);
	unplug_at = option(options, "unplug", 0);
	replug_ms = option(options, "replug", 0);
	stall_at = option(options, "stall", 0);
	error_at = option(options, "error", 0);
	overflow_at = option(options, "overflow", 0);
}

__attribute__((constructor)) static void begin(void)
{
	const char *options = getenv("EARSHOT_EMULATION");

	if (!options)
		return;
	unsetenv("LD_PRELOAD"); /* not for programs that this one starts */
	is_ftdi = strncmp(options, "ftdi", 4) == 0;
	if (strncmp(options, "bare", 4) == 0)
		fx2_model_init_bare(&fx2);
	else
		fx2_model_init(&fx2);
	ftdi_model_init(&ftdi);
	configure(options);
	model = is_ftdi ? &ftdi.base : &fx2.base;
	usb_bus_open();
	usb_bus_set_megabytes((int)option(options, "megabytes", 16));
	struct usbfs_device *device = usb_bus_plug(model, PORT, true);
	if (option(options, "forbidden", 0))
		usb_bus_allow(PORT, false);
	usbfs_set_busy(device, option(options, "busy", 0));
	watching = pthread_create(&watcher, NULL, watch, NULL) == 0;
}

__attribute__((destructor)) static void end(void)
{
	if (!model)
		return;
	atomic_store(&quit, true);
	if (watching)
		pthread_join(watcher, NULL);
	if (usb_bus_open_files() || usb_bus_unreaped())
		fprintf(stderr, "LEFT: %d files open, %d transfers not reaped\n",
			usb_bus_open_files(), usb_bus_unreaped());
	else
		usb_bus_close();
}
