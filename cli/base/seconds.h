#ifndef EAR_SECONDS_H
#define EAR_SECONDS_H

/* Seconds on a clock that never goes back. */
double cli_seconds(void);

#endif
