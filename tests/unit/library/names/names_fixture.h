#ifndef EAR_NAMES_FIXTURE_H
#define EAR_NAMES_FIXTURE_H

#include <earshot/names.h>
#include <earshot/variable.h>
#include <stdio.h>

#include "check.h"

/* Programs that CMakeLists.txt compiles, and where things are in their sources. */

static inline struct ear_names *open_names(const char *program)
{
	struct ear_names *names;
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", NAMES_PROGRAMS, program);
	if (ear_names_open(&names) != 0 || ear_names_add(names, path, 0) != 0)
		fail_msg("%s", ear_names_message(names));
	return names;
}

/* The line that has "LINE word" in its comment. */
static inline uint32_t line_of(const char *source, const char *word)
{
	char path[1024], text[256], wanted[64];
	uint32_t line = 0, found = 0;

	snprintf(path, sizeof(path), "%s/%s", NAMES_SOURCE, ear_names_base(source));
	snprintf(wanted, sizeof(wanted), "LINE %s ", word);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (!found && fgets(text, sizeof(text), file)) {
		line++;
		if (strstr(text, wanted))
			found = line;
	}
	fclose(file);
	assert_different(found, 0);
	return found;
}

static inline const struct ear_symbol *symbol_of(struct ear_names *names, const char *name)
{
	const struct ear_symbol *found[1];

	if (ear_names_symbols_named(names, name, found, 1) == 0)
		fail_msg("there is no symbol %s", name);
	return found[0];
}

/* The first address of a line. */
static inline uint64_t address_of_line(
	struct ear_names *names, const char *source, const char *word)
{
	struct ear_span range;
	uint32_t nearest[2];
	int count =
		ear_names_line_addresses(names, source, line_of(source, word), &range, 1, nearest);

	if (count < 1)
		fail_msg("%s, line of '%s': %d %s", source, word, count, ear_names_message(names));
	return range.first;
}

#endif
