/* Words of a line that name a mode or an instruction set, as tables and comparisons. */
#include "decoder/formats/tarmac/tarmac_mode.h"

#include <earshot/record.h>
#include <string.h>

#include "decoder/formats/tarmac/writer_tarmac.h"

int ear_tarmac_find_privilege(struct ear_text mode)
{
	if (mode.size == 1 && mode.text[0] == 'm') /* nearly always */
		return EAR_PRIVILEGE_M;
	if (mode.size > 2 && mode.text[0] != 'r')
		return -1;
	if (ear_text_is(mode, EAR_TARMAC_RISCV))
		return EAR_TARMAC_ANY_PRIVILEGE;
	for (int privilege = 0; privilege <= EAR_PRIVILEGE_DEBUG; privilege++)
		if (ear_text_is(mode, ear_tarmac_privilege_name((uint8_t)privilege)))
			return privilege;
	return -1;
}

uint8_t ear_tarmac_isa_of_set(char set)
{
	switch (set) {
	case 'T': return EAR_ISA_T32;
	case 'X': return EAR_ISA_T32EE;
	case 'O': return EAR_ISA_A64;
	case 'J': return EAR_ISA_JAZELLE;
	default: return EAR_ISA_A32;
	}
}

bool ear_tarmac_is_aarch64(struct ear_text mode)
{
	return ear_tarmac_is_aarch64_mode(mode) || ear_text_is(mode, EAR_TARMAC_AARCH64);
}

bool ear_tarmac_ends_in_unknown(struct ear_text *name)
{
	const size_t size = sizeof(EAR_TARMAC_UNKNOWN) - 1;
	bool unknown = name->size > size &&
		       memcmp(name->text + name->size - size, EAR_TARMAC_UNKNOWN, size) == 0;

	name->size -= unknown ? size : 0;
	return unknown;
}

char ear_tarmac_set_of_isa(int isa)
{
	switch (isa) {
	case EAR_ISA_A32: return 'A';
	case EAR_ISA_T32: return 'T';
	case EAR_ISA_A64: return 'O';
	default: return '\0';
	}
}
