#ifndef EAR_RECORD_BOX_H
#define EAR_RECORD_BOX_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/record/record.h"

/* A record that is kept: a copy of all that a record points to, in memory of its own. The memory
 * is used again for the next record that is put in.
 */
struct ear_record_box {
	struct ear_record record;
	char *memory;
	size_t capacity;
};

/* An empty box is all zero. Returns 0 or EAR_E_NO_MEMORY; the box is unchanged then. */
int ear_record_box_put(struct ear_record_box *box, const struct ear_record *record);

void ear_record_box_fini(struct ear_record_box *box);

/* Does it tell where the record stands in a text, and no more than that? */
static inline bool ear_record_extra_is_bare(const struct ear_record_extra *extra)
{
	return (extra->walk_count | extra->read_count | extra->time_unit.size |
		       extra->disassembly.size | extra->sources.size | extra->info.size |
		       extra->mode_name.size | extra->has_trap_value) == 0 &&
	       !extra->disassembly.text && !extra->sources.text && !extra->info.text;
}

/* A copy in memory of the caller's: how many bytes it takes, a multiple of 8, and the copy into
 * them. memory lies at a multiple of 8. */
size_t ear_record_copy_size(const struct ear_record *record);
void ear_record_copy(struct ear_record *to, char *memory, const struct ear_record *from);

#endif
