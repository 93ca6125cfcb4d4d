/* The words of the JSON lines, one table for each enumeration, indexed by its values. Writer and
 * reader use the same tables, so they cannot disagree.
 */
#include "decoder/formats/json/json_name.h"

#include <stddef.h>

const char *const ear_json_kinds[] = {
	[EAR_RECORD_INSTRUCTION] = "instruction",
	[EAR_RECORD_GAP] = "gap",
	[EAR_RECORD_EVENT] = "event",
	[EAR_RECORD_MEMORY] = "memory",
	[EAR_RECORD_IDLE] = "idle",
	[EAR_RECORD_REGISTERS] = "registers",
	[EAR_RECORD_NOTE] = "note",
	NULL,
};

const char *const ear_json_isas[] = {
	[EAR_ISA_RISCV] = "riscv",
	[EAR_ISA_A32] = "arm",
	[EAR_ISA_T32] = "thumb",
	[EAR_ISA_T32EE] = "thumbee",
	[EAR_ISA_JAZELLE] = "jazelle",
	[EAR_ISA_A64] = "aarch64",
	[EAR_ISA_MIPS32] = "mips",
	[EAR_ISA_MIPS64] = "mips64",
	[EAR_ISA_UNKNOWN] = "unknown",
	NULL,
};

const char *const ear_json_privileges[] = {
	[EAR_PRIVILEGE_U] = "u",
	[EAR_PRIVILEGE_S] = "s",
	[EAR_PRIVILEGE_RESERVED] = "reserved",
	[EAR_PRIVILEGE_M] = "m",
	[EAR_PRIVILEGE_VU] = "vu",
	[EAR_PRIVILEGE_VS] = "vs",
	[EAR_PRIVILEGE_DEBUG] = "d",
	NULL,
};

const char *const ear_json_classes[] = {
	[EAR_REGISTER_X] = "x",
	[EAR_REGISTER_F] = "f",
	[EAR_REGISTER_CSR] = "csr",
	[EAR_REGISTER_V] = "v",
	[EAR_REGISTER_NAMED] = "named",
	NULL,
};

const char *const ear_json_reasons[] = {
	[EAR_GAP_UNIT_FIFO] = "unit-fifo",
	[EAR_GAP_HOST_RING] = "host-ring",
	[EAR_GAP_MISSING_FRAME] = "missing-frame",
	[EAR_GAP_DAMAGE] = "damage",
	[EAR_GAP_BAD_MESSAGE] = "bad-message",
	[EAR_GAP_CUT] = "cut",
	[EAR_GAP_NO_SYNC] = "no-sync",
	[EAR_GAP_DISAGREE] = "disagree",
	[EAR_GAP_NO_START] = "no-start",
	[EAR_GAP_NO_END] = "no-end",
	[EAR_GAP_JUMP] = "jump",
	[EAR_GAP_REPEATED] = "repeated",
	[EAR_GAP_BAD_LINE] = "bad-line",
	[EAR_GAP_CUT_LINE] = "cut-line",
	[EAR_GAP_WORD] = "word",
	[EAR_GAP_NO_CODE] = "no-code",
	[EAR_GAP_OFF] = "off",
	NULL,
};

const char *const ear_json_bus_flags[] = {"sequential", "known", "opcode", "locked", "speculative",
	"killed", "more", "core", "wait", "debug", "exclusive", "unprivileged", "coprocessor",
	"privileged", "burst-4", "burst-8", NULL};

_Static_assert(EAR_BUS_SEQUENTIAL == 1 && EAR_BUS_KNOWN == 1 << 1 && EAR_BUS_OPCODE == 1 << 2 &&
		       EAR_BUS_LOCKED == 1 << 3 && EAR_BUS_SPECULATIVE == 1 << 4 &&
		       EAR_BUS_KILLED == 1 << 5 && EAR_BUS_MORE == 1 << 6 &&
		       EAR_BUS_CORE == 1 << 7 && EAR_BUS_WAIT == 1 << 8 &&
		       EAR_BUS_DEBUG == 1 << 9 && EAR_BUS_EXCLUSIVE == 1 << 10 &&
		       EAR_BUS_UNPRIVILEGED == 1 << 11 && EAR_BUS_COPROCESSOR == 1 << 12 &&
		       EAR_BUS_PRIVILEGED == 1 << 13 && EAR_BUS_BURST_4 == 1 << 14 &&
		       EAR_BUS_BURST_8 == 1 << 15,
	"the words are in the order of the bits");

const struct ear_json_flag ear_json_flags[EAR_JSON_FLAGS + 1] = {
	{"taken", EAR_RECORD_TAKEN},
	{"trap", EAR_RECORD_TRAP},
	{"interrupt", EAR_RECORD_INTERRUPT},
	{"handler", EAR_RECORD_HANDLER},
	{"halt", EAR_RECORD_HALT},
	{"skipped", EAR_RECORD_SKIPPED},
	{NULL, 0},
};
