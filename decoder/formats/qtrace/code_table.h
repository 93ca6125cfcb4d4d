#ifndef EAR_CODE_TABLE_H
#define EAR_CODE_TABLE_H

#include <stdint.h>

/* Blocks of code that were seen, to find the number of one that comes again: by its address and all
 * of its entries, so that code that changes makes another block. */
struct ear_code_table;

#define EAR_CODE_ENTRIES_MAX (1u << 26) /* of all blocks, 256 MiB */

/* NULL if memory is short. */
struct ear_code_table *ear_code_table_new(void);
void ear_code_table_free(struct ear_code_table *table);

/* Returns the number of the block, or 0 if it is new. */
uint64_t ear_code_table_find(
	struct ear_code_table *table, uint32_t address, const uint32_t *entries, uint32_t count);

/* Add the block that was asked for last, with its number: one more than that of the block before.
 * Returns 0, EAR_E_NO_MEMORY, or EAR_E_FULL if there are too many entries. */
int ear_code_table_add(struct ear_code_table *table, uint32_t address, const uint32_t *entries,
	uint32_t count, uint64_t number);

#endif
