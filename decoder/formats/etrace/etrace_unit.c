/* A trace encoder's parameters: from JSON, and of known units. With parameters in their ranges
 * every field fits 64 bits, and every packet the room of struct ear_etrace_bits. */
#include "decoder/formats/etrace/etrace_unit.h"

#include <earshot/error.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/flow/flow_unit.h"

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
	       unit->srcid_bits <= 16 && unit->timestamp_bytes <= 8 && unit->type_bits <= 8 &&
	       unit->vector_count <= EAR_ETRACE_VECTORS_MAX;
}

uint8_t ear_etrace_unit_options(const struct ear_etrace_unit *unit)
{
	return (uint8_t)((unit->full_address ? EAR_ETRACE_FULL_ADDRESS : 0) |
			 (unit->implicit_exception ? EAR_ETRACE_IMPLICIT_EXCEPTION : 0) |
			 (unit->implicit_return ? EAR_ETRACE_IMPLICIT_RETURN : 0) |
			 (unit->sijump ? EAR_ETRACE_SIJUMP : 0) |
			 (unit->branch_prediction ? EAR_ETRACE_BRANCH_PREDICTION : 0) |
			 (unit->jump_target_cache ? EAR_ETRACE_JUMP_TARGET_CACHE : 0));
}

bool ear_etrace_vector(
	const struct ear_etrace_unit *unit, bool interrupt, uint64_t cause, uint64_t *address)
{
	for (uint32_t i = 0; i < unit->vector_count; i++) {
		const struct ear_etrace_vector *vector = &unit->vectors[i];
		if (vector->interrupt == interrupt && vector->cause == cause) {
			*address = vector->address;
			return true;
		}
	}
	return false;
}

/* --- From text --- */

static const char *const framings[] = {"encapsulation", "smi", "pt10", "et20", "pulp", NULL};
static const char *const supports[] = {"reference", "pulp", "unknown", NULL};
static const char *const link_registers[] = {"x1", "x1x5", NULL};
static const char *const generations[] = {"", "PT10", "ET20", NULL};
static const char *const address_modes[] = {"try", "delta", "full", NULL};

/* "0:11" of trap_vectors: interrupt bit and cause. */
static bool take_vector(void *parameters, struct ear_text key, uint64_t address)
{
	struct ear_etrace_unit *unit = parameters;
	char text[32], *end;

	if (key.size < 3 || key.size >= sizeof(text) ||
		unit->vector_count == EAR_ETRACE_VECTORS_MAX)
		return false;
	memcpy(text, key.text, key.size);
	text[key.size] = '\0';
	if ((text[0] != '0' && text[0] != '1') || text[1] != ':')
		return false;
	struct ear_etrace_vector *vector = &unit->vectors[unit->vector_count++];
	vector->interrupt = text[0] == '1';
	vector->cause = strtoull(text + 2, &end, 0);
	vector->address = address;
	return *end == '\0';
}

#define ROW(name, least, most) \
	{ \
		.key = #name, .offset = offsetof(struct ear_etrace_unit, name), .min = (least), \
		.max = (most) \
	}
#define WORDS(name, texts, most) \
	{ \
		.key = #name, .offset = offsetof(struct ear_etrace_unit, name), .max = (most), \
		.words = (texts) \
	}

static const struct ear_flow_parameter rows[] = {
	WORDS(framing, framings, EAR_ETRACE_FRAMINGS - 1),
	WORDS(support, supports, EAR_ETRACE_SUPPORTS - 1),
	WORDS(ras, link_registers, 1),
	WORDS(generation, generations, 2),
	WORDS(address_mode, address_modes, EAR_ETRACE_MODE_FULL),
	ROW(iaddress_width, 8, 64),
	ROW(iaddress_lsb, 0, 2),
	ROW(privilege_width, 0, 8),
	ROW(ecause_width, 0, 64),
	ROW(time_width, 0, 64),
	ROW(context_width, 0, 64),
	ROW(f0s_width, 0, 1),
	ROW(bpred_size, 0, EAR_ETRACE_BPRED_MAX),
	ROW(cache_size, 0, EAR_ETRACE_CACHE_MAX),
	ROW(call_counter_size, 0, EAR_ETRACE_STACK_MAX),
	ROW(return_stack_size, 0, EAR_ETRACE_STACK_MAX),
	ROW(full_address, 0, 1),
	ROW(implicit_exception, 0, 1),
	ROW(implicit_return, 0, 1),
	ROW(sijump, 0, 1),
	ROW(branch_prediction, 0, 1),
	ROW(jump_target_cache, 0, 1),
	ROW(srcid_bits, 0, 16),
	ROW(timestamp_bytes, 0, 8),
	ROW(type_bits, 0, 8),
	ROW(xlen, 0, 64),
	ROW(atb_id, 0, 111),
	EAR_FLOW_RING_ROWS(struct ear_etrace_unit, ring),
	ROW(hart, 0, UINT16_MAX),
	ROW(resync_max, 0, UINT32_MAX),
	{.key = "trap_vectors", .member = take_vector},
	{.key = NULL},
};

