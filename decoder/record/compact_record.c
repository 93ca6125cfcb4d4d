/* Expands runs of compact records. The members that all records of a run share are written once
 * here; ear_compact_run_get, inline in the header, writes the others for each record.
 */
#include <earshot/record.h>

void ear_compact_run_begin(struct ear_expanded_record *expanded, const struct ear_compact_run *run)
{
	expanded->record = (struct ear_record){
		.kind = EAR_RECORD_INSTRUCTION,
		.hart = run->hart,
		.stream_offset = run->stream_offset,
		.ticks = run->ticks,
		.isa = EAR_ISA_RISCV,
		.xlen = run->xlen,
		.privilege = run->privilege,
		.frm = run->frm,
		.vtype = run->vtype,
		.registers = &expanded->reg,
		.memory = &expanded->access,
		.extra = run->first_line ? &expanded->extra : NULL,
	};
	expanded->reg = (struct ear_record_register){.reg_class = EAR_REGISTER_X};
	expanded->access = (struct ear_record_access){.has_value = true};
	expanded->extra = (struct ear_record_extra){.line = run->first_line};
}
