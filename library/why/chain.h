#ifndef EAR_CHAIN_H
#define EAR_CHAIN_H

#include <earshot/value_chain.h>

#include "library/why/past.h"

/* The chain of a value by a past that is there already (earshot/value_chain.h), whose window may be
 * another one afterwards. options are complete. Returns as ear_trace_value_chain. */
int ear_chain_of(struct ear_past *past, const struct ear_value *value,
	const struct ear_value_chain_options *options, const struct ear_value_chain **chain);

/* Check and complete options of a user. Returns 0, or EAR_E_BAD_ARGUMENT with the sentence. */
int ear_chain_options(struct ear_trace *trace, struct ear_value_chain_options *own,
	const struct ear_value_chain_options *options);

#endif
