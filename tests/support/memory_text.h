#ifndef EAR_MEMORY_TEXT_H
#define EAR_MEMORY_TEXT_H

#include <stdio.h>

/* All that was found of the memory of a run, a struct ear_usage that is finished. */
void memory_text_print(void *memory, FILE *file);

#endif
