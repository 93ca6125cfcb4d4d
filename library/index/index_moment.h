#ifndef EAR_INDEX_MOMENT_H
#define EAR_INDEX_MOMENT_H

#include "library/index/index_walk.h"
#include "library/memory/memory_state.h"
#include "library/state/state.h"

struct ear_call_stacks;

/* Registers, stacks and memory at any position: exactly what the followers of library/state/ give
 * when they get all records before that position from the beginning of the trace.
 *
 * Asked for positions that do not fall, a moment continues where it was. Without an index it reads
 * the trace from its beginning, and for memory once to its end.
 */
struct ear_index_moment;

/* walk stays the caller's; the moment moves it. memory: how memory is followed, as the index was
 * built (devices); key, part, spill and image are not used; what it points to stays the caller's.
 * Returns 0 or EAR_E_NO_MEMORY.
 */
int ear_index_moment_new(struct ear_index_moment **moment, struct ear_index_walk *walk,
	const struct ear_memory_options *memory);
void ear_index_moment_free(struct ear_index_moment *moment);

/* Before any question: what registers hold before the first record (a state filled by
 * ear_state_load); the program's image. Both stay the caller's. */
void ear_index_moment_set_initial(struct ear_index_moment *moment, const struct ear_state *initial);
void ear_index_moment_set_image(
	struct ear_index_moment *moment, const struct ear_memory_segment *segments, size_t count);

/* What will be asked at the same places: a set. Without it each kind of question reads the records
 * from the checkpoint on by itself, which is faster for who asks only one kind. */
enum ear_index_follow {
	EAR_INDEX_FOLLOW_REGISTERS = 1,
	EAR_INDEX_FOLLOW_STACKS = 2,
	EAR_INDEX_FOLLOW_MEMORY = 4,
	EAR_INDEX_FOLLOW_ALL = 7,
};
void ear_index_moment_follow(struct ear_index_moment *moment, unsigned wanted);

/* The state of all registers between the records position - 1 and position; the moment's, valid
 * until its next call. Returns 0, or as ear_index_walk_next. */
int ear_index_state(
	struct ear_index_moment *moment, uint64_t position, const struct ear_state **state);

/* The call stacks there, likewise. */
int ear_index_stacks(
	struct ear_index_moment *moment, uint64_t position, const struct ear_call_stacks **stacks);

/* What the trace says of a byte of memory. */
enum ear_index_byte {
	EAR_INDEX_BYTE_UNKNOWN, /* something may have changed it, and its value was not seen */
	EAR_INDEX_BYTE_KNOWN,
	EAR_INDEX_BYTE_UNTOUCHED, /* it is as it was before the first record: as in the program's
				   * image, if there is one; unknown otherwise */
};

/* Memory there: bytes[0 .. size-1], and an enum ear_index_byte for each; bytes that are not known
 * are 0. size at most 16 MiB, and the addresses do not wrap. */
int ear_index_memory(struct ear_index_moment *moment, uint64_t position, uint64_t address,
	size_t size, uint8_t *bytes, uint8_t *known);

/* Nothing is forgotten by the records at first .. end - 1, and a log of their accesses
 * (index_log.h) says what they did to memory, where it is not complex. */
bool ear_index_has_log(struct ear_index_moment *moment, uint64_t first, uint64_t end);

/* The bytes of a line of memory that are never known, because they are of a device or volatile: a
 * bit for each. Returns 0 and *mask, or as ear_index_memory. */
int ear_index_never_known(struct ear_index_moment *moment, uint64_t line, uint64_t *mask);

#endif
