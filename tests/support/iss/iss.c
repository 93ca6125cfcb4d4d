#include "iss.h"

#include <ctype.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "iss_state.h"

#define MEMORY_MARGIN 8 /* after the memory: a fetch reads four bytes wherever it begins */

void ear_iss_options_init(struct ear_iss_options *options)
{
	*options = (struct ear_iss_options){
		.extensions = EAR_ISS_ALL,
		.memory_size = 16u << 20,
		.seed = 1,
		.time_interval = 16,
		.time_ticks = 8,
	};
}

/* The single letters of an ISA string. */
static bool letter_extension(char letter, uint32_t *extension)
{
	switch (letter) {
	case 'i': *extension = 0; return true;
	case 'm': *extension = EAR_ISS_M; return true;
	case 'a': *extension = EAR_ISS_A; return true;
	case 'f': *extension = EAR_ISS_F; return true;
	case 'd': *extension = EAR_ISS_F | EAR_ISS_D; return true;
	case 'c': *extension = EAR_ISS_C; return true;
	case 'u': *extension = EAR_ISS_U; return true;
	case 'g': *extension = EAR_ISS_M | EAR_ISS_A | EAR_ISS_F | EAR_ISS_D; return true;
	default: return false;
	}
}

/* A name behind an underscore, of the given length. */
static bool named_extension(const char *name, size_t length, uint32_t *extension)
{
	static const struct {
		const char *name;
		uint32_t extension;
	} names[] = {{"zba", EAR_ISS_ZBA}, {"zbb", EAR_ISS_ZBB}, {"zbs", EAR_ISS_ZBS}, {"zicsr", 0},
		{"zifencei", 0}};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		if (strlen(names[k].name) == length && memcmp(names[k].name, name, length) == 0) {
			*extension = names[k].extension;
			return true;
		}
	}
	return false;
}

int ear_iss_options_isa(struct ear_iss_options *options, const char *isa)
{
	uint32_t extensions = 0, extension;
	unsigned xlen;

	if (strncmp(isa, "rv32", 4) == 0)
		xlen = 32;
	else if (strncmp(isa, "rv64", 4) == 0)
		xlen = 64;
	else
		return EAR_E_BAD_ARGUMENT;
	for (isa += 4; *isa && *isa != '_'; isa++) {
		if (!letter_extension(*isa, &extension))
			return EAR_E_BAD_ARGUMENT;
		extensions |= extension;
	}
	while (*isa) {
		size_t length = strcspn(++isa, "_");

		if (!named_extension(isa, length, &extension))
			return EAR_E_BAD_ARGUMENT;
		extensions |= extension;
		isa += length;
	}
	options->xlen = xlen;
	options->extensions = extensions;
	return 0;
}

static bool options_are_good(const struct ear_iss_options *options)
{
	bool twice = (options->extensions & EAR_ISS_D) != 0;
	bool single = (options->extensions & EAR_ISS_F) != 0;

	return (options->xlen == 0 || options->xlen == 32 || options->xlen == 64) &&
	       (single || !twice) && options->memory_size >= 8 && options->memory_size % 8 == 0 &&
	       options->memory_size <= UINT64_C(0x80000000) && options->time_interval != 0 &&
	       options->time_ticks != 0;
}

int ear_iss_new(struct ear_iss **out, const struct ear_iss_options *options, const char *path)
{
	struct ear_iss *iss;
	int result;

	if (!options_are_good(options))
		return EAR_E_BAD_ARGUMENT;
	iss = calloc(1, sizeof(*iss));
	if (!iss)
		return EAR_E_NO_MEMORY;
	iss->options = *options;
	iss->xlen = (uint8_t)options->xlen;
	iss->random = options->seed * 2 + 1; /* never 0 */
	iss->memory_size = options->memory_size;
	iss->memory = calloc(1, options->memory_size + MEMORY_MARGIN);
	iss->cache = calloc(ISS_CACHE_SLOTS, sizeof(*iss->cache));
	result = EAR_E_NO_MEMORY;
	if (!iss->memory || !iss->cache)
		goto out_free;
	result = iss_elf_load(iss, path);
	if (result < 0)
		goto out_free;
	iss_csr_reset(iss);
	iss_device_reset(iss);
	*out = iss;
	return 0;
out_free:
	ear_iss_free(iss);
	return result;
}

