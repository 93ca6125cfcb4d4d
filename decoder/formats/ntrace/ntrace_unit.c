/* The parameters of an N-Trace encoder: one row each. */
#include "decoder/formats/ntrace/ntrace_unit.h"

#include <earshot/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct ear_ntrace_unit ear_ntrace_default_unit = {
	.htm = EAR_NTRACE_ANY,
	.tstamp = EAR_NTRACE_ANY,
	.stack = EAR_NTRACE_STACK_MAX,
	.hist_bits = 31,
	.icnt_max = (1u << 22) - 1,
	.btype_ext = 1,
};

#define ROW(name, lowest, highest) \
	{ \
		.key = #name, .offset = offsetof(struct ear_ntrace_unit, name), .min = (lowest), \
		.max = (highest) \
	}

static const struct ear_flow_parameter rows[] = {
	ROW(xlen, 0, 64),
	ROW(src_bits, 0, 12),
	ROW(htm, 0, EAR_NTRACE_ANY),
	ROW(stack, 0, EAR_NTRACE_STACK_MAX),
	ROW(sijump, 0, 1),
	ROW(alljumps, 0, 1),
	ROW(extend, 0, 1),
	ROW(tstamp, 0, EAR_NTRACE_ANY),
	EAR_FLOW_RING_ROWS(struct ear_ntrace_unit, ring),
	ROW(hist_bits, 1, 31),
	ROW(icnt_max, 2, (1u << 22) - 1),
	ROW(icnt_by_sync, 0, 1),
	ROW(sync_every, 0, UINT32_MAX),
	ROW(repeat_branch, 0, 1),
	ROW(repeat_hist, 0, 1),
	ROW(ownership, 0, 1),
	ROW(btype_ext, 0, 1),
	{.key = NULL},
};

static const struct ear_flow_known known[] = {
	{"ntrace", "{}"},
	{"ntrace-btm", "{\"htm\": 0}"},
	{"ntrace-htm", "{\"htm\": 1}"},
	{"nexrv", "{\"tstamp\": 0}"},  /* the reference encoder */
	{"sifive", "{\"extend\": 0}"}, /* Nexus before N-Trace 1.0 */
	{NULL, NULL},
};

int ear_ntrace_unit_read(
	struct ear_ntrace_unit *unit, const char *head, const char *text, char *fault)
{
	*unit = ear_ntrace_default_unit;
	fault[0] = '\0';
	int result = head ? ear_flow_parameters_read(unit, rows, head, fault) : 0;
	if (result == 0 && text)
		result = ear_flow_unit_read(unit, rows, known, text, fault);
	const char *wrong = result ? NULL : ear_flow_ring_complete(&unit->ring);
	if (result == 0 && unit->xlen != 0 && unit->xlen != 32 && unit->xlen != 64)
		wrong = "\"xlen\": neither 32 nor 64";
	if (wrong) {
		snprintf(fault, EAR_FLOW_FAULT_SIZE, "%s", wrong);
		return EAR_E_BAD_ARGUMENT;
	}
	return result;
}
