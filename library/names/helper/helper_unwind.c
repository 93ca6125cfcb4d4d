/* Rows for unwinding. libdw gives each rule as a DWARF expression, which goes out as it is; the
 * client knows the few forms that occur.
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

static void put_place(
	struct ear_wire *places, struct helper_ops *table, const Dwarf_Op *ops, size_t count)
{
	ear_wire_u32(places, table->count);
	ear_wire_u32(places, (uint32_t)count);
	helper_ops_put(table, ops, count, NULL);
}

static void put_register(
	struct ear_wire *places, struct helper_ops *table, Dwarf_Frame *frame, int number)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0) {
		ops = NULL;
		count = 0;
	}
	if (count > 0) {
		put_place(places, table, ops, count);
		return;
	}
	ear_wire_u32(places, 0);
	ear_wire_u32(places, ops ? EAR_UNWIND_KEPT : EAR_UNWIND_NONE);
}

const char *helper_unwind(struct helper_file *file, uint64_t pc, struct ear_wire *answer)
{
	struct ear_wire places = {0};
	struct helper_ops table = {0};
	Dwarf_Addr first, end;
	bool is_signal;
	Dwarf_Op *ops;
	size_t count;
	Dwarf_Frame *frame = find_frame(file, pc);

	if (!frame)
		return "has no rules for unwinding there";
	int ra = dwarf_frame_info(frame, &first, &end, &is_signal);
	if (ra < 0 || dwarf_frame_cfa(frame, &ops, &count) != 0) {
		free(frame);
		return "has damaged rules for unwinding";
	}
	put_place(&places, &table, ops, count);
	for (int i = 0; i < EAR_UNWIND_PLACES - 1; i++)
		put_register(&places, &table, frame, i);
	free(frame);
	ear_wire_u32(answer, table.count);
	ear_wire_u32(answer, (uint32_t)table.bytes.size);
	ear_wire_u32(answer, (uint32_t)ra);
	ear_wire_u32(answer, is_signal ? EAR_UNWIND_SIGNAL : 0);
	ear_wire_u64(answer, first);
	ear_wire_u64(answer, end - 1);
	ear_wire_put(answer, places.bytes, places.size);
	ear_wire_put(answer, table.rows.bytes, table.rows.size);
	ear_wire_put(answer, table.bytes.bytes, table.bytes.size);
	answer->failed |= places.failed || table.rows.failed || table.bytes.failed;
	ear_wire_free(&places);
	helper_ops_free(&table);
	return NULL;
}
