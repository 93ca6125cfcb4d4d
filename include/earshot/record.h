#ifndef EAR_RECORD_H
#define EAR_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/event_source.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The record: one entry of a trace. All decoders and readers make records, and all writers,
 * comparisons and analyses take them; no format is known here.
 *
 * A record belongs to its maker and is valid until the maker's next call; so are the arrays that it
 * points to.
 */

enum ear_record_kind {
	EAR_RECORD_INSTRUCTION, /* an instruction retired or trapped, or an interrupt was taken */
	EAR_RECORD_GAP,         /* records are missing here: u.gap */
	EAR_RECORD_EVENT,       /* not an instruction: u.event */
	EAR_RECORD_MEMORY,      /* an access or bus cycle without an instruction: memory */
	EAR_RECORD_IDLE,        /* a bus cycle without an access: u.cycle */
	EAR_RECORD_REGISTERS,   /* register changes without an instruction: registers */
	EAR_RECORD_NOTE,        /* a line about the file, not about the run: u.note */
};

/* Instruction sets. Only RISC-V comes from the retire port; the others come from text. */
enum ear_isa {
	EAR_ISA_RISCV,
	EAR_ISA_A32,   /* ARM */
	EAR_ISA_T32,   /* Thumb */
	EAR_ISA_T32EE, /* ThumbEE */
	EAR_ISA_JAZELLE,
	EAR_ISA_A64,
	EAR_ISA_MIPS32,
	EAR_ISA_MIPS64,
	EAR_ISA_UNKNOWN,
};

/* A text, not NUL-terminated. text NULL: absent. */
struct ear_text {
	const char *text;
	size_t size;
};

enum ear_privilege {
	EAR_PRIVILEGE_U,
	EAR_PRIVILEGE_S,
	EAR_PRIVILEGE_RESERVED,
	EAR_PRIVILEGE_M,
	EAR_PRIVILEGE_VU,
	EAR_PRIVILEGE_VS,
	EAR_PRIVILEGE_DEBUG,
};

/* Flags of an instruction record. */
enum ear_record_flag {
	EAR_RECORD_TAKEN = 1 << 0,       /* a branch or jump went to next_pc */
	EAR_RECORD_TRAP = 1 << 1,        /* the instruction trapped; cause holds why */
	EAR_RECORD_INTERRUPT = 1 << 2,   /* an interrupt was taken *instead of* the instruction */
	EAR_RECORD_HANDLER = 1 << 3,     /* first instruction of an interrupt handler */
	EAR_RECORD_HALT = 1 << 4,        /* the last instruction before the hart halted */
	EAR_RECORD_HAS_TIME = 1 << 5,    /* ticks is known */
	EAR_RECORD_PC_PHYSICAL = 1 << 6, /* pc_physical is known */
	EAR_RECORD_SKIPPED = 1 << 7,     /* conditional instruction that was not executed */
	EAR_RECORD_SECURE = 1 << 8,      /* secure state, if HAS_SECURITY */
	EAR_RECORD_HAS_SECURITY = 1 << 9,
	EAR_RECORD_NO_OPCODE = 1 << 10,    /* the source has no opcode */
	EAR_RECORD_NO_PRIVILEGE = 1 << 11, /* no privilege */
	EAR_RECORD_NO_NEXT_PC = 1 << 12,   /* no next_pc, and not whether a branch was taken */
	EAR_RECORD_NO_CAUSE = 1 << 13,     /* no cause of the trap */
};

enum ear_register_class {
	EAR_REGISTER_X,     /* integer, number 1 .. 31 */
	EAR_REGISTER_F,     /* floating point, number 0 .. 31 */
	EAR_REGISTER_CSR,   /* number 0 .. 4095 */
	EAR_REGISTER_V,     /* vector, number 0 .. 31; the value is in bytes */
	EAR_REGISTER_NAMED, /* of another instruction set: by name */
};

