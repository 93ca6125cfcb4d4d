/* What chose a value that the branch before an exit compares. Its chain goes through instructions,
 * not through conditions: where a function that has returned since made the value, its last branch
 * before that says why it was this one.
 */
#include "library/why/diagnosis.h"

static bool is_other_function(
	const struct ear_diagnosis *diagnosis, const struct ear_value_node *node)
{
	const struct ear_names *names = diagnosis->options->names;
	struct ear_function function = {.size = sizeof(function)}, other = function;

	return ear_names_function_at(names, diagnosis->why.branch.pc, &function) &&
	       ear_names_function_at(names, node->pc, &other) && other.entry != function.entry;
}

/* The last branch before the newest node of another function, in the same call of that. Returns 1,
 * 0 or an error. */
static int find_choice(
	struct ear_diagnosis *diagnosis, const struct ear_value_chain *chain, uint64_t *position)
{
	const struct ear_record *record;
	size_t i = 0;

	while (i < chain->node_count && !is_other_function(diagnosis, &chain->nodes[i]))
		i++;
	if (i == chain->node_count)
		return 0;
	const struct ear_value_node *node = &chain->nodes[i];
	if (node->folded > 0 || node->opcode_size == 0 || node->hart != diagnosis->why.hart)
		return 0;
	const int result = ear_past_at(diagnosis->past, node->position, &record);
	if (result != 1)
		return result;
	return ear_diagnosis_branch_before(diagnosis, node->position, position);
}

int ear_diagnose_choice(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	uint64_t position;
	int result = 0;

	if (why->kind != EAR_WHY_EXIT || !why->branch.known || !diagnosis->options->names)
		return 0;
	for (size_t i = 0; result == 0 && i < why->value_count; i++)
		if (why->values[i].role == EAR_WHY_OPERAND)
			result = find_choice(diagnosis, why->values[i].chain, &position);
	if (result != 1)
		return result;
	why->choice = ear_diagnosis_place(diagnosis->past, position);
	ear_diagnosis_operands(
		diagnosis, ear_past_in_window(diagnosis->past, position), EAR_WHY_CHOICE, position);
	return 0;
}
