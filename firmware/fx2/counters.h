#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdint.h>

/* The counters in STATUS. The order is that of docs/usb.md, from USB_STATUS_STARTS on. */
enum counter {
	COUNT_STARTS,
	COUNT_FIFO_RESETS,
	COUNT_TAILS,
	COUNT_REFUSED,
	COUNT_ABANDONED,
	COUNT_BUS_RESETS,
	COUNT_SUSPENDS,
	COUNT_OF_COUNTERS
};

extern __xdata uint16_t counters[COUNT_OF_COUNTERS];
extern uint8_t last_error; /* EAR_USB_ERROR_... */

/* One more; stops at the highest value. */
void counters_add(uint8_t counter);

void counters_clear(void);

#endif
