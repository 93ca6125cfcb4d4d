#ifndef EAR_BRANCH_TRACE_H
#define EAR_BRANCH_TRACE_H

#include <earshot/names.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Branch traces: N-Trace, E-Trace and others say which way branches went, and nothing that follows
 * from the program (docs/branch-trace.md). So the program is needed to read one:
 *
 *     struct ear_flow_code *code;
 *
 *     ear_names_open(&names);
 *     ear_names_add(names, "app.elf", 0);
 *     ear_names_add(names, "rom.elf", 0);
 *     if (ear_flow_code_of_names(&code, names, error) != 0)
 *             ... error says why
 *     options.code = code;
 *     options.unit = "{\"xlen\": 32, \"htm\": 1}";
 *     ear_trace_open(&trace, "t.ntrace", &options);
 *
 * Its records have a pc, an opcode and where the hart went next. They have no values.
 */

/* The text of the programs, decoded. It does not change: any number of traces and threads use it at
 * the same time. */
struct ear_flow_code;

/* Decode the executable sections of all files of names, or of a file without sections its
 * executable segments. Of files that overlap, the one that was added last counts. error:
 * EAR_FLOW_ERROR_MAX bytes for why it could not be done; may be NULL.
 *
 * Returns 0 and *code, to be freed; EAR_E_BAD_ARGUMENT (no file, a file of another machine, of 32
 * and of 64 bits, without code, with too much of it), EAR_E_NO_MEMORY, or an error of
 * ear_names_image.
 */
#define EAR_FLOW_ERROR_MAX 512
int ear_flow_code_of_names(struct ear_flow_code **code, struct ear_names *names, char *error);

/* NULL is fine. The traces that use it must be closed before. */
void ear_flow_code_free(struct ear_flow_code *code);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
