/* The kernel's usbfs: submitted transfers wait in a list for each file, a thread for each device
 * lets the model fill them, and reaping takes them out in the order of completion. A pipe stands in
 * for the file, since libusb polls it. Every operation is counted, so that a test can make the Nth
 * of a kind fail.
 */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ, pthread_setname_np */
#include "usbfs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A transfer in the kernel. */
struct urb {
	struct urb *next;
	struct usbdevfs_urb *user;
	size_t done;
	bool active; /* the device's thread is in it, without the lock */
	bool killed;
	int status;
};

struct urb_list {
	struct urb *first, **last;
};

struct usbfs_file {
	struct usbfs_device *device;
	struct usbfs_file *next;
	struct urb_list pending, reapable; /* in order */
	bool claimed;
	int read_fd, write_fd;
	bool ready;
	size_t memory;
};

struct fault {
	long count, number;
	int error;
};

struct usbfs_device {
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* for the device's thread */
	pthread_cond_t idle;    /* for who waits until it is out of a transfer */
	pthread_t thread;
	struct usb_model *model;
	int bus, address;
	struct usbfs_file *files;
	bool connected, quit, kicked, driver_bound, busy;
	size_t memory_max;
	struct fault faults[USBFS_FAULT_KINDS];
	int unreaped;
};

/* -- Lists -- */

static void append(struct urb_list *list, struct urb *urb)
{
	urb->next = NULL;
	*list->last = urb;
	list->last = &urb->next;
}

static void unlink_urb(struct urb_list *list, struct urb *urb)
{
	struct urb **place = &list->first;

	while (*place != urb)
		place = &(*place)->next;
	*place = urb->next;
	if (!urb->next)
		list->last = place;
}

/* Past the close() of usb_bus.c, which takes the bus's lock, which is taken before ours. */
static void close_quietly(int fd)
{
	syscall(SYS_close, fd);
}

/* The pipe has room for one byte: full is "nothing to reap", empty is POLLOUT. */
static void set_ready(struct usbfs_file *file, bool ready)
{
	char byte = 0;

	if (file->ready == ready || file->read_fd < 0)
		return;
	file->ready = ready;
	ssize_t moved = ready ? read(file->read_fd, &byte, 1) : write(file->write_fd, &byte, 1);
	assert(moved == 1);
	(void)moved;
}

/* Count an operation; returns the errno that it shall fail with, or 0. With the lock. */
static int count_fault(struct usbfs_device *device, enum usbfs_fault kind)
{
	struct fault *fault = &device->faults[kind];

	return fault->count++ == fault->number ? fault->error : 0;
}

static void finish(struct usbfs_file *file, struct urb *urb, int status)
{
	unlink_urb(&file->pending, urb);
	urb->user->status = status;
	urb->user->actual_length = (int)urb->done;
	append(&file->reapable, urb);
	set_ready(file, true);
}

/* Take a transfer away from the device, waiting until its thread is out of it. With the lock. */
static void kill_urb(struct usbfs_file *file, struct urb *urb, int status)
{
	urb->killed = true;
	while (urb->active)
		pthread_cond_wait(&file->device->idle, &file->device->mutex);
	finish(file, urb, status);
}

/* -- The device's thread -- */

static int move_control(struct usbfs_device *device, struct urb *urb, bool *ends)
{
	uint8_t *bytes = urb->user->buffer;
	int moved = usb_model_control(
		device->model, bytes, bytes + 8, (size_t)urb->user->buffer_length - 8);

	*ends = true;
	return moved;
}

static int move_bulk(struct usbfs_device *device, struct urb *urb, bool *ends)
{
	uint8_t *bytes = (uint8_t *)urb->user->buffer + urb->done;
	size_t size = (size_t)urb->user->buffer_length - urb->done;
	int moved =
		urb->user->endpoint & 0x80
			? device->model->in(device->model, urb->user->endpoint, bytes, size, ends)
			: device->model->out(device->model, urb->user->endpoint, bytes, size);

	if (moved >= 0 && (size_t)moved == size)
		*ends = true;
	return moved;
}

