#ifndef EAR_ISS_FAULTS_H
#define EAR_ISS_FAULTS_H

#include "iss.h"

/* Cores that go wrong, for tests of whatever must trace them exactly.
 *
 * Two kinds of fault, which can be combined. A bug is in the simulator itself: the program goes
 * on with what the bug made of it. A flip changes an entry on its way out: the program does not
 * notice, as with a broken retire port.
 */

enum ear_iss_bug_kind {
	EAR_ISS_BUG_NONE,
	EAR_ISS_BUG_ALU,   /* a wrong result whenever rs1 has a certain pattern */
	EAR_ISS_BUG_STORE, /* a store retires, but memory does not change */
	EAR_ISS_BUG_UPSET, /* a register changes by itself */
	EAR_ISS_BUG_STALE, /* forwarding glitch: rs1 has the value before the last instruction */
	EAR_ISS_BUG_SIGN,  /* a load, or on RV64 a word operation, does not extend the sign */
	EAR_ISS_BUG_KINDS,
};

/* kind decides which members mean something:
 * ALU    operations on x registers with (rs1 & mask) == pattern: result ^ flip
 * STORE  each period-th store is lost
 * UPSET  from entry `moment` on, each period-th entry begins with x[reg] ^= flip
 * STALE  each period-th time that the instruction before wrote the register that rs1 reads
 * SIGN   each period-th result whose extended sign bits are ones gets zeros instead
 * period is not 0.
 */
struct ear_iss_bug {
	enum ear_iss_bug_kind kind;
	uint32_t period;
	uint64_t moment;
	uint64_t mask, pattern, flip;
	uint8_t reg;
};

/* Parameters for a bug of this kind, drawn from seed, that shows some tens of times in a million
 * entries of an ordinary program. */
void ear_iss_bug_draw(struct ear_iss_bug *bug, enum ear_iss_bug_kind kind, uint64_t seed);

/* "alu", "store", "upset", "stale", "sign"; "none" for 0. Static. */
const char *ear_iss_bug_name(enum ear_iss_bug_kind kind);

/* Build the bug in, or take it out (kind NONE). */
void ear_iss_bug_set(struct ear_iss *iss, const struct ear_iss_bug *bug);

/* How often the bug has struck so far. */
uint64_t ear_iss_bug_count(const struct ear_iss *iss);

/* Flips. Plain data; no fini. */
struct ear_faults {
	uint64_t random;
	uint32_t per_million;
	unsigned flen;  /* of the port; 0: its FP group is left alone */
	uint64_t count; /* entries changed so far */
};

/* per_million of the entries get one to three wrong fields. */
void ear_faults_init(struct ear_faults *faults, uint64_t seed, uint32_t per_million, unsigned flen);

/* Perhaps change *entry. Every field of the port but order, xlen and the physical addresses can be
 * hit, by one bit, by several, or by another value. The entry stays one that the port could
 * send: fields keep their width, csrs[0 .. csr_count-1] are defined and no more than there were,
 * or one, and an FP register that is not written has neither number nor value. order stays as it
 * is because a jump in it means loss (docs/protocol.md). Returns true if it was this entry's turn.
 */
bool ear_faults_flip(struct ear_faults *faults, struct ear_retire *entry);

/* ear_iss_run with flips. */
size_t ear_faults_run(
	struct ear_faults *faults, struct ear_iss *iss, struct ear_retire *entries, size_t count);

#endif
