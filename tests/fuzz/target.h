#ifndef EAR_FUZZ_TARGET_H
#define EAR_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* One fuzz target a program. libFuzzer calls this; replay.c calls it with files, and
 * test_mutations.c with mutated ones. A target never returns from what it finds wrong.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The same functions under their own names, for programs that hold all of them. */
int fuzz_stream(const uint8_t *bytes, size_t size);
int fuzz_message(const uint8_t *bytes, size_t size);
int fuzz_shot(const uint8_t *bytes, size_t size);
int fuzz_predict(const uint8_t *bytes, size_t size);
int fuzz_driver(const uint8_t *bytes, size_t size);
int fuzz_call_stack(const uint8_t *bytes, size_t size);
int fuzz_anchor(const uint8_t *bytes, size_t size);
int fuzz_index(const uint8_t *bytes, size_t size);
int fuzz_moment(const uint8_t *bytes, size_t size);
int fuzz_reader(const uint8_t *bytes, size_t size);
int fuzz_names(const uint8_t *bytes, size_t size);
int fuzz_check(const uint8_t *bytes, size_t size);
int fuzz_why(const uint8_t *bytes, size_t size);
int fuzz_gdb(const uint8_t *bytes, size_t size);
int fuzz_qtrace(const uint8_t *bytes, size_t size);
int fuzz_android(const uint8_t *bytes, size_t size);
int fuzz_port(const uint8_t *bytes, size_t size);
int fuzz_api(const uint8_t *bytes, size_t size);
int fuzz_part(const uint8_t *bytes, size_t size);
int fuzz_elf(const uint8_t *bytes, size_t size);
int fuzz_expression(const uint8_t *bytes, size_t size);
int fuzz_build(const uint8_t *bytes, size_t size);
int fuzz_greeting(const uint8_t *bytes, size_t size);
int fuzz_ntrace(const uint8_t *bytes, size_t size);
int fuzz_etrace(const uint8_t *bytes, size_t size);
int fuzz_archive(const uint8_t *bytes, size_t size);

#endif
