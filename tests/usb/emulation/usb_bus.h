#ifndef USB_BUS_H
#define USB_BUS_H

#include <stdbool.h>

#include "usbfs.h"

/* Devices that are plugged in and out, for libusb in this very process: umockdev shows them in
 * sysfs and sends the uevents, and this file answers the ioctls (usbfs.h). libusb, libudev and
 * libftdi1 are the system's own and do not know it.
 *
 * A program that uses this defines ioctl() and close() by that, and needs umockdev's preload
 * library, which usb_bus_begin sees to.
 */

/* First of all in main: starts the program again with umockdev's library in front if it is not. */
void usb_bus_begin(char **argv);

/* The folder in place of /sys and the rest is made, and removed. In a preload library without
 * usb_bus_begin before. */
void usb_bus_open(void);
void usb_bus_close(void);

/* The kernel's limit for all USB programs; -1: there is no such file. */
void usb_bus_set_megabytes(int megabytes);

/* Plug a model in at port 1-PORT (1 .. 15), under a new address. strings_known: the kernel knows
 * its strings, as it does for most devices. Returns the kernel's side of it, valid until
 * usb_bus_close.
 */
struct usbfs_device *usb_bus_plug(struct usb_model *model, int port, bool strings_known);

/* Pull out what is at this port. */
void usb_bus_unplug(int port);

/* The device at a port now; NULL none. */
struct usbfs_device *usb_bus_device(int port);

/* Files open on any device that was ever plugged in, and transfers that were never reaped. */
int usb_bus_open_files(void);
int usb_bus_unreaped(void);

/* libusb 1.0.26 forgets some memory when it refuses a configuration. Between true and false
 * LeakSanitizer, if there is one, does not look.
 */
void usb_bus_libusb_may_leak(bool may);

/* May the device at this port be opened? Of all devices, one at most may not. */
void usb_bus_allow(int port, bool allowed);

#endif