/* Known units, as what differs from the usual ones. */
static const struct ear_flow_known known[] = {
	{"reference", "{\"ecause_width\": 5}"},
	{"pulp", "{\"framing\": \"pulp\", \"iaddress_lsb\": 0, \"ecause_width\": 64, "
		 "\"iaddress_width\": 64}"},
	{"esp32c6", "{\"generation\": \"PT10\", \"full_address\": 1}"},
	{"esp32h2", "{\"generation\": \"PT10\", \"full_address\": 1}"},
	{"esp32c5", "{\"generation\": \"ET20\"}"},
	{"esp32c61", "{\"generation\": \"ET20\"}"},
	{"esp32h21", "{\"generation\": \"ET20\"}"},
	{"esp32h4", "{\"generation\": \"ET20\"}"},
	{"esp32p4", "{\"generation\": \"ET20\"}"},
	{"esp32s31", "{\"generation\": \"ET20\"}"},
	{NULL, NULL},
};

static int refuse(char *fault, size_t size, const char *cause)
{
	snprintf(fault, size, "%s", cause);
	return EAR_E_BAD_ARGUMENT;
}

/* What follows from other parameters. */
static int complete(struct ear_etrace_unit *unit, bool esp, char *fault, size_t size)
{
	if (unit->generation > 0)
		unit->framing = EAR_ETRACE_PT10 - 1 + unit->generation;
	if (esp != ear_etrace_unit_is_esp(unit))
		return refuse(fault, size,
			esp ? "the unit is not one of Espressif's: read it as etrace"
			    : "the unit is one of Espressif's: read it as esptrace");
	const char *wrong = ear_flow_ring_complete(&unit->ring);
	if (wrong)
		return refuse(fault, size, wrong);
	if (unit->xlen != 0 && unit->xlen != 32 && unit->xlen != 64)
		return refuse(fault, size, "\"xlen\": neither 32 nor 64");
	if (unit->xlen == 0)
		unit->xlen = unit->iaddress_width > 32 ? 64 : 32;
	if (esp) {
		unit->iaddress_width = 32;
		unit->iaddress_lsb = 1;
		unit->privilege_width = 1;
		unit->support = EAR_ETRACE_SUPPORT_UNKNOWN;
	}
	if (unit->bpred_size > 0 && unit->cache_size > 0 && unit->f0s_width == 0)
		return refuse(fault, size,
			"\"f0s_width\": 0, though there are a predictor and a jump target cache");
	if (!ear_etrace_unit_is_valid(unit))
		return refuse(fault, size,
			"\"call_counter_size\" and \"return_stack_size\" exclude each other");
	return 0;
}

int ear_etrace_unit_read(struct ear_etrace_unit *unit, const char *head, const char *text, bool esp,
	unsigned xlen, char *fault, size_t size)
{
	char cause[EAR_FLOW_FAULT_SIZE];

	*unit = (struct ear_etrace_unit){
		.iaddress_width = xlen == 64 ? 64 : 32,
		.iaddress_lsb = 1,
		.privilege_width = 2,
		.ecause_width = 6,
		.ras = 1,
		.framing = esp ? EAR_ETRACE_ET20 : EAR_ETRACE_ENCAP,
	};
	int result = head ? ear_flow_parameters_read(unit, rows, head, cause) : 0;
	if (result == 0 && text)
		result = ear_flow_unit_read(unit, rows, known, text, cause);
	if (result == EAR_E_BAD_ARGUMENT)
		snprintf(fault, size, "%s", cause);
	return result ? result : complete(unit, esp, fault, size);
}
