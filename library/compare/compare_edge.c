/* The ends of a comparison of two formats.
 *
 * What a simulator does before the program and after it is not the program's. It is looked for only
 * there, and passed without being kept: a simulator may run on for as long as it likes.
 */
#include "library/compare/compare_edge.h"

#include "library/compare/left_out.h"

static bool brings(const struct ear_compare *compare, unsigned side, enum ear_rule rule)
{
	return compare->options.equivalence &&
	       ear_equivalence_brings(compare->options.equivalence, side, rule);
}

/* A side begins with a boot ROM, and the other does not: its boot code is passed. */
static int pass_boot_code(struct ear_compare *compare)
{
	struct ear_side *sides = compare->sides;
	unsigned side = brings(compare, 0, EAR_RULE_BOOT_CODE) ? 0 : 1;
	int result = brings(compare, side, EAR_RULE_BOOT_CODE) ? ear_walk_load_both(compare, 1) : 0;

	if (result || sides[0].ahead == 0 || sides[1].ahead == 0 ||
		ear_is_boot_code(ear_side_at(&sides[1 - side], 0)))
		return result;
	while (sides[side].ahead > 0 && ear_is_boot_code(ear_side_at(&sides[side], 0))) {
		ear_walk_pass(compare, side);
		compare->rules[EAR_RULE_BOOT_CODE]++;
		result = ear_walk_load(compare, side, 1);
		if (result)
			return result;
	}
	if (sides[side].ahead > 0 && compare->rules[EAR_RULE_BOOT_CODE])
		ear_walk_pair_up(compare, ear_side_at(&sides[0], 0), ear_side_at(&sides[1], 0));
	return 0;
}

/* Are rows left out on a side? Then they all write a register, as far as can be seen. */
static int look_for_rows(struct ear_compare *compare)
{
	unsigned side = brings(compare, 0, EAR_RULE_ROWS) ? 0 : 1;
	const struct ear_side *rows = &compare->sides[side];

	if (!brings(compare, side, EAR_RULE_ROWS))
		return 0;
	int result = ear_walk_load(compare, side, compare->options.window + compare->options.run);
	if (result)
		return result;
	for (size_t i = 0; i < rows->ahead; i++)
		if (ear_writes_no_register(ear_side_at(rows, i)))
			return 0;
	compare->writing_only = rows->ahead > 0;
	return 0;
}

int ear_edge_begin(struct ear_compare *compare)
{
	int result = look_for_rows(compare);

	return result || compare->options.has_start ? result : pass_boot_code(compare);
}

int ear_edge_end(struct ear_compare *compare, unsigned which)
{
	struct ear_side *side = &compare->sides[which];
	struct ear_closing_loop loop = {0};

	if (!brings(compare, 0, EAR_RULE_CLOSING_LOOP) &&
		!brings(compare, 1, EAR_RULE_CLOSING_LOOP))
		return 0;
	int result = ear_walk_look_ahead(compare);
	for (size_t i = 0; result == 0 && i < side->ahead; i++)
		if (!ear_closing_loop_next(&loop, ear_side_at(side, i)))
			return 0;
	if (result || !loop.closed)
		return result;
	loop = (struct ear_closing_loop){0};
	while (result == 0 && side->ahead > 0 &&
		ear_closing_loop_next(&loop, ear_side_at(side, 0))) {
		ear_walk_pass(compare, which);
		compare->rules[EAR_RULE_CLOSING_LOOP]++;
		result = ear_walk_load(compare, which, 1);
	}
	return result;
}
