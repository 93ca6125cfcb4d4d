#ifndef EAR_INFER_CORE_H
#define EAR_INFER_CORE_H

#include "library/infer/infer_types.h"

/* A core file, as kernels, debuggers, simulators and esp-idf write it: ELF of RISC-V with registers
 * in notes NT_PRSTATUS, one of each thread or task, and memory in segments PT_LOAD.
 */
#define EAR_INFER_CORE_MAX ((size_t)1 << 30) /* bytes of a file */

struct infer_core {
	struct ear_infer_snapshot snapshot; /* points into this */
	uint8_t *bytes;
	struct ear_infer_held *held;
	struct ear_memory_segment *memory;
};

/* Take bytes[0 .. size-1], which must be allocated and are the core's then, freed on an error, too.
 *
 * Returns 0 and *core; EAR_E_BAD_FILE: it is no such file, it is cut off, or has neither registers
 * nor memory; EAR_E_NO_MEMORY.
 */
int ear_infer_core_parse(struct infer_core *core, uint8_t *bytes, size_t size);

/* The same of a file. Also EAR_E_IO (errno); EAR_E_FULL: it is larger than EAR_INFER_CORE_MAX. */
int ear_infer_core_read(struct infer_core *core, const char *path);

void ear_infer_core_fini(struct infer_core *core); /* zeros are fine */

#endif
