/* A diversion: registers and memory over those of a moment, and what changes them. An instruction
 * is planned, then done, so one that ends the diversion has changed nothing.
 */
#include <earshot/diversion.h>

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "library/diversion/diversion_internal.h"

/* ---- The beginning. ---- */

static void read_x(struct ear_diversion *diversion)
{
	const struct ear_moment_view *view = &diversion->view;
	uint64_t value;

	for (unsigned i = 0; i < 32; i++) {
		struct diversion_register *reg = &diversion->x[i];
		*reg = (struct diversion_register){.origin = {ORIGIN_X, i, 0}};
		if (i == 0)
			reg->value = infer_exactly(0);
		else if (view->read_register && view->read_register(view->context, i, &value))
			reg->value = infer_exactly(value);
		reg->value = infer_to_xlen(reg->value, diversion->xlen);
	}
}

/* A value of no more than 32 bits may be all of the register, or its lower half. */
static struct infer_value seen_float(const struct ear_diversion *diversion, uint64_t value)
{
	if (diversion->flen == 32)
		return infer_exactly((uint32_t)value);
	return (struct infer_value){
		value, diversion->flen == 64 || value > UINT32_MAX ? UINT64_MAX : UINT32_MAX};
}

static void read_f(struct ear_diversion *diversion)
{
	const struct ear_moment_view *view = &diversion->view;
	uint64_t value;

	for (unsigned i = 0; i < 32; i++) {
		struct diversion_register *reg = &diversion->f[i];
		*reg = (struct diversion_register){.origin = {ORIGIN_F, i, 0}};
		if (view->read_register && view->read_register(view->context, 32 + i, &value))
			reg->value = seen_float(diversion, value);
		else if (diversion->flen == 32)
			reg->value = infer_zero_extend(reg->value, 32);
	}
}

static int copy_spans(struct ear_diversion *diversion, const struct ear_diversion_options *options)
{
	const size_t count = options->memory_count + options->device_count;

	diversion->spans = calloc(count + 1, sizeof(*diversion->spans));
	if (!diversion->spans)
		return EAR_E_NO_MEMORY;
	diversion->memory_count = options->memory_count;
	diversion->device_count = options->device_count;
	if (options->memory_count > 0)
		memcpy(diversion->spans, options->memory,
			options->memory_count * sizeof(*diversion->spans));
	if (options->device_count > 0)
		memcpy(diversion->spans + options->memory_count, options->devices,
			options->device_count * sizeof(*diversion->spans));
	return 0;
}

int ear_diversion_new(struct ear_diversion **diversion, const struct ear_diversion_options *options)
{
	if (options->size == 0 || (options->xlen != 32 && options->xlen != 64) ||
		(options->flen != 0 && options->flen != 32 && options->flen != 64))
		return EAR_E_BAD_ARGUMENT;
	struct ear_diversion *made = calloc(1, sizeof(*made));
	if (!made || copy_spans(made, options)) {
		free(made);
		return EAR_E_NO_MEMORY;
	}
	made->xlen = options->xlen;
	made->flen = options->flen;
	made->has_privilege = options->has_privilege;
	made->privilege = options->privilege;
	made->view = options->view;
	ear_diversion_set_pc(made, options->view.pc);
	read_x(made);
	read_f(made);
	*diversion = made;
	return 0;
}

void ear_diversion_free(struct ear_diversion *diversion)
{
	if (!diversion)
		return;
	diversion_memory_fini(diversion);
	free(diversion->spans);
	free(diversion);
}

/* ---- Registers. ---- */

bool ear_diversion_register(struct ear_diversion *diversion, enum ear_register_class reg_class,
	unsigned number, uint64_t *value)
{
	struct infer_value held = {0, 0};

	if (reg_class == EAR_REGISTER_X && number < 32)
		held = diversion->x[number].value;
	else if (reg_class == EAR_REGISTER_F && number < 32)
		held = diversion->f[number].value;
	else if (reg_class == EAR_REGISTER_CSR && number < DIVERSION_CSRS)
		held = infer_to_xlen(diversion_csr_read(diversion, number), diversion->xlen);
	if (!infer_is_known(held))
		return false;
	*value = held.value;
	return true;
}

