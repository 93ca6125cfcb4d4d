/* Plugging in and out, and the system calls of libusb that reach a device. open, ioctl and close
 * of the C library are replaced here; a descriptor of a device's node is answered by usbfs.c, all
 * others continue to the C library. umockdev makes the rest: sysfs and the events of udev.
 */
#define _GNU_SOURCE /* RTLD_NEXT, dup3 */
#include "usb_bus.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <umockdev.h>

#define ADDRESS_MAX 128
#define DEVICE_MAX  8192 /* how often a test may plug in */
#define PORT_MAX    16
#define FD_MAX      1024
#define PRELOAD     "libumockdev-preload.so.0"

static UMockdevTestbed *testbed;
static struct usbfs_device *devices[DEVICE_MAX]; /* all there ever were; they stay until the end */
static int device_count;
static struct usbfs_device *device_at[ADDRESS_MAX]; /* the last one with this address */
static int address_last = 1;                        /* 1 is the hub */
static int address_of_port[PORT_MAX];               /* 0 none */
static int forbidden_address;                       /* 0 none */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct usbfs_file *files[FD_MAX]; /* by file descriptor; the mutex protects them */

/* -- open, access, ioctl and close, as libusb finds them -- */

typedef int open_function(const char *path, int flags);
int __open_2(const char *path, int flags);
typedef int access_function(const char *path, int mode);
typedef int ioctl_function(int fd, unsigned long request, ...);
typedef int close_function(int fd);

static bool is_forbidden(const char *path)
{
	int bus, address;

	if (strncmp(path, "/dev/bus/usb/", 13) != 0 ||
		sscanf(path, "/dev/bus/usb/%d/%d", &bus, &address) != 2)
		return false;
	pthread_mutex_lock(&mutex);
	bool forbidden = address == forbidden_address;
	pthread_mutex_unlock(&mutex);
	if (forbidden)
		errno = EACCES;
	return forbidden;
}

/* This is what open becomes in a library that was built with checks, as Debian's are. */
__attribute__((visibility("default"))) int __open_2(const char *path, int flags)
{
	static open_function *next;

	if (is_forbidden(path))
		return -1;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "__open_2");
	return next(path, flags);
}

__attribute__((visibility("default"))) int access(const char *path, int mode)
{
	static access_function *next;

	if (is_forbidden(path))
		return -1;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "access");
	return next(path, mode);
}

/* The address of the device whose node fd is; 0 if it is none. Not by umockdev's eyes, which would
 * translate the name back. */
static int address_of(int fd)
{
	char link[64], target[512];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	long length = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof(target) - 1);
	if (length < 0)
		return 0;
	target[length] = '\0';
	const char *node = strstr(target, "/dev/bus/usb/");
	int bus, address;
	if (!node || sscanf(node, "/dev/bus/usb/%d/%d", &bus, &address) != 2)
		return 0;
	return address;
}

/* The file of a descriptor, opened at its first ioctl. NULL: not ours. */
static struct usbfs_file *file_of(int fd)
{
	struct usbfs_file *file = NULL;

	if (fd < 0 || fd >= FD_MAX)
		return NULL;
	pthread_mutex_lock(&mutex);
	if (!files[fd]) {
		int address = address_of(fd);

		if (address > 0 && address < ADDRESS_MAX && device_at[address]) {
			files[fd] = usbfs_open(device_at[address]);
			dup3(usbfs_fd(files[fd]), fd, O_CLOEXEC);
		}
	}
	file = files[fd];
	pthread_mutex_unlock(&mutex);
	return file;
}

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
	static ioctl_function *next;
	va_list arguments;

	va_start(arguments, request);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	struct usbfs_file *file = _IOC_TYPE(request) == 'U' ? file_of(fd) : NULL;
	if (!file) {
		if (!next)
			*(void **)&next = dlsym(RTLD_NEXT, "ioctl");
		return next(fd, request, argument);
	}
	int result = usbfs_ioctl(file, (unsigned)request, argument);
	if (result >= 0)
		return result;
	errno = -result;
	return -1;
}

__attribute__((visibility("default"))) int close(int fd)
{
	static close_function *next;

	if (fd >= 0 && fd < FD_MAX) {
		pthread_mutex_lock(&mutex);
		struct usbfs_file *file = files[fd];
		files[fd] = NULL;
		pthread_mutex_unlock(&mutex);
		if (file)
			usbfs_close(file);
	}
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "close");
	return next(fd);
}

/* -- The bus -- */

void usb_bus_begin(char **argv)
{
	const char *before = getenv("LD_PRELOAD");
	char libraries[1024];

	if (before && strstr(before, PRELOAD))
		return;
	snprintf(libraries, sizeof(libraries), "%s%s%s", before ? before : "", before ? ":" : "",
		PRELOAD);
	setenv("LD_PRELOAD", libraries, 1);
	execv("/proc/self/exe", argv);
	perror("cannot start again");
	abort();
}

/* The bus itself: a hub, so that ports have a parent. */
static void add_hub(void)
{
	GError *error = NULL;

	if (!umockdev_testbed_add_from_string(testbed,
		    "P: /devices/usb1\nN: bus/usb/001/001\nE: SUBSYSTEM=usb\nE: BUSNUM=001\n"
		    "E: DEVNUM=001\nE: DEVNAME=/dev/bus/usb/001/001\nE: DEVTYPE=usb_device\n"
		    "A: busnum=1\\n\nA: devnum=1\\n\nA: bConfigurationValue=1\\n\nA: speed=480\\n\n"
		    "H: "
		    "descriptors=12010002090001406b1d020006030302010109021900010100e0000904000001"
		    "09000000070581030400ff\n",
		    &error))
		g_error("%s", error->message);
}

