/* Measured figures in three significant digits.
 *
 * How many digits follow the point depends on the size of the value after rounding: 9.996 is
 * "10.0", not "10.00". printf rounds it once to the form d.dde±x for that, and the exponent says
 * the rest. "%.3g" alone would print an exponent for large and small values.
 */
#include "cli/base/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNIFICANT  3
#define DECIMALS_MAX 11 /* 10^-9 with three digits */

const char *cli_figure(char text[CLI_FIGURE_SIZE], double value)
{
	if (!(value >= 1e-9))
		return strcpy(text, "0");
	snprintf(text, CLI_FIGURE_SIZE, "%.*e", SIGNIFICANT - 1, value);
	int decimals = SIGNIFICANT - 1 - atoi(strchr(text, 'e') + 1);
	if (decimals < 0)
		decimals = 0;
	if (decimals > DECIMALS_MAX)
		decimals = DECIMALS_MAX;
	snprintf(text, CLI_FIGURE_SIZE, "%.*f", decimals, value);
	return text;
}

const char *cli_figure_bytes(char text[CLI_FIGURE_SIZE], double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	char digits[CLI_FIGURE_SIZE];
	size_t unit = 0;

	/* 999.5 would be "1000". */
	while (bytes >= (unit ? 999.5 : 1000.0) && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1000;
		unit++;
	}
	if (unit == 0) /* whole, as they are counted */
		snprintf(text, CLI_FIGURE_SIZE, "%.0f B", bytes);
	else
		snprintf(text, CLI_FIGURE_SIZE, "%.24s %s", cli_figure(digits, bytes), units[unit]);
	return text;
}
