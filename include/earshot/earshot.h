#ifndef EARSHOT_H
#define EARSHOT_H

/* libearshot: traces of RISC-V cores, and of others, and any moment of them.
 *
 *   record.h       one entry of a trace
 *   trace.h        open a trace, read records, go to a place
 *   search.h       which record is the next that meets conditions
 *   moment.h       registers, memory and call stacks between two records
 *   moment_text.h  moments as people write them; marks.h: with names that are kept
 *   history.h      the same for those who step, forward and backward
 *   calls.h        by which calls each instruction was reached
 *   tasks.h        of which task each instruction is; task_event.h
 *   value_chain.h  where a value came from
 *   why.h          why the run ended as it did
 *   infer.h        values that the trace does not have, and that follow
 *   diversion.h    what a hart would do with other values
 *   check.h        where a core is wrong
 *   memory_errors.h
 *                  memory errors of the program
 *   index.h        the file that makes searches and moments fast
 *   branch_trace.h the programs of a branch trace
 *   instruction.h  what an opcode is
 *   names.h        symbols, lines and sections of programs; address.h, variable.h
 *   error.h        results
 *
 * docs/library.md is the guide. Threads, errors and versions: trace.h.
 */
#include <earshot/address.h>
#include <earshot/branch_trace.h>
#include <earshot/calls.h>
#include <earshot/check.h>
#include <earshot/diversion.h>
#include <earshot/error.h>
#include <earshot/history.h>
#include <earshot/index.h>
#include <earshot/infer.h>
#include <earshot/instruction.h>
#include <earshot/marks.h>
#include <earshot/memory_errors.h>
#include <earshot/moment.h>
#include <earshot/moment_text.h>
#include <earshot/names.h>
#include <earshot/record.h>
#include <earshot/search.h>
#include <earshot/tasks.h>
#include <earshot/trace.h>
#include <earshot/value_chain.h>
#include <earshot/variable.h>
#include <earshot/why.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Of these headers. Until 1.0 a new minor version may change the binary interface. */
#define EAR_VERSION_MAJOR 0
#define EAR_VERSION_MINOR 2
#define EAR_VERSION_PATCH 0
#define EAR_VERSION       "0.2.0"

/* Of the library that runs: "0.2.0". */
const char *ear_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
