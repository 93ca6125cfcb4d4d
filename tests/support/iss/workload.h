#ifndef EAR_ISS_WORKLOAD_H
#define EAR_ISS_WORKLOAD_H

#include "iss.h"

/* The programs of tests/programs/workloads, as listed by the build. */

#define EAR_WORKLOADS_MAX 256

struct ear_workload {
	char name[32];                  /* "aes" */
	char isa[40];                   /* "rv64imacu", as ear_iss_options_isa takes it */
	char path[512];                 /* of the ELF file */
	struct ear_iss_options options; /* what the program needs; seed 1, no output */
};

/* Read the list at path; NULL: that of this build.
 * Returns the number of workloads, EAR_E_IO if there is no list (the programs are not built
 * without EAR_HDL), or EAR_E_BAD_FILE.
 */
int ear_workloads_read(struct ear_workload workloads[EAR_WORKLOADS_MAX], const char *path);

/* Set one option of the simulator by name: isa, seed, packets, sc_failure, uart_busy, time_random,
 * misaligned_traps, memory (in MiB). Returns 0 or EAR_E_BAD_ARGUMENT.
 */
int ear_iss_options_set(struct ear_iss_options *options, const char *name, const char *value);

/* Set several: "name=value,name=value"; "-" sets none. Stops at the first that is bad, with the
 * same results. */
int ear_iss_options_list(struct ear_iss_options *options, const char *list);

#endif
