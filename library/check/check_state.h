#ifndef EAR_CHECK_STATE_H
#define EAR_CHECK_STATE_H

#include <earshot/record.h>

#include "common/hash.h"
#include "library/check/check_memory.h"
#include "library/check/checker_options.h"
#include "library/check/semantics/semantics.h"

/* What the files of the checker share: the state, and what came of a rule. */

#define CHECK_CACHE_BITS 12 /* decoded opcodes */
#define CHECK_CACHE      (1u << CHECK_CACHE_BITS)
#define CHECK_WARL_CSRS  7u /* check_warl.c */

/* A value that may be known. */
struct check_value {
	uint64_t value;
	bool known;
};

/* Bits that took a value that was written, or refused it; by the value, 0 or 1. */
struct check_warl {
	uint64_t took[2], refused[2];
};

/* check_pmp.c: what was allowed last, of each kind of access. */
enum check_pmp_kind { CHECK_PMP_FETCH, CHECK_PMP_READ, CHECK_PMP_WRITE, CHECK_PMP_KINDS };

struct check_pmp_range {
	uint64_t first, last;
};

struct check_pmp {
	bool valid;        /* as the CSRs are now */
	bool used, locked; /* an entry is; for machine mode, too */
	uint8_t mode;      /* that the ranges are of */
	struct check_pmp_range allowed[CHECK_PMP_KINDS];
};

struct check_hart {
	uint16_t hart;
	uint8_t xlen;
	uint8_t modes_seen; /* 1 << enum ear_privilege, in the whole trace */
	bool less_seen;     /* a return led to less than machine mode, likewise */
	bool hypervisor;    /* something showed that there is one, likewise */
	bool assumed;       /* the beginning, where assumptions hold, has passed */
	bool seen;          /* an instruction; since the last gap */
	uint64_t x[32], f[32];
	uint32_t x_known, f_known;
	uint64_t index; /* of the next instruction */
	struct check_value next_pc;
	struct check_value goes; /* where the instruction must go, if its record does not say it */
	struct check_value mode; /* the privilege of the next instruction */
	bool doubtful;           /* the privilege of this one is wrong */
	struct check_value goes_mode; /* where a trap or a return leads to */
	bool returned;                /* the instruction is MRET or SRET, or of unknown effect */
	bool trapped;                 /* the last record trapped, or was an interrupt */
	struct check_value handler;   /* where a trap led last */
	/* The last record was elsewhere: where it should have been, the pc after that, and whether
	 * this was a violation. */
	struct check_value left;
	uint64_t left_next;
	bool hides;      /* a trap that the text leaves out comes before the next record, */
	uint64_t hidden; /* which should be here */
	bool left_found;
	uint8_t flen; /* 0: not known yet */

	struct check_value frm, fflags;
	uint64_t status, status_known; /* check_status.c */
	struct check_warl warl[CHECK_WARL_CSRS];
	struct check_pmp pmp;
	struct check_value
		reserved;         /* 1: LR holds a reservation, as far as the hart itself decides */
	struct check_value *csrs; /* 4096 */
};

/* What the fast path did of a hart since a record that went by the rules: what has to hold for it,
 * and what comes of it (check_part.h). */
struct check_segment {
	uint64_t records, operands, results, accesses, stores; /* 0 records: there is none */
	uint64_t index, pc;                                    /* of the first one */
	uint32_t known;  /* x registers that are, before it, */
	uint64_t digest; /* and check_run_digest of them */
	uint64_t next_pc;
	uint32_t written;    /* x registers, */
	uint64_t values[31]; /* and what they hold, in order */
	uint8_t xlen, privilege;
	bool operands_shown;
};

struct check_recording {
	struct check_segment segment;
	uint64_t fetches[CHECK_CACHE]; /* by the fast path, of each place of ear_checker.fetched */
};

struct ear_checker {
	struct ear_checker_options options;
	struct check_hart **harts;
	size_t hart_count;
	struct check_hart *last;
	bool shows_interrupts; /* each one is a record */
	bool shared;           /* another hart may store, which the trace shows or does not show */
	struct ear_check_memory memory;
	struct ear_check_counts counts;
	int result; /* what found returned */

	struct check_cached {
		uint32_t opcode;
		uint8_t xlen; /* 0: empty */
		struct ear_semantics op;
	} * cache;

	/* The image of the program, check_image.c. */
	bool image_reached, image_begun;
	struct check_fetched {
		uint64_t pc;
		uint32_t opcode;
		bool judged; /* it is what the image has; false: nobody knows */
	} * fetched;

