#ifndef EAR_FARM_CAPTURE_H
#define EAR_FARM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/commands/farm/farm_plan.h"

/* Captures as steps of a farm: each on a device of the machine that runs it, which no other step
 * has (docs/farm.md, section 5). Two runs of such a step differ, so the first result stays.
 */

/* What is wrong with the options of a capture in a farm; NULL: nothing. */
const char *farm_capture_check(const struct farm_plan *plan);

/* A device of this machine that nobody has, of the plan's list, waiting for one; "" if the plan has
 * no list, because -d names the device. tries: how often the step has failed, so that the next try
 * has another one. Returns false after printing why there is none.
 *
 * The device stays taken as long as *lock is open here or in a child. */
bool farm_capture_take(char *device, size_t size, int *lock, const struct farm_plan *plan,
	size_t number, unsigned tries);

/* Arguments of the step: an array that ends with NULL, and is freed with its texts. {} in them is
 * the step's file, {number} its number. NULL: no memory. */
char **farm_capture_arguments(const struct farm_plan *plan, const struct farm_step *step,
	size_t number, const char *device);
void farm_capture_arguments_free(char **arguments);

#endif