/* Give one transfer a chance. Returns true if something changed. With the lock, which is left. */
static bool serve(struct usbfs_device *device, struct usbfs_file *file, struct urb *urb)
{
	bool ends = false;

	urb->active = true;
	pthread_mutex_unlock(&device->mutex);
	int moved = urb->user->type == USBDEVFS_URB_TYPE_CONTROL ? move_control(device, urb, &ends)
								 : move_bulk(device, urb, &ends);
	pthread_mutex_lock(&device->mutex);
	urb->active = false;
	pthread_cond_broadcast(&device->idle);
	if (moved > 0)
		urb->done += (size_t)moved;
	if (urb->killed)
		return true;
	if (moved == -ETIMEDOUT) /* it never answers: the host gives up, some time */
		return false;
	if (moved < 0 || ends) {
		int status = moved < 0 ? moved : 0;
		int error = count_fault(device, USBFS_FAULT_URB);

		if (error && status == 0)
			status = -error;
		finish(file, urb, status);
		return true;
	}
	return moved > 0;
}

/* The first transfer of each endpoint. Returns true if something changed. */
static bool serve_file(struct usbfs_device *device, struct usbfs_file *file)
{
	uint32_t seen = 0;

	for (struct urb *urb = file->pending.first; urb; urb = urb->next) {
		uint8_t endpoint = urb->user->endpoint;
		uint32_t bit = 1u << ((endpoint & 15) + (endpoint & 0x80 ? 16 : 0));

		if (seen & bit)
			continue;
		seen |= bit;
		if (urb->killed)
			continue; /* somebody is about to take it */
		if (serve(device, file, urb))
			return true; /* the list may have changed */
	}
	return false;
}

static void *device_thread(void *context)
{
	struct usbfs_device *device = context;

	pthread_mutex_lock(&device->mutex);
	while (!device->quit) {
		bool changed = false, waiting = false;

		for (struct usbfs_file *file = device->files; file && device->connected;
			file = file->next) {
			waiting |= file->pending.first != NULL;
			changed = serve_file(device, file);
			if (changed)
				break; /* the file may have gone as well */
		}
		if (changed || device->kicked) {
			device->kicked = false;
			continue;
		}
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += 2000000; /* a model that has nothing now is asked again */
		if (until.tv_nsec >= 1000000000) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		if (waiting)
			pthread_cond_timedwait(&device->changed, &device->mutex, &until);
		else
			pthread_cond_wait(&device->changed, &device->mutex);
	}
	pthread_mutex_unlock(&device->mutex);
	return NULL;
}

/* -- For the tests -- */

struct usbfs_device *usbfs_new(struct usb_model *model, int bus, int address)
{
	struct usbfs_device *device = calloc(1, sizeof(*device));
	pthread_condattr_t attributes;

	assert(device);
	pthread_mutex_init(&device->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&device->changed, &attributes);
	pthread_cond_init(&device->idle, &attributes);
	pthread_condattr_destroy(&attributes);
	device->model = model;
	device->bus = bus;
	device->address = address;
	device->connected = true;
	device->memory_max = (size_t)16 << 20;
	for (int i = 0; i < USBFS_FAULT_KINDS; i++)
		device->faults[i].number = -1;
	int error = pthread_create(&device->thread, NULL, device_thread, device);
	assert(!error);
	(void)error;
	pthread_setname_np(device->thread, "usbfs"); /* for who counts the time of threads */
	return device;
}

void usbfs_free(struct usbfs_device *device)
{
	assert(!device->files && !device->connected);
	pthread_cond_destroy(&device->changed);
	pthread_cond_destroy(&device->idle);
	pthread_mutex_destroy(&device->mutex);
	free(device);
}

/* With the lock. */
static void disconnect(struct usbfs_device *device)
{
	device->connected = false;
	for (struct usbfs_file *file = device->files; file; file = file->next) {
		while (file->pending.first)
			kill_urb(file, file->pending.first, -ESHUTDOWN);
		set_ready(file, true);
		if (file->read_fd >= 0)
			close_quietly(file->read_fd); /* the client's end shows POLLERR */
		file->read_fd = -1;
	}
	device->quit = true;
	pthread_cond_broadcast(&device->changed);
}

void usbfs_disconnect(struct usbfs_device *device)
{
	pthread_mutex_lock(&device->mutex);
	disconnect(device);
	pthread_mutex_unlock(&device->mutex);
	pthread_join(device->thread, NULL);
}

void usbfs_fail(struct usbfs_device *device, enum usbfs_fault fault, long number, int error)
{
	pthread_mutex_lock(&device->mutex);
	device->faults[fault] = (struct fault){0, number, error};
	pthread_mutex_unlock(&device->mutex);
}

