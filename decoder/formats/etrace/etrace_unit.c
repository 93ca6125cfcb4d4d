/* The ranges of a trace encoder's parameters. Every field then fits 64 bits, and every packet fits
 * the room of struct ear_etrace_bits. */
#include "decoder/formats/etrace/etrace_unit.h"

bool ear_etrace_unit_is_valid(const struct ear_etrace_unit *unit)
{
	return unit->framing < EAR_ETRACE_FRAMINGS && unit->support < EAR_ETRACE_SUPPORTS &&
	       unit->iaddress_lsb <= 2 && unit->iaddress_width >= 8 && unit->iaddress_width <= 64 &&
	       unit->privilege_width <= 8 && unit->ecause_width <= 64 && unit->time_width <= 64 &&
	       unit->context_width <= 64 && unit->f0s_width <= 1 &&
	       unit->bpred_size <= EAR_ETRACE_BPRED_MAX &&
	       unit->cache_size <= EAR_ETRACE_CACHE_MAX &&
	       unit->call_counter_size <= EAR_ETRACE_STACK_MAX &&
	       unit->return_stack_size <= EAR_ETRACE_STACK_MAX &&
	       (unit->call_counter_size == 0 || unit->return_stack_size == 0) &&
	       unit->srcid_bits <= 16 && unit->timestamp_bytes <= 8 && unit->type_bits <= 8;
}
