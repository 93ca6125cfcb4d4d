#ifndef EAR_FARM_RUN_H
#define EAR_FARM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Programs that a farm starts. */

/* This program, a path. Returns false after printing why it is not known. */
bool farm_self(char *path, size_t size);

/* Start one, with these descriptors as its output and errors; -1: as ours. Its arguments end with
 * NULL. Returns its process, or -1 after printing why not. */
pid_t farm_start(const char *program, char *const arguments[], int output, int errors);

/* Wait for its end. After a Ctrl-C it is ended. Returns its exit status, 128 plus the signal that
 * ended it, or -1. */
int farm_wait(pid_t process);

/* Its output, of at most size - 1 bytes. Returns its exit status, -1 if it could not be started. */
int farm_ask(char *const arguments[], char *output, size_t size);

#endif
