#include "cli/commands/coverage/coverage_isa_bins.h"

#include <stdio.h>
#include <stdlib.h>

void isa_bins_add(struct isa_bins *bins, const struct isa_of *of, const char *what, bool known,
	uint64_t count)
{
	if (bins->count == bins->room) {
		const size_t room = bins->room ? 2 * bins->room : 1024;
		struct isa_bin *grown = reallocarray(bins->bins, room, sizeof(*grown));
		bins->failed = bins->failed || !grown;
		if (!grown)
			return;
		bins->bins = grown;
		bins->room = room;
	}
	struct isa_bin *bin = &bins->bins[bins->count++];
	*bin = (struct isa_bin){.group = of->group, .known = known, .count = count};
	snprintf(bin->name, sizeof(bin->name), "%s", of->name);
	snprintf(bin->what, sizeof(bin->what), "%s", what);
	snprintf(bin->section, sizeof(bin->section), "%s", of->section);
}

void isa_bins_free(struct isa_bins *bins)
{
	free(bins->bins);
	*bins = (struct isa_bins){0};
}
