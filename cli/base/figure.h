#ifndef EAR_FIGURE_H
#define EAR_FIGURE_H

#include <stddef.h>

/* Measured figures as people read them: three significant digits, so that a small one is never
 * "0.0". Counts are not for here: they are printed exactly.
 */

#define CLI_FIGURE_SIZE 32 /* bytes that any of these texts needs */

/* Write value, >= 0, to text: "0.0364", "8.52", "17.6", "195", "18442". Never with an exponent;
 * what is below 10^-9 is "0". No digit before the point is rounded away. Returns text.
 */
const char *cli_figure(char text[CLI_FIGURE_SIZE], double value);

/* A size or the number of bytes in a second, >= 0, in the unit that fits: "999 B", "1.86 kB",
 * "64.0 MB"; the units are powers of 1000. Returns text.
 */
const char *cli_figure_bytes(char text[CLI_FIGURE_SIZE], double bytes);

#endif
