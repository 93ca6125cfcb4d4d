#ifndef EAR_TOP_SCREEN_H
#define EAR_TOP_SCREEN_H

#include "cli/top/top_frame.h"

/* The screen of a live view: what it shows, and what its keys do. */

enum top_lists { TOP_BOTH, TOP_FUNCTIONS, TOP_INSTRUCTIONS };

struct top_screen {
	bool paused, sum, help;
	enum ear_top_key key; /* what rows are sorted by */
	enum top_lists lists;
	int hart; /* -1: all */
};

#define TOP_SCREEN_ROWS 1000 /* of each list, as many as the largest terminal has */

/* What a key asks for beside what it changes in the screen. */
enum top_key_effect { TOP_KEY_NOTHING, TOP_KEY_DRAW, TOP_KEY_TAKE, TOP_KEY_QUIT };

enum top_key_effect top_screen_key(
	struct top_screen *screen, const struct top_frame *frame, int key);

/* Draw all of it. Returns false if the terminal cannot be written. */
bool top_screen_draw(const struct top_screen *screen, struct top_frame *frame);

#endif
