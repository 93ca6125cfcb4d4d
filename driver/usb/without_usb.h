#ifndef EAR_WITHOUT_USB_H
#define EAR_WITHOUT_USB_H

/* What a build without libusb and libftdi (EAR_DEVICES=OFF) says of usb: and ftdi:. */
#define EAR_WITHOUT_USB "this earshot was built without devices on USB (EAR_DEVICES=OFF)"

#endif
