/* Marks of registers: a bit and an origin for each x and f register; a short list for CSRs, of
 * which few are marked at one time.
 */
#include "library/compare/tolerance_marks.h"

static const struct ear_origin *csr_mark(const struct ear_marks *marks, unsigned csr)
{
	for (unsigned i = 0; i < marks->csr_count; i++)
		if (marks->csr_numbers[i] == csr)
			return &marks->csrs[i];
	return NULL;
}

const struct ear_origin *ear_marks_find(
	const struct ear_marks *marks, enum ear_register_class reg_class, unsigned number)
{
	switch (reg_class) {
	case EAR_REGISTER_X: return marks->x_set >> number & 1 ? &marks->x[number] : NULL;
	case EAR_REGISTER_F: return marks->f_set >> number & 1 ? &marks->f[number] : NULL;
	case EAR_REGISTER_CSR: return csr_mark(marks, number);
	default: return NULL;
	}
}

void ear_marks_clear(struct ear_marks *marks, enum ear_register_class reg_class, unsigned number)
{
	if (reg_class == EAR_REGISTER_X)
		marks->x_set &= ~(1u << (number & 31));
	else if (reg_class == EAR_REGISTER_F)
		marks->f_set &= ~(1u << (number & 31));
	for (unsigned i = 0; reg_class == EAR_REGISTER_CSR && i < marks->csr_count; i++) {
		if (marks->csr_numbers[i] != number)
			continue;
		marks->csr_count--;
		marks->csr_numbers[i] = marks->csr_numbers[marks->csr_count];
		marks->csrs[i] = marks->csrs[marks->csr_count];
		return;
	}
}

void ear_marks_set(struct ear_marks *marks, enum ear_register_class reg_class, unsigned number,
	const struct ear_origin *origin)
{
	ear_marks_clear(marks, reg_class, number);
	if (origin->source == 0)
		return;
	if (reg_class == EAR_REGISTER_X && number != 0) {
		marks->x_set |= 1u << number;
		marks->x[number] = *origin;
	} else if (reg_class == EAR_REGISTER_F) {
		marks->f_set |= 1u << number;
		marks->f[number] = *origin;
	} else if (reg_class == EAR_REGISTER_CSR && marks->csr_count < EAR_MARKS_CSRS_MAX) {
		marks->csr_numbers[marks->csr_count] = (uint16_t)number;
		marks->csrs[marks->csr_count++] = *origin;
	}
}
