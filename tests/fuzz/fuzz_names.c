/* An answer of earshot-names, as a process that a hostile file has taken over may send it. The
 * first byte says of which request; e begins a DWARF expression in operations. Wrong is: a crash, a
 * read beyond the bytes, an end that never comes; and a table that refers to what it has not.
 */
#include <stdlib.h>
#include <string.h>

#include "library/names/expression.h"
#include "library/names/helper_message.h"
#include "library/names/names_tables.h"
#include "target.h"

static void expect(bool right)
{
	if (!right)
		abort();
}

static bool read_register(void *context, unsigned number, uint64_t *value)
{
	(void)context;
	*value = number * 0x1000;
	return number % 3 != 0;
}

static bool read_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	(void)context;
	memset(bytes, (int)(address & 0xff), size);
	memset(known, address % 5 != 0, size);
	return true;
}

static bool find_cfa(void *context, uint64_t *cfa)
{
	(void)context;
	*cfa = 0x80001000;
	return true;
}

static void try_expression(const uint8_t *bytes, size_t size)
{
	const struct ear_moment_view moment = {
		.size = sizeof(moment), .read_register = read_register, .read_memory = read_memory};
	uint32_t count = (uint32_t)(size / EAR_OP_ROW);
	struct ear_ops ops = {bytes, count, bytes, size};
	struct ear_expression_context context = {.moment = &moment,
		.xlen = size % 2 ? 32 : 64,
		.frame_base = {bytes, count / 2, bytes, size},
		.find_cfa = find_cfa};
	struct ear_places places;
	uint8_t out[64], known[64];

	if (ear_expression_run(&places, &ops, &context, false, 0))
		return;
	expect(places.count >= 1 && places.count <= EAR_PIECES_MAX);
	ear_places_read(&places, &context, size % 7, out, known, sizeof(out));
	for (size_t i = 0; i < sizeof(known); i++)
		expect(known[i] <= 1);
}

static void try_lines(const uint8_t *bytes, size_t size)
{
	struct names_lines lines;
	size_t sum = 0;

	if (names_lines_read(&lines, bytes, size) != 0)
		return;
	for (size_t i = 0; i < lines.count; i++) {
		expect(lines.rows[i].source < lines.source_count &&
			lines.rows[i].first <= lines.rows[i].last);
		sum += strlen(lines.sources[lines.rows[i].source]);
	}
	expect(sum <= size * (lines.count + 1));
	names_lines_free(&lines);
}

static void try_scopes(const uint8_t *bytes, size_t size)
{
	struct names_scopes scopes;

	if (names_scopes_read(&scopes, bytes, size) != 0)
		return;
	for (size_t i = 0; i < scopes.count; i++)
		expect(strlen(scopes.list[i].name) < size &&
			(scopes.list[i].parent == UINT32_MAX || scopes.list[i].parent < i));
	names_scopes_free(&scopes);
}

static void try_symbols(const uint8_t *bytes, size_t size)
{
	struct names_symbols symbols;

	if (names_symbols_read(&symbols, bytes, size) != 0)
		return;
	for (size_t i = 0; i < symbols.count; i++)
		expect(strlen(symbols.list[i].name) < size &&
			strlen(symbols.list[i].linked) < size);
	names_symbols_free(&symbols);
}

static void try_facts(const uint8_t *bytes, size_t size)
{
	struct names_facts facts;

	if (names_facts_read(&facts, bytes, size) != 0)
		return;
	expect(facts.file.build_id_size <= EAR_NAMES_BUILD_ID_MAX);
	for (size_t i = 0; i < facts.file.section_count; i++)
		expect(strlen(facts.sections[i].name) < size);
	names_facts_free(&facts);
}

int fuzz_names(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	/* Exactly as large as it is, so that a byte more is seen. */
	uint8_t *copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, bytes + 1, size - 1);
	switch (bytes[0]) {
	case 'o': try_facts(copy, size - 1); break;
	case 's': try_symbols(copy, size - 1); break;
	case 'l': try_lines(copy, size - 1); break;
	case 'f': try_scopes(copy, size - 1); break;
	case 'e': try_expression(copy, size - 1); break;
	default: break;
	}
	free(copy);
	return 0;
}
