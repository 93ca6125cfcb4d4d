#ifndef EAR_HELPER_FIND_H
#define EAR_HELPER_FIND_H

#include "library/names/helper/helper_file.h"

#define HELPER_CHAIN_MAX 64

/* Where names are looked for. */
struct helper_place {
	struct helper_file *file;
	bool has_pc;
	uint64_t pc;
	bool has_unit; /* the one of the pc */
	Dwarf_Die unit;
	Dwarf_Die chain[HELPER_CHAIN_MAX]; /* functions and blocks around the pc, outermost first */
	unsigned chain_count;
};

void helper_find_place(
	struct helper_place *place, struct helper_file *file, bool has_pc, uint64_t pc);

/* The variable that a name means here: locals from the innermost block outward, globals of the
 * unit, those of the others. NAME may have parts in front, each with "::": namespaces, types, a
 * function (for its static variables), or a source file first.
 */
bool helper_find_variable(struct helper_place *place, const char *name, Dwarf_Die *variable);

/* The name of a variable that is near a wrong one; NULL if none is. */
const char *helper_find_near(struct helper_place *place, const char *name);

/* Each variable and parameter of the functions and blocks around the pc, the innermost first. */
void helper_find_locals(struct helper_place *place,
	void (*take)(void *context, Dwarf_Die *variable), void *context);

#endif