	/* The record that is checked: as the rules take it, and as the caller gave it.
	 * may_be_virtual: it has the privilege S or U, and is taken for one of VS or VU. */
	const struct ear_record *record, *source;
	bool may_be_virtual;
	uint64_t position, number;

	struct check_recording *recording; /* the caller's; NULL: nothing is recorded */
};

/* checker->last becomes the hart. Returns as ear_checker_push. */
int check_find_hart(struct ear_checker *checker, uint16_t number);

/* What an opcode is; kept by its hash. */
static inline const struct ear_semantics *check_decode(
	struct ear_checker *checker, uint32_t opcode, uint8_t xlen)
{
	struct check_cached *cached = &checker->cache[ear_hash_slot32(opcode, CHECK_CACHE_BITS)];

	if (cached->opcode != opcode || cached->xlen != xlen) {
		cached->opcode = opcode;
		cached->xlen = xlen;
		ear_semantics_decode(&cached->op, opcode, xlen, EAR_SEMANTICS_ALL);
	}
	return &cached->op;
}

static inline bool check_in_device(
	const struct ear_checker *checker, uint64_t address, unsigned size)
{
	for (size_t i = 0; i < checker->options.device_count; i++) {
		const struct ear_span *span = &checker->options.devices[i];
		if (address <= span->last && address + size - 1 >= span->first)
			return true;
	}
	return false;
}

/* What came of a rule. */
static inline void check_pass(struct ear_checker *checker, enum ear_check_rule rule)
{
	checker->counts.rules[rule].checked++;
}

static inline void check_skip(
	struct ear_checker *checker, enum ear_check_rule rule, enum ear_check_reason reason)
{
	checker->counts.rules[rule].unchecked[reason]++;
}

__attribute__((format(printf, 5, 6))) void check_violate(struct ear_checker *checker,
	enum ear_check_rule rule, uint64_t expected, uint64_t actual, const char *format, ...);

/* The mnemonic of the record's instruction. */
const char *check_mnemonic(const struct ear_checker *checker, char *text, size_t size);

/* A value of a rule that compares: shown is what the record says. */
void check_equal(struct ear_checker *checker, enum ear_check_rule rule, uint64_t expected,
	uint64_t shown, const char *what);

/* What PMP allowed may not hold any more: something else than its CSRs has changed; or these. */
static inline void check_pmp_close(struct check_hart *hart)
{
	for (unsigned kind = 0; kind < CHECK_PMP_KINDS; kind++)
		hart->pmp.allowed[kind] = (struct check_pmp_range){UINT64_MAX, 0};
}

static inline void check_pmp_changed(struct check_hart *hart)
{
	hart->pmp.valid = false;
	check_pmp_close(hart);
}

static inline uint64_t check_word(const struct check_hart *hart, uint64_t value)
{
	return hart->xlen == 32 ? (uint32_t)value : value;
}

/* A privilege that the source says: U, S or M. A port without this signal says U always. */
static inline struct check_value check_mode(const struct check_hart *hart, unsigned privilege)
{
	bool sure = hart->modes_seen & (1u << EAR_PRIVILEGE_S | 1u << EAR_PRIVILEGE_M);

	return (struct check_value){privilege, privilege == EAR_PRIVILEGE_M ||
						       privilege == EAR_PRIVILEGE_S ||
						       (privilege == EAR_PRIVILEGE_U && sure)};
}

/* The privilege of the record's instruction. */
static inline struct check_value check_privilege(
	const struct check_hart *hart, const struct ear_record *record)
{
	struct check_value mode = check_mode(hart, record->privilege);

	mode.known &= !(record->flags & EAR_RECORD_NO_PRIVILEGE) && !hart->doubtful;
	return mode;
}

/* Where there is a hypervisor, Spike and others show the modes of a virtual machine as S and U. */
static inline bool check_may_be_virtual(const struct check_hart *hart, unsigned privilege)
{
	unsigned virtual = 1u << EAR_PRIVILEGE_VU | 1u << EAR_PRIVILEGE_VS;

	return hart->hypervisor && !(hart->modes_seen & virtual) &&
	       (privilege == EAR_PRIVILEGE_S || privilege == EAR_PRIVILEGE_U);
}

/* In a virtual machine the CSRs of supervisor mode are others of the same numbers. */
static inline bool check_is_virtual(const struct ear_record *record)
{
	return record->privilege == EAR_PRIVILEGE_VS || record->privilege == EAR_PRIVILEGE_VU;
}

/* The value of the record's write of a register; NULL: it shows none. */
const struct ear_record_register *check_written(
	const struct ear_record *record, unsigned reg_class, int number);

/* What an instruction read from rs1 and rs2. */
struct check_operands {
	struct check_value a, b;
};

#endif