struct ear_record_register {
	uint8_t reg_class;  /* enum ear_register_class */
	bool unknown;       /* NAMED: some digits of the value are not known; they are 0 in it */
	uint16_t number;    /* not for NAMED */
	uint32_t text_size; /* V: bytes at bytes; NAMED: characters at name; else 0 */
	uint64_t value;     /* for V: 0; NAMED of more than 8 bytes: the lowest 8 */
	union {
		const uint8_t *bytes; /* V: the value, lowest byte first */
		const char *name;     /* NAMED: as the source spells it, "r14"; not NUL-terminated.
				       * These follow it, in this order, each only if there is one:
				       * - size > 8: the bytes of the value, lowest first
				       * - unknown: as many bytes with a 1 for each unknown bit
				       * - note_size: the note */
	} text;                       /* else undefined */
	uint16_t size;                /* bytes of the value if the source has it, else 0 */
	uint16_t note_size;           /* NAMED: characters of what the source says after the value,
				       * "__C_" or "(MSP)" */
};

/* The value of a NAMED register of more than 8 bytes; NULL of others. */
static inline const uint8_t *ear_register_bytes(const struct ear_record_register *reg)
{
	return reg->reg_class == EAR_REGISTER_NAMED && reg->size > 8
		       ? reg->text.bytes + reg->text_size
		       : NULL;
}

/* Which bits of a NAMED register's value are unknown: size bytes, lowest first; NULL: none. */
static inline const uint8_t *ear_register_unknown(const struct ear_record_register *reg)
{
	if (reg->reg_class != EAR_REGISTER_NAMED || !reg->unknown)
		return NULL;
	return reg->text.bytes + reg->text_size + (reg->size > 8 ? reg->size : 0u);
}

/* All that text points to, in bytes. */
static inline size_t ear_register_text_size(const struct ear_record_register *reg)
{
	if (reg->reg_class != EAR_REGISTER_NAMED)
		return reg->text_size;
	return (size_t)reg->text_size + (reg->size > 8 ? reg->size : 0u) +
	       (reg->unknown ? reg->size : 0u) + reg->note_size;
}

/* What the source says after the value; text NULL: nothing. */
static inline struct ear_text ear_register_note(const struct ear_record_register *reg)
{
	struct ear_text note = {NULL, 0};

	if (reg->reg_class != EAR_REGISTER_NAMED || reg->note_size == 0)
		return note;
	note.text = reg->text.name + ear_register_text_size(reg) - reg->note_size;
	note.size = reg->note_size;
	return note;
}

struct ear_record_access {
	uint64_t address;  /* virtual, of the first byte */
	uint64_t physical; /* meaningful if has_physical */
	uint64_t value;    /* meaningful if has_value; the first byte in memory is the lowest */
	uint64_t unknown;  /* bits of value that are not known; they are 0 in it */
	uint8_t size;      /* bytes, 1 .. 8; 0 unknown */
	bool write;
	bool has_value; /* false: the access trapped, or its data are not known */
	bool has_physical;
	bool masked;         /* an element of a vector access that the mask switched off */
	bool aborted;        /* the bus refused it */
	uint16_t attributes; /* of a bus cycle: enum ear_bus_flag */
};

/* Does the access have a value of which every digit is known? */
static inline bool ear_access_is_known(const struct ear_record_access *access)
{
	return access->has_value && access->unknown == 0;
}

/* The properties of a cycle by a bus tracer. */
enum ear_bus_flag {
	EAR_BUS_SEQUENTIAL = 1 << 0,
	EAR_BUS_KNOWN = 1 << 1, /* SEQUENTIAL is known to be set or clear */
	EAR_BUS_OPCODE = 1 << 2,
	EAR_BUS_LOCKED = 1 << 3,
	EAR_BUS_SPECULATIVE = 1 << 4,
	EAR_BUS_KILLED = 1 << 5,
	EAR_BUS_MORE = 1 << 6,  /* more of a burst follows */
	EAR_BUS_CORE = 1 << 7,  /* seen at the core; without it at the bus */
	EAR_BUS_WAIT = 1 << 8,  /* a wait state: no data yet */
	EAR_BUS_DEBUG = 1 << 9, /* a peek or poke, not accounted */
	EAR_BUS_EXCLUSIVE = 1 << 10,
	EAR_BUS_UNPRIVILEGED = 1 << 11,
	EAR_BUS_COPROCESSOR = 1 << 12, /* IDLE: a coprocessor cycle */
	EAR_BUS_PRIVILEGED = 1 << 13,  /* reported as privileged */
	EAR_BUS_BURST_4 = 1 << 14,     /* of a burst of 4 words */
	EAR_BUS_BURST_8 = 1 << 15,
};

