#ifndef EAR_MEMORY_LINE_H
#define EAR_MEMORY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_types.h"

/* Lines of memory_state.h: what an index keeps. */

/* What has changed since the last call of ear_memory_changes(), or since the beginning. */
struct ear_memory_changes {
	/* Everything was forgotten in between, at least once: earlier changes are void, the lines
	 * are those after the last time. */
	bool forgotten;
	/* With forgotten: segments of the image, by number, that had been written until then, in
	 * this part: what the others hold is still known if they are not writable. */
	uint64_t written;
	size_t count;
	const struct ear_memory_line *lines; /* by address, ascending; owned by the object */
};

/* Valid until the next call with this object. Returns 0; EAR_E_NO_MEMORY; an error of the spill. */
int ear_memory_changes(struct ear_memory *memory, struct ear_memory_changes *changes);

/* What an older line says about bytes that *line leaves open goes into it. Going from new to old,
 * this is done until all of line->settled is set, or the changes were `forgotten`; then
 * ear_memory_line_end().
 */
void ear_memory_line_under(struct ear_memory_line *line, const struct ear_memory_line *older);

/* A line of *memory, with what this object says; settled 0: nothing. Device and volatile bytes are
 * not taken away. Returns 0, or an error of the spill. */
int ear_memory_line(struct ear_memory *memory, uint64_t address, struct ear_memory_line *line);

/* Changes as bytes, at most 91 a line. Returns their size if that is <= size, else what is needed
 * and nothing is written. bytes may be NULL with size 0. */
size_t ear_memory_changes_save(
	const struct ear_memory_changes *changes, uint8_t *bytes, size_t size);

/* Reading them back, one line after the other, from bytes that are not trusted. */
struct ear_memory_loader {
	const uint8_t *at, *end;
	uint64_t count, address; /* lines to come; of the line before */
	bool forgotten, first;
	uint64_t written;
};

/* Returns 0, or EAR_E_BAD_FILE. */
int ear_memory_changes_load(struct ear_memory_loader *loader, const uint8_t *bytes, size_t size);
/* Returns 1 and a line, addresses ascending; 0 at the end; EAR_E_BAD_FILE. */
int ear_memory_changes_next(struct ear_memory_loader *loader, struct ear_memory_line *line);

#endif
