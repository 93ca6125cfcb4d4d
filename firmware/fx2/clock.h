#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "fx2lp.h"

/* Time in ticks of 10 ms, and the watchdog. Timer 2 makes an interrupt each tick. */

#define TICKS_SECOND 100

void clock_init(void);

/* Low byte of the time: good for spans below 2.5 s. */
uint8_t clock_now(void);

/* Ticks since clock_init(). */
uint32_t clock_uptime(void);

/* Have this many whole ticks passed since start? One more is needed, since start was inside a tick.
 */
bool clock_passed(uint8_t start, uint8_t ticks);

/* Wait at least this many ticks, up to 100. */
void clock_wait(uint8_t ticks);

/* Restart the watchdog, which restarts the firmware after 2 s without this call. */
void clock_alive(void);

/* Begin again at address 0, as after loading. Also from an interrupt. */
void clock_restart(void);

/* How often the watchdog has restarted the firmware since power on. */
uint16_t clock_watchdog_count(void);

/* Interrupts must be declared where main() is. */
void clock_tick(void) __interrupt(INTERRUPT_TIMER2) __using(1);

#endif
