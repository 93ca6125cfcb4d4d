/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
#ifndef EAR_LINUX_HOOKS_H
#define EAR_LINUX_HOOKS_H

#include <linux/types.h>

/* Report to the port from now on. What the kernel does not have is named in its log, and is not
 * reported; that is no error. Returns 0, or a negative error of the kernel, and then nothing is
 * reported. */
int ear_hooks_add(void);
void ear_hooks_remove(void);

/* Execs, mappings and unmappings that could not be reported: more of them were under way at once
 * than the module has room for. */
unsigned long ear_hooks_missed(void);

#endif
