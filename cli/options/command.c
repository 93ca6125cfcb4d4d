/* Rows of a table of options, with those of its groups in their places. */
#include "cli/options/command.h"

#include <assert.h>

const struct command_option *command_next_row(struct command_rows *rows)
{
	const struct command_option *row = rows->next;

	while ((!row->name && !row->heading) || (row->means && !rows->with_older)) {
		if (row->means) {
			row++;
		} else if (row->group) {
			assert(!rows->after);
			rows->base = row->at;
			rows->after = row + 1;
			row = row->group;
		} else if (rows->after) {
			row = rows->after;
			rows->base = 0;
			rows->after = NULL;
		} else {
			return NULL;
		}
	}
	rows->next = row + 1;
	rows->at = rows->base + row->at;
	return row;
}
