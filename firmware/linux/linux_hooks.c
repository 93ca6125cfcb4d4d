// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/* Where the kernel is listened to.
 *
 * Switches, forks, ends, names and modules are tracepoints. Those that come with no symbol for
 * modules are found by their name. Exec and mappings have no tracepoint that is early enough:
 * a program's mappings follow its exec, so the exec is reported when the old mappings are gone and
 * the new ones have not come, at the end of begin_new_exec.
 *
 * A string is made before the group of stores begins, in a buffer of the processor: none of the
 * hooks that need it can be interrupted by another of them there.
 */
#include "linux_hooks.h"

#include <linux/binfmts.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#include "linux_port.h"
#include "linux_tasks.h"

#define UNDER_WAY_MAX 128 /* of one function; calls may sleep */

static char __percpu *text_buffers;

/* -- Tracepoints -- */

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
static void on_switch(void *data, bool preempt, struct task_struct *from, struct task_struct *to,
	unsigned int state)
#else
static void on_switch(void *data, bool preempt, struct task_struct *from, struct task_struct *to)
#endif
{
	unsigned long flags = ear_port_lock();

	ear_port_switch(to->pid);
	ear_port_unlock(flags);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	unsigned long flags = ear_port_lock();

	ear_port_be_current();
	ear_port_store(EAR_PORT_TGID, (u32)child->tgid);
	ear_port_store(child->mm == parent->mm ? EAR_PORT_CLONE : EAR_PORT_FORK, (u32)child->pid);
	ear_port_unlock(flags);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
static void on_exit(void *data, struct task_struct *task, bool group_dead)
#else
static void on_exit(void *data, struct task_struct *task)
#endif
{
	unsigned long flags = ear_port_lock();

	ear_port_be_current();
	ear_port_store(EAR_PORT_EXIT, (u32)task->exit_code);
	ear_port_unlock(flags);
}

/* NAME is that of the current task; another one is introduced again. */
static void on_rename(void *data, struct task_struct *task, const char *name)
{
	unsigned long flags = ear_port_lock();
	char text[TASK_COMM_LEN];

	if (strscpy(text, name, sizeof(text)) < 0)
		text[sizeof(text) - 1] = '\0';
	if (task == current) {
		ear_port_be_current();
	} else {
		ear_port_store(EAR_PORT_TGID, (u32)task->tgid);
		ear_port_store(EAR_PORT_INIT_PID, (u32)task->pid);
	}
	ear_port_store_text(
		task == current ? EAR_PORT_NAME : EAR_PORT_INIT_NAME, text, strlen(text) + 1);
	ear_port_unlock(flags);
}

static u64 module_address(const struct module *module)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return (u64)(uintptr_t)module->mem[MOD_TEXT].base;
#else
	return (u64)(uintptr_t)module->core_layout.base;
#endif
}

static void on_module_load(void *data, struct module *module)
{
	unsigned long flags = ear_port_lock();

	ear_port_store_address(EAR_PORT_DYN_SYM_ADDR, module_address(module));
	ear_port_store_text(EAR_PORT_DYN_SYM, module->name, strlen(module->name) + 1);
	ear_port_unlock(flags);
}

static void on_module_free(void *data, struct module *module)
{
	unsigned long flags = ear_port_lock();

	ear_port_store_address(EAR_PORT_REMOVE_ADDR, module_address(module));
	ear_port_unlock(flags);
}

static struct point {
	const char *name;
	void *call;
	struct tracepoint *found;
	bool added;
} points[] = {
	{.name = "task_rename", .call = on_rename},
	{.name = "sched_process_fork", .call = on_fork},
	{.name = "sched_process_exit", .call = on_exit},
	{.name = "module_load", .call = on_module_load},
	{.name = "module_free", .call = on_module_free},
	{.name = "sched_switch", .call = on_switch},
};

static void find_point(struct tracepoint *tracepoint, void *data)
{
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(tracepoint->name, points[i].name))
			points[i].found = tracepoint;
}

static int add_points(void)
{
	for_each_kernel_tracepoint(find_point, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
		struct point *point = &points[i];

		if (!point->found) {
			pr_warn("earshot: this kernel has no tracepoint %s\n", point->name);
			continue;
		}
		int result = tracepoint_probe_register(point->found, point->call, NULL);

		if (result)
			return result;
		point->added = true;
	}
	return 0;
}

static void remove_points(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
		if (points[i].added)
			tracepoint_probe_unregister(points[i].found, points[i].call, NULL);
		points[i].added = false;
	}
	tracepoint_synchronize_unregister();
}

/* -- Exec: int begin_new_exec(struct linux_binprm *program) -- */

struct exec_call {
	struct linux_binprm *program;
};

static int exec_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct exec_call *call = (struct exec_call *)instance->data;

	call->program = (struct linux_binprm *)regs_get_kernel_argument(regs, 0);
	return 0;
}

/* The arguments are at the lowest addresses of the new stack, one after the other, page by page
 * in memory: nothing has swapped them out yet. Returns their size, with the last zero byte. */
static size_t read_arguments(char *text, const struct linux_binprm *program)
{
	unsigned long address = program->p;
	size_t size = 0, end = 0;
	int left = program->argc;

	while (left > 0 && size < EAR_PORT_TEXT_MAX) {
		size_t piece =
			min_t(size_t, PAGE_SIZE - address % PAGE_SIZE, EAR_PORT_TEXT_MAX - size);

		if (copy_from_user_nofault(text + size, (const void __user *)address, piece))
			break;
		address += piece;
		size += piece;
		while (left > 0 && end < size)
			if (!text[end++])
				left--;
	}
	if (left > 0 && end > 0) /* cut */
		text[end - 1] = '\0';
	return end;
}

