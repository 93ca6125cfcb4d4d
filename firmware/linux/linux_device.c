// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/* The module: finds the port, makes /dev/earshot, and has the kernel listened to.
 *
 * The port is a platform device, of the device tree or made here from the parameter port.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/version.h>

#include "linux_hooks.h"
#include "linux_port.h"
#include "linux_tasks.h"

#define PORT_PAGE 0x1000u /* bytes of the kernel page, and of the user page after it */

static unsigned long long port;
module_param(port, ullong, 0444);
MODULE_PARM_DESC(port, "physical address of the kernel page; without it the device tree has it");

static bool tasks = true;
module_param(tasks, bool, 0444);
MODULE_PARM_DESC(
	tasks, "report tasks (default); 0: only /dev/earshot, for a port without the kernel page");

static bool addresses;
module_param(addresses, bool, 0444);
MODULE_PARM_DESC(addresses, "strings as addresses, for a port without string registers");

static resource_size_t user_page; /* physical */
static struct platform_device *own_device;

/* -- /dev/earshot -- */

/* One page, the user page. A private mapping would be a copy at its first store. */
static int map_user_page(struct file *file, struct vm_area_struct *area)
{
	if (area->vm_pgoff || area->vm_end - area->vm_start != PAGE_SIZE ||
		!(area->vm_flags & VM_SHARED))
		return -EINVAL;
	area->vm_page_prot = pgprot_noncached(area->vm_page_prot);
	return io_remap_pfn_range(area, area->vm_start, (unsigned long)(user_page >> PAGE_SHIFT),
		PAGE_SIZE, area->vm_page_prot);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.mmap = map_user_page,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "earshot",
	.mode = 0666,
	.fops = &operations,
};

/* -- Attributes -- */

static ssize_t enable_show(struct device *parent, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%d\n", ear_port_is_enabled());
}

static ssize_t enable_store(
	struct device *parent, struct device_attribute *attribute, const char *text, size_t size)
{
	bool on;
	int result = kstrtobool(text, &on);

	if (result)
		return result;
	unsigned long flags = ear_port_lock();

	ear_port_store(EAR_PORT_ENABLE, on);
	ear_port_unlock(flags);
	return (ssize_t)size;
}
static DEVICE_ATTR_RW(enable);

/* For a capture that began after the module was loaded. */
static ssize_t list_store(
	struct device *parent, struct device_attribute *attribute, const char *text, size_t size)
{
	int result = tasks ? ear_tasks_list() : -EOPNOTSUPP;

	return result < 0 ? result : (ssize_t)size;
}
static DEVICE_ATTR_WO(list);

static ssize_t missed_show(struct device *parent, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%lu\n", ear_hooks_missed());
}
static DEVICE_ATTR_RO(missed);

static struct attribute *port_attrs[] = {
	&dev_attr_enable.attr, &dev_attr_list.attr, &dev_attr_missed.attr, NULL};
ATTRIBUTE_GROUPS(port);

/* -- The platform device -- */

static int begin_tasks(struct device *parent)
{
	if (num_online_cpus() > 1)
		dev_warn(parent,
			"%u processors share one port: a switch does not say which of them\n",
			num_online_cpus());
	int result = ear_hooks_add();

	if (result)
		return result;
	result = ear_tasks_list();
	if (result < 0) {
		ear_hooks_remove();
		return result;
	}
	dev_info(parent, "%d tasks reported\n", result);
	return 0;
}

static int probe(struct platform_device *platform)
{
	struct resource *window;
	void __iomem *pages = devm_platform_get_and_ioremap_resource(platform, 0, &window);

	if (IS_ERR(pages))
		return PTR_ERR(pages);
	if (resource_size(window) < 2 * PORT_PAGE)
		return dev_err_probe(&platform->dev, -EINVAL, "the port has two pages of 4 KiB\n");
	if (PAGE_SIZE != PORT_PAGE || window->start % PORT_PAGE)
		return dev_err_probe(&platform->dev, -EINVAL,
			"pages of 4 KiB are needed, and a port that begins with one\n");
	ear_port_init(pages, addresses ? EAR_PORT_BY_ADDRESS : EAR_PORT_BY_VALUE);
	user_page = window->start + PORT_PAGE;
	int result = misc_register(&device);

	if (result)
		return result;
	if (tasks)
		result = begin_tasks(&platform->dev);
	if (result)
		misc_deregister(&device);
	else
		platform_set_drvdata(platform, &device); /* it could be begun */
	return result;
}

static void end(void)
{
	if (tasks)
		ear_hooks_remove();
	misc_deregister(&device);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static void remove(struct platform_device *platform)
{
	end();
}
#else
static int remove(struct platform_device *platform)
{
	end();
	return 0;
}
#endif

static const struct of_device_id compatible[] = {{.compatible = "earshot,event-port"}, {}};
MODULE_DEVICE_TABLE(of, compatible);

static struct platform_driver driver = {
	.probe = probe,
	.remove = remove,
	.driver = {.name = "earshot",
		.of_match_table = compatible,
		.dev_groups = port_groups,
		.suppress_bind_attrs = true},
};

static int __init begin_module(void)
{
	int result = platform_driver_register(&driver);

	if (result || !port)
		return result;
	struct resource window = DEFINE_RES_MEM(port, 2 * PORT_PAGE);

	own_device = platform_device_register_simple("earshot", PLATFORM_DEVID_NONE, &window, 1);
	if (!IS_ERR(own_device) && platform_get_drvdata(own_device))
		return 0;
	result = IS_ERR(own_device) ? PTR_ERR(own_device) : -ENODEV;
	if (!IS_ERR(own_device))
		platform_device_unregister(own_device);
	platform_driver_unregister(&driver);
	return result;
}

static void __exit end_module(void)
{
	if (own_device)
		platform_device_unregister(own_device);
	platform_driver_unregister(&driver);
}

module_init(begin_module);
module_exit(end_module);
MODULE_DESCRIPTION("Event port of Earshot: tasks and mappings, as stores that a trace has");
MODULE_LICENSE("GPL and additional rights");
