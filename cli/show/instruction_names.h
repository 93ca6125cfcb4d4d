#ifndef EAR_INSTRUCTION_NAMES_H
#define EAR_INSTRUCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The text of an instruction for people: registers have the names that programs have for them. With
 * single blanks "c.li     x10, 0x7" becomes "c.li a0, 0x7". text and plain are two buffers. */
void instruction_with_names(const char *plain, bool single_blanks, char *text, size_t size);

#endif
