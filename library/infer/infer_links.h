#ifndef EAR_INFER_LINKS_H
#define EAR_INFER_LINKS_H

#include "library/infer/infer_state.h"

/* Which accesses of a window saw the same bytes: a load sees what the last store to them wrote, or
 * what a load after that store saw.
 *
 * Accesses come in their order, by the number of their step. Two of them are linked where nothing
 * between them may have written to these bytes: a store to an address that is not known may, unless
 * the bits that are known of it say otherwise, or what it stored is not what is seen afterwards.
 */
#define INFER_NO_LINK UINT32_MAX

/* These bytes of both accesses are the same. */
struct infer_link {
	uint32_t steps[2];
	uint32_t next[2]; /* the next link of each of the two, or INFER_NO_LINK */
	uint8_t at[2], size;
};

struct infer_links {
	const struct infer_facts *steps;
	struct infer_link *links;
	size_t count, capacity;
	uint32_t *first; /* of each step */
	uint32_t *wild;  /* steps that store to an address that is not known */
	size_t wild_count;
	struct infer_last { /* hash table: the last access that saw a byte */
		uint64_t address;
		uint32_t step, age; /* age: 0 is empty; older than `age` is forgotten */
		uint32_t written;   /* the last step that wrote it, or INFER_NO_LINK */
		uint8_t at;
	} * last;
	uint32_t forgotten; /* the last step before which anything may have been written */
	unsigned last_bits;
	uint32_t age;
	bool failed; /* memory was short */
};

/* count steps, which remain the caller's. Returns 0, to be freed; EAR_E_NO_MEMORY. */
int infer_links_init(struct infer_links *links, const struct infer_facts *steps, uint32_t count);
void infer_links_fini(struct infer_links *links);

/* Anything may have been written before this step. */
void infer_links_forget(struct infer_links *links, uint32_t step);

/* The step saw these bytes; a load is linked to who saw them before. */
void infer_links_load(struct infer_links *links, uint32_t step);
void infer_links_store(struct infer_links *links, uint32_t step);

/* What the step wrote to its address is not followed; or it stored, and its address is not known.
 */
void infer_links_lose(struct infer_links *links, uint32_t step);
void infer_links_wild(struct infer_links *links, uint32_t step);

/* Is the step the last one that saw its byte `at`, and still sees it now, when it is this one? */
bool infer_links_is_last(
	struct infer_links *links, uint32_t step, unsigned at, struct infer_value byte);

/* After all steps, when the byte is this one: has none after this one written to it? */
bool infer_links_is_untouched(
	struct infer_links *links, uint32_t step, uint64_t address, struct infer_value byte);

#endif
