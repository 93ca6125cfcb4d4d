/* kind: endless recursion
 * first: ^stack overflow
 * A tree with a cycle is measured.
 */
#include "support.h"

struct tree {
	struct tree *left, *right;
};
static struct tree trees[5];

__attribute__((noinline)) static unsigned height(const struct tree *tree)
{
	if (!tree)
		return 0;
	unsigned left = height(tree->left), right = height(tree->right); /* BAD: recursion */
	return 1 + (left > right ? left : right);
}

__attribute__((noinline)) static void join(struct tree *above, struct tree *below)
{
	if (above->left)
		above->right = below;
	else
		above->left = below; /* BUG: below may be above already */
}

int main(void)
{
	join(&trees[0], &trees[1]);
	join(&trees[0], &trees[2]);
	join(&trees[1], &trees[3]);
	join(&trees[3], &trees[1]);
	return height(&trees[0]) != 3;
}
