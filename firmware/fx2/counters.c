/* The counters of STATUS. They saturate instead of wrapping: the highest value means "at least". */
#include "counters.h"

#include "common/protocol/ear_protocol.h"

__xdata uint16_t counters[COUNT_OF_COUNTERS];
uint8_t last_error;

void counters_add(uint8_t counter)
{
	if (counters[counter] != 0xFFFF)
		counters[counter]++;
}

void counters_clear(void)
{
	uint8_t i;

	for (i = 0; i < COUNT_OF_COUNTERS; i++)
		counters[i] = 0;
	last_error = EAR_USB_ERROR_NONE;
}
