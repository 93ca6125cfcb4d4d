#ifndef EAR_VALUE_CHAIN_H
#define EAR_VALUE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Where a value came from: the record that wrote it last, what that record computed it from, who
 * wrote that, and so on through loads, stores, moves and arithmetic (docs/why.md).
 *
 *     struct ear_value value = {.place = {.kind = EAR_VALUE_REGISTER, .number = 10},
 *             .before = position};
 *     const struct ear_value_chain *chain;
 *
 *     ear_trace_value_chain(trace, &value, NULL, &chain, NULL);
 *     for (size_t i = 0; i < chain->node_count; i++)
 *             ... chain->nodes[i].number, .pc, .before, .after
 *     ear_value_chain_free(chain);
 *
 * A link is only made where it is known: records between are complete, and what is read is what was
 * written. Where it is not, the chain ends there and says why.
 */
enum ear_value_kind { EAR_VALUE_REGISTER, EAR_VALUE_MEMORY };

struct ear_value_place {
	uint8_t kind;      /* enum ear_value_kind */
	uint8_t reg_class; /* REGISTER: X, F or CSR */
	uint16_t number;   /* REGISTER */
	uint16_t hart;     /* REGISTER */
	uint8_t size;      /* MEMORY: bytes, 1 .. 8 */
	uint64_t address;  /* MEMORY */
};

/* A value at the moment before a record. */
struct ear_value {
	struct ear_value_place place;
	uint64_t before; /* position; beyond the end is the end */
};

/* Why a chain does not go further back. */
enum ear_value_end {
	EAR_VALUE_FOLLOWED,  /* it does */
	EAR_VALUE_CONSTANT,  /* computed from no register and no memory: li, lui, auipc, a link */
	EAR_VALUE_IMAGE,     /* nothing wrote it; the program's file has this value there */
	EAR_VALUE_DEVICE,    /* memory of a device (ear_trace_options.devices) */
	EAR_VALUE_CORE,      /* the core writes it: by a trap, a counter, the success of a sc */
	EAR_VALUE_CHANGED,   /* it is not what was written last: something else wrote it */
	EAR_VALUE_BEGIN,     /* nothing in the trace wrote it */
	EAR_VALUE_GAP,       /* records are missing between, which may have written it */
	EAR_VALUE_OPAQUE,    /* the instruction is not known, or of a kind that is not followed */
	EAR_VALUE_LIMIT,     /* the chain is as long as it may become */
	EAR_VALUE_NOT_ASKED, /* an address; ear_value_chain_options.addresses follows it */
	EAR_VALUE_ENDS
};

/* "constant". NULL for a number that is none. Static. */
const char *ear_value_end_name(unsigned end);

#define EAR_VALUE_NO_NODE SIZE_MAX

/* What a record read to make a value; or a part of the value that was asked for. */
struct ear_value_source {
	struct ear_value_place place;
	bool is_address;  /* the address of a load or store is made of it */
	bool value_known; /* value is what was read there */
	uint8_t end;      /* enum ear_value_end; FOLLOWED: */
	uint64_t value;
	size_t node; /* the node that wrote it, else EAR_VALUE_NO_NODE */
};

/* A record that wrote a value. The same instruction is shown several times at most; older writes by
 * it are folded into the oldest one shown, which then has their sources, too. */
struct ear_value_node {
	uint64_t position, number; /* of the record (trace.h) */
	uint64_t pc;
	uint64_t opcode;
	uint16_t hart;
	uint8_t opcode_size, xlen; /* opcode_size 0: no opcode of RISC-V, or an interrupt */
	uint8_t end;               /* enum ear_value_end; FOLLOWED: it has sources */
	bool before_known, after_known;
	struct ear_value_place place; /* what it wrote */
	uint64_t before, after;       /* the value there */
	size_t first_source, source_count;
	unsigned depth; /* links from the value asked for, the fewest */
	uint64_t folded, first_position, first_number; /* writes folded in; the oldest of them */
};

/* Made by the library only. Nodes from the newest record to the oldest. The first root_count
 * sources are the value asked for, in parts if several records wrote its bytes. */
struct ear_value_chain {
	const struct ear_value_node *nodes;
	size_t node_count;
	const struct ear_value_source *sources;
	size_t source_count, root_count;
	bool value_known;
	uint64_t value; /* asked for */
	bool limited;   /* some chain ends with LIMIT */
};

struct ear_value_chain_options {
	size_t size;      /* sizeof(struct ear_value_chain_options) */
	unsigned nodes;   /* at most, up to 4096; 0: 64 */
	unsigned depth;   /* links back, at most; 0: 64 */
	unsigned repeats; /* an instruction is shown so often before it is folded; 0: 2 */
	unsigned folded;  /* writes folded, at most; 0: 10000. Fewer if far apart */
	bool addresses;   /* follow the addresses of loads and stores, too */
};

#define EAR_VALUE_CHAIN_DEFAULTS \
	{ \
		.size = sizeof(struct ear_value_chain_options) \
	}

/* The chain of a value; options NULL: defaults. The place at which ear_trace_next reads does not
 * change.
 *
 * Returns 0 and *chain, to be freed; EAR_E_BAD_ARGUMENT (a place that cannot be, options),
 * EAR_E_UNSUPPORTED (a pipe), EAR_E_CANCELLED, EAR_E_NO_MEMORY, or an error as ear_trace_next.
 */
int ear_trace_value_chain(struct ear_trace *trace, const struct ear_value *value,
	const struct ear_value_chain_options *options, const struct ear_value_chain **chain,
	const struct ear_progress *progress);
void ear_value_chain_free(const struct ear_value_chain *chain); /* NULL is fine */

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
