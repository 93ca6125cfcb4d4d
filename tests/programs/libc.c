/* What the C library leaves to a program of a user's own: stdout, stderr, and the ways out.
 *
 * picolibc's printf writes to the object `stdout`, which the program has to define: here it is a
 * stream without a buffer, so nothing that was printed is lost when a program ends by a trap. exit
 * comes to `_exit`; abort and a failed assert raise a signal and come to `kill`. The programs of
 * the tests use none of this, and do not link this file. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "support.h"

#define EXIT_SIGNAL 128 /* and the number of the signal, as a shell has it */

static int put(char c, FILE *file)
{
	(void)file;
	uart_put(c);
	return (unsigned char)c;
}

static FILE uart = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);

FILE *const stdout = &uart;
FILE *const stderr = &uart;

void _exit(int code)
{
	finish(code);
}

pid_t getpid(void)
{
	return 1;
}

int kill(pid_t pid, int number)
{
	(void)pid;
	finish(EXIT_SIGNAL + number);
}
