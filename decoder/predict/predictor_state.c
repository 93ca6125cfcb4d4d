/* Saves and loads the predictor's state.
 *
 * One walk over all members measures, saves and loads (common/state_walk.h), so the three cannot
 * disagree. Values are checked against what their member can hold, because a capture file may be
 * damaged.
 */
#include "decoder/predict/predictor_state.h"

#include <earshot/error.h>
#include <limits.h>

#include "common/state_walk.h"
#include "decoder/isa/csr.h"

static void walk_shadow(struct ear_state_walk *walk, struct ear_shadow *cache)
{
	size_t lines = ear_shadow_lines(cache);

	ear_state_u32(walk, &cache->victim);
	for (size_t i = 0; i < lines; i++)
		ear_state_u32(walk, &cache->tags[i]);
	ear_state_bytes(walk, cache->bytes, lines << cache->line_shift);
}

static void walk_pages(struct ear_state_walk *walk, struct ear_translation *pages)
{
	for (unsigned i = 0; i < EAR_TRANSLATIONS; i++) {
		ear_state_bool(walk, &pages[i].none);
		ear_state_u64(walk, &pages[i].difference, UINT64_MAX);
	}
}

static void walk_registers(struct ear_state_walk *walk, struct ear_predictor *predictor)
{
	const uint64_t max = predictor->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	const unsigned csr_count =
		predictor->geometry.csr_log2 ? 1u << predictor->geometry.csr_log2 : 0;

	for (unsigned i = 1; i < 32; i++)
		ear_state_u64(walk, &predictor->x[i], max);
	for (unsigned i = 0; i < 32; i++)
		ear_state_u64(walk, &predictor->f[i], UINT64_MAX);
	ear_state_u8(walk, &predictor->fcsr, UINT8_MAX);
	ear_state_u64(walk, &predictor->mstatus, max);
	ear_state_u64(walk, &predictor->mtvec, max);
	ear_state_u64(walk, &predictor->mepc, max);
	ear_state_u64(walk, &predictor->mcause, max);
	ear_state_u64(walk, &predictor->mtval, max);
	for (unsigned i = 0; i < csr_count; i++) {
		ear_state_u16(walk, &predictor->csrs[i].number, EAR_CSR_COUNT - 1);
		ear_state_u64(walk, &predictor->csrs[i].value, max);
	}
}

static void walk_conventions(struct ear_state_walk *walk, struct ear_predictor *predictor)
{
	const uint64_t max = predictor->xlen == 32 ? UINT32_MAX : UINT64_MAX;

	ear_state_u64(walk, &predictor->irq_cause, max);
	ear_state_bool(walk, &predictor->irq_without_insn);
	ear_state_bool(walk, &predictor->misaligned_traps);
	ear_state_bool(walk, &predictor->unknown_traps);
	ear_state_bool(walk, &predictor->trap_lists_mstatush);
	ear_state_u8(walk, &predictor->mret_mpp, 3);
	ear_state_u16(walk, &predictor->tval_zero, UINT16_MAX);
	ear_state_u8(walk, &predictor->raised, 31);
	ear_state_bool(walk, &predictor->trapped_before);
	ear_state_u64(walk, &predictor->trap_pc, max);
	ear_state_u64(walk, &predictor->trap_cause, max);
}

/* The order is that of docs/file-format.md, section 7. */
static void walk_predictor(struct ear_state_walk *walk, struct ear_predictor *predictor)
{
	const struct ear_geometry *geometry = &predictor->geometry;
	const uint64_t max = predictor->xlen == 32 ? UINT32_MAX : UINT64_MAX;

	ear_state_u64(walk, &predictor->order, UINT64_MAX);
	ear_state_u64(walk, &predictor->pc, max);
	ear_state_bool(walk, &predictor->intr);
	ear_state_bool(walk, &predictor->debug);
	ear_state_bool(walk, &predictor->virt);
	ear_state_u8(walk, &predictor->mode, 3);
	ear_state_u8(walk, &predictor->ixl, 3);
	walk_registers(walk, predictor);
	walk_conventions(walk, predictor);
	if (predictor->paddr) {
		walk_pages(walk, predictor->pc_pages);
		walk_pages(walk, predictor->data_pages);
	}
	for (unsigned i = 0; geometry->dictionary_log2 && i < 1u << geometry->dictionary_log2; i++)
		ear_state_u32(walk, &predictor->dictionary[i]);
	ear_state_u32(walk, &predictor->digest);
	walk_shadow(walk, &predictor->code);
	if (!geometry->unified)
		walk_shadow(walk, &predictor->data);
}

size_t ear_predictor_state_size(const struct ear_predictor *predictor)
{
	struct ear_state_walk walk = {.bytes = NULL};

	walk_predictor(&walk, (struct ear_predictor *)predictor);
	return walk.at;
}

void ear_predictor_save(const struct ear_predictor *predictor, uint8_t *bytes)
{
	struct ear_state_walk walk = {.bytes = bytes, .size = SIZE_MAX};

	/* Only a walk that loads changes the predictor. */
	walk_predictor(&walk, (struct ear_predictor *)predictor);
}

int ear_predictor_load(struct ear_predictor *predictor, const uint8_t *bytes, size_t size)
{
	struct ear_state_walk walk = {.bytes = (uint8_t *)bytes, .size = size, .loading = true};

	ear_predictor_reset(predictor, 0);
	walk_predictor(&walk, predictor);
	if (walk.bad || walk.at > INT_MAX)
		return EAR_E_BAD_FILE;
	return (int)walk.at;
}
