/* The rule for the CFA at a pc. libdw gives it as a DWARF expression, which goes out as it is; the
 * client knows the form that occurs.
 */
#include "library/names/helper/helper_unwind.h"

#include <stdlib.h>

#include "library/names/helper/helper_ops.h"
#include "library/names/helper_message.h"

static void open_frames(struct helper_file *file)
{
	if (file->cfi_tried)
		return;
	file->cfi_tried = true;
	if (helper_file_dwarf(file))
		file->frame_cfi = dwarf_getcfi(file->dwarf);
	file->eh_cfi = dwarf_getcfi_elf(file->elf);
}

static Dwarf_Frame *find_frame(struct helper_file *file, uint64_t pc)
{
	Dwarf_Frame *frame = NULL;

	open_frames(file);
	if (file->frame_cfi && dwarf_cfi_addrframe(file->frame_cfi, pc, &frame) == 0)
		return frame;
	if (file->eh_cfi && dwarf_cfi_addrframe(file->eh_cfi, pc, &frame) == 0)
		return frame;
	return NULL;
}

const char *helper_unwind(struct helper_file *file, uint64_t pc, struct ear_wire *answer)
{
	struct helper_ops table = {0};
	Dwarf_Addr first, end;
	Dwarf_Op *ops;
	size_t count;
	Dwarf_Frame *frame = find_frame(file, pc);

	if (!frame)
		return "has no rules for unwinding there";
	bool damaged = dwarf_frame_info(frame, &first, &end, NULL) < 0 ||
		       dwarf_frame_cfa(frame, &ops, &count) != 0;
	if (!damaged)
		helper_ops_put(&table, ops, count, NULL);
	free(frame);
	if (damaged)
		return "has damaged rules for unwinding";
	ear_wire_u32(answer, table.count);
	ear_wire_u32(answer, (uint32_t)table.bytes.size);
	ear_wire_u64(answer, first);
	ear_wire_u64(answer, end - 1);
	ear_wire_put(answer, table.rows.bytes, table.rows.size);
	ear_wire_put(answer, table.bytes.bytes, table.bytes.size);
	answer->failed |= table.rows.failed || table.bytes.failed;
	helper_ops_free(&table);
	return NULL;
}
