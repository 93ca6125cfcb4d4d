#ifndef EAR_WHISPER_MODE_H
#define EAR_WHISPER_MODE_H

#include <earshot/record.h>

#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

/* What Whisper's column of source operands depends on, besides the opcode. A trap of the fetch, a
 * breakpoint and an interrupt come before the instruction is executed, and so before its register
 * groups are noted; other causes than an illegal instruction come after.
 */
static inline struct ear_inst_mode ear_whisper_mode(const struct ear_record *record)
{
	const uint64_t before = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 12 | 1 << 20;
	const uint64_t illegal = 1 << 2 | 1 << 22;
	bool trap = record->flags & EAR_RECORD_TRAP && record->cause < 32;

	return (struct ear_inst_mode){.frm = record->frm,
		.vtype = ear_opcode_uses_vtype((uint32_t)record->opcode) ? record->vtype : 0,
		.trapped = trap && illegal >> record->cause & 1,
		.unexecuted = record->flags & EAR_RECORD_INTERRUPT ||
			      (trap && before >> record->cause & 1)};
}

#endif
