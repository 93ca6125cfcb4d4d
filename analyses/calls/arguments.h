#ifndef EAR_ANALYSES_ARGUMENTS_H
#define EAR_ANALYSES_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/names.h>

#include "analyses/calls/call_log.h"

/* Arguments and results of functions, from the registers in which the calling convention of RISC-V
 * passes them, with the types that the debug information says. docs/analyses/calls.md, section 2.
 */
struct ear_arguments;

/* The variant of the convention that the program was built for. */
struct ear_arguments_abi {
	unsigned float_size; /* bytes of the floating-point registers that pass arguments; 0: none
			      */
	bool embedded;       /* a0 .. a5 only: ILP32E, LP64E */
};

/* names NULL: there are none; they must stay. Returns 0 and *arguments, or EAR_E_NO_MEMORY. */
int ear_arguments_new(struct ear_arguments **arguments, struct ear_names *names,
	const struct ear_arguments_abi *abi);
void ear_arguments_free(struct ear_arguments *arguments); /* NULL is fine */

/* What a call of the function at call->entry was given, "n=5, text=0x80000010 \"x\"", or in JSON an
 * object; and what it returned, "8", "" for none, or in JSON null. Where the types are not known
 * they are registers: "a0=0x5, a1=0x0 ..". What is not known is "?", or null in JSON.
 *
 * Returns a string for free(), or NULL if memory is short. */
char *ear_arguments_text(
	struct ear_arguments *arguments, const struct ear_call_log_call *call, bool json);
char *ear_arguments_result(
	struct ear_arguments *arguments, const struct ear_call_log_call *call, bool json);

/* Was there a function whose types are not known? */
bool ear_arguments_untyped(const struct ear_arguments *arguments);

#endif
