#ifndef EAR_PROCESS_H
#define EAR_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Programs that a command starts: steps of a farm, sections of a report. */

/* This program, a path. Returns false after printing why it is not known. */
bool process_self(char *path, size_t size);

/* Start one, with these descriptors as its output and errors; -1: as ours. Its arguments end with
 * NULL. Returns its process, or -1 after printing why not. */
pid_t process_start(const char *program, char *const arguments[], int output, int errors);

/* In a process that was forked to do work of its own: standard input is empty, and signals end it.
 */
bool process_detach(void);

/* A file without a name, to write and to read, for what a program prints: in TMPDIR or /tmp. NULL
 * after printing why not. */
FILE *process_file(void);

/* Wait for its end. After a Ctrl-C it is ended. Returns its exit status, 128 plus the signal that
 * ended it, or -1. */
int process_wait(pid_t process);

/* Its output, of at most size - 1 bytes. Returns its exit status, -1 if it could not be started. */
int process_ask(char *const arguments[], char *output, size_t size);

#endif
