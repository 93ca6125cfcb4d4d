#ifndef EAR_FINGERPRINT_H
#define EAR_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

/* What a file is that is no trace which can be read: "this is an ELF file; ...", with what to do;
 * "" if that is unknown, never NULL. bytes: its beginning, 4 KiB if it has them. */
const char *ear_fingerprint(const uint8_t *bytes, size_t size);

/* The size of the packets, 64 or 512, if each begins with the two status bytes of an FTDI chip, as
 * far as bytes go; else 0. At least 4 packets must be there. */
size_t ear_fingerprint_ftdi(const uint8_t *bytes, size_t size);

#endif
