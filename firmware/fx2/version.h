#ifndef VERSION_H
#define VERSION_H

/* Of the firmware itself: one more with every change that a user could see. The version of its
 * requests is EAR_USB_VERSION_MAJOR and _MINOR.
 */
#define FIRMWARE_VERSION 2

#endif
