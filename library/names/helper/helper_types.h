#ifndef EAR_HELPER_TYPES_H
#define EAR_HELPER_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "library/names/wire.h"

/* Types of the source. An array of several dimensions is an array of arrays: dimension says which
 * of them is meant. A type that is not there is void.
 */
struct helper_type {
	Dwarf_Die die;
	bool is_void;
	unsigned dimension;
	unsigned address_size;
	unsigned bit_size, bit_offset; /* of a bit field; size 0: none */
};

/* The type of an entry that has one. */
struct helper_type helper_type_of(Dwarf_Die *entry);

/* Without typedefs, const and volatile. */
struct helper_type helper_type_peel(struct helper_type type);

unsigned helper_type_tag(const struct helper_type *peeled); /* 0: void */
uint64_t helper_type_size(const struct helper_type *type);  /* 0: not known */

/* Elements of an array; 0: not known. */
uint64_t helper_type_count(const struct helper_type *peeled);
struct helper_type helper_type_element(const struct helper_type *peeled); /* of an array */
struct helper_type helper_type_target(const struct helper_type *peeled);  /* of a pointer */

/* A member by name, also of an unnamed structure inside or of a base class. */
bool helper_type_member(const struct helper_type *peeled, const char *name,
	struct helper_type *member, uint64_t *offset);

/* The names of all members, for a suggestion: called for each. */
void helper_type_members(const struct helper_type *peeled,
	void (*take)(void *context, const char *name), void *context);

/* "struct box *". The result is the length; text is always ended. */
size_t helper_type_text(const struct helper_type *type, char *text, size_t size);

/* Rows of a type and all that is in it, at most 4096 (helper_message.h). Returns how many. */
uint32_t helper_type_put(
	const struct helper_type *type, struct ear_wire *rows, struct ear_wire *strings);

/* The same of a function, as a structure: its first member, without a name, is the result, the
 * others are its parameters. The type's name is "..." where others may follow them. */
uint32_t helper_type_put_function(
	Dwarf_Die *function, struct ear_wire *rows, struct ear_wire *strings);

#endif
