#ifndef EAR_RECORD_BUILDER_H
#define EAR_RECORD_BUILDER_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/text/text_cursor.h"

/* A record under construction, for readers whose records have more than one line or any number
 * of registers and accesses. The arrays and texts are the builder's and are used again for
 * every record, so nothing is allocated once they are as large as the largest record.
 */
#define EAR_RECORD_ITEMS_MAX (1u << 17)  /* of each array; a record has fewer */
#define EAR_RECORD_TEXT_MAX  (32u << 20) /* bytes of texts */

struct ear_record_text_chunk;

struct ear_record_builder {
	struct ear_record record;
	struct ear_record_extra extra;
	struct ear_record_register *registers, *reads;
	struct ear_record_access *memory;
	struct ear_walk *walks;
	struct ear_walk_step *steps; /* of all walks, in order */
	size_t register_capacity, read_capacity, memory_capacity, walk_capacity, step_capacity;
	size_t step_count;
	uint64_t *times; /* of the accesses up to time_count */
	size_t time_capacity, time_count;
	struct ear_record_text_chunk *first_chunk, *chunk;
	size_t chunk_used, text_size;
	bool ordered; /* the source's order of registers stays; kept by reset */
	int error;    /* 0, EAR_E_NO_MEMORY, or EAR_E_FULL: too many items or too much text */
};

/* All zero is an empty builder. */
void ear_record_builder_fini(struct ear_record_builder *builder);

/* Begin a record: everything zero, of the kind given. */
void ear_record_builder_reset(struct ear_record_builder *builder, enum ear_record_kind kind);

/* Append one item, all zero. NULL if that is impossible: builder->error has the cause. */
struct ear_record_register *ear_record_builder_register(struct ear_record_builder *builder);
struct ear_record_register *ear_record_builder_read(struct ear_record_builder *builder);
struct ear_record_access *ear_record_builder_access(struct ear_record_builder *builder);
/* When the access appended last happened. Returns false if memory is short: builder->error. */
bool ear_record_builder_access_time(struct ear_record_builder *builder, uint64_t time);
struct ear_walk *ear_record_builder_walk(struct ear_record_builder *builder);
/* To the walk appended last. */
struct ear_walk_step *ear_record_builder_step(struct ear_record_builder *builder);

/* Room for text that lives as long as the record. NULL as above. */
char *ear_record_builder_text(struct ear_record_builder *builder, size_t size);

/* A copy of text that lives as long as the record; text NULL if that is impossible. */
struct ear_text ear_record_builder_copy(struct ear_record_builder *builder, struct ear_text text);

/* A register value or memory value of any number of hexadecimal digits, without prefix.
 *
 * Into a vector register: *reg gets the bytes, lowest first. Memory: one access of 1, 2, 4 or 8
 * bytes, or several of 8, from the address and with the flags of *like.
 * Returns the digits taken; 0 if there is none, or builder->error.
 */
size_t ear_record_builder_bytes(struct ear_record_builder *builder, struct ear_record_register *reg,
	struct ear_text_cursor *cursor);
size_t ear_record_builder_memory(struct ear_record_builder *builder,
	const struct ear_record_access *like, struct ear_text_cursor *cursor);

/* The record is complete: registers come in the order x, f, CSR, vector, named, unless ordered.
 * Valid until the builder is reset. */
const struct ear_record *ear_record_builder_finish(struct ear_record_builder *builder);

/* Derive where an instruction went, for logs without it: TAKEN, next_pc, NO_NEXT_PC.
 *
 * successor: pc of the next record of the hart, if successor_known. dense: no record is missing
 * between the two (a log of all instructions). A branch whose successor is neither its target
 * nor the instruction after it is left open. So is one to the instruction after it, unless the
 * record has the registers that it read.
 */
void ear_record_follow(
	struct ear_record *record, bool successor_known, uint64_t successor, bool dense);

/* Two builders in turn, for logs in which a record ends where the next one begins. */
struct ear_record_pair {
	struct ear_record_builder builders[2];
	unsigned current; /* the open record, if open */
	bool open;
	bool broken; /* a line after it was skipped: the next record may not follow it */
};

void ear_record_pair_fini(struct ear_record_pair *pair);

/* The record that is being built, or NULL. */
static inline struct ear_record_builder *ear_record_pair_open(struct ear_record_pair *pair)
{
	return pair->open ? &pair->builders[pair->current] : NULL;
}

/* The builder for the next one, reset; the open one stays until the turn. */
struct ear_record_builder *ear_record_pair_begin(
	struct ear_record_pair *pair, enum ear_record_kind kind);

/* The record begun is the open one now. Returns the one before it, complete, or NULL. Its flow
 * is derived if both are instructions of the same hart. */
const struct ear_record *ear_record_pair_turn(struct ear_record_pair *pair);

/* The same for a log from which records may be missing between the two. */
const struct ear_record *ear_record_pair_turn_sparse(struct ear_record_pair *pair);

/* At the end of the file: the last record, or NULL. */
const struct ear_record *ear_record_pair_end(struct ear_record_pair *pair);

#endif
