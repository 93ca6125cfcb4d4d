#ifndef EAR_WHY_H
#define EAR_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/memory_errors.h>
#include <earshot/names.h>
#include <earshot/trace.h>
#include <earshot/value_chain.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Why a run ended as it did: the last records of a trace, and what led there (docs/why.md).
 *
 *     const struct ear_why *why;
 *
 *     ear_trace_why(trace, NULL, &why, NULL);
 *     puts(why->text);                          "load access fault at 0x00000010"
 *     for (size_t i = 0; i < why->value_count; i++)
 *             ... why->values[i].chain: where the value came from
 *     ear_why_free(why);
 *
 * What is not known is said to be so: kind is UNKNOWN rather than a guess.
 */
enum ear_why_kind {
	EAR_WHY_UNKNOWN, /* text says what is known */
	EAR_WHY_ENDED,   /* the program ended well */
	EAR_WHY_TRAP,    /* a trap whose handler never returned */
	EAR_WHY_EXIT,    /* the program ended with an exit code other than 0 */
	EAR_WHY_HANG,    /* a loop without progress, or a sleep that nothing ends */
	EAR_WHY_EVENT,   /* the event that a recorder waited for */
	EAR_WHY_KINDS
};

/* "trap". NULL for a number that is none. Static. */
const char *ear_why_kind_name(unsigned kind);

/* What a value is to the cause. */
enum ear_why_role {
	EAR_WHY_ADDRESS,     /* TRAP: the register that the address is made of */
	EAR_WHY_TARGET,      /* TRAP: where a jump went */
	EAR_WHY_INSTRUCTION, /* TRAP: memory of an illegal instruction, which something wrote */
	EAR_WHY_CODE,        /* EXIT: the value that ended the program */
	EAR_WHY_OPERAND,     /* of a branch: EXIT: the last one before the code was chosen; HANG:
			      * the one that stays in the loop */
	EAR_WHY_STATUS,      /* HANG: mstatus, which disables interrupts */
	EAR_WHY_INPUT,       /* EVENT: what an instruction read that the core did wrong */
	EAR_WHY_ENABLED,     /* HANG: mie, which interrupts may end a sleep */
	EAR_WHY_CHOICE,      /* EXIT: of the branch choice */
	EAR_WHY_RESUMED,     /* mepc, by which a handler returned after skip */
	EAR_WHY_ROLES
};

/* "address". NULL for a number that is none. Static. */
const char *ear_why_role_name(unsigned role);

struct ear_why_value {
	uint8_t role;            /* enum ear_why_role */
	struct ear_value source; /* the place, and the moment */
	const struct ear_value_chain *chain;
};

/* A record, as far as it is known. */
struct ear_why_place {
	bool known;
	uint8_t opcode_size, xlen; /* opcode_size 0: none of RISC-V */
	uint64_t position, number, pc, next_pc, opcode;
};

#define EAR_WHY_VALUES_MAX     12
#define EAR_WHY_DIFFERENCE_MAX 8
#define EAR_WHY_EXITS_MAX      6
#define EAR_WHY_ROUNDS_MAX     16
#define EAR_WHY_TEXT_MAX       256
#define EAR_WHY_BLOCKS_MAX     64
#define EAR_WHY_ERRORS_MAX     4
#define EAR_WHY_CHECKED_MAX    4194304

/* What was different the last time that the same instruction was executed. */
struct ear_why_difference {
	bool searched;               /* it was looked for */
	bool same;                   /* it read registers, all known, with the same values */
	struct ear_why_place before; /* the earlier execution; not known: there is none */
	/* The first branch or jump that went another way, in the round that led to the earlier
	 * execution and in the one that led to the later; known: there is one. */
	struct ear_why_place branch_then, branch_now;
	/* Registers that the instruction read, or the last branch did, with other values. */
	size_t count;
	struct {
		struct ear_value_place place;
		uint64_t then, now;
	} registers[EAR_WHY_DIFFERENCE_MAX];
	/* An interrupt that came in the round that led to the later execution, and in none of the
	 * rounds before that were looked at, quiet_rounds of them; known: there is one. */
	struct ear_why_place interrupt;
	unsigned quiet_rounds;
};

/* A register that the handler of an interrupt changed: the interrupted code went on with it. */
struct ear_why_changed {
	struct ear_why_place interrupt, write; /* write: in the handler */
	struct ear_value_place place;
	uint64_t then, now; /* before the interrupt, and after its handler */
};

/* An update that was lost: load read the variable, other stored to it, in the handler of an
 * interrupt that came after load, in another task or on another hart, and then store wrote what was
 * made of the value that load had read. */
struct ear_why_lost {
	struct ear_value_place place;            /* of the variable */
	struct ear_why_place load, other, store; /* in this order */
	struct ear_why_place interrupt;          /* between load and other, if there is one */
	uint64_t loaded, other_value, stored;    /* its values */
	uint64_t count; /* such updates that were found, 3 at most; this is the last. 0: none */
};

/* A block of the heap that a byte was in, just before the record at position. */
struct ear_why_block {
	uint64_t position, address;
	struct ear_memory_block block;
};

