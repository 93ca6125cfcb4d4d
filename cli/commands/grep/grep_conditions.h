#ifndef EAR_GREP_CONDITIONS_H
#define EAR_GREP_CONDITIONS_H

#include <stdbool.h>

#include "cli/input/symbol_file.h"
#include "cli/options/options.h"
#include "decoder/record/match.h"
#include "library/source/source.h"

/* The conditions of 'earshot grep', from the texts of its options. Each function returns false
 * after printing what is wrong.
 */
struct conditions {
	struct ear_match match;
	bool no_inline;      /* a function is its symbol, without its inlined copies */
	bool mode_change;    /* the privilege is another one than before; no part of match */
	unsigned changes_to; /* set of 1 << enum ear_privilege; 0: any */
	struct symbol_file symbols;
	const char *names_option; /* that needs all names: names stays open; NULL: none does */
	struct ear_names *names;
	struct range_text {
		const char *option, *text;
	} ranges[2 * EAR_MATCH_RANGES_MAX]; /* until the symbols are known */
	unsigned range_count;
};

/* Of the options, for a struct conditions. A range is kept until the file is open, because symbols
 * may be those of its program; so is the name of an event. */
command_take conditions_take_range, conditions_take_opcode, conditions_take_register,
	conditions_take_data, conditions_take_privilege, conditions_take_mode_change,
	conditions_take_trap, conditions_take_interrupt, conditions_take_event,
	conditions_take_event_value;

/* Before rights are given up: starts what reads symbols, if there are any, or if needed. */
void conditions_prepare(struct conditions *conditions, bool needed);

/* The file is open: which program it is of is known, and with that what the symbols are. */
bool conditions_resolve(struct conditions *conditions, struct ear_source *source, const char *path);

/* All of them are read: can one record meet them? And settles the modes. */
bool conditions_check(struct conditions *conditions);

#endif
