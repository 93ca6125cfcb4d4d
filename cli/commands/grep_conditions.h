#ifndef EAR_GREP_CONDITIONS_H
#define EAR_GREP_CONDITIONS_H

#include <stdbool.h>

#include "analysis/source.h"
#include "cli/input/symbol_file.h"
#include "cli/options/options.h"
#include "decoder/record/match.h"

/* The conditions of 'earshot grep', from the texts of its options. Each function returns false
 * after printing what is wrong.
 */
struct conditions {
	struct ear_match match;
	struct symbol_file symbols;
	const char *names_option; /* that needs all names: names stays open; NULL: none does */
	struct ear_names *names;
	char program[4096]; /* that the capture file names */
	struct range_text {
		const char *option, *text;
	} ranges[2 * EAR_MATCH_RANGES_MAX]; /* until the symbols are known */
	unsigned range_count;
};

/* --pc, --addr: kept until the file is open, because symbols may be those of its program. */
bool conditions_keep_range(
	struct conditions *conditions, const struct command_option *option, const char *text);

/* Before rights are given up: starts what reads symbols, if there are any, or if needed. */
void conditions_prepare(struct conditions *conditions, bool needed);

/* The file is open: which program it is of is known, and with that what the symbols are. */
bool conditions_resolve(struct conditions *conditions, struct ear_source *source);

bool conditions_opcode(
	struct conditions *conditions, const struct command_option *option, const char *text);
bool conditions_register(
	struct conditions *conditions, const struct command_option *option, const char *text);
bool conditions_privilege(
	struct conditions *conditions, const struct command_option *option, const char *text);

/* --trap, --interrupt; text NULL: any cause. */
bool conditions_cause(
	struct conditions *conditions, const struct command_option *option, const char *text);

#endif
