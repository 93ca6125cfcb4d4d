#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>

/* The data path: endpoints 2 and 6 and their slave FIFOs, which the processor only sets up.
 * docs/usb.md section 3.
 */

extern bool link_running;  /* between START and STOP */
extern uint8_t link_flags; /* bits EAR_USB_LINK_... in force */

/* After power on. */
void link_init(void);

/* Empty both FIFOs and connect them to the pins as flags (EAR_USB_LINK_...) say. */
void link_start(uint8_t flags);

/* Disconnect the FIFOs from the pins. Bytes that wait for the host stay. */
void link_stop(void);

/* Empty both FIFOs and set them up for the speed of the bus. link_running stays. */
void link_reset_fifos(void);

/* As after a reset of the bus: stopped, empty, no halt, data toggles 0. */
void link_restore(void);

/* Halt of endpoint EAR_USB_ENDPOINT_IN or _OUT. Clearing it resets the data toggle. */
bool link_is_halted(uint8_t endpoint);
void link_set_halt(uint8_t endpoint);
void link_clear_halt(uint8_t endpoint);

/* Once a tick: send a packet that the unit began and did not end, when it is 10 ticks old. */
void link_watch(void);

/* At 480 Mb/s? */
bool link_is_high_speed(void);

#endif
