#ifndef EAR_GEOMETRY_H
#define EAR_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of the shadow state of a predicting unit. docs/predict.md, section 2.
 *
 * Both sides must have the same one: the unit sends its geometry in the UNIT message.
 */

/* A cache of memory words that both sides keep. Words have 32 bits. */
struct ear_shadow_geometry {
	uint8_t words_log2; /* words in all, 5 .. 16 */
	uint8_t ways_log2;  /* lines in a set, 0 .. 3 */
	uint8_t line_log2;  /* words in a line, 0 .. 3 */
};

struct ear_geometry {
	bool unified;  /* opcodes and data share the cache code; data is unused */
	bool multiply; /* results of multiplications are predicted */
	bool divide;   /* results of divisions are predicted */
	bool operands; /* the retire port has rs1 and rs2 */
	bool base;     /* only I and C are known, and no traps are predicted */
	bool single;   /* records are not joined to groups */
	struct ear_shadow_geometry code, data;
	uint8_t dictionary_log2; /* opcodes that can be sent by number, 0 (none) or 4 .. 9 */
	uint8_t csr_log2;        /* remembered CSRs, 0 (none) .. 6 */
};

/* The geometries with a name. */
enum ear_geometry_name {
	EAR_GEOMETRY_SMALL,
	EAR_GEOMETRY_LARGE,
	EAR_GEOMETRY_UNIFIED,
	EAR_GEOMETRY_XL,
	EAR_GEOMETRY_TINY,
	EAR_GEOMETRY_MEDIUM,
	EAR_GEOMETRY_COUNT
};

const struct ear_geometry *ear_geometry_get(enum ear_geometry_name name);

/* Find the geometry called "small", "large", "unified", "xl", "tiny" or "medium". Returns 0, or
 * EAR_E_BAD_ARGUMENT if there is none. */
int ear_geometry_find(struct ear_geometry *geometry, const char *name);

/* Write a short description to text[0 .. size-1], "8192+8192 words, 4-way, ...". Returns what
 * snprintf returns.
 */
int ear_geometry_text(char *text, size_t size, const struct ear_geometry *geometry);

/* Write and read the EAR_UNIT_GEOMETRY_SIZE bytes of a UNIT message.
 *
 * ear_geometry_parse returns 0, or EAR_E_BAD_MESSAGE if a size is out of range: this decoder cannot
 * follow such a unit.
 */
void ear_geometry_build(uint8_t *bytes, const struct ear_geometry *geometry);
int ear_geometry_parse(struct ear_geometry *geometry, const uint8_t *bytes);

#endif
