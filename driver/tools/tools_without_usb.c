/* What the list and the doctor say of USB in a build without devices (EAR_DEVICES=OFF): that it has
 * none, and what to do. A build has either this file, or list_usb.c and doctor_usb.c.
 */
#include <stdio.h>

#include "driver/tools/doctor_usb.h"
#include "driver/tools/list_usb.h"
#include "driver/usb/without_usb.h"

size_t ear_device_list_usb(struct ear_device *devices, size_t capacity)
{
	if (capacity == 0)
		return 0;
	*devices = (struct ear_device){.name = "usb: ftdi:", .kind = "devices on USB"};
	snprintf(devices->detail, sizeof(devices->detail), "%s", EAR_WITHOUT_USB);
	return 1;
}

void ear_doctor_firmware(struct ear_doctor_state *doctor)
{
	(void)doctor; /* ear_doctor_usb says it once */
}

void ear_doctor_usb(struct ear_doctor_state *doctor, bool opens)
{
	(void)opens;
	ear_doctor_subject(doctor, "USB");
	ear_doctor_add(doctor,
		"install libusb-1.0-0-dev and libftdi1-dev, and build with EAR_DEVICES=ON; or "
		"capture on another machine, with earshot serve there and -d tcp: here",
		"%s", EAR_WITHOUT_USB);
}
