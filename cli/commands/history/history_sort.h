#ifndef EAR_HISTORY_SORT_H
#define EAR_HISTORY_SORT_H

#include "cli/commands/history/history.h"

#define HISTORY_SORT_MAX (1u << 20) /* rows */

/* What is in the column of a row. */
struct history_key {
	bool known, is_signed;
	uint64_t value;
	char *text; /* NULL: it is value */
};

struct history_sorted {
	struct history_row row;
	struct history_key key;
};

/* Begin with zeros, and descending as wanted. */
struct history_sort {
	bool descending;
	struct history_sorted *rows;
	size_t count, room;
};

/* Takes key.text. Returns 0, EAR_E_FULL (too many), EAR_E_NO_MEMORY. */
int history_sort_add(
	struct history_sort *sort, const struct history_row *row, struct history_key key);

/* All were added: put them in order. */
void history_sort_end(struct history_sort *sort);
void history_sort_free(struct history_sort *sort);

#endif
