/* A ring of builders. A record that has to wait is moved there by exchanging its builder with an
 * unused one of the ring, so nothing is copied. What each builder waits for is found by its
 * address.
 */
#include "decoder/formats/spike/spike_late.h"

#include <stdlib.h>

struct wait {
	bool waits;
	uint8_t reg_class;
	uint16_t number;
};

struct ear_spike_late {
	struct ear_record_builder builders[EAR_SPIKE_LATE_MAX];
	struct wait waits[EAR_SPIKE_LATE_MAX];
	unsigned first, count;
	/* Of the records being built, of which there are two at a time. */
	const struct ear_record_builder *open[2];
	struct wait open_waits[2];
};

struct ear_spike_late *ear_spike_late_new(void)
{
	return calloc(1, sizeof(struct ear_spike_late));
}

void ear_spike_late_free(struct ear_spike_late *late)
{
	for (unsigned i = 0; late && i < EAR_SPIKE_LATE_MAX; i++)
		ear_record_builder_fini(&late->builders[i]);
	free(late);
}

static struct wait *find_open(struct ear_spike_late *late, const struct ear_record_builder *builder)
{
	for (unsigned i = 0; i < 2; i++)
		if (late->open[i] == builder && late->open_waits[i].waits)
			return &late->open_waits[i];
	return NULL;
}

void ear_spike_late_expect(struct ear_spike_late *late, const struct ear_record_builder *builder,
	enum ear_register_class reg_class, uint16_t number)
{
	struct wait *wait = find_open(late, builder);
	unsigned i = wait ? (unsigned)(wait - late->open_waits) : late->open_waits[0].waits;

	late->open[i] = builder;
	late->open_waits[i] = (struct wait){true, (uint8_t)reg_class, number};
}

void ear_spike_late_forget(struct ear_spike_late *late, const struct ear_record_builder *builder)
{
	struct wait *wait = find_open(late, builder);

	if (wait)
		wait->waits = false;
}

static int join(struct wait *wait, struct ear_record_builder *builder,
	const struct ear_record_register *reg)
{
	struct ear_record_register *place = ear_record_builder_register(builder);

	if (!place)
		return builder->error;
	*place = *reg;
	wait->waits = false;
	return 0;
}

static bool is_for(const struct wait *wait, const struct ear_record_register *reg)
{
	return wait && wait->waits && wait->reg_class == reg->reg_class &&
	       wait->number == reg->number;
}

int ear_spike_late_arrive(struct ear_spike_late *late, struct ear_record_builder *open,
	const struct ear_record_register *reg)
{
	for (unsigned i = 0; i < late->count; i++) {
		unsigned at = (late->first + i) % EAR_SPIKE_LATE_MAX;
		if (is_for(&late->waits[at], reg))
			return join(&late->waits[at], &late->builders[at], reg);
	}
	struct wait *wait = open ? find_open(late, open) : NULL;
	return is_for(wait, reg) ? join(wait, open, reg) : 1;
}

bool ear_spike_late_keep(
	struct ear_spike_late *late, struct ear_record_pair *pair, const struct ear_record *record)
{
	unsigned which = record == &pair->builders[1].record;
	struct ear_record_builder *builder = &pair->builders[which];
	struct wait *wait = find_open(late, builder);

	if (late->count == 0 && !wait)
		return false;
	unsigned at = (late->first + late->count++) % EAR_SPIKE_LATE_MAX;
	struct ear_record_builder unused = late->builders[at];
	late->builders[at] = *builder;
	*builder = unused;
	late->waits[at] = (struct wait){0};
	if (wait) {
		late->waits[at] = *wait;
		wait->waits = false;
	}
	return true;
}

const struct ear_record *ear_spike_late_take(struct ear_spike_late *late)
{
	unsigned at = late->first;

	if (late->count == 0 || (late->waits[at].waits && late->count < EAR_SPIKE_LATE_MAX))
		return NULL;
	late->first = (at + 1) % EAR_SPIKE_LATE_MAX;
	late->count--;
	return ear_record_builder_finish(&late->builders[at]);
}

bool ear_spike_late_give_up(struct ear_spike_late *late)
{
	bool any = false;

	for (unsigned i = 0; i < late->count; i++) {
		struct wait *wait = &late->waits[(late->first + i) % EAR_SPIKE_LATE_MAX];
		any |= wait->waits;
		wait->waits = false;
	}
	return any;
}

bool ear_spike_late_waits(const struct ear_spike_late *late)
{
	return late->count > 0 || late->open_waits[0].waits || late->open_waits[1].waits;
}
