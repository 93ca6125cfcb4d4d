#ifndef EAR_RECORD_H
#define EAR_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The record: one thing that a trace tells. Everything that decodes makes records and
 * everything that writes, compares or analyses takes them; nobody else's format is known here.
 *
 * A record belongs to whoever made it and is valid until the maker is called again; so are
 * the arrays it points to.
 */

enum ear_record_kind {
	EAR_RECORD_INSTRUCTION, /* an instruction retired or trapped, or an interrupt was taken */
	EAR_RECORD_GAP,         /* records are missing here: u.gap */
	EAR_RECORD_EVENT,       /* something beside the instructions: u.event */
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
};

enum ear_register_class {
	EAR_REGISTER_X,   /* integer, number 1 .. 31 */
	EAR_REGISTER_F,   /* floating point, number 0 .. 31 */
	EAR_REGISTER_CSR, /* number 0 .. 4095 */
};

struct ear_record_register {
	uint8_t class; /* enum ear_register_class */
	uint16_t number;
	uint64_t value;
};

struct ear_record_access {
	uint64_t address;  /* virtual, of the first byte */
	uint64_t physical; /* meaningful if has_physical */
	uint64_t value;    /* meaningful if has_value; the first byte in memory is the lowest */
	uint8_t size;      /* bytes, 1 .. 8; 0 unknown */
	bool write;
	bool has_value; /* false: the access trapped, or its data are not known */
	bool has_physical;
};

/* Why records are missing. */
enum ear_gap_reason {
	EAR_GAP_UNIT_FIFO,     /* the unit dropped them: its FIFO was full */
	EAR_GAP_HOST_RING,     /* the host dropped bytes: its ring was full */
	EAR_GAP_MISSING_FRAME, /* frames never arrived: the sequence numbers jump */
	EAR_GAP_DAMAGE,        /* bytes that are no valid frame were skipped */
	EAR_GAP_BAD_MESSAGE,   /* a valid frame holds a message that cannot be read */
	EAR_GAP_CUT,           /* the data end inside a frame */
};

struct ear_gap {
	enum ear_gap_reason reason;
	bool count_known;       /* false: nothing after the gap told how many */
	bool upper_bound;       /* count may include records that the filter held back */
	uint64_t first, last;   /* indexes; meaningful if count_known */
	uint64_t count;         /* records missing; meaningful if count_known */
	uint64_t skipped_bytes; /* bytes of the stream that could not be used */
	uint64_t missing_frames;
};

struct ear_event {
	uint8_t source; /* EAR_EVENT_*, docs/protocol.md section 4.5 */
	uint32_t value;
};

struct ear_record {
	uint8_t kind; /* enum ear_record_kind */

	/* All kinds. */
	uint16_t hart;
	uint64_t index;         /* rvfi_order; of the next instruction for the other kinds */
	uint64_t stream_offset; /* byte of the stream where the message begins that made it */
	uint64_t ticks;         /* core clocks since reset of the unit; if EAR_RECORD_HAS_TIME */

	/* EAR_RECORD_INSTRUCTION. */
	uint8_t xlen;        /* 32 or 64 */
	uint8_t privilege;   /* enum ear_privilege, before the instruction */
	uint8_t opcode_size; /* bytes, 2 or 4 */
	uint8_t fflags;      /* FP flags that the instruction raised */
	uint8_t frm;         /* rounding mode in force before the instruction, 0 if never seen */
	uint16_t flags;      /* enum ear_record_flag */
	uint32_t opcode;     /* 0 for a fetch that failed */
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
	} u;
};

/* A phrase for a reason, such as "the unit's FIFO was full". Static. */
const char *ear_gap_reason_text(enum ear_gap_reason reason);

#endif
