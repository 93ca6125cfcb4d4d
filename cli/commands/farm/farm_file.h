#ifndef EAR_FARM_FILE_H
#define EAR_FARM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Files of a farm's folder. Each is written under another name, and gets its own when it is whole:
 * who reads it on another machine sees all of it or nothing.
 */

#define FARM_PATH      4096
#define FARM_HASH_SIZE 65 /* SHA-256 in hexadecimal, and a NUL */

/* FOLDER/format..., into path[0 .. FARM_PATH-1]. Returns false after printing that it is too long.
 */
bool farm_path(char *path, const char *folder, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Begin a file: *temporary is its name for now. Returns NULL after printing why not. */
FILE *farm_file_begin(char *temporary, const char *path);

/* It is whole: written to the disk, then renamed. Returns false after printing why not. */
bool farm_file_end(FILE *file, const char *temporary, const char *path);

/* A word of a line: what is not printable, blank or % as %XX; an empty one is "-", "-" is %2d. */
void farm_put_word(FILE *file, const char *word);

/* Undo it, in place. Returns false if it is none. */
bool farm_get_word(char *word);

/* SHA-256 of a file: all of it, or its first and last MiB. Returns false with errno. */
bool farm_hash(const char *path, bool ends_only, char hash[65], unsigned long long *size);

bool farm_exists(const char *path);

#endif
