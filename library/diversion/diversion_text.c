/* Why a diversion ends: a sentence that names pc, and what is unknown. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <earshot/instruction.h>

#include "library/diversion/diversion_internal.h"

bool diversion_end(struct diversion_plan *plan, const char *format, ...)
{
	char *text = plan->step->text;
	va_list arguments;
	int size = snprintf(text, EAR_DIVERSION_TEXT_MAX, "0x%" PRIx64 ": ", plan->step->pc);

	va_start(arguments, format);
	vsnprintf(text + size, EAR_DIVERSION_TEXT_MAX - (size_t)size, format, arguments);
	va_end(arguments);
	return false;
}

bool diversion_unknown(
	struct diversion_plan *plan, const char *what, const struct diversion_origin *origin)
{
	char name[32] = "";

	if (origin->kind == ORIGIN_MEMORY || origin->kind == ORIGIN_DEVICE)
		return diversion_end(plan,
			"%s depends on %s at 0x%" PRIx64 ", read at 0x%" PRIx64
			", which is unknown",
			what, origin->kind == ORIGIN_MEMORY ? "memory" : "the device",
			origin->number, origin->pc);
	ear_register_name(origin->kind == ORIGIN_X   ? EAR_REGISTER_X
			  : origin->kind == ORIGIN_F ? EAR_REGISTER_F
						     : EAR_REGISTER_CSR,
		(unsigned)origin->number, name, sizeof(name));
	if (origin->kind == ORIGIN_CSR)
		return diversion_end(plan,
			"%s depends on CSR %s, read at 0x%" PRIx64 ", which is unknown", what, name,
			origin->pc);
	return diversion_end(plan,
		"%s depends on what %s held where the diversion began, which is unknown", what,
		name);
}
