#ifndef EAR_QTRACE_FOLDER_H
#define EAR_QTRACE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/qtrace/qtrace_format.h"

/* Folders with the files of a qtrace, for tests. */

/* A new, empty folder, open. Tests remove it with folder_remove. */
int folder_make(void);
void folder_remove(int folder);

/* That of the sample, "raw" or "post", open. */
int folder_open_sample(const char *name);

/* The bytes of a file, to be freed; NULL if there is none. */
uint8_t *folder_read(int folder, enum ear_qtrace_file file, size_t *size);

void folder_write(int folder, enum ear_qtrace_file file, const uint8_t *bytes, size_t size);

/* Copy all files. */
void folder_copy(int to, int from);

/* Fails the test, naming the file and the byte, if two folders differ. */
void folder_assert_equal(int folder, int expected);

#endif
