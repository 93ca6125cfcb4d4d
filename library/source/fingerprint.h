#ifndef EAR_FINGERPRINT_H
#define EAR_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

/* What a file is that is no trace which can be read: "this is an ELF file; ...", with what to do;
 * "" if that is unknown, never NULL. bytes: its beginning, 4 KiB if it has them. */
const char *ear_fingerprint(const uint8_t *bytes, size_t size);

#endif