/* One step of a page walk: a page-table entry that was read. */
struct ear_walk_step {
	uint64_t address, entry;
	uint32_t attributes; /* physical memory attributes, as Whisper numbers them */
	bool has_entry, has_attributes;
};

struct ear_walk {
	bool data;       /* of a data access; without it of the fetch */
	uint64_t start;  /* the address translated */
	uint64_t result; /* the address found, 0 if the walk failed */
	size_t step_count;
	const struct ear_walk_step *steps;
};

/* Why records are missing. */
enum ear_gap_reason {
	EAR_GAP_UNIT_FIFO,     /* the unit dropped them: its FIFO was full */
	EAR_GAP_HOST_RING,     /* the host dropped bytes: its ring was full */
	EAR_GAP_MISSING_FRAME, /* frames never arrived: the sequence numbers jump */
	EAR_GAP_DAMAGE,        /* bytes that are no valid frame were skipped */
	EAR_GAP_BAD_MESSAGE,   /* a valid frame holds a message that cannot be read */
	EAR_GAP_CUT,           /* the data end inside a frame */
	EAR_GAP_NO_SYNC,       /* predict mode: nothing can be decoded before the next hard SYNC */
	EAR_GAP_DISAGREE,      /* predict mode: unit and decoder disagree; the records
				* since the last check may be wrong */
	EAR_GAP_NO_START,      /* the capture began before its first message here */
	EAR_GAP_NO_END,        /* the capture has no STOP: the data end, or another one begins */
	EAR_GAP_JUMP,          /* the index is not the expected one, for an unknown reason */
	EAR_GAP_REPEATED, /* frames came twice, or after those that follow them: not used again */
	EAR_GAP_BAD_LINE, /* a line of a text cannot be read; its hart is not known */
	EAR_GAP_CUT_LINE, /* the text ends inside a line that cannot be read */
	EAR_GAP_WORD, /* a word of a line was not understood: no record is missing, but some effect
		       * of one may be */
	EAR_GAP_NO_CODE, /* a branch trace goes where no code is known: the program's text is
			  * missing, or is not what was executed */
	EAR_GAP_OFF,     /* tracing was switched off: instructions were executed, or none */
	EAR_GAP_REASONS
};

/* Which records are missing. Each record of the run either came or is in a gap, never both.
 *
 * With count_known, exactly count records are missing, with indexes in first .. last (first is
 * last + 1 if there is none). If last - first + 1 is more than count, a filter of the unit
 * suppressed the others. With upper_bound the filter was on and may have suppressed some of count,
 * too. first .. last is at the position of the gap, with two exceptions that STOP shows: records
 * missing from the start of the capture (at_start), and frames missing under a filter.
 *
 * Without count_known, all records between the one before the gap and the one after it are missing,
 * if there are any: from the start of the capture with at_start, to its end if none of its records
 * follows. index gives the position then: with at_start the next record's index (0: none came),
 * else one more than the index of the record before.
 *
 * A capture without STOP ends with a gap, of reason EAR_GAP_NO_END or EAR_GAP_CUT.
 */
struct ear_gap {
	enum ear_gap_reason reason;
	bool count_known;        /* false: the number of records is unknown */
	bool upper_bound;        /* count may include records that the filter suppressed */
	bool at_start;           /* the missing records are the first ones of their capture */
	uint64_t first, last;    /* indexes; meaningful if count_known; EAR_GAP_NO_CODE: first is
				  * the address */
	uint64_t count;          /* records missing; meaningful if count_known */
	uint64_t skipped_bytes;  /* bytes of the stream that could not be used */
	uint64_t missing_frames; /* modulo 65536 for each jump of the sequence */
};

/* May what registers and memory held before the gap be different after it? Not where nothing is
 * missing, and not where nothing follows: then it is what they held last.
 */
static inline bool ear_gap_forgets(const struct ear_gap *gap)
{
	return (!(gap->count_known && gap->count == 0) || gap->reason == EAR_GAP_WORD) &&
	       gap->reason != EAR_GAP_NO_END && gap->reason != EAR_GAP_CUT &&
	       gap->reason != EAR_GAP_CUT_LINE;
}

/* Something other than an instruction: of the unit, of its event port, or of a text.
 *
 * What software reports about itself (tasks, address spaces, methods, markers) has source 0 and a
 * name of words: the kind of the event, then its arguments, "switch 100" or "mmap 0x40000000
 * 0x40001000 0x0 /system/lib/libfoo.so": task_event.h.
 */