void usb_bus_open(void)
{
	testbed = umockdev_testbed_new();
	if (!umockdev_in_mock_environment()) {
		fprintf(stderr, "usb_bus: %s is not loaded\n", PRELOAD);
		abort();
	}
	add_hub();
}

void usb_bus_close(void)
{
	for (int port = 1; port < PORT_MAX; port++)
		if (address_of_port[port])
			usb_bus_unplug(port);
	for (int i = 0; i < device_count; i++)
		usbfs_free(devices[i]);
	g_clear_object(&testbed);
}

/* A file below the folder in place of /; umockdev itself makes attributes of devices only. */
static char *path_in_testbed(const char *path)
{
	return g_strconcat(umockdev_testbed_get_root_dir(testbed), path, NULL);
}

void usb_bus_set_megabytes(int megabytes)
{
	char *folder = path_in_testbed("/sys/module/usbcore/parameters");
	char *name = path_in_testbed("/sys/module/usbcore/parameters/usbfs_memory_mb");

	if (megabytes < 0) {
		unlink(name);
	} else {
		g_mkdir_with_parents(folder, 0755);
		FILE *file = fopen(name, "we");
		assert(file);
		fprintf(file, "%d\n", megabytes);
		fclose(file);
	}
	g_free(folder);
	g_free(name);
}

static void describe(
	GString *text, const struct usb_model *model, int port, int address, bool strings_known)
{
	g_string_append_printf(text,
		"P: /devices/usb1/1-%d\nN: bus/usb/001/%03d\nE: SUBSYSTEM=usb\nE: BUSNUM=001\n"
		"E: DEVNUM=%03d\nE: DEVNAME=/dev/bus/usb/001/%03d\nE: DEVTYPE=usb_device\n"
		"A: busnum=1\\n\nA: devnum=%d\\n\nA: bConfigurationValue=1\\n\nA: speed=480\\n\n",
		port, address, address, address, address);
	if (strings_known && model->strings[2])
		g_string_append_printf(text, "A: product=%s\\n\n", model->strings[2]);
	if (strings_known && model->strings[3])
		g_string_append_printf(text, "A: serial=%s\\n\n", model->strings[3]);
	g_string_append(text, "H: descriptors=");
	for (size_t i = 0; i < sizeof(model->device_descriptor); i++)
		g_string_append_printf(text, "%02x", model->device_descriptor[i]);
	for (size_t i = 0; i < model->config_size; i++)
		g_string_append_printf(text, "%02x", model->config[i]);
	g_string_append(text, "\n");
}

struct usbfs_device *usb_bus_plug(struct usb_model *model, int port, bool strings_known)
{
	GError *error = NULL;
	GString *text = g_string_new(NULL);
	struct usbfs_device *device;

	assert(port > 0 && port < PORT_MAX && !address_of_port[port] && device_count < DEVICE_MAX);
	/* As on a real bus, addresses are used anew when they are through. */
	address_last = address_last + 1 < ADDRESS_MAX ? address_last + 1 : 2;
	device = usbfs_new(model, 1, address_last);
	pthread_mutex_lock(&mutex);
	devices[device_count++] = device;
	device_at[address_last] = device;
	pthread_mutex_unlock(&mutex);
	address_of_port[port] = address_last;
	describe(text, model, port, address_last, strings_known);
	if (!umockdev_testbed_add_from_string(testbed, text->str, &error))
		g_error("%s", error->message);
	g_string_free(text, TRUE);
	return device;
}

void usb_bus_unplug(int port)
{
	char path[64];

	usbfs_disconnect(device_at[address_of_port[port]]);
	address_of_port[port] = 0;
	/* remove_device only deletes the files: who gets the event must still find them. */
	snprintf(path, sizeof(path), "/sys/devices/usb1/1-%d", port);
	umockdev_testbed_uevent(testbed, path, "remove");
	umockdev_testbed_remove_device(testbed, path);
}

struct usbfs_device *usb_bus_device(int port)
{
	return address_of_port[port] ? device_at[address_of_port[port]] : NULL;
}

int usb_bus_open_files(void)
{
	int count = 0;

	for (int i = 0; i < device_count; i++)
		count += usbfs_open_files(devices[i]);
	return count;
}

int usb_bus_unreaped(void)
{
	int count = 0;

	for (int i = 0; i < device_count; i++)
		count += usbfs_unreaped(devices[i]);
	return count;
}

void usb_bus_allow(int port, bool allowed)
{
	pthread_mutex_lock(&mutex);
	forbidden_address = allowed ? 0 : address_of_port[port];
	pthread_mutex_unlock(&mutex);
}

/* -- Sanitizers -- */

__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);
const char *__lsan_default_suppressions(void);

/* What GLib keeps for ever. Nothing of ours is allocated through it. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libglib-2.0\nleak:libgobject-2.0\nleak:libumockdev\n";
}

const char *__tsan_default_suppressions(void);

/* These were built without ThreadSanitizer, and use locks that it does not see. closedir: libusb
 * looks for devices in directories. ThreadSanitizer sees them closed but not opened, and takes the
 * number of the file for the one that another thread of libusb had opened before and closed.
 */
const char *__tsan_default_suppressions(void)
{
	return "race:libglib-2.0\nrace:libgobject-2.0\nrace:libgio-2.0\nrace:libumockdev\nrace:"
	       "libudev\nrace:closedir\n";
}

void usb_bus_libusb_may_leak(bool may)
{
	void (*change)(void) = may ? __lsan_disable : __lsan_enable;

	if (change)
		change();
}
