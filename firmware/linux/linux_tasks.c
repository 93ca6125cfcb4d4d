// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/* The tasks that were there before the trace.
 *
 * Hooks report meanwhile, so a task may be introduced that a fork has just reported: the same pid
 * with the same group, which changes nothing. References to all tasks are taken first, because
 * their mappings cannot be read while RCU holds the list.
 */
#include "linux_tasks.h"

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "linux_port.h"

/* A task that the trace cannot know: its group, pid and name. */
static void introduce(const struct task_struct *task)
{
	unsigned long flags = ear_port_lock();

	ear_port_store(EAR_PORT_TGID, (u32)task->tgid);
	ear_port_store(EAR_PORT_INIT_PID, (u32)task->pid);
	ear_port_store_text(
		EAR_PORT_INIT_NAME, task->comm, strnlen(task->comm, TASK_COMM_LEN - 1) + 1);
	ear_port_unlock(flags);
}

/* A mapping belongs to the task that runs: for these stores it is this one. */
static void report_mapping(
	const struct task_struct *task, const struct vm_area_struct *area, const char *path)
{
	unsigned long flags = ear_port_lock();

	if (task != current)
		ear_port_switch(task->pid);
	else
		ear_port_be_current();
	ear_port_store_mapping(EAR_PORT_EXECVE_EXEPATH, area->vm_start, area->vm_end,
		(u64)area->vm_pgoff << PAGE_SHIFT, path);
	ear_port_be_current();
	ear_port_unlock(flags);
}

static void report_mappings(struct task_struct *task, char *buffer)
{
	struct mm_struct *mm = get_task_mm(task);

	if (!mm)
		return;
	VMA_ITERATOR(areas, mm, 0);
	struct vm_area_struct *area;

	mmap_read_lock(mm);
	for_each_vma(areas, area)
	{
		if (!area->vm_file || !(area->vm_flags & VM_EXEC))
			continue;
		const char *path = file_path(area->vm_file, buffer, EAR_PORT_TEXT_MAX);

		report_mapping(task, area, IS_ERR(path) ? "?" : path);
	}
	mmap_read_unlock(mm);
	mmput(mm);
}

/* References to all tasks but the idle ones. Returns how many; *tasks is the caller's. */
static int hold_tasks(struct task_struct ***tasks)
{
	struct task_struct *process, *thread;
	size_t room = 0, count = 0;

	rcu_read_lock();
	for_each_process_thread(process, thread) room++;
	rcu_read_unlock();
	room += room / 2 + 64; /* for those that come meanwhile; their forks are reported as well */
	*tasks = kvcalloc(room, sizeof(**tasks), GFP_KERNEL);
	if (!*tasks)
		return -ENOMEM;
	rcu_read_lock();
	for_each_process_thread(process, thread) if (count < room)(*tasks)[count++] =
		get_task_struct(thread);
	rcu_read_unlock();
	return (int)count;
}

int ear_tasks_list(void)
{
	struct task_struct **tasks;
	char *buffer = kmalloc(EAR_PORT_TEXT_MAX, GFP_KERNEL);

	if (!buffer)
		return -ENOMEM;
	int count = hold_tasks(&tasks);

	if (count < 0) {
		kfree(buffer);
		return count;
	}
	introduce(&init_task);
	introduce(current);
	unsigned long flags = ear_port_lock();

	ear_port_switch(current->pid);
	ear_port_unlock(flags);
	for (int i = 0; i < count; i++) {
		if (tasks[i] != current)
			introduce(tasks[i]);
		if (thread_group_leader(tasks[i]))
			report_mappings(tasks[i], buffer);
		put_task_struct(tasks[i]);
		cond_resched();
	}
	kvfree(tasks);
	kfree(buffer);
	return count;
}
