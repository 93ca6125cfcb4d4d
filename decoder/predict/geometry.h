#ifndef EAR_GEOMETRY_H
#define EAR_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How large the shadow state of a predicting unit is. docs/predict.md, section 2.
 *
 * Both sides must have the same: the unit tells its geometry in the UNIT message.
 */

/* A pool of memory words that both sides remember. Words are 32 bits wide. */
struct ear_shadow_geometry {
	uint8_t words_log2; /* all words, 5 .. 16 */
	uint8_t ways_log2;  /* lines of a set, 0 .. 3 */
	uint8_t line_log2;  /* words of a line, 0 .. 3 */
};

struct ear_geometry {
	bool unified;  /* opcodes and data share the pool code; data means nothing */
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
	EAR_GEOMETRY_COUNT
};

const struct ear_geometry *ear_geometry_get(enum ear_geometry_name name);

/* "small", "large", "unified", "xl", "tiny". Static. */
const char *ear_geometry_name(enum ear_geometry_name name);

/* The geometry called name into *geometry. Returns 0, or EAR_E_BAD_ARGUMENT if there is none. */
int ear_geometry_find(struct ear_geometry *geometry, const char *name);

/* A short description into text[0 .. size-1], "8192+8192 words, 4-way, ..."; as snprintf. */
int ear_geometry_text(char *text, size_t size, const struct ear_geometry *geometry);

/* To and from the EAR_UNIT_GEOMETRY_SIZE bytes of a UNIT message.
 *
 * ear_geometry_parse returns 0, or EAR_E_BAD_MESSAGE if a size is out of its range: this decoder
 * cannot follow such a unit.
 */
void ear_geometry_build(uint8_t *bytes, const struct ear_geometry *geometry);
int ear_geometry_parse(struct ear_geometry *geometry, const uint8_t *bytes);

#endif
