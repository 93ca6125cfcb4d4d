#ifndef USBFS_H
#define USBFS_H

#include <pthread.h>
#include <stdatomic.h>

#include "usb_model.h"

/* The kernel's side of /dev/bus/usb: the ioctls that libusb uses, on top of a model, with a thread
 * for each device that moves the bytes. Behaves as Linux 6.1 with an xHCI controller, as far as
 * libusb can tell.
 */
struct usbfs_device;
struct usbfs_file; /* one open() of it */

/* A test may make any of these fail, the one with this number, counted from now. */
enum usbfs_fault {
	USBFS_FAULT_IOCTL, /* an ioctl returns -1 with errno */
	USBFS_FAULT_URB,   /* a bulk or control transfer ends with this status, as -errno */
	USBFS_FAULT_KINDS,
};

struct usbfs_device *usbfs_new(struct usb_model *model, int bus, int address);

/* All files must be closed, and the device disconnected. */
void usbfs_free(struct usbfs_device *device);

/* The device is pulled out. Files stay open; everything but reaping gives ENODEV. */
void usbfs_disconnect(struct usbfs_device *device);

/* The operation with this number (0 the next one) fails with this errno. -1: none. Counts anew. An
 * ioctl that fails with ENODEV is the moment at which the device is pulled out. */
void usbfs_fail(struct usbfs_device *device, enum usbfs_fault fault, long number, int error);

/* Operations of this kind since the last usbfs_fail. */
long usbfs_operations(struct usbfs_device *device, enum usbfs_fault fault);

/* Bytes that all transfers of a file may have in all; 0 no limit. Linux: 16 MiB. */
void usbfs_set_memory(struct usbfs_device *device, size_t size);

/* A driver of the kernel has the interface, until somebody detaches it. */
void usbfs_set_driver(struct usbfs_device *device, bool bound);
bool usbfs_driver_bound(struct usbfs_device *device);

/* Somebody else has claimed the interface. */
void usbfs_set_busy(struct usbfs_device *device, bool busy);

/* The model has something new for the host. */
void usbfs_kick(struct usbfs_device *device);

/* Files that are open now, and transfers that were not reaped when their file was closed: those are
 * leaks of the program under test. */
int usbfs_open_files(struct usbfs_device *device);
int usbfs_unreaped(struct usbfs_device *device);

struct usbfs_file *usbfs_open(struct usbfs_device *device);
void usbfs_close(struct usbfs_file *file);

/* The writing end of a pipe in place of the file: poll gives POLLOUT when something can be
 * reaped, and POLLERR when the device has gone. */
int usbfs_fd(struct usbfs_file *file);

/* Returns 0 or more, or a negative errno. */
int usbfs_ioctl(struct usbfs_file *file, unsigned long request, void *argument);

#endif
