#ifndef REDIRECT_H
#define REDIRECT_H

#include <stdbool.h>
#include <stddef.h>

#include "usb_model.h"

/* A USB device in memory on a usbredir connection: QEMU's usb-redir is the other side, and shows it
 * to the guest as plugged in to its own controller. The protocol's own words: we are the usb-host,
 * the one that has the device.
 *
 * One thread. Every transfer that the guest has queued waits here until the model has something for
 * it, is cancelled, or the device is unplugged.
 */
struct redirect;

/* The connection is fd, which does not block. deconfigured is called when the guest sets the
 * device's configuration to 0, as it does when somebody writes 0 to authorized in sysfs.
 */
struct redirect *redirect_new(int fd, struct usb_model *model, void (*deconfigured)(void));
void redirect_free(struct redirect *redirect);

/* The device is there from now on, or as soon as the other side has said hello. */
void redirect_plug(struct redirect *redirect);
void redirect_unplug(struct redirect *redirect);

/* Read what has come, move bytes between the model and the transfers, send what is ready. Returns
 * false when the other side has gone. */
bool redirect_run(struct redirect *redirect);

/* Does something wait: to be sent, or for the model? */
bool redirect_wants_to_send(const struct redirect *redirect);
bool redirect_wants_data(const struct redirect *redirect);

#endif