struct ear_event {
	uint8_t source; /* EAR_EVENT_* (event_source.h); 0: of a text format */
	uint32_t value;
	uint64_t words[2];    /* text formats: its values */
	struct ear_text name; /* text formats; of the event port the string that it points to */
};

/* What the source does not have and what follows from it (docs/infer.md): the registers that the
 * instruction wrote, and its accesses. Of an access that the record has, too, only the value is
 * inferred. Without a value (has_value) only the address is known. */
struct ear_record_inferred {
	size_t register_count;
	const struct ear_record_register *registers; /* X and F */
	size_t memory_count;
	const struct ear_record_access *memory;
};

/* Members that only readers of text formats fill in. */
struct ear_record_extra {
	uint64_t line;             /* where the record begins in the text, from 1 */
	struct ear_text source;    /* its lines as they are, each with its end; only if the reader
				    * was asked for them (ear_trace_options.lines) and can say
				    * that their format's consumers take them */
	struct ear_text time_unit; /* of ticks, "clk", "ns", ...; absent: core clocks */
	size_t walk_count;
	const struct ear_walk *walks;

	/* Texts of the source, present only where they differ from the instruction table, or
	 * without a table: a writer that has the column takes them. */
	struct ear_text disassembly; /* with commas */
	struct ear_text sources;     /* Whisper's column of source operands */
	struct ear_text info;        /* Whisper's column of instruction info */
	struct ear_text mode_name;   /* privilege as another instruction set names it, "svc" */

	/* Registers that the instruction read, by the source, with their values. What is not
	 * architectural state is NAMED: "vsew" and "vlmul" of a vector instruction. */
	size_t read_count;
	const struct ear_record_register *reads;
	bool has_trap_value;
	uint64_t trap_value; /* of a trap whose CSR writes the source does not list: mtval */

	/* All bits that the fetch read, if the low bits of the opcode announce a format of more
	 * than 32 bits, which no instruction has yet; opcode holds the lowest 32. 0: unknown. */
	uint64_t wide_opcode;
	bool has_trigger; /* a debug trigger caused the trap: its action */
	uint8_t trigger_action;

	/* The task, a process or thread, that the instruction is of: its number and name. */
	bool has_task;
	uint64_t task;
	struct ear_text task_name; /* absent: not known */

	/* When each access of the record happened, in the unit of ticks; 0: not known. NULL: of
	 * none. */
	const uint64_t *access_times;

	const struct ear_record_inferred *inferred; /* NULL: nothing is */
};

struct ear_record {
	uint8_t kind; /* enum ear_record_kind */

	/* All kinds. */
	uint16_t hart;
	uint64_t index;         /* rvfi_order; other kinds: as the next instruction */
	uint64_t stream_offset; /* byte of the stream where its message begins */
	uint64_t ticks;         /* if EAR_RECORD_HAS_TIME: core clocks since reset of the unit, or
				 * extra->time_unit */
	const struct ear_record_extra *extra; /* NULL if empty */

	/* EAR_RECORD_INSTRUCTION. */
	uint8_t xlen;        /* 32 or 64 */
	uint8_t privilege;   /* enum ear_privilege, before the instruction */
	uint8_t opcode_size; /* bytes: 2 or 4; 8 in some text formats */
	uint8_t fflags;      /* FP flags that the instruction raised */
	uint8_t frm;         /* rounding mode in force before the instruction, 0 if never seen */
	uint8_t vtype;   /* of a vector instruction: ear_vtype_pack() before it; else undefined */
	uint8_t isa;     /* enum ear_isa */
	uint16_t fetch;  /* of the bus cycle of the fetch: enum ear_bus_flag; 0: unknown */
	uint32_t flags;  /* enum ear_record_flag */
	uint64_t opcode; /* 0 for a fetch that failed */
	uint64_t pc, pc_physical;
	uint64_t next_pc;
	uint64_t cause; /* mcause with its interrupt bit at XLEN-1; if TRAP or INTERRUPT */
	size_t register_count;
	const struct ear_record_register *registers; /* x, then f, then CSRs in write order */
	size_t memory_count;
	const struct ear_record_access *memory; /* in order; an AMO is a read, then a write */

