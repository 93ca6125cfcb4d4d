/* The parts of a qtrace that reader and writer share: names of files, the header, what the records
 * of .pid have.
 */
#include "decoder/formats/qtrace/qtrace_format.h"

#include <string.h>

#include "common/protocol/bytes.h"

const char *ear_qtrace_file_name(enum ear_qtrace_file file)
{
	static const char *const names[EAR_QTRACE_FILES] = {
		[EAR_QTRACE_STATIC] = "qtrace.static",
		[EAR_QTRACE_BB] = "qtrace.bb",
		[EAR_QTRACE_INSN] = "qtrace.insn",
		[EAR_QTRACE_LOAD] = "qtrace.load",
		[EAR_QTRACE_STORE] = "qtrace.store",
		[EAR_QTRACE_EXC] = "qtrace.exc",
		[EAR_QTRACE_PID] = "qtrace.pid",
		[EAR_QTRACE_METHOD] = "qtrace.method",
	};

	return names[file];
}

bool ear_qtrace_file_optional(enum ear_qtrace_file file)
{
	return file == EAR_QTRACE_LOAD || file == EAR_QTRACE_STORE || file == EAR_QTRACE_METHOD;
}

void ear_qtrace_header_put(uint8_t *bytes, const struct ear_qtrace_header *header)
{
	memset(bytes, 0, EAR_QTRACE_HEADER_SIZE);
	ear_store_le32(bytes + 16, EAR_QTRACE_VERSION);
	ear_store_le32(bytes + 20, header->start_seconds);
	ear_store_le32(bytes + 24, header->start_microseconds);
	ear_store_le32(bytes + 28, header->date);
	ear_store_le32(bytes + 32, header->time);
	ear_store_le64(bytes + 80, header->elapsed_microseconds);
	if (!header->counted)
		return;
	memcpy(bytes, EAR_QTRACE_IDENT, sizeof(EAR_QTRACE_IDENT));
	ear_store_le32(bytes + 36, header->used_pids);
	ear_store_le32(bytes + 40, (uint32_t)header->first_unused_pid);
	ear_store_le64(bytes + 48, header->static_blocks);
	ear_store_le64(bytes + 56, header->static_entries);
	ear_store_le64(bytes + 64, header->executed_blocks);
	ear_store_le64(bytes + 72, header->executed_entries);
}

bool ear_qtrace_header_get(
	struct ear_qtrace_header *header, const uint8_t *bytes, uint32_t *version)
{
	*version = ear_load_le32(bytes + 16);
	*header = (struct ear_qtrace_header){
		.counted = memcmp(bytes, EAR_QTRACE_IDENT, sizeof(EAR_QTRACE_IDENT)) == 0,
		.start_seconds = ear_load_le32(bytes + 20),
		.start_microseconds = ear_load_le32(bytes + 24),
		.date = ear_load_le32(bytes + 28),
		.time = ear_load_le32(bytes + 32),
		.used_pids = ear_load_le32(bytes + 36),
		.first_unused_pid = (int32_t)ear_load_le32(bytes + 40),
		.static_blocks = ear_load_le64(bytes + 48),
		.static_entries = ear_load_le64(bytes + 56),
		.executed_blocks = ear_load_le64(bytes + 64),
		.executed_entries = ear_load_le64(bytes + 72),
		.elapsed_microseconds = ear_load_le64(bytes + 80),
	};
	return *version == EAR_QTRACE_VERSION;
}

struct ear_qtrace_pid_fields ear_qtrace_pid_fields(uint64_t type)
{
	static const struct ear_qtrace_pid_fields fields[] = {
		[EAR_QTRACE_FORK] = {true, 2, false, false},
		[EAR_QTRACE_CLONE] = {true, 2, false, false},
		[EAR_QTRACE_SWITCH] = {true, 1, false, false},
		[EAR_QTRACE_EXEC] = {true, 1, false, true},
		[EAR_QTRACE_MMAP] = {true, 3, true, false},
		[EAR_QTRACE_EXIT] = {true, 1, false, false},
		[EAR_QTRACE_KTHREAD] = {true, 2, true, false},
		[EAR_QTRACE_SYMBOL] = {true, 1, true, false},
		[EAR_QTRACE_SYMBOL_GONE] = {true, 1, false, false},
		[EAR_QTRACE_MUNMAP] = {true, 2, false, false},
		[EAR_QTRACE_NAME] = {true, 1, true, false},
	};

	if (type >= sizeof(fields) / sizeof(fields[0]))
		return (struct ear_qtrace_pid_fields){false, 0, false, false};
	return fields[type];
}
