#include "iss_state.h"
#include "library/check/semantics/semantics_float.h"

/* f registers: what is written to them, and what that does to the state. */

void iss_float_write(struct ear_iss *iss, struct ear_retire *entry, unsigned number, uint64_t value)
{
	iss->f[number] = value;
	entry->frd_valid = true;
	entry->frd_addr = (uint8_t)number;
	entry->frd_wdata = value;
	iss_float_dirty(iss);
}

bool iss_float_execute(struct ear_iss *iss, struct ear_retire *entry,
	const struct ear_semantics *op, uint64_t a, uint64_t *result)
{
	const struct ear_float_operands operands = {
		.f = {iss->f[ear_semantics_bits(op->wide, 15, 5)],
			iss->f[ear_semantics_bits(op->wide, 20, 5)],
			iss->f[ear_semantics_bits(op->wide, 27, 5)]},
		.x = a,
		.frm = iss->csr.frm,
		.flen = iss_has(iss, EAR_ISS_D) ? 64 : 32,
	};
	struct ear_float_result computed;

	if (!iss_float_enabled(iss) || !ear_semantics_float(op, &operands, &computed))
		return false;
	*result = 0;
	if (computed.is_float)
		iss_float_write(iss, entry, ear_semantics_bits(op->wide, 7, 5), computed.value);
	else
		*result = computed.value;
	if (computed.flags) {
		entry->fflags = (uint8_t)computed.flags;
		iss->csr.fflags |= entry->fflags;
		iss_float_dirty(iss);
	}
	return true;
}
