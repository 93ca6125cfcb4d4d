#ifndef EAR_TARMAC_UTILITIES_H
#define EAR_TARMAC_UTILITIES_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/formats/tarmac/tarmac_head.h"
#include "decoder/formats/tarmac/tarmac_line.h"

/* What tarmac-trace-utilities take, as their parser does (docs/text-formats.md, "Tarmac"). */

/* Do the utilities take a line of which ear_tarmac_head made *head? A line that they refuse ends
 * their index of the file; one with a cpu that they do not know, or with another unit, means
 * something else to them. A line that they take and ignore is taken.
 */
bool ear_tarmac_taken(const struct ear_tarmac_head *head, const struct ear_tarmac_state *state);

/* The same, faster, for a line of which ear_tarmac_instruction made *instruction. */
bool ear_tarmac_takes_instruction(const struct ear_tarmac_head *head,
	const struct ear_tarmac_state *state, const struct ear_tarmac_instruction *instruction);

#endif
