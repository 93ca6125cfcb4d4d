#ifndef CLI_BATCH_JUNIT_H
#define CLI_BATCH_JUNIT_H

#include "cli/batch/batch_table.h"

/* A batch as the XML that CI servers read: a test case for each trace. BATCH_NO is a failure,
 * BATCH_FAILED an error, BATCH_NOT_DONE was skipped. command: "diff". */
void batch_junit_write(const struct batch_table *table, const char *command, FILE *file);

#endif
