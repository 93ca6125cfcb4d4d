#ifndef EAR_READER_TARMAC_H
#define EAR_READER_TARMAC_H

#include "decoder/formats/base/reader.h"

/* QEMU4V and Tarmac (docs/text-formats.md).
 *
 * They share their lines: QEMU4V is what ISPRAS published, in both generations of its producers
 * (with and without the cpu), and everything else is a bad line there; Tarmac is every dialect
 * that Fast Models, Cycle Models, gem5, RTL simulators and MicroTESK write.
 *
 * An instruction and the register and memory lines of the same time (and cpu) make one record,
 * in any order; without times they belong to the instruction before them.
 * What has no instruction makes a MEMORY and a REGISTERS record.
 */
struct ear_reader *ear_reader_qemu4v_make(
	struct ear_text_input *input, const struct ear_reader_options *options);
struct ear_reader *ear_reader_tarmac_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

int ear_reader_qemu4v_detect(const char *bytes, size_t size);
int ear_reader_tarmac_detect(const char *bytes, size_t size);

#endif
