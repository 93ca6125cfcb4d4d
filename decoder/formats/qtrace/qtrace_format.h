#ifndef EAR_QTRACE_FORMAT_H
#define EAR_QTRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a qtrace directory consists of: docs/android.md, sections 1, 3 and 4. */

enum ear_qtrace_file {
	EAR_QTRACE_STATIC,
	EAR_QTRACE_BB,
	EAR_QTRACE_INSN,
	EAR_QTRACE_LOAD,
	EAR_QTRACE_STORE,
	EAR_QTRACE_EXC,
	EAR_QTRACE_PID,
	EAR_QTRACE_METHOD,
	EAR_QTRACE_FILES
};

/* "qtrace.bb". Static. */
const char *ear_qtrace_file_name(enum ear_qtrace_file file);

/* May a directory be without it? */
bool ear_qtrace_file_optional(enum ear_qtrace_file file);

#define EAR_QTRACE_HEADER_SIZE 88
#define EAR_QTRACE_VERSION     2
#define EAR_QTRACE_IDENT       "qemu_trace_file" /* 16 bytes with its zero */
#define EAR_QTRACE_BLOCK_SIZE  16                /* bytes of a block before its entries */
#define EAR_QTRACE_BLOCK_MAX   512               /* entries of a block */
#define EAR_QTRACE_WINDOW      1024              /* records that may still repeat */
#define EAR_QTRACE_PIDS        32768
#define EAR_QTRACE_ARGUMENT_MAX \
	65536 /* bytes of a text, and texts of an exec: no more are read \
	       */

struct ear_qtrace_header {
	bool counted; /* the ident is there, and all counts are filled in */
	uint32_t start_seconds, start_microseconds;
	uint32_t date, time; /* BCD */
	uint32_t used_pids;
	int32_t first_unused_pid;
	uint64_t static_blocks, static_entries;
	uint64_t executed_blocks, executed_entries;
	uint64_t elapsed_microseconds;
};

void ear_qtrace_header_put(uint8_t *bytes, const struct ear_qtrace_header *header);

/* Returns false if the header is of another version, which goes to *version. */
bool ear_qtrace_header_get(
	struct ear_qtrace_header *header, const uint8_t *bytes, uint32_t *version);

/* A halfword of Thumb as an entry, and back. */
static inline uint32_t ear_qtrace_wrap(uint16_t halfword)
{
	return 0xF7F000F0u | (uint32_t)(halfword & 0xFFF0u) << 4 | (halfword & 0xFu);
}

static inline bool ear_qtrace_is_wrapped(uint32_t entry)
{
	return (entry & 0xFFF000F0u) == 0xF7F000F0u;
}

static inline uint16_t ear_qtrace_unwrap(uint32_t entry)
{
	return (uint16_t)((entry >> 4 & 0xFFF0u) | (entry & 0xFu));
}

enum ear_qtrace_pid_type {
	EAR_QTRACE_END = 0,
	EAR_QTRACE_FORK = 1,
	EAR_QTRACE_CLONE = 2,
	EAR_QTRACE_SWITCH = 3,
	EAR_QTRACE_EXEC = 4,
	EAR_QTRACE_MMAP = 5,
	EAR_QTRACE_EXIT = 6,
	EAR_QTRACE_KTHREAD = 7,
	EAR_QTRACE_SYMBOL = 8,
	EAR_QTRACE_SYMBOL_GONE = 9,
	EAR_QTRACE_MUNMAP = 10,
	EAR_QTRACE_NAME = 12,
};

/* What a record of .pid has: so many numbers, then texts. */
struct ear_qtrace_pid_fields {
	bool known;
	uint8_t numbers; /* with the count of texts of EXEC */
	bool text;       /* one */
	bool texts;      /* as many as the last number says */
};

/* known is false for a type that there is not. */
struct ear_qtrace_pid_fields ear_qtrace_pid_fields(uint64_t type);

struct ear_qtrace_text {
	const uint8_t *bytes;
	size_t size;
};

struct ear_qtrace_pid_event {
	uint64_t time;
	enum ear_qtrace_pid_type type;
	uint64_t numbers[3]; /* of EXEC: the count of texts */
	const struct ear_qtrace_text *texts;
};

enum ear_qtrace_method_type {
	EAR_QTRACE_ENTER = 0,
	EAR_QTRACE_LEAVE = 1,
	EAR_QTRACE_UNWIND = 2,
	EAR_QTRACE_NATIVE = 4, /* added to one of those */
};

struct ear_qtrace_method_event {
	uint64_t time;
	uint32_t address, pid;
	uint8_t type;
};

struct ear_qtrace_access {
	uint64_t time;
	uint32_t address;
};

/* An exception. The reader makes sure that block, start and entries fit the execution. */
struct ear_qtrace_exception {
	uint64_t time;
	uint32_t pc, target;
	uint64_t ordinal; /* of the execution, from 1 */
	uint64_t block, start;
	uint32_t entries; /* that began */
};

#endif
