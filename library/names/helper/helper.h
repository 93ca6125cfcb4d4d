#ifndef EAR_HELPER_H
#define EAR_HELPER_H

#include <stddef.h>
#include <stdint.h>

#include "library/names/wire.h"

/* What earshot-names does with a request. Everything that reads ELF or DWARF is here, in a process
 * that may be taken over by it; so nothing here protects itself beyond what keeps honest files
 * working: whole bounds are the process's (memory, time) and the client's.
 */
struct ear_helper;

struct ear_helper *ear_helper_new(void); /* NULL: no memory */
void ear_helper_free(struct ear_helper *helper);

/* Answer one request. fd: the descriptor that came with it, -1 none; the callee closes it.
 *
 * Returns the kind of the answer, whose bytes are in *answer: that of the request, or
 * EAR_MESSAGE_ERROR with a sentence.
 */
uint32_t ear_helper_answer(struct ear_helper *helper, uint32_t kind, uint32_t file, int fd,
	const uint8_t *bytes, size_t size, struct ear_wire *answer);

#endif
