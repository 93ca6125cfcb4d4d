/* The geometries with a name, and the bytes of a geometry in a UNIT message.
 *
 * hdl/generate.py reads the table of names, so that unit and host have the same ones. The parser
 * accepts any geometry within the limits of the header: a unit need not use a named one.
 */
#include "decoder/predict/geometry.h"

#include <earshot/error.h>
#include <stdio.h>
#include <string.h>

#include "common/protocol/message.h"

static const struct {
	const char *name;
	struct ear_geometry geometry;
} named[EAR_GEOMETRY_COUNT] = {
	[EAR_GEOMETRY_SMALL] = {"small", {.multiply = true,
						 .divide = true,
						 .operands = true,
						 .code = {10, 0, 0},
						 .data = {9, 0, 0},
						 .dictionary_log2 = 8,
						 .csr_log2 = 4}},
	[EAR_GEOMETRY_LARGE] = {"large", {.multiply = true,
						 .divide = true,
						 .operands = true,
						 .code = {13, 2, 2},
						 .data = {13, 2, 2},
						 .dictionary_log2 = 9,
						 .csr_log2 = 6}},
	[EAR_GEOMETRY_UNIFIED] = {"unified", {.unified = true,
						     .multiply = true,
						     .divide = true,
						     .operands = true,
						     .code = {14, 2, 2},
						     .dictionary_log2 = 9,
						     .csr_log2 = 6}},
	[EAR_GEOMETRY_XL] = {"xl", {.multiply = true,
					   .divide = true,
					   .operands = true,
					   .code = {14, 2, 2},
					   .data = {15, 2, 2},
					   .dictionary_log2 = 9,
					   .csr_log2 = 6}},
	[EAR_GEOMETRY_TINY] = {"tiny", {.unified = true,
					       .operands = true,
					       .base = true,
					       .single = true,
					       .code = {10, 0, 0}}},
	[EAR_GEOMETRY_MEDIUM] = {"medium", {.unified = true,
						   .multiply = true,
						   .divide = true,
						   .operands = true,
						   .code = {13, 1, 2},
						   .dictionary_log2 = 8,
						   .csr_log2 = 4}},
};

const struct ear_geometry *ear_geometry_get(enum ear_geometry_name name)
{
	return &named[name].geometry;
}

int ear_geometry_find(struct ear_geometry *geometry, const char *name)
{
	for (unsigned i = 0; i < EAR_GEOMETRY_COUNT; i++) {
		if (strcmp(name, named[i].name) == 0) {
			*geometry = named[i].geometry;
			return 0;
		}
	}
	return EAR_E_BAD_ARGUMENT;
}

int ear_geometry_text(char *text, size_t size, const struct ear_geometry *geometry)
{
	const struct ear_shadow_geometry *code = &geometry->code, *data = &geometry->data;
	char words[32];

	if (geometry->unified)
		snprintf(words, sizeof(words), "%u", 1u << code->words_log2);
	else
		snprintf(words, sizeof(words), "%u+%u", 1u << code->words_log2,
			1u << data->words_log2);
	return snprintf(text, size,
		"%s words%s, %u-way, %u-word lines, %u opcodes, %u CSRs%s%s%s%s", words,
		geometry->unified ? " unified" : "", 1u << code->ways_log2, 1u << code->line_log2,
		geometry->dictionary_log2 ? 1u << geometry->dictionary_log2 : 0,
		geometry->csr_log2 ? 1u << geometry->csr_log2 : 0,
		geometry->multiply ? "" : ", no MUL", geometry->divide ? "" : ", no DIV",
		geometry->base ? ", only I and C" : "", geometry->single ? ", no groups" : "");
}

static uint8_t build_shape(const struct ear_shadow_geometry *cache)
{
	return (uint8_t)(cache->ways_log2 | cache->line_log2 << 4);
}

void ear_geometry_build(uint8_t *bytes, const struct ear_geometry *geometry)
{
	memset(bytes, 0, EAR_UNIT_GEOMETRY_SIZE);
	bytes[0] = (uint8_t)((geometry->unified ? EAR_UNIT_GEOMETRY_UNIFIED : 0) |
			     (geometry->multiply ? EAR_UNIT_GEOMETRY_MULTIPLY : 0) |
			     (geometry->divide ? EAR_UNIT_GEOMETRY_DIVIDE : 0) |
			     (geometry->operands ? EAR_UNIT_GEOMETRY_OPERANDS : 0) |
			     (geometry->base ? EAR_UNIT_GEOMETRY_BASE : 0) |
			     (geometry->single ? EAR_UNIT_GEOMETRY_SINGLE : 0));
	bytes[1] = geometry->code.words_log2;
	bytes[2] = build_shape(&geometry->code);
	if (!geometry->unified) {
		bytes[3] = geometry->data.words_log2;
		bytes[4] = build_shape(&geometry->data);
	}
	bytes[5] = geometry->dictionary_log2;
	bytes[6] = geometry->csr_log2;
}

static bool parse_cache(struct ear_shadow_geometry *cache, const uint8_t *bytes)
{
	cache->words_log2 = bytes[0];
	cache->ways_log2 = bytes[1] & 15;
	cache->line_log2 = bytes[1] >> 4;
	return cache->words_log2 >= 5 && cache->words_log2 <= 16 && cache->ways_log2 <= 3 &&
	       cache->line_log2 <= 3 && cache->ways_log2 + cache->line_log2 <= cache->words_log2;
}

int ear_geometry_parse(struct ear_geometry *geometry, const uint8_t *bytes)
{
	memset(geometry, 0, sizeof(*geometry));
	geometry->unified = bytes[0] & EAR_UNIT_GEOMETRY_UNIFIED;
	geometry->multiply = bytes[0] & EAR_UNIT_GEOMETRY_MULTIPLY;
	geometry->divide = bytes[0] & EAR_UNIT_GEOMETRY_DIVIDE;
	geometry->operands = bytes[0] & EAR_UNIT_GEOMETRY_OPERANDS;
	geometry->base = bytes[0] & EAR_UNIT_GEOMETRY_BASE;
	geometry->single = bytes[0] & EAR_UNIT_GEOMETRY_SINGLE;
	geometry->dictionary_log2 = bytes[5];
	geometry->csr_log2 = bytes[6];
	bool good = parse_cache(&geometry->code, bytes + 1) &&
		    (geometry->unified ? bytes[3] == 0 && bytes[4] == 0
				       : parse_cache(&geometry->data, bytes + 3));
	good &= bytes[5] == 0 || (bytes[5] >= 4 && bytes[5] <= 9);
	good &= bytes[6] <= 6 && bytes[7] == 0 && bytes[0] < 64;
	return good ? 0 : EAR_E_BAD_MESSAGE;
}