	/* The other kinds. */
	union {
		struct ear_gap gap;
		struct ear_event event;
		struct {
			uint16_t attributes; /* enum ear_bus_flag */
		} cycle;
		struct {
			struct ear_text text; /* the whole line */
		} note;
	} u;
};

/* A phrase for a reason, such as "the unit's FIFO was full". Static. */
const char *ear_gap_reason_text(enum ear_gap_reason reason);

/* Compact form of consecutive ordinary records: RISC-V instructions that write at most one x
 * register and access memory at most once. A run holds what its records have in common, a compact
 * record the rest. It has a quarter of the size of a record, so it passes through memory and
 * between threads faster.
 *
 *     ear_compact_run_begin(&expanded, &run);
 *     for (i = 0; i < run.count; i++)
 *             use(ear_compact_run_get(&expanded, &run, &compacts[i], i));
 */

#define EAR_COMPACT_RUN_MAX 64 /* records in a run of the decoder */

struct ear_compact_record {
	uint64_t pc, next_pc;
	uint64_t result;  /* of register rd */
	uint64_t address; /* of the access */
	uint64_t data;    /* loaded or stored */
	uint32_t opcode;
	uint32_t offset; /* its stream_offset, from the run's */
	uint8_t opcode_size;
	uint8_t rd;     /* x register written; 0: none */
	uint8_t size;   /* bytes of the access; EAR_COMPACT_NO_ACCESS: none */
	uint8_t flags;  /* enum ear_compact_flag */
	uint32_t ticks; /* its time, from the run's */
};

#define EAR_COMPACT_NO_ACCESS UINT8_MAX

enum ear_compact_flag {
	EAR_COMPACT_TAKEN = EAR_RECORD_TAKEN,
	EAR_COMPACT_WRITE = 1 << 1, /* the access is a store */
};

struct ear_compact_run {
	size_t count;
	uint64_t first_index;          /* of the first record; consecutive from there */
	uint64_t first_line;           /* line of a text, likewise; 0: the records have no extra */
	uint64_t stream_offset, ticks; /* a record's are these plus its own */
	uint64_t absent; /* of the reader that made the run; taken account of in its records */
	uint32_t flags;  /* of all records, enum ear_record_flag; not TAKEN, not HAS_TIME */
	uint16_t hart;
	uint8_t xlen, privilege, frm, vtype;
	bool first_timed, all_timed; /* EAR_RECORD_HAS_TIME: of the first; of all others */
	bool ordinary; /* each record computes, loads, stores, branches or jumps, shows all that it
			* did to x registers and memory, and goes to the one after it; flags and
			* absent are 0 */
};

/* A compact record expanded to a record, with all that the record points to. */
struct ear_expanded_record {
	struct ear_record record;
	struct ear_record_register reg;
	struct ear_record_access access;
	struct ear_record_extra extra;
};

/* Fill in what all records of a run have in common. *expanded must not move until the last
 * ear_compact_run_get.
 */
void ear_compact_run_begin(struct ear_expanded_record *expanded, const struct ear_compact_run *run);

/* Record i of the run, valid until the next call with the same *expanded. */
static inline const struct ear_record *ear_compact_run_get(struct ear_expanded_record *expanded,
	const struct ear_compact_run *run, const struct ear_compact_record *compact, size_t i)
{
	struct ear_record *record = &expanded->record;
	bool timed = i == 0 ? run->first_timed : run->all_timed;

	record->index = run->first_index + i;
	record->opcode = compact->opcode;
	record->opcode_size = compact->opcode_size;
	record->stream_offset = run->stream_offset + compact->offset;
	record->ticks = run->ticks + compact->ticks;
	record->flags = run->flags | (compact->flags & (uint32_t)EAR_RECORD_TAKEN) |
			(timed ? (uint32_t)EAR_RECORD_HAS_TIME : 0);
	record->pc = compact->pc;
	record->next_pc = compact->next_pc;
	record->register_count = compact->rd != 0;
	expanded->reg.number = compact->rd;
	expanded->reg.value = compact->result;
	record->memory_count = compact->size != EAR_COMPACT_NO_ACCESS;
	expanded->access.address = compact->address;
	expanded->access.size = compact->size;
	expanded->access.write = compact->flags & EAR_COMPACT_WRITE;
	expanded->access.value = compact->data;
	expanded->extra.line = run->first_line + i;
	return record;
}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