long usbfs_operations(struct usbfs_device *device, enum usbfs_fault fault)
{
	pthread_mutex_lock(&device->mutex);
	long count = device->faults[fault].count;
	pthread_mutex_unlock(&device->mutex);
	return count;
}

void usbfs_set_memory(struct usbfs_device *device, size_t size)
{
	pthread_mutex_lock(&device->mutex);
	device->memory_max = size;
	pthread_mutex_unlock(&device->mutex);
}

void usbfs_set_driver(struct usbfs_device *device, bool bound)
{
	pthread_mutex_lock(&device->mutex);
	device->driver_bound = bound;
	pthread_mutex_unlock(&device->mutex);
}

bool usbfs_driver_bound(struct usbfs_device *device)
{
	pthread_mutex_lock(&device->mutex);
	bool bound = device->driver_bound;
	pthread_mutex_unlock(&device->mutex);
	return bound;
}

void usbfs_set_busy(struct usbfs_device *device, bool busy)
{
	pthread_mutex_lock(&device->mutex);
	device->busy = busy;
	pthread_mutex_unlock(&device->mutex);
}

void usbfs_kick(struct usbfs_device *device)
{
	pthread_mutex_lock(&device->mutex);
	device->kicked = true;
	pthread_cond_broadcast(&device->changed);
	pthread_mutex_unlock(&device->mutex);
}

int usbfs_open_files(struct usbfs_device *device)
{
	int count = 0;

	pthread_mutex_lock(&device->mutex);
	for (struct usbfs_file *file = device->files; file; file = file->next)
		count++;
	pthread_mutex_unlock(&device->mutex);
	return count;
}

int usbfs_unreaped(struct usbfs_device *device)
{
	pthread_mutex_lock(&device->mutex);
	int count = device->unreaped;
	pthread_mutex_unlock(&device->mutex);
	return count;
}

/* -- Files -- */

struct usbfs_file *usbfs_open(struct usbfs_device *device)
{
	struct usbfs_file *file = calloc(1, sizeof(*file));
	int pipes[2];

	assert(file);
	int error = pipe2(pipes, O_CLOEXEC | O_NONBLOCK);
	assert(!error);
	(void)error;
	fcntl(pipes[1], F_SETPIPE_SZ, 4096); /* one page: one byte fills it */
	file->device = device;
	file->pending.last = &file->pending.first;
	file->reapable.last = &file->reapable.first;
	file->read_fd = pipes[0];
	file->write_fd = pipes[1];
	file->ready = true;
	set_ready(file, false);
	pthread_mutex_lock(&device->mutex);
	file->next = device->files;
	device->files = file;
	pthread_mutex_unlock(&device->mutex);
	return file;
}

int usbfs_fd(struct usbfs_file *file)
{
	return file->write_fd;
}

void usbfs_close(struct usbfs_file *file)
{
	struct usbfs_device *device = file->device;
	struct usbfs_file **place = &device->files;

	pthread_mutex_lock(&device->mutex);
	while (file->pending.first)
		kill_urb(file, file->pending.first, -ENOENT);
	while (*place != file)
		place = &(*place)->next;
	*place = file->next;
	while (file->reapable.first) {
		struct urb *urb = file->reapable.first;

		unlink_urb(&file->reapable, urb);
		device->unreaped++;
		free(urb);
	}
	pthread_mutex_unlock(&device->mutex);
	if (file->read_fd >= 0)
		close_quietly(file->read_fd);
	close_quietly(file->write_fd);
	free(file);
}

static int submit(struct usbfs_file *file, struct usbdevfs_urb *user)
{
	struct usbfs_device *device = file->device;
	size_t size = (size_t)user->buffer_length;

	if (user->type != USBDEVFS_URB_TYPE_CONTROL && !file->claimed)
		return -EINVAL;
	if (device->memory_max && file->memory + size > device->memory_max)
		return -ENOMEM;
	struct urb *urb = calloc(1, sizeof(*urb));
	assert(urb);
	urb->user = user;
	file->memory += size;
	append(&file->pending, urb);
	pthread_cond_broadcast(&device->changed);
	return 0;
}

