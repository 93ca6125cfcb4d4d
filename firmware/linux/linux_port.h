/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
#ifndef EAR_LINUX_PORT_H
#define EAR_LINUX_PORT_H

#include <linux/types.h>

#include "common/protocol/ear_protocol.h"

/* The kernel page of the event port: docs/event-port.md.
 *
 * What happened is a group of stores: ear_port_lock, the stores, ear_port_unlock. No other group
 * comes between them, on no processor: the registers that keep a number are shared. A group may be
 * written with interrupts off and with locks of the scheduler held.
 */

#define EAR_PORT_TEXT_MAX 4096 /* bytes of a string, with its zero byte; a longer one is cut */

/* How strings travel. */
enum ear_port_strings {
	EAR_PORT_BY_VALUE,  /* registers STRING */
	EAR_PORT_BY_ADDRESS /* copied to one buffer, whose virtual address is written */
};

/* kernel_page: mapped, as long as groups are written. */
void ear_port_init(void __iomem *kernel_page, enum ear_port_strings strings);

unsigned long ear_port_lock(void);
void ear_port_unlock(unsigned long flags);

/* In a group: another task runs. */
void ear_port_switch(pid_t pid);

/* In a group: what follows is of the current task. Says so if the last switch does not: another
 * processor has switched, or the task has got another pid, as a thread that begins a program. */
void ear_port_be_current(void);

/* A store to a register of the kernel page. */
void ear_port_store(unsigned int number, u32 value);

/* The same of an address: HIGH comes before it if it has upper bits. */
void ear_port_store_address(unsigned int number, u64 address);

/* A string, then the register that takes it. text[size - 1] is 0; size is at most
 * EAR_PORT_TEXT_MAX. */
void ear_port_store_text(unsigned int number, const char *text, size_t size);

/* EXECVE_VMSTART, EXECVE_VMEND and EXECVE_OFFSET, and then the path. */
void ear_port_store_mapping(unsigned int number, u64 start, u64 end, u64 offset, const char *path);

/* Reads ENABLE: is there a capture? */
bool ear_port_is_enabled(void);

#endif
