#ifndef EAR_TOP_TERMINAL_H
#define EAR_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* The terminal of a screen: keys come one by one, the alternate screen is on. */

/* Are standard output and the terminal's kind good for a screen? */
bool top_terminal_is_there(void);

/* Begin; keys come from standard input if that is a terminal, too. Returns false with errno. */
bool top_terminal_open(void);
/* Everything is as it was. May be called again, and without an open. */
void top_terminal_close(void);

/* Columns and lines now. */
void top_terminal_size(size_t *columns, size_t *lines);

/* Wait so long for a key. Returns it, 0 if none came, or TOP_TERMINAL_CHANGED: the screen is to be
 * drawn anew, because the size has changed, or Ctrl-Z stopped the process here, with the terminal
 * as it was, and it continues. Of keys that are sent as a sequence (arrows) the result is '\033'.
 */
#define TOP_TERMINAL_CHANGED (-1)
int top_terminal_key(unsigned timeout_ms);

/* May colours be used: NO_COLOR, and the terminal's kind? */
bool top_terminal_has_colors(void);

#endif
