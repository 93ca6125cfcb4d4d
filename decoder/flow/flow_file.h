#ifndef EAR_FLOW_FILE_H
#define EAR_FLOW_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/text/text_input.h"

/* A branch trace that says what it is: a line of JSON before its bytes, which is the unit's
 * parameters, too (docs/branch-trace.md, "Files with a first line"):
 *
 *     {"earshot": "ntrace", "src_bits": 0, "wrapped": 1}
 */
#define EAR_FLOW_FILE_BEGIN "{\"earshot\": \""

#define EAR_FLOW_FILE_LINE_MAX 65536u /* bytes of the line, with its end */

/* Are these bytes the beginning of such a file, of this format? */
bool ear_flow_file_is(const char *bytes, size_t size, const char *format);

/* Take the line away from an input, if nothing was taken of it and it begins with one. Returns 0
 * and the line in *line, to be freed, or NULL; EAR_E_BAD_FILE and a sentence in fault[0 ..
 * fault_size-1] if the line has no end; EAR_E_NO_MEMORY. What cannot be read is reported later. */
int ear_flow_file_take(char **line, struct ear_text_input *input, const char *format, char *fault,
	size_t fault_size);

#endif