/* Made by the library only. */
struct ear_why {
	uint8_t kind; /* enum ear_why_kind */
	uint16_t hart;
	char text[EAR_WHY_TEXT_MAX]; /* the cause in words, without a full stop */

	/* Where: the instruction that trapped, the store or call that ended the program, the branch
	 * or the last instruction of a loop, the instruction at which a flight recorder's event
	 * came; else the last instruction. */
	struct ear_why_place place;

	/* TRAP. */
	bool cause_known, trap_value_known;
	uint64_t cause, trap_value;
	struct ear_why_place jump; /* that led there, if it was a wild one; or that may have */
	uint64_t nested;           /* traps in the handler, whose handlers did not return either */

	/* EXIT, and TRAP if its handler ended the program. */
	bool has_code;
	uint64_t code;
	struct ear_why_place branch; /* the last one before the code was chosen */
	/* The last one before a value that branch compares was made, in a function that has
	 * returned since. */
	struct ear_why_place choice;

	/* HANG, and TRAP if its handler loops. */
	uint64_t rounds, period;   /* rounds: at least; instructions of a round */
	struct ear_why_place loop; /* its first record; with earlier, the oldest that was seen */
	/* HANG: what was before loop is not known. TRAP, of one that comes again: place may not be
	 * the first of them. Records are missing, or it goes back too far. */
	bool earlier;
	bool interrupts_off; /* HANG, in machine mode: by mstatus */

	size_t value_count;
	struct ear_why_value values[EAR_WHY_VALUES_MAX];
	struct ear_why_difference difference; /* to the round before; EXIT: of branch; HANG: when
					       * it left the loop last */
	char end_reason[64];                  /* of the capture; "": it does not say */

	/* Records are missing after the last ones of the hart, so its end was not seen. Then kind
	 * is UNKNOWN, and place the last instruction that is there, unless what is there is
	 * certain: the program ended itself, the unit reported an event, or nothing can end the
	 * loop. */
	bool end_missing, missing_known;
	uint64_t end_after; /* the number of the last instruction that is there */
	uint64_t missing;   /* records, if missing_known */

	/* The stack had grown over what is next to it: the store that wrote there, or place. */
	struct ear_why_place overflow;
	uint64_t overflow_sp, overflow_calls; /* there: sp, and calls in the stack */

	/* An exception of an instruction of 2 bytes, whose handler went on 4 bytes after it. */
	struct ear_why_place skip;

	struct ear_why_changed changed; /* if changed.write is known */

	/* HANG: after_write is the last store to what the branch compares. after.before is the
	 * execution of that instruction before, and the rest of after is about what followed on
	 * both, up to the loop: known, if it differed. */
	struct ear_why_place after_write;
	struct ear_why_difference after;

	/* HANG: branches other than place that would leave the loop, if they went the other way. */
	size_t exit_count;
	struct ear_why_place exits[EAR_WHY_EXITS_MAX];

	/* Blocks of the heap that the chains lead through, and the one of trap_value at place. By
	 * position. */
	size_t block_count;
	struct ear_why_block blocks[EAR_WHY_BLOCKS_MAX];

	/* The first record that contradicts the ISA: the core is wrong, and all after it may follow
	 * from that. core_text: how, a sentence without a full stop. Looked for in captures of up
	 * to EAR_WHY_CHECKED_MAX records, and in texts of a sixteenth of it. */
	struct ear_why_place core;
	char core_text[EAR_WHY_TEXT_MAX];

	/* Memory errors up to place, the first ones, of all there are. memory_from: what was before
	 * this position was not looked at. */
	size_t memory_error_count;
	struct ear_memory_error memory_errors[EAR_WHY_ERRORS_MAX];
	uint64_t memory_errors_all, memory_from;

	/* Of a variable that the chains lead through, before they read it; of the last 2^22 records
	 * before that. */
	struct ear_why_lost lost;
};

struct ear_why_options {
	size_t size;     /* sizeof(struct ear_why_options) */
	int hart;        /* -1: the one of which the end says most */
	bool has_tohost; /* a store of an odd number there ends the program: code is number / 2 */
	uint64_t tohost;
	const struct ear_value_chain_options *chain; /* NULL: defaults */
	const struct ear_names *names; /* of the program: functions that give up, and objects, are
					* known by name; NULL: by none */
	/* Allocators of the program, as in struct ear_memory_checker_options. */
	const char *const *allocators;
	size_t allocator_count;
};

#define EAR_WHY_DEFAULTS \
	{ \
		.size = sizeof(struct ear_why_options), .hart = -1 \
	}

/* The cause. options NULL: defaults. The place at which ear_trace_next reads does not change.
 *
 * Returns 0 and *why, to be freed; EAR_E_BAD_ARGUMENT (options), EAR_E_UNSUPPORTED (a pipe),
 * EAR_E_CANCELLED, EAR_E_NO_MEMORY, or an error as ear_trace_next.
 */
int ear_trace_why(struct ear_trace *trace, const struct ear_why_options *options,
	const struct ear_why **why, const struct ear_progress *progress);
void ear_why_free(const struct ear_why *why); /* NULL is fine */

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
