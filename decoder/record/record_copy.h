#ifndef EAR_RECORD_COPY_H
#define EAR_RECORD_COPY_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>

/* A copy of a record and of all that it points to, in memory of its own. The next record that is
 * set uses the same memory again.
 */
struct ear_record_copy {
	struct ear_record record;
	char *memory;
	size_t capacity;
};

/* Replace the copy by one of record; all zero is an empty copy. Returns 0, or EAR_E_NO_MEMORY and
 * leaves the copy as it was.
 */
int ear_record_copy_set(struct ear_record_copy *box, const struct ear_record *record);

void ear_record_copy_fini(struct ear_record_copy *box);

/* Does it hold the line number of the record and nothing else? */
static inline bool ear_record_extra_is_bare(const struct ear_record_extra *extra)
{
	return (extra->walk_count | extra->read_count | extra->time_unit.size | extra->source.size |
		       extra->disassembly.size | extra->sources.size | extra->info.size |
		       extra->mode_name.size | extra->has_trap_value | extra->wide_opcode |
		       extra->has_trigger | extra->has_task | extra->task_name.size) == 0 &&
	       !extra->disassembly.text && !extra->sources.text && !extra->info.text &&
	       !extra->access_times && !extra->inferred;
}

/* Copy a record into the caller's memory. memory is aligned to 8 bytes and has room for
 * ear_record_clone_size, which is a multiple of 8.
 */
size_t ear_record_clone_size(const struct ear_record *record);
void ear_record_clone(struct ear_record *to, char *memory, const struct ear_record *from);

#endif
