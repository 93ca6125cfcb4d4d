/* The name that libFuzzer wants for the target EAR_FUZZ_TARGET. */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return EAR_FUZZ_TARGET(bytes, size);
}
