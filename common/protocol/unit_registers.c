/* Names of registers, as the table of the protocol has them. */
#include "common/protocol/unit_registers.h"

#include <string.h>
#include <strings.h>

const struct ear_unit_register ear_unit_registers[] = {
#include "common/protocol/unit_registers.def"
	{0},
};

const struct ear_unit_register *ear_unit_register_at(uint16_t address)
{
	const struct ear_unit_register *found = ear_unit_registers;

	for (const struct ear_unit_register *each = ear_unit_registers; each->name; each++)
		if (each->address <= address)
			found = each;
	return found;
}

const struct ear_unit_register *ear_unit_register_find(const char *name, unsigned size)
{
	for (const struct ear_unit_register *each = ear_unit_registers; each->name; each++)
		if (strlen(each->name) == size && strncasecmp(each->name, name, size) == 0)
			return each;
	return NULL;
}
