#ifndef EAR_HELPER_UNWIND_H
#define EAR_HELPER_UNWIND_H

#include "library/names/helper/helper_file.h"

/* The row of a pc (helper_message.h), of .debug_frame or else .eh_frame. NULL, or what is wrong. */
const char *helper_unwind(struct helper_file *file, uint64_t pc, struct ear_wire *answer);

#endif
