#ifndef EAR_ANALYSES_PROFILE_PRIVATE_H
#define EAR_ANALYSES_PROFILE_PRIVATE_H

#include "analyses/base/part_walk.h"
#include "analyses/profile/profile.h"
#include "analyses/profile/profile_functions.h"
#include "analyses/profile/profile_state.h"

/* What counting (profile.c) and summing up (profile_sum.c) share. */

/* What the trace showed, so that what it lacks is not taken for nothing. */
enum ear_profile_seen {
	EAR_PROFILE_OPCODE = 1,         /* some opcode of RISC-V */
	EAR_PROFILE_ACCESS = 2,         /* some access */
	EAR_PROFILE_NO_ACCESS = 4,      /* a load or store without one */
	EAR_PROFILE_OUTCOME = 8,        /* whether some branch was taken */
	EAR_PROFILE_NO_OUTCOME = 16,    /* a branch of which that is not known */
	EAR_PROFILE_NO_TRAPS = 32,      /* the trace cannot show traps, */
	EAR_PROFILE_NO_INTERRUPTS = 64, /* or interrupts */
	EAR_PROFILE_SEEN_MAX = 127,
};

struct ear_profile_shows ear_profile_shows(uint8_t seen, bool time);

/* A set of it: these cannot be shown. */
static inline uint8_t ear_profile_lacks(bool traps, bool interrupts)
{
	return (uint8_t)((traps ? EAR_PROFILE_NO_TRAPS : 0) |
			 (interrupts ? EAR_PROFILE_NO_INTERRUPTS : 0));
}

/* The clocks of records: of each hart since its last one that had a time. All zero: no record came.
 * The clocks of the first one of a hart in a part are known when parts are joined, and belong to
 * what its owner says, a number of who counts. */
struct ear_profile_times {
	struct ear_profile_time {
		uint16_t hart;
		bool timed, has_first;
		uint64_t ticks, first_ticks;
		uint32_t owner; /* of the first one */
	} * harts;
	size_t hart_count;
	bool has_time; /* some record had clocks */
	bool stopped;  /* at some gap: a hart that comes later has no first one */
};

/* Adds them to *clocks. Returns 0; 1: it is a first one, and has the owner; EAR_E_NO_MEMORY. */
int ear_profile_times_count(struct ear_profile_times *times, const struct ear_record *record,
	uint32_t owner, uint64_t *clocks);
void ear_profile_times_stop(struct ear_profile_times *times); /* at a gap: in nobody's name */
void ear_profile_times_fini(struct ear_profile_times *times);

/* next comes after times. own: the owner here of one of next; add: clocks are those of an owner of
 * next. Returns 0 or EAR_E_NO_MEMORY. */
struct ear_profile_times_joining {
	uint32_t (*own)(void *context, uint32_t owner);
	void (*add)(void *context, uint32_t owner, uint64_t clocks);
	void *context;
};
int ear_profile_times_join(struct ear_profile_times *times, const struct ear_profile_times *next,
	const struct ear_profile_times_joining *joining);

/* In a file of a part: lines "hart ..." (owners are below owner_count), and counts in a line. */
void ear_profile_times_walk(
	struct ear_profile_times *times, struct ear_part_walk *walk, uint32_t owner_count);
void ear_profile_counts_walk(struct ear_profile_counts *counts, struct ear_part_walk *walk);

/* Reading, what the line says was to be added: memory was there, and nothing was its like. */
static inline void ear_profile_check_added(struct ear_part_walk *walk, bool made, bool is_new)
{
	if (!made || !is_new)
		ear_part_reject(walk, made ? "it came before" : "out of memory");
}

/* A cell; an instruction: their places, where counts are added. Return NULL if memory is short; of
 * an instruction also if there are EAR_PROFILE_PCS_MAX: *full is set then. */
struct ear_profile_cell *ear_profile_take_cell(
	struct ear_profile *profile, uint32_t path, uint32_t function);
struct ear_profile_pc *ear_profile_take_pc(
	struct ear_profile *profile, uint64_t pc, uint32_t function, bool *full);

/* What options filter: is a function, by where it begins, one of these? A set of the bits. */
enum { EAR_PROFILE_WITHIN = 1, EAR_PROFILE_WITHOUT = 2 };
uint8_t ear_profile_filter(const struct ear_profile_options *options, uint64_t entry);
/* Is what is in such functions, all taken together, counted? */
bool ear_profile_keeps(const struct ear_profile_options *options, uint8_t filters);

/* What counting needs, and the sums do not: paths of calls, when they have been taken; and cells.
 * Nothing is counted any more. */
void ear_profile_free_calls(struct ear_profile *profile);
void ear_profile_free_counting(struct ear_profile *profile);

/* The hart with a number; NULL if there is none, and make is false or memory is short. */
struct ear_profile_hart *ear_profile_hart_of(
	struct ear_profile *profile, uint16_t number, bool make);

/* Of the analysis. */
int ear_profile_create(void **count, const struct ear_analysis_setup *setup);
void ear_profile_free(void *count);
int ear_profile_start(void *count, struct ear_moment *moment, const struct ear_progress *progress);
void ear_profile_task(void *count, uint32_t task, bool wanted);
int ear_profile_batch(void *count, const struct ear_batch *batch);
int ear_profile_join(void *whole, void *part);
void ear_profile_walk(void *count, struct ear_part_walk *walk);

/* A part has ended: let it know what the names say of its paths. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_learn_paths(struct ear_profile *profile);

/* All has been counted: make functions and nodes. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_sum(struct ear_profile *profile);

/* Cells find themselves by their functions: those have other numbers now. */
void ear_profile_renumber(struct ear_profile *profile, const uint32_t *numbers);

/* What a record counts for, but for its clocks; and what it shows. */
void ear_profile_count(
	const struct ear_record *record, struct ear_profile_counts *counts, uint8_t *seen);

void ear_profile_add(struct ear_profile_counts *sum, const struct ear_profile_counts *counts);

#endif
