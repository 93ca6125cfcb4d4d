#ifndef EAR_EXPRESSION_H
#define EAR_EXPRESSION_H

#include <earshot/moment_view.h>

/* DWARF expressions, as operations that earshot-names has taken apart (helper_message.h). They are
 * as untrusted as the file: there is a bound of steps and of the stack, and whatever is not there
 * (a register, a byte of memory, an operation) makes the result unknown.
 */
struct ear_ops {
	const uint8_t *rows; /* EAR_OP_ROW bytes each */
	uint32_t count;
	const uint8_t *bytes; /* values that are in operations */
	size_t byte_count;
};

/* What an expression is run with. moment may be NULL: then it may depend on nothing. */
struct ear_expression_context {
	const struct ear_moment_view *moment;
	unsigned xlen;
	uint64_t offset;                                /* of the file, for its addresses */
	struct ear_ops frame_base;                      /* count 0: none */
	bool (*find_cfa)(void *context, uint64_t *cfa); /* NULL: none */
	void *context;
};

/* Where something is. */
enum ear_piece_kind {
	EAR_PIECE_MEMORY,
	EAR_PIECE_REGISTER,
	EAR_PIECE_VALUE,
	EAR_PIECE_BYTES, /* in the debug information */
	EAR_PIECE_NONE,
};

struct ear_piece {
	enum ear_piece_kind kind;
	uint64_t value; /* address, register number or value */
	const uint8_t *bytes;
	uint64_t size; /* of BYTES; of a piece of several; UINT64_MAX: the whole */
};

#define EAR_PIECES_MAX 16

struct ear_places {
	struct ear_piece pieces[EAR_PIECES_MAX];
	unsigned count; /* at least 1 */
};

/* first: value that is on the stack at the start, if has_first (rules of CFI have the CFA there).
 * Returns NULL and the places, or why there is no result (a static text).
 */
const char *ear_expression_run(struct ear_places *places, const struct ear_ops *ops,
	const struct ear_expression_context *context, bool has_first, uint64_t first);

/* Bytes of places from skip on; known[i] is 0 where a byte is not known. Returns NULL, or why some
 * are not known.
 */
const char *ear_places_read(const struct ear_places *places,
	const struct ear_expression_context *context, uint64_t skip, uint8_t *bytes, uint8_t *known,
	size_t size);

#endif
