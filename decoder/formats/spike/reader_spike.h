#ifndef EAR_READER_SPIKE_H
#define EAR_READER_SPIKE_H

#include "decoder/formats/base/reader.h"

/* Logs of the simulator Spike (docs/text-formats.md): -l, --log-commits, or both, of every
 * version, and the variants that RTL tracers write for spike-dasm.
 */
int ear_reader_spike_detect(const char *bytes, size_t size);
struct ear_reader *ear_reader_spike_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

#endif
