#ifndef EAR_MEMORY_STATE_H
#define EAR_MEMORY_STATE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_expected.h"
#include "library/memory/memory_line.h"
#include "library/memory/memory_merge.h"
#include "library/memory/memory_types.h"
#include "library/memory/memory_volatile.h"
#include "library/state/run_summary.h"

/* Memory while a trace goes by: which value each byte holds, as far as that is known.
 *
 *     ear_memory_new(&memory, &options);
 *     while (ear_source_next(source, &record) == 1)
 *             ear_memory_push(memory, record);
 *     ear_memory_read(memory, address, bytes, known, 64);
 *     ear_memory_free(memory);
 *
 * A byte is known from the program's image, from what was stored there, and from what a load saw.
 * A byte that is reported as known has that value; in doubt it is unknown:
 *
 * - An access that trapped, that the bus refused or that a mask switched off gives nothing. What a
 *   store may have written without its value being known is unknown afterwards.
 * - Devices (options.devices) are never known. Nor is any byte that is *volatile*: a load differs
 *   from what the byte held, with no store between, so something else writes it. That is seen only
 *   at that load, but holds for the whole trace: see "Volatile bytes" below.
 * - A *gap* makes everything unknown, since the missing records may have written anything; what
 *   the image has in a segment that is not writable stays, if no store was seen in that segment.
 *   A gap is a gap record, an index that jumps (a filter suppressed records) or a hart whose first
 *   one is not 0 or 1, a program counter that is not where the record before went, a time in debug
 * mode, an instruction that stores and whose store the source does not list, a store without a
 * usable address.
 * - .bss is known to be zero only by the stores that clear it: whether a loader clears it, the
 *   trace does not say. The part of a segment that has no bytes in the file is unknown.
 *
 * What cannot be seen: what a filter suppressed of one hart, before its next record, while another
 * hart continues; memory that a device or a debugger writes and no load reads back, two
 * virtual addresses of the same memory, page tables that the hardware writes (their entries are
 * volatile where the source lists page walks), translation by other instruction sets than RISC-V.
 *
 * Several harts share the memory. Addresses are those of ear_memory_key. An access may cross the
 * end of the address space; of 32-bit harts that is 2^32.
 *
 * Time: some nanoseconds for a compact record. Memory: options.size_max, and 40 bytes for each
 * block of 1 KiB that is spilled. One object serves one thread.
 */
/* Returns 0 and an object to be freed; EAR_E_NO_MEMORY. */
int ear_memory_new(struct ear_memory **memory, const struct ear_memory_options *options);
void ear_memory_free(struct ear_memory *memory);

/* The next record, of any kind and any hart.
 *
 * Returns 0; EAR_E_NO_MEMORY, or what the spill returned: the object is of no more use then.
 */
int ear_memory_push(struct ear_memory *memory, const struct ear_record *record);

/* The records of a compact run. Returns as ear_memory_push. */
int ear_memory_push_run(struct ear_memory *memory, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts);
int ear_memory_push_summary(struct ear_memory *memory, const struct ear_run_summary *summary);

/* Does a RISC-V instruction with this opcode, whose record shows one access of so many bytes, a
 * write or a read, do nothing else to memory? Then, in captures and as long as nothing is
 * forgotten, what the access wrote or saw is what its bytes hold afterwards. */
bool ear_memory_is_plain(uint32_t opcode, unsigned size, bool write);

/* Read size bytes from address on, wrapping at 2^64. known[i] says if bytes[i] is its value, else
 * it is 0. Returns the number of known bytes; an error of the spill.
 */
int64_t ear_memory_read(
	struct ear_memory *memory, uint64_t address, uint8_t *bytes, bool *known, size_t size);

/* The key that the records up to now ask for. Another one than options.key: what is known may be
 * wrong, begin again with it. */
enum ear_memory_key ear_memory_better_key(const struct ear_memory *memory);

/* Bytes in use. */
size_t ear_memory_size(const struct ear_memory *memory);

/* How often everything was forgotten because size_max was reached. */
uint64_t ear_memory_overflows(const struct ear_memory *memory);

#endif
