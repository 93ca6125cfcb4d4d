#ifndef EAR_ANALYSES_TIMELINE_NAMES_H
#define EAR_ANALYSES_TIMELINE_NAMES_H

#include <stdint.h>

#include <earshot/names.h>

#include "analyses/base/numbering.h"

/* Names of slices and instants, by number: functions, and texts. */
#define TIMELINE_NAMES_MAX (1u << 20) /* what is more has the name of the last one */

struct timeline_name {
	const char *name; /* of a symbol, or own; "": none */
	char *own;        /* to be freed; NULL */
	uint64_t address; /* of a function; 0 of a text */
};

struct timeline_names {
	struct ear_names *symbols; /* NULL: none */
	struct timeline_name *list;
	uint32_t count;
	struct ear_numbering numbers;
	uint64_t last_address; /* that was asked for, */
	uint32_t last;         /* and its number, if there is one: UINT32_MAX */
	int failed;            /* EAR_E_NO_MEMORY: numbers are 0 from then on */
};

/* symbols NULL: there are none. Returns 0 or EAR_E_NO_MEMORY. */
int timeline_names_init(struct timeline_names *names, struct ear_names *symbols);
void timeline_names_fini(struct timeline_names *names);

/* The number of a text, which is copied. */
uint32_t timeline_names_text(struct timeline_names *names, const char *text);
/* Of the function that an address is in; without a symbol, of what begins there. */
uint32_t timeline_names_function(struct timeline_names *names, uint64_t address);

#endif
