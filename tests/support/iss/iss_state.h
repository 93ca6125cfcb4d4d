#ifndef EAR_ISS_STATE_H
#define EAR_ISS_STATE_H

#include "faults.h"
#include "iss.h"
#include "library/check/semantics/semantics.h"

/* What the files of the simulator share; nobody outside includes this. */

#define ISS_CACHE_SLOTS 65536u /* decoded instructions; a power of two */

#define ISS_MODE_U 0
#define ISS_MODE_M 3

#define ISS_CAUSE_FETCH_FAULT      1
#define ISS_CAUSE_ILLEGAL          2
#define ISS_CAUSE_BREAKPOINT       3
#define ISS_CAUSE_LOAD_MISALIGNED  4
#define ISS_CAUSE_LOAD_FAULT       5
#define ISS_CAUSE_STORE_MISALIGNED 6
#define ISS_CAUSE_STORE_FAULT      7
#define ISS_CAUSE_ECALL_U          8
#define ISS_CAUSE_ECALL_M          11

/* Bits of mip and mie. */
#define ISS_IRQ_SOFTWARE (1u << 3)
#define ISS_IRQ_TIMER    (1u << 7)
#define ISS_IRQ_EXTERNAL (1u << 11)

/* A counter CSR: value = what counts + offset, or frozen while inhibited. */
struct iss_counter {
	uint64_t offset;
	bool inhibited;
	uint64_t frozen;
};

struct iss_csrs {
	uint64_t mstatus; /* only the fields that can change */
	uint64_t mtvec, mepc, mcause, mtval, mscratch;
	uint32_t mie, mcounteren;
	uint8_t fflags, frm;
	struct iss_counter cycle, instret;
};

struct iss_packets {
	uint64_t ring;
	uint32_t slots, on, sent, interrupt;
	uint32_t wait; /* events until the next one */
};

struct iss_bug_state {
	struct ear_iss_bug bug;
	uint32_t occasions; /* since the last time that it struck */
	uint64_t count;     /* how often it struck */
	uint8_t last_rd;    /* STALE: what the instruction before wrote, 0: nothing */
	uint64_t last_old;  /* and what was there before that */
};

struct ear_iss {
	/* Used by every instruction. */
	uint8_t *memory;
	uint64_t memory_size;
	uint64_t pc;
	uint64_t order;
	uint64_t x[32];       /* on RV32 the upper halves are 0 */
	uint32_t until_event; /* entries until iss_advance */
	bool irq_ready;       /* an enabled interrupt is pending and would be taken */
	bool intr;            /* the next entry is the first of a handler */
	bool ended;
	uint8_t mode;
	uint8_t xlen;
	struct ear_semantics *cache;
	const struct ear_retire *seen; /* the core's entry in ear_iss_follow, else NULL */

	uint64_t f[32]; /* NaN-boxed with D, upper halves 0 with F alone */
	struct iss_csrs csr;
	uint64_t trap_count; /* entries that did not retire */
	bool reserved;       /* LR holds a reservation */
	uint64_t reservation;

	uint32_t pending; /* mip */
	uint64_t mtime, mtimecmp;
	uint64_t extra_cycles; /* those of mcycle beside one for each entry */
	struct iss_packets packets;
	uint64_t random;
	bool has_tohost;
	uint64_t tohost;

	enum ear_iss_end end;
	int exit_code;
	uint64_t entry; /* of the program */
	struct iss_bug_state bug;
	struct ear_iss_options options;
};

static inline bool iss_has(const struct ear_iss *iss, uint32_t extension)
{
	return (iss->options.extensions & extension) != 0;
}

/* xorshift64*: the simulator's own source of chance. */
static inline uint64_t iss_random(struct ear_iss *iss)
{
	iss->random ^= iss->random >> 12;
	iss->random ^= iss->random << 25;
	iss->random ^= iss->random >> 27;
	return iss->random * 0x2545F4914F6CDD1Du;
}

static inline uint32_t iss_random_below(struct ear_iss *iss, uint32_t limit)
{
	return (uint32_t)((iss_random(iss) >> 32) * limit >> 32);
}

/* iss_csr.c */
void iss_csr_reset(struct ear_iss *iss);
void iss_irq_update(struct ear_iss *iss); /* after a change of mie, mip, mstatus or the mode */
void iss_trap(struct ear_iss *iss, struct ear_retire *entry, uint64_t cause, uint64_t value);
void iss_interrupt(struct ear_iss *iss, struct ear_retire *entry);
void iss_mret(struct ear_iss *iss, struct ear_retire *entry);
/* Do the CSR instruction; a is its register operand. False: illegal, nothing was done. */
bool iss_csr_execute(struct ear_iss *iss, struct ear_retire *entry, const struct ear_semantics *op,
	uint64_t a, uint64_t *result);
/* What a CSR holds. False: the hart has none of this number. */
bool iss_csr_read(const struct ear_iss *iss, unsigned number, uint64_t *value);
bool iss_float_enabled(const struct ear_iss *iss);
void iss_float_dirty(struct ear_iss *iss);

/* iss_device.c: accesses that do not hit the memory; false: nothing is there. */
bool iss_device_load(struct ear_iss *iss, uint64_t address, unsigned size, uint64_t *value);
bool iss_device_store(struct ear_iss *iss, uint64_t address, unsigned size, uint64_t value);
void iss_device_reset(struct ear_iss *iss);
void iss_advance(struct ear_iss *iss); /* time passes; called when until_event is 0 */
void iss_sleep(struct ear_iss *iss);   /* wfi: time passes until an interrupt is pending */

/* iss_float.c: an instruction of kind EAR_SEM_FLOAT. a is its integer operand. Writes the F
 * register itself; *result is for rd. False: illegal. */
bool iss_float_execute(struct ear_iss *iss, struct ear_retire *entry,
	const struct ear_semantics *op, uint64_t a, uint64_t *result);
void iss_float_write(
	struct ear_iss *iss, struct ear_retire *entry, unsigned number, uint64_t value);

/* faults.c: what a bug does, at the places where it does it. */
void iss_bug_upset(struct ear_iss *iss);
uint64_t iss_bug_operand(struct ear_iss *iss, const struct ear_semantics *op, uint64_t a);
bool iss_bug_loses_store(struct ear_iss *iss);
uint64_t iss_bug_result(
	struct ear_iss *iss, const struct ear_semantics *op, uint64_t a, uint64_t result);

/* iss_elf.c */
int iss_elf_load(struct ear_iss *iss, const char *path);

/* iss_execute_32.c, iss_execute_64.c */
size_t iss_run_32(struct ear_iss *iss, struct ear_retire *entries, size_t count);
size_t iss_run_64(struct ear_iss *iss, struct ear_retire *entries, size_t count);

#endif
