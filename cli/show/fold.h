#ifndef EAR_FOLD_H
#define EAR_FOLD_H

#include <stddef.h>
#include <stdint.h>

/* Long lists that repeat themselves, to be shown short: the frames of a recursion. */

#define FOLD_PERIOD_MAX 8  /* functions that call each other in turn */
#define FOLD_HEAD       4  /* items of a fold that are shown before what is left out, at least */
#define FOLD_TAIL       2  /* and after it */
#define FOLD_MIN        12 /* a repetition that is shorter is shown whole */

struct fold {
	size_t period; /* items that repeat; 0: nothing does here */
	size_t count;  /* items of the repetition, from the first on */
	size_t head;   /* of these, shown first: whole periods */
	size_t left_out;
};

/* What repeats from keys[at] on; keys[0 .. count-1] are the list, equal keys equal items. */
struct fold fold_find(const uint64_t *keys, size_t count, size_t at);

#endif
