// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/* Stores to the kernel page.
 *
 * One raw spin lock with interrupts off holds a group together. It is raw because the scheduler
 * writes its switches with the lock of its run queue held.
 */
#include "linux_port.h"

#include <linux/io.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static DEFINE_RAW_SPINLOCK(group_lock);
static void __iomem *page;
static enum ear_port_strings strings_travel;
static pid_t switched_to;                   /* under the lock; -1: not known */
static char text_buffer[EAR_PORT_TEXT_MAX]; /* of EAR_PORT_BY_ADDRESS; under the lock */

void ear_port_init(void __iomem *kernel_page, enum ear_port_strings strings)
{
	page = kernel_page;
	strings_travel = strings;
	switched_to = -1;
}

unsigned long ear_port_lock(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&group_lock, flags);
	return flags;
}

void ear_port_unlock(unsigned long flags)
{
	raw_spin_unlock_irqrestore(&group_lock, flags);
}

void ear_port_switch(pid_t pid)
{
	ear_port_store(EAR_PORT_SWITCH, (u32)pid);
	switched_to = pid;
}

void ear_port_be_current(void)
{
	if (switched_to != current->pid)
		ear_port_switch(current->pid);
}

void ear_port_store(unsigned int number, u32 value)
{
	writel(value, page + 4 * number);
}

void ear_port_store_address(unsigned int number, u64 address)
{
	u32 high = (u32)(address >> 32);

	if (high)
		ear_port_store(EAR_PORT_HIGH, high);
	ear_port_store(number, (u32)address);
}

/* Zero bytes after the end do no harm: the last word is filled with them. */
static void store_by_value(const char *text, size_t size)
{
	for (size_t at = 0; at < size; at += 4) {
		u32 word = 0;

		for (size_t i = 0; i < 4 && at + i < size; i++)
			word |= (u32)(u8)text[at + i] << (8 * i);
		ear_port_store(EAR_PORT_STRING, word);
	}
}

void ear_port_store_text(unsigned int number, const char *text, size_t size)
{
	if (strings_travel == EAR_PORT_BY_VALUE) {
		store_by_value(text, size);
		ear_port_store(number, 0);
		return;
	}
	memcpy(text_buffer, text, size);
	barrier(); /* the bytes are in memory before the port has the address */
	ear_port_store_address(number, (u64)(uintptr_t)text_buffer);
}

void ear_port_store_mapping(unsigned int number, u64 start, u64 end, u64 offset, const char *path)
{
	ear_port_store_address(EAR_PORT_EXECVE_VMSTART, start);
	ear_port_store_address(EAR_PORT_EXECVE_VMEND, end);
	ear_port_store_address(EAR_PORT_EXECVE_OFFSET, offset);
	ear_port_store_text(number, path, strlen(path) + 1);
}

bool ear_port_is_enabled(void)
{
	return readl(page + 4 * EAR_PORT_ENABLE) & 1;
}
