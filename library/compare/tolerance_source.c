/* Sources of tolerated values, by CSR and by address. A table of all CSRs makes the question cheap
 * that each CSR instruction asks.
 */
#include "library/compare/tolerance_source.h"

/* The number of a source, kept at known; 0 if there is no room. */
static uint8_t name_source(struct ear_tolerance_sources *sources, uint8_t *known,
	const struct ear_tolerance_source *source)
{
	if (*known == 0 && sources->count < EAR_TOLERANCE_SOURCES_MAX) {
		sources->list[sources->count++] = *source;
		*known = (uint8_t)sources->count;
	}
	return *known;
}

uint8_t ear_tolerance_source_of_csr(struct ear_tolerance_sources *sources, unsigned csr)
{
	unsigned group = csr & ~0x9Fu, number = csr & 0x1F; /* the upper halves are at +0x80 */
	struct ear_tolerance_source source = {.csr = (uint16_t)csr};

	if (group != EAR_CSR_MCYCLE && group != EAR_CSR_CYCLE)
		return 0;
	source.kind = number < 2 ? EAR_TOLERANCE_CLOCKS : EAR_TOLERANCE_COUNTERS;
	if (!(number < 2 ? sources->options.clocks : sources->options.counters))
		return 0;
	return name_source(sources, &sources->of_csr[csr], &source);
}

unsigned ear_tolerance_source_bytes(
	struct ear_tolerance_sources *sources, uint64_t address, unsigned size, uint8_t *number)
{
	unsigned bytes = 0;

	for (size_t i = 0; i < sources->options.range_count; i++) {
		const struct ear_tolerance_range *range = &sources->options.ranges[i];
		unsigned found = 0;
		for (unsigned byte = 0; byte < size; byte++)
			if (address + byte - range->first <= range->last - range->first)
				found |= 1u << byte;
		if (found) {
			struct ear_tolerance_source named = {
				.kind = EAR_TOLERANCE_DEVICES, .range = *range};
			*number = name_source(sources, &sources->of_range[i], &named);
			bytes |= *number ? found : 0;
		}
	}
	return bytes;
}
