#ifndef EAR_SYMBOL_FILE_H
#define EAR_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_FILE_SHA256 65 /* hexadecimal digits and a NUL */

/* Where the symbols on a command line come from: --elf, else the program that was or will be
 * traced, if that is known and its file is still the same.
 */
struct symbol_file {
	const char *elf;     /* --elf; NULL: not given */
	bool anyway;         /* --elf-anyway: another program than the traced one, too */
	const char *program; /* path of the traced program; "" or NULL: not known */
	char sha256[SYMBOL_FILE_SHA256]; /* of that; "": not known */
	struct symbols *symbols;         /* NULL until the first symbol is asked for */
};

/* If --elf was given: is it an ELF file with symbols, and that of the traced program? Returns false
 * after printing why not, with both hashes.
 */
bool symbol_file_check(struct symbol_file *file);

/* The addresses of text[0 .. size-1]: SYMBOL is all of a function or object, SYMBOL+OFFSET (decimal
 * or 0x) one address. option ("--pc") begins the message. Returns false after printing what is
 * wrong.
 */
bool symbol_file_find(struct symbol_file *file, const char *option, const char *text, size_t size,
	uint64_t *first, uint64_t *last);

/* The SHA-256 of a regular file. Returns false with errno. */
bool symbol_file_hash(char sha256[SYMBOL_FILE_SHA256], const char *path);

void symbol_file_close(struct symbol_file *file);

#endif
