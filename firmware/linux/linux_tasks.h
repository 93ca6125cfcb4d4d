/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
#ifndef EAR_LINUX_TASKS_H
#define EAR_LINUX_TASKS_H

/* All tasks that there are, each with the files that it may execute, and who runs. May sleep.
 * Returns how many, or a negative error of the kernel. */
int ear_tasks_list(void);

#endif
