#include "decoder/record/record_run.h"

void ear_record_run_begin(struct ear_record_made *made, const struct ear_record_run *run)
{
	made->record = (struct ear_record){
		.kind = EAR_RECORD_INSTRUCTION,
		.hart = run->hart,
		.stream_offset = run->stream_offset,
		.ticks = run->ticks,
		.isa = EAR_ISA_RISCV,
		.xlen = run->xlen,
		.privilege = run->privilege,
		.frm = run->frm,
		.registers = &made->reg,
		.memory = &made->access,
		.extra = run->first_line ? &made->extra : NULL,
	};
	made->reg = (struct ear_record_register){.class = EAR_REGISTER_X};
	made->access = (struct ear_record_access){.has_value = true};
	made->extra = (struct ear_record_extra){.line = run->first_line};
}
