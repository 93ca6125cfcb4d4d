#include "driver/device_list.h"

#include <stdio.h>

#include "driver/transport_sim.h"

static void fill_sim(struct ear_device *device)
{
	char path[sizeof(device->detail)];
	struct ear_report report;

	snprintf(device->name, sizeof(device->name), "sim:PROGRAM.elf");
	snprintf(device->kind, sizeof(device->kind), "virtual board");
	device->available = ear_transport_sim_find_board(path, sizeof(path), &report) == 0;
	snprintf(device->detail, sizeof(device->detail), "%s",
		device->available ? path : report.text);
}

size_t ear_device_list(struct ear_device *devices, size_t capacity)
{
	size_t count = 0;

	if (count < capacity)
		fill_sim(&devices[count++]);
	return count;
}