static void set_csr(struct ear_diversion *diversion, unsigned number, uint64_t value)
{
	const struct infer_value set = infer_to_xlen(infer_exactly(value), diversion->xlen);

	diversion_csr_write(diversion, number, set);
	if (number < CSR_FFLAGS || number > CSR_FCSR)
		diversion->csrs[number] = set; /* whoever sets it says that it is so */
}

bool ear_diversion_set_register(struct ear_diversion *diversion, enum ear_register_class reg_class,
	unsigned number, uint64_t value)
{
	if (reg_class == EAR_REGISTER_X && number < 32) {
		if (number > 0)
			diversion->x[number].value =
				infer_to_xlen(infer_exactly(value), diversion->xlen);
	} else if (reg_class == EAR_REGISTER_F && number < 32) {
		diversion->f[number].value =
			infer_exactly(diversion->flen == 32 ? (uint32_t)value : value);
	} else if (reg_class == EAR_REGISTER_CSR && number < DIVERSION_CSRS &&
		   !diversion_csr_is_volatile(number)) {
		set_csr(diversion, number, value);
	} else {
		return false;
	}
	return true;
}

uint64_t ear_diversion_pc(const struct ear_diversion *diversion)
{
	return diversion->pc;
}

void ear_diversion_set_pc(struct ear_diversion *diversion, uint64_t pc)
{
	diversion->pc = diversion->xlen == 32 ? (uint32_t)pc : pc;
}

bool ear_diversion_privilege(const struct ear_diversion *diversion, unsigned *privilege)
{
	if (diversion->has_privilege)
		*privilege = diversion->privilege;
	return diversion->has_privilege;
}

void ear_diversion_set_privilege(struct ear_diversion *diversion, unsigned privilege)
{
	diversion->has_privilege = true;
	diversion->privilege = privilege;
}

/* ---- Steps. ---- */

static void commit(struct ear_diversion *diversion, const struct diversion_plan *plan)
{
	if (plan->writes)
		diversion_store(diversion, plan->address, plan->size, plan->stored);
	if (plan->writes_csr) {
		diversion_csr_write(diversion, plan->csr, plan->csr_value);
		if (plan->csr >= CSR_FFLAGS && plan->csr <= CSR_FCSR)
			diversion_csr_dirty(diversion);
	}
	if (plan->writes_flags)
		diversion_csr_write(diversion, CSR_FFLAGS, plan->flags);
	if (plan->writes_f) {
		diversion->f[plan->rd] = plan->result;
		diversion_csr_dirty(diversion);
	} else if (plan->writes_x && plan->rd != 0) {
		diversion->x[plan->rd] = plan->result;
		diversion->x[plan->rd].value = infer_to_xlen(plan->result.value, diversion->xlen);
	}
	if (plan->reserves || plan->releases) {
		diversion->reservation_known = true;
		diversion->reserved = plan->reserves;
		diversion->reservation = plan->address;
	}
	diversion->pc = plan->step->next_pc;
}

static int take(struct ear_diversion *diversion, struct ear_diversion_step *step, bool done)
{
	const size_t without_text = offsetof(struct ear_diversion_step, text) + 1;
	struct ear_diversion_step result;
	struct diversion_plan plan = {.step = &result};

	if (step->size == 0)
		return EAR_E_BAD_ARGUMENT;
	memset(&result, 0,
		without_text); /* the rest of the text takes as long as the instruction */
	const bool good = diversion_plan(diversion, &plan);
	if (!diversion->failed && good && done)
		commit(diversion, &plan);
	if (diversion->failed)
		return EAR_E_NO_MEMORY;
	result.size = step->size;
	const size_t size = good ? without_text : sizeof(result);
	memcpy(step, &result, step->size < size ? step->size : size);
	return good;
}

int ear_diversion_look(struct ear_diversion *diversion, struct ear_diversion_step *step)
{
	return take(diversion, step, false);
}

int ear_diversion_step(struct ear_diversion *diversion, struct ear_diversion_step *step)
{
	return take(diversion, step, true);
}
