#ifndef EAR_HELPER_LINES_H
#define EAR_HELPER_LINES_H

#include "library/names/helper/helper_file.h"

/* The table of lines, and that of functions with those inlined into them (helper_message.h). NULL,
 * or what is wrong.
 */
const char *helper_lines(struct helper_file *file, struct ear_wire *answer);
const char *helper_scopes(struct helper_file *file, struct ear_wire *answer);

#endif