static int discard(struct usbfs_file *file, const void *user)
{
	struct urb *urb = file->pending.first;

	while (urb && urb->user != user)
		urb = urb->next;
	if (!urb)
		return -EINVAL;
	kill_urb(file, urb, -ENOENT);
	return 0;
}

static int reap(struct usbfs_file *file, void **user)
{
	struct urb *urb = file->reapable.first;

	if (!urb)
		return file->device->connected ? -EAGAIN : -ENODEV;
	unlink_urb(&file->reapable, urb);
	if (!file->reapable.first && file->device->connected)
		set_ready(file, false);
	file->memory -= (size_t)urb->user->buffer_length;
	*user = urb->user;
	free(urb);
	return 0;
}

static int claim(struct usbfs_file *file, bool detach)
{
	struct usbfs_device *device = file->device;

	for (struct usbfs_file *other = device->files; other; other = other->next)
		if (other != file && other->claimed)
			return -EBUSY;
	if (device->busy || (device->driver_bound && !detach))
		return -EBUSY;
	device->driver_bound = false;
	file->claimed = true;
	return 0;
}

/* Attach or detach the kernel's driver. */
static int forward(struct usbfs_device *device, const struct usbdevfs_ioctl *command)
{
	bool bound = device->driver_bound;

	if (command->ioctl_code == USBDEVFS_CONNECT) {
		device->driver_bound = true;
		return bound ? -EBUSY : 0;
	}
	if (command->ioctl_code != USBDEVFS_DISCONNECT)
		return -ENOTTY;
	device->driver_bound = false;
	return bound ? 0 : -ENODATA;
}

static void clear_halt(struct usbfs_device *device, unsigned endpoint)
{
	device->model->clear_halt(device->model, (uint8_t)endpoint);
	device->kicked = true;
	pthread_cond_broadcast(&device->changed);
}

static int get_driver(struct usbfs_file *file, struct usbdevfs_getdriver *question)
{
	if (!file->claimed && !file->device->driver_bound)
		return -ENODATA;
	strcpy(question->driver, file->claimed ? "usbfs" : "ftdi_sio");
	return 0;
}

static int dispatch(struct usbfs_file *file, unsigned long request, void *argument)
{
	struct usbfs_device *device = file->device;

	switch (request) {
	case USBDEVFS_GET_CAPABILITIES:
		*(uint32_t *)argument = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_NO_PACKET_SIZE_LIM |
					USBDEVFS_CAP_BULK_SCATTER_GATHER |
					USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
		return 0;
	case USBDEVFS_CONNECTINFO:
		*(struct usbdevfs_connectinfo *)argument =
			(struct usbdevfs_connectinfo){.devnum = (unsigned)device->address};
		return 0;
	case USBDEVFS_GET_SPEED: return 3;
	case USBDEVFS_CLAIMINTERFACE: return claim(file, false);
	case USBDEVFS_DISCONNECT_CLAIM: return claim(file, true);
	case USBDEVFS_RELEASEINTERFACE: file->claimed = false; return 0;
	case USBDEVFS_GETDRIVER: return get_driver(file, argument);
	case USBDEVFS_IOCTL: return forward(device, argument);
	case USBDEVFS_SETINTERFACE:
	case USBDEVFS_SETCONFIGURATION:
	case USBDEVFS_RESET: return 0;
	case USBDEVFS_CLEAR_HALT: clear_halt(device, *(unsigned *)argument); return 0;
	case USBDEVFS_SUBMITURB: return submit(file, argument);
	case USBDEVFS_DISCARDURB: return discard(file, argument);
	default: return -ENOTTY;
	}
}

int usbfs_ioctl(struct usbfs_file *file, unsigned long request, void *argument)
{
	struct usbfs_device *device = file->device;
	bool reaps = request == USBDEVFS_REAPURBNDELAY || request == USBDEVFS_REAPURB;
	int error = 0;

	pthread_mutex_lock(&device->mutex);
	/* Looking in vain is no operation, and taking a transfer back cannot fail. */
	if (request != USBDEVFS_DISCARDURB && (!reaps || file->reapable.first))
		error = count_fault(device, USBFS_FAULT_IOCTL);
	if (error == ENODEV)
		disconnect(device);
	if (error)
		error = -error;
	else if (reaps)
		error = reap(file, argument);
	else if (!device->connected)
		error = -ENODEV;
	else
		error = dispatch(file, request, argument);
	pthread_mutex_unlock(&device->mutex);
	return error;
}
