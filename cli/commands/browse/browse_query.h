#ifndef CLI_BROWSE_QUERY_H
#define CLI_BROWSE_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include <earshot/address.h>
#include <earshot/moment_view.h>
#include <earshot/names.h>
#include <earshot/search.h>

/* What `/` looks for: the conditions of `earshot grep` by their names, without dashes, as
 * "addr=buffer write"; or an address or a function alone, which is executed. */
#define BROWSE_SEARCH_MAX 256

struct browse_search {
	char text[BROWSE_SEARCH_MAX]; /* "": nothing was looked for so far */
	char words[BROWSE_SEARCH_MAX];
	struct ear_query query;
	struct ear_address pcs, addresses;
};

/* Read text into *search. Returns false with a sentence in wrong[EAR_ADDRESS_MESSAGE_MAX]; *search
 * is as before then. names and moment may be NULL, as for ear_address_parse. */
bool browse_search_parse(struct browse_search *search, const char *text, struct ear_names *names,
	const struct ear_moment_view *moment, char *wrong);

#endif