void ear_iss_free(struct ear_iss *iss)
{
	if (!iss)
		return;
	free(iss->memory);
	free(iss->cache);
	free(iss);
}

void ear_iss_restore(struct ear_iss *iss, const struct ear_iss *from)
{
	uint8_t *memory = iss->memory;
	struct ear_semantics *cache = iss->cache;

	*iss = *from;
	iss->memory = memory;
	iss->cache = cache;
	memcpy(memory, from->memory, from->memory_size + MEMORY_MARGIN);
}

struct ear_iss *ear_iss_copy(const struct ear_iss *iss)
{
	struct ear_iss *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return NULL;
	copy->memory = malloc(iss->memory_size + MEMORY_MARGIN);
	copy->cache = calloc(ISS_CACHE_SLOTS, sizeof(*copy->cache));
	if (!copy->memory || !copy->cache) {
		ear_iss_free(copy);
		return NULL;
	}
	ear_iss_restore(copy, iss);
	return copy;
}

size_t ear_iss_run(struct ear_iss *iss, struct ear_retire *entries, size_t count)
{
	return iss->xlen == 32 ? iss_run_32(iss, entries, count) : iss_run_64(iss, entries, count);
}

bool ear_iss_step(struct ear_iss *iss, struct ear_retire *entry)
{
	return ear_iss_run(iss, entry, 1) == 1;
}

bool ear_iss_follow(struct ear_iss *iss, struct ear_retire *entry, const struct ear_retire *seen)
{
	bool stepped;

	iss->seen = seen;
	stepped = ear_iss_step(iss, entry);
	iss->seen = NULL;
	return stepped;
}

enum ear_iss_end ear_iss_ended(const struct ear_iss *iss, int *exit_code)
{
	if (iss->end == EAR_ISS_EXITED && exit_code)
		*exit_code = iss->exit_code;
	return iss->end;
}

void ear_iss_unit(const struct ear_iss *iss, struct ear_unit *unit)
{
	*unit = (struct ear_unit){
		.protocol_major = EAR_PROTOCOL_MAJOR,
		.protocol_minor = EAR_PROTOCOL_MINOR,
		.xlen = iss->xlen,
		.nret = 1,
		.flen = iss_has(iss, EAR_ISS_D)   ? 64
			: iss_has(iss, EAR_ISS_F) ? 32
						  : 0,
		.csr_slots = iss->xlen == 32 ? 5 : 4,
	};
}

unsigned ear_iss_xlen(const struct ear_iss *iss)
{
	return iss->xlen;
}

uint8_t *ear_iss_memory(struct ear_iss *iss, uint64_t address, uint64_t size)
{
	uint64_t offset = address - EAR_ISS_MEMORY_BASE;

	if (offset > iss->memory_size || size > iss->memory_size - offset)
		return NULL;
	return iss->memory + offset;
}

uint64_t *ear_iss_x(struct ear_iss *iss)
{
	return iss->x;
}

uint64_t *ear_iss_f(struct ear_iss *iss)
{
	return iss->f;
}

uint64_t ear_iss_pc(const struct ear_iss *iss)
{
	return iss->pc;
}

void ear_iss_set_pc(struct ear_iss *iss, uint64_t pc)
{
	iss->pc = pc;
}

bool ear_iss_csr(const struct ear_iss *iss, unsigned number, uint64_t *value)
{
	return iss_csr_read(iss, number, value);
}

unsigned ear_iss_mode(const struct ear_iss *iss)
{
	return iss->mode;
}
