#ifndef CLI_QUESTIONS_H
#define CLI_QUESTIONS_H

#include <stdbool.h>
#include <stdio.h>

/* If the current folder has one capture, or else one text that is a trace: print what it can be
 * asked, with the commands to copy. Returns false, without a word, if there is none or more. */
bool questions_print(FILE *to);

#endif
