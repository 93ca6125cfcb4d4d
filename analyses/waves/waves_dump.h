#ifndef EAR_ANALYSES_WAVES_DUMP_H
#define EAR_ANALYSES_WAVES_DUMP_H

/* The variables of a value change dump, and its text. waves.c follows the records. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/base/byte_output.h"

#define WAVES_CSRS     4096u
#define WAVES_ACCESSES 8u    /* of one record */
#define WAVES_WIDE_MAX 1024u /* bytes */

/* A variable of bits. */
struct waves_bits {
	uint32_t code; /* its identifier in the dump */
	uint8_t width;
	bool shown;       /* a value was written */
	bool starts;      /* it has a value before the first record: value */
	uint64_t value;   /* the last one, */
	uint64_t unknown; /* and its bits that are not known */
};

/* A variable of more bits than a number has: a vector. */
struct waves_wide {
	uint32_t code;
	uint16_t size;  /* bytes; 0: there is none */
	bool shown;     /* a value was written, */
	bool unknown;   /* that is not known: else bytes */
	bool starts;    /* it has bytes before the first record */
	uint8_t *bytes; /* the last one, lowest first; NULL: nothing was set */
};

/* A variable of text; the texts stay where they are. */
struct waves_text {
	uint32_t code;
	const char *value; /* NULL: nothing was written */
};

struct waves_access {
	struct waves_bits valid, address, data, write, size;
};

struct waves_named {
	char name[32];
	struct waves_bits bits;
};

struct waves_hart {
	uint16_t number;
	uint8_t xlen;
	bool started;              /* the values before the first record were written */
	bool wide_opcode;          /* some opcode has more than 32 bits */
	uint32_t x, f;             /* sets of them */
	uint8_t accesses;          /* of one record, at most */
	uint16_t csr_count;        /* CSRs that are written, */
	uint16_t csrs[WAVES_CSRS]; /* and each one's number in csr_bits, from 1 */
	struct waves_bits *csr_bits;
	struct waves_named *named;
	size_t named_count;

	struct waves_bits pc, opcode, trap, interrupt, cause;
	struct waves_bits x_bits[32], f_bits[32];
	struct waves_wide vectors[32];
	struct waves_text function, privilege, event;
	struct waves_access access[WAVES_ACCESSES];
};

struct waves_dump {
	struct ear_byte_output *output;
	struct waves_hart **harts; /* by their number */
	size_t hart_count;
	bool has_time;
	char time_unit[4]; /* "ns"; "": clocks of the core */
	uint64_t now;      /* time of the values that are set */
	bool begun;        /* a time was written */
	uint64_t written_time;
};

/* Declarations, and the first values. */
void waves_declare(struct waves_dump *dump);
/* Values at now. Nothing is written if it is what was written last. */
void waves_set(struct waves_dump *dump, struct waves_bits *bits, uint64_t value, uint64_t unknown);
/* bytes NULL: it is not known. Of less than the whole, those above stay what they were; if that is
 * not known, nor is the whole. */
void waves_set_wide(
	struct waves_dump *dump, struct waves_wide *wide, const uint8_t *bytes, size_t size);
/* text: it must stay as long as another one may be compared with it. */
void waves_set_text(struct waves_dump *dump, struct waves_text *variable, const char *text);

#endif
