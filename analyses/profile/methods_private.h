#ifndef EAR_ANALYSES_METHODS_PRIVATE_H
#define EAR_ANALYSES_METHODS_PRIVATE_H

#include "analyses/profile/methods.h"
#include "analyses/profile/profile_private.h"

/* What counting (methods.c) and parts (methods_part.c) share. */

#define EAR_METHODS_DEPTH 4096u
#define EAR_METHODS_NAME  256u /* bytes of an event, with its end */

struct ear_methods_stack {
	uint64_t pid;
	uint32_t *methods; /* numbers of rows */
	uint32_t depth, capacity;
};

/* The methods that ran when a first record came whose clocks are not known (ear_profile_times). */
struct ear_methods_owner {
	uint32_t *methods;
	uint32_t depth;
};

struct ear_methods {
	struct ear_profile_options options;
	struct ear_tasks *tasks; /* until it is finished */
	uint32_t task;           /* of the next batch */
	struct ear_method *rows; /* the first is of what is outside */
	uint64_t *marks;         /* of rows: the stretch that was counted for it last */
	uint64_t stretch;
	uint32_t count, mark_capacity;
	struct ear_numbering numbers; /* of rows by address */
	struct ear_methods_stack *stacks;
	uint32_t stack_count;
	struct ear_numbering stack_numbers; /* by pid */
	struct ear_profile_times times;     /* by owners */
	struct ear_methods_owner *owners;
	uint32_t owner_count;
	uint8_t seen;
	uint64_t unmatched, events;

	/* While a part is read: methods of the newest owner that are to come; the row of what is
	 * outside came. */
	uint32_t part_left;
	bool part_begun;
};

/* The number of a method's row; that of what is outside if there are too many. Returns 0 or
 * EAR_E_NO_MEMORY. */
int ear_methods_row(struct ear_methods *methods, bool native, uint64_t address, uint32_t *number);

/* Counts are those of a stack: numbers of rows, the newest one last. */
void ear_methods_add(struct ear_methods *methods, const uint32_t *stack, uint32_t depth,
	const struct ear_profile_counts *counts);

/* The next owner is a copy of the stack. Returns 0 or EAR_E_NO_MEMORY. */
int ear_methods_keep(struct ear_methods *methods, const uint32_t *stack, uint32_t depth);

/* Of the analysis. */
void ear_methods_describe(const void *count, char text[EAR_PART_WORD_MAX]);
int ear_methods_create(void **count, const struct ear_analysis_setup *setup);
void ear_methods_free(void *count);
void ear_methods_task(void *count, uint32_t task, bool wanted);
int ear_methods_before(void *count, const struct ear_batch *batch);
int ear_methods_batch(void *count, const struct ear_batch *batch);
int ear_methods_end(void *count);
int ear_methods_join(void *whole, void *part);
void ear_methods_walk(void *count, struct ear_part_walk *walk);

#endif
