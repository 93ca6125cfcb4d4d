#ifndef EAR_FINGERPRINT_H
#define EAR_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#define EAR_FINGERPRINT_SIZE 256

/* What a file is that is no trace which can be read: "this is an ELF file; ...", with the tool and
 * its version where the file names them, and with what to do; "" if that is unknown. bytes: its
 * beginning, 4 KiB if it has them. */
void ear_fingerprint(char text[EAR_FINGERPRINT_SIZE], const uint8_t *bytes, size_t size);

#endif
