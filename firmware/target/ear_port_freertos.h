/* The trace macros of FreeRTOS: its tasks as tasks of the event port. At the end of
 * FreeRTOSConfig.h:
 *
 *     #define configUSE_TRACE_FACILITY 1
 *     #define EAR_PORT_BASE 0x10020000
 *     #include "ear_port_freertos.h"
 *
 * A task's pid is its uxTCBNumber, which the kernel counts from 1. All tasks share one address
 * space, so they are of one group: EAR_PORT_FREERTOS_GROUP. The macros are used inside of critical
 * sections of the kernel, so the port needs no lock there.
 *
 * Not reported: that a task is deleted by another one (the port says of the current task alone that
 * it ends), and the code that a task ends with, which is 0.
 */
#ifndef EAR_TARGET_PORT_FREERTOS_H
#define EAR_TARGET_PORT_FREERTOS_H

#ifndef __ASSEMBLER__

#include "ear_port.h"

#ifndef EAR_PORT_FREERTOS_GROUP
#define EAR_PORT_FREERTOS_GROUP 1
#endif

#define traceTASK_CREATE(task) \
	ear_port_task(EAR_PORT_FREERTOS_GROUP, (uint32_t)(task)->uxTCBNumber, (task)->pcTaskName)

#define traceTASK_SWITCHED_IN() ear_port_switch((uint32_t)pxCurrentTCB->uxTCBNumber)

#define traceTASK_DELETE(task) \
	do { \
		if ((task) == pxCurrentTCB) \
			ear_port_exit(0); \
	} while (0)

#endif

#endif
