#ifndef EAR_STATISTICS_H
#define EAR_STATISTICS_H

#include <stdbool.h>
#include <stdio.h>

#include "decoder/codec/decoder.h"

/* Report on stderr what is missing or wrong in a decoded stream, if anything is.
 *
 * fault is what the file's reader found wrong, or NULL. quiet leaves out what is also in the
 * text (the gaps), but never an error.
 * Returns EAR_EXIT_DONE, or EAR_EXIT_FAILED if nothing at all could be decoded.
 */
int statistics_judge(const struct ear_decoder_statistics *statistics, const char *name,
	const char *fault, bool quiet);

/* Print on stderr what of a capture is missing, and where it went; nothing if all that retired is
 * there. The host dropped bytes at so many places.
 */
void statistics_print_losses(const struct ear_decoder_statistics *statistics, uint64_t drop_count);

/* Print on stderr for how long the unit held its core, if that is 1 % of the capture or more. Of
 * a capture without times a clock is taken for each record, the least there can be.
 */
void statistics_print_held(const struct ear_decoder_statistics *statistics);

/* Why the unit stopped, a phrase for EAR_STOP_*. Static. */
const char *statistics_stop_text(unsigned reason);

#endif