static int exec_ends(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct exec_call *call = (const struct exec_call *)instance->data;
	char *text = this_cpu_ptr(text_buffers);

	if (regs_return_value(regs))
		return 0;
	size_t size = read_arguments(text, call->program);
	unsigned long flags = ear_port_lock();

	ear_port_be_current();
	ear_port_store(EAR_PORT_CMDLINE_LEN, (u32)size);
	ear_port_store_text(EAR_PORT_CMDLINE, text, size);
	ear_port_unlock(flags);
	return 0;
}

/* -- Mappings: unsigned long mmap_region(file, address, size, flags, first page, ...) -- */

struct map_call {
	struct file *file;
	unsigned long size, first_page;
};

static int map_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct map_call *call = (struct map_call *)instance->data;

	call->file = (struct file *)regs_get_kernel_argument(regs, 0);
	call->size = regs_get_kernel_argument(regs, 2);
	call->first_page = regs_get_kernel_argument(regs, 4);
	return !call->file; /* 1: its end is not of interest */
}

static int map_ends(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct map_call *call = (const struct map_call *)instance->data;
	unsigned long start = regs_return_value(regs);

	if (IS_ERR_VALUE(start))
		return 0;
	const char *path = file_path(call->file, this_cpu_ptr(text_buffers), EAR_PORT_TEXT_MAX);
	unsigned long flags = ear_port_lock();

	ear_port_be_current();
	ear_port_store_mapping(EAR_PORT_MMAP_EXEPATH, start, (u64)start + call->size,
		(u64)call->first_page << PAGE_SHIFT, IS_ERR(path) ? "?" : path);
	ear_port_unlock(flags);
	return 0;
}

/* -- Unmapping: int do_mas_munmap(place, memory, start, size, ...), now do_vmi_munmap -- */

struct unmap_call {
	unsigned long start, end;
};

/* What was never mapped, as far as the trace knows, is not unmapped. The caller has the lock of
 * the mappings. */
static bool has_file(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	while (start < end) {
		struct vm_area_struct *area = find_vma_intersection(mm, start, end);

		if (!area || area->vm_file)
			return area != NULL;
		start = area->vm_end;
	}
	return false;
}

static int unmap_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct unmap_call *call = (struct unmap_call *)instance->data;
	struct mm_struct *mm = (struct mm_struct *)regs_get_kernel_argument(regs, 1);
	unsigned long start = regs_get_kernel_argument(regs, 2);
	unsigned long size = PAGE_ALIGN(regs_get_kernel_argument(regs, 3));

	if (mm != current->mm || start >= TASK_SIZE || size > TASK_SIZE - start)
		return 1;
	call->start = start;
	call->end = start + size;
	return !has_file(mm, start, call->end);
}

static int unmap_ends(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct unmap_call *call = (const struct unmap_call *)instance->data;

	if ((int)regs_return_value(regs) < 0)
		return 0;
	unsigned long flags = ear_port_lock();

	ear_port_be_current();
	ear_port_store_address(EAR_PORT_UNMAP_START, call->start);
	ear_port_store_address(EAR_PORT_UNMAP_END, call->end);
	ear_port_unlock(flags);
	return 0;
}

static struct probe {
	const char *names[2]; /* in the order in which they are tried */
	const char *what;
	struct kretprobe probe;
	bool added;
} probes[] = {
	{{"begin_new_exec"}, "execs",
		{.entry_handler = exec_begins,
			.handler = exec_ends,
			.data_size = sizeof(struct exec_call),
			.maxactive = UNDER_WAY_MAX}},
	{{"do_vmi_munmap", "do_mas_munmap"}, "unmappings",
		{.entry_handler = unmap_begins,
			.handler = unmap_ends,
			.data_size = sizeof(struct unmap_call),
			.maxactive = UNDER_WAY_MAX}},
	{{"mmap_region"}, "mappings",
		{.entry_handler = map_begins,
			.handler = map_ends,
			.data_size = sizeof(struct map_call),
			.maxactive = UNDER_WAY_MAX}},
};

static void add_probe(struct probe *probe)
{
	int result = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(probe->names) && probe->names[i] && result; i++) {
		probe->probe.kp.symbol_name = probe->names[i];
		probe->probe.kp.addr = NULL;
		probe->probe.kp.flags = 0;
		result = register_kretprobe(&probe->probe);
	}
	probe->added = !result;
	if (result)
		pr_warn("earshot: %s are not reported: no probe at %s (%d)\n", probe->what,
			probe->names[0], result);
}

static void remove_probes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].added)
			unregister_kretprobe(&probes[i].probe);
	if (ear_hooks_missed())
		pr_warn("earshot: %lu calls were not reported\n", ear_hooks_missed());
}

unsigned long ear_hooks_missed(void)
{
	unsigned long count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		count += (unsigned long)probes[i].probe.nmissed + probes[i].probe.kp.nmissed;
	return count;
}

int ear_hooks_add(void)
{
	text_buffers = __alloc_percpu(EAR_PORT_TEXT_MAX, sizeof(long));
	if (!text_buffers)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		add_probe(&probes[i]);
	int result = add_points();

	if (result)
		ear_hooks_remove();
	return result;
}

void ear_hooks_remove(void)
{
	remove_points();
	remove_probes();
	free_percpu(text_buffers);
}
