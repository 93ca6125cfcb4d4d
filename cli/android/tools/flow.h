#ifndef EAR_ANDROID_FLOW_H
#define EAR_ANDROID_FLOW_H

#include "cli/android/tools/code.h"

/* What an instruction does to the calls, by its opcode. */
enum ear_android_flow {
	EAR_ANDROID_OTHER,
	EAR_ANDROID_CALL,
	EAR_ANDROID_RETURN,
};

enum ear_android_flow ear_android_flow_of(
	const struct ear_android_instruction *instruction, unsigned xlen);

#endif
