#ifndef EAR_VARIABLE_H
#define EAR_VARIABLE_H

#include <earshot/moment_view.h>
#include <earshot/names.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Variables by name, at a moment: where they are, and what their bytes mean.
 *
 * The helper finds the variable and its type and answers with a plan: where it lies as steps of a
 * DWARF expression, and the members, elements and pointers that follow. The plan runs here, because
 * the registers and the memory are here.
 */

/* What a type is. Types form a list without circles: a pointer ends it, and its own target is asked
 * for with "*NAME".
 */
enum ear_type_kind {
	EAR_TYPE_VOID,
	EAR_TYPE_INTEGER, /* is_signed */
	EAR_TYPE_CHARACTER,
	EAR_TYPE_BOOLEAN,
	EAR_TYPE_FLOAT,
	EAR_TYPE_POINTER,  /* references, too */
	EAR_TYPE_ENUM,     /* children: its constants */
	EAR_TYPE_STRUCT,   /* also unions and classes; children: its members */
	EAR_TYPE_ARRAY,    /* children: one, the element */
	EAR_TYPE_CONSTANT, /* a name and value of an enum */
	EAR_TYPE_UNKNOWN,  /* its bytes are all that is known */
};

struct ear_type {
	enum ear_type_kind kind;
	bool is_signed, is_function; /* is_function: a pointer to code */
	const char *type_name;       /* "struct box", "unsigned int", "char *" */
	const char *name;            /* of a member or constant; "" if it has none */
	uint64_t size;               /* bytes */
	uint64_t offset;             /* of a member in its structure */
	uint8_t bit_size,
		bit_offset; /* of a bit field: bits from the low end at offset; size 0: none */
	uint64_t count;     /* elements of an array */
	int64_t value;      /* of a constant */
	unsigned first_child, child_count; /* indexes into ear_variable's types */
};

/* Where the bytes are. */
enum ear_place_kind {
	EAR_PLACE_MEMORY,
	EAR_PLACE_REGISTER, /* one register, from its low byte */
	EAR_PLACE_VALUE,    /* in neither: the debug information has or computes the value */
	EAR_PLACE_PIECES,   /* several of these */
	EAR_PLACE_NONE,     /* optimized out, or not to be found out; why says it */
};

#define EAR_VARIABLE_BYTES_MAX (1u << 20)

struct ear_variable {
	size_t size; /* sizeof(struct ear_variable), filled in by the caller */
	enum ear_place_kind place;
	uint64_t address;         /* MEMORY */
	unsigned register_number; /* REGISTER, of DWARF */
	uint64_t value_size; /* of the whole; bytes beyond EAR_VARIABLE_BYTES_MAX are left out */
	size_t byte_count;   /* in bytes and known; 0 with NONE */
	uint8_t *bytes;
	uint8_t *known;         /* 0 or 1 for each byte */
	struct ear_type *types; /* types[0] is the variable's */
	size_t type_count;
	const char *why; /* NONE, or bytes that are not known: one line */
	void *storage;   /* owns the strings */
};

/* Evaluate an expression: a variable's name, then .member, [index], ->member; *EXPRESSION before
 * it; parentheses. At moment->pc locals and parameters come before globals; of globals of the same
 * name the one of the pc's source file comes first. FILE::NAME takes the one of that source file.
 *
 * "()" alone is no variable: what the function at moment->pc takes and returns. It has no bytes,
 * and types[0] is a structure; its first member, without a name, is the result, the others are the
 * parameters. types[0].type_name is "..." where others may follow them.
 *
 * moment NULL: only what is independent of one: the address of a global or of a part of it
 * (place MEMORY, no bytes).
 *
 * Returns 0 and fills *variable, to be freed with ear_variable_free. EAR_E_BAD_ARGUMENT: no such
 * variable or member (the message suggests one), a moment is needed, or size of *variable or
 * *moment is none; EAR_E_BAD_FILE: the debug information is damaged; EAR_E_UNSUPPORTED: there is
 * none.
 */
int ear_variable_find(struct ear_variable *variable, struct ear_names *names,
	const char *expression, size_t size, const struct ear_moment_view *moment);
void ear_variable_free(struct ear_variable *variable); /* all members but size are 0 after it */

/* The names of the parameters and locals at a pc, the innermost block first. They belong to the
 * list, which is one piece of memory for free().
 */
struct ear_local {
	const char *name;
	const char *type_name;
	bool is_parameter;
};
int ear_variable_locals(
	struct ear_names *names, uint64_t pc, struct ear_local **list, size_t *count);

/* A value as C would write it: "{handler = 0x80000010 <on_irq>, count = 3}"; what is not known is
 * shown as "?". At most depth levels and 200 elements of an array, "..." for the rest. Safe for a
 * terminal. Returns a string for free(), or NULL without memory.
 */
char *ear_variable_text(
	const struct ear_variable *variable, const struct ear_names *names, unsigned depth);

/* The same as JSON: numbers, strings for characters, {"member": ..}, [..], null for what is not
 * known.
 */
char *ear_variable_json(const struct ear_variable *variable, const struct ear_names *names);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
