#ifndef EAR_DIVERSION_H
#define EAR_DIVERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/moment_view.h>
#include <earshot/record.h>
#include <earshot/search.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* A diversion: what a hart would do from a moment on if registers or memory held other values
 * (docs/debugging.md, section 5). Instructions are executed; the trace does not change.
 *
 *     struct ear_diversion_options options = {.size = sizeof(options), .xlen = 32, .view = view};
 *
 *     ear_diversion_new(&diversion, &options);
 *     ear_diversion_set_register(diversion, EAR_REGISTER_X, 10, 42);
 *     while (ear_diversion_step(diversion, &step) == 1 && step.next_pc != end)
 *             ;
 *     ear_diversion_free(diversion);
 *
 * What the moment does not know is unknown here, too, bit by bit. An unknown value can be moved and
 * computed with. If it decides something (where a branch goes, an address, whether an instruction
 * traps), the diversion ends there, and says what is unknown. Nothing is supposed, but that the
 * hart has all extensions that are modelled (RV32 and RV64 with M A F D C Zicsr Zifencei Zicond Zcb
 * Zba Zbb Zbc Zbs), that protection allows every access, and that an address is translated as it
 * was.
 *
 * It runs alone: other harts and devices do nothing, no interrupt comes, counters are unknown.
 * Traps and returns from traps end it.
 */
struct ear_diversion;

struct ear_diversion_options {
	size_t size;   /* sizeof(struct ear_diversion_options) */
	unsigned xlen; /* 32 or 64 */
	unsigned flen; /* 32 or 64; 0: not known */
	bool has_privilege;
	unsigned privilege; /* enum ear_privilege */
	/* The moment: its registers and its memory are asked for when they are needed, until the
	 * diversion is freed. view.pc is what comes next. */
	struct ear_moment_view view;
	/* What is memory; all else is devices, of which nothing is known, and stores to them do
	 * nothing. These are copied. */
	const struct ear_span *memory;
	size_t memory_count;            /* 0: all of it */
	const struct ear_span *devices; /* that are not memory, although they are in one of these */
	size_t device_count;
};

/* Returns 0 and the diversion; EAR_E_BAD_ARGUMENT (size, xlen, flen); EAR_E_NO_MEMORY. */
int ear_diversion_new(
	struct ear_diversion **diversion, const struct ear_diversion_options *options);
void ear_diversion_free(struct ear_diversion *diversion); /* NULL is fine */

/* Registers x, f and CSRs. False: not all of it is known, or there is no such register. */
bool ear_diversion_register(struct ear_diversion *diversion, enum ear_register_class reg_class,
	unsigned number, uint64_t *value);
/* False: there is no such register, or it changes by itself. x0 takes nothing. */
bool ear_diversion_set_register(struct ear_diversion *diversion, enum ear_register_class reg_class,
	unsigned number, uint64_t value);

uint64_t ear_diversion_pc(const struct ear_diversion *diversion);
void ear_diversion_set_pc(struct ear_diversion *diversion, uint64_t pc);
bool ear_diversion_privilege(const struct ear_diversion *diversion, unsigned *privilege);
void ear_diversion_set_privilege(struct ear_diversion *diversion, unsigned privilege);

/* Memory. known[i] is 1 for a byte that is known, else 0, and the byte is 0. What is set is known
 * from then on, of a device until an instruction stores there. Returns 0 or EAR_E_NO_MEMORY. */
int ear_diversion_memory(struct ear_diversion *diversion, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size);
int ear_diversion_set_memory(
	struct ear_diversion *diversion, uint64_t address, const uint8_t *bytes, size_t size);

#define EAR_DIVERSION_TEXT_MAX 256

struct ear_diversion_step {
	size_t size;          /* sizeof(struct ear_diversion_step), filled in by the caller */
	uint64_t pc, next_pc; /* of the instruction, and of the one after it */
	bool reads, writes;   /* an access, */
	unsigned access_size; /* of so many bytes */
	uint64_t address;
	char text[EAR_DIVERSION_TEXT_MAX]; /* why it ends here; else "" */
};

/* What the next instruction would do. Nothing changes. Returns 1; 0: it cannot be executed, and
 * step->text says why; EAR_E_NO_MEMORY; EAR_E_BAD_ARGUMENT (size). */
int ear_diversion_look(struct ear_diversion *diversion, struct ear_diversion_step *step);

/* Execute it. Returns as ear_diversion_look; where that is not 1, nothing has changed. */
int ear_diversion_step(struct ear_diversion *diversion, struct ear_diversion_step *step);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
