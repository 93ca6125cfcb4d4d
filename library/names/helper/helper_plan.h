#ifndef EAR_HELPER_PLAN_H
#define EAR_HELPER_PLAN_H

#include "library/names/helper/helper_file.h"

#define HELPER_WRONG_MAX 512

/* The plan of an expression such as "table[3].next" (names/variable.h says what it may be), and the
 * names of locals. Each returns false with a sentence in wrong.
 */
bool helper_plan(struct helper_file *file, bool has_pc, uint64_t pc, const char *expression,
	struct ear_wire *answer, char wrong[HELPER_WRONG_MAX]);
bool helper_locals(struct helper_file *file, uint64_t pc, struct ear_wire *answer,
	char wrong[HELPER_WRONG_MAX]);

#endif
