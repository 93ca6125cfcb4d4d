#ifndef EAR_HELPER_OPS_H
#define EAR_HELPER_OPS_H

#include <elfutils/libdw.h>

#include "library/names/wire.h"

/* Operations of DWARF expressions as they go into an answer (EAR_OP_ROW). */
struct helper_ops {
	struct ear_wire rows, bytes; /* bytes: those that an operation has in itself */
	uint32_t count;
};

/* attribute: where the operations are from; NULL for those of frames. */
void helper_ops_put(
	struct helper_ops *table, const Dwarf_Op *ops, size_t count, Dwarf_Attribute *attribute);

/* A value that the debug information has itself. */
void helper_ops_put_bytes(struct helper_ops *table, const void *bytes, size_t size);

void helper_ops_free(struct helper_ops *table);

#endif
