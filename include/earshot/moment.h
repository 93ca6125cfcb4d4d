#ifndef EAR_MOMENT_H
#define EAR_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/call_frame.h>
#include <earshot/moment_view.h>
#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* A moment of a run: what every register, the memory and the call stacks held between two records.
 *
 *     struct ear_moment *moment;
 *     uint64_t sp;
 *
 *     ear_moment_new(&moment, trace, position, NULL);
 *     if (ear_moment_register(moment, 0, EAR_REGISTER_X, 2, &sp))
 *             ... x2 of hart 0 held sp
 *     ear_moment_move(moment, position + 1, NULL);
 *     ear_moment_free(moment);
 *
 * The moment of position p is after all records before p, and before record p.
 *
 * What is not known is said to be so; nothing is made up. Known is what the trace shows: what
 * instructions wrote and read, what the initial state says, and for memory the image of the program
 * (ear_trace_set_image). After a gap all of it is unknown until it is seen again, since what is
 * missing may have changed it.
 *
 * With an index a moment costs about 30 ms anywhere in the trace, and going on from one to a later
 * one what decoding the records between costs, if that is less. Without one it costs decoding from
 * the beginning. A moment reads on its own: the place of the trace does not change. It uses the
 * trace's file and index, so it is for the thread of the trace, and freed before the trace.
 */
struct ear_moment;

/* Returns 0 and the moment; a position beyond the end is the end. EAR_E_UNSUPPORTED (a pipe),
 * EAR_E_CANCELLED, EAR_E_NO_MEMORY, or an error as ear_trace_next: ear_trace_error of the trace has
 * the sentence. */
int ear_moment_new(struct ear_moment **moment, struct ear_trace *trace, uint64_t position,
	const struct ear_progress *progress);
void ear_moment_free(struct ear_moment *moment); /* NULL is fine */

/* Go to another position, before or after. Everything that was handed out is invalid. Returns as
 * ear_moment_new; on an error the moment is at no position: move it again, or free it. */
int ear_moment_move(
	struct ear_moment *moment, uint64_t position, const struct ear_progress *progress);

/* Where it is: position, and number of the next instruction record. */
uint64_t ear_moment_position(const struct ear_moment *moment);
uint64_t ear_moment_number(const struct ear_moment *moment);

/* The hart of the record before the moment; of the first record at the beginning. */
uint16_t ear_moment_hart(const struct ear_moment *moment);

/* The record before the moment; NULL at the beginning. Valid until the moment moves. */
const struct ear_record *ear_moment_record(const struct ear_moment *moment);

/* All functions below that return bool: true and the value if it is known; else false, and *value
 * is untouched. */

/* pc of the instruction before the moment, if it is the hart's; and where the hart goes next. */
bool ear_moment_pc(const struct ear_moment *moment, uint16_t hart, uint64_t *pc);
bool ear_moment_next_pc(const struct ear_moment *moment, uint16_t hart, uint64_t *pc);

/* In what privilege the hart executes its next instruction: enum ear_privilege. Known where an
 * instruction of the hart comes next, and after one that neither trapped nor returned from a trap.
 */
bool ear_moment_privilege(const struct ear_moment *moment, uint16_t hart, unsigned *privilege);

/* Time of the record before the moment, if it has one. */
bool ear_moment_ticks(const struct ear_moment *moment, uint64_t *ticks);

/* What a register holds: x and f 0 .. 31, CSRs 0 .. 4095. x0 is always known. */
bool ear_moment_register(const struct ear_moment *moment, uint16_t hart,
	enum ear_register_class reg_class, unsigned number, uint64_t *value);

/* What a vector register (0 .. 31) holds, lowest byte first; NULL if it is not known. */
const uint8_t *ear_moment_vector(
	const struct ear_moment *moment, uint16_t hart, unsigned number, size_t *size);

/* A register of another instruction set by the name that the trace uses, "r14". */
bool ear_moment_named(
	const struct ear_moment *moment, uint16_t hart, const char *name, uint64_t *value);

/* What a byte of memory is known from. */
enum ear_byte {
	EAR_BYTE_UNKNOWN,  /* its bytes are 0 */
	EAR_BYTE_TRACE,    /* written or read before the moment */
	EAR_BYTE_IMAGE,    /* not touched so far: as in the image of the program */
	EAR_BYTE_INFERRED, /* the trace does not say it, it follows (infer.h) */
};

/* What memory holds before the program runs: a part of its image, as its file has it (so .bss has
 * no bytes). */
struct ear_image_segment {
	uint64_t address, size;
	const uint8_t *bytes;
	bool writable; /* not used after a gap; what is not writable, only with an index */
};

#define EAR_IMAGE_MAX ((uint64_t)256 << 20) /* bytes of all segments */

/* The image of the program of a trace, before the first moment of it asks for memory; it is copied.
 * ear_trace_set_program takes it from all files of names (names.h). A trace that begins later than
 * its program did, and whose first index does not say so, must be given what is not writable only.
 * After a gap, and after a store whose place or value the trace does not show, bytes of the image
 * are known only in segments that are not writable, if the trace shows no store to the segment
 * before the moment. That takes an index: without one, none is known then.
 *
 * Returns 0; EAR_E_BAD_ARGUMENT (a segment runs over the end of the address space, or all are more
 * than EAR_IMAGE_MAX, or memory was asked for already), EAR_E_NO_MEMORY, or an error of names.
 */
int ear_trace_set_image(
	struct ear_trace *trace, const struct ear_image_segment *segments, size_t count);

struct ear_names;
int ear_trace_set_program(struct ear_trace *trace, struct ear_names *names);

#define EAR_MEMORY_MAX (16u << 20)

/* Memory from address on, bytes[0 .. size-1], and for each byte an enum ear_byte; known may be
 * NULL. size at most EAR_MEMORY_MAX; of 0 bytes none is known.
 *
 * Addresses are virtual, or physical where the trace has these for all accesses. All harts share
 * the memory.
 *
 * Returns the number of bytes known; EAR_E_BAD_ARGUMENT (size), EAR_E_CANCELLED, or an error as
 * ear_moment_new.
 */
int64_t ear_moment_memory(struct ear_moment *moment, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size, const struct ear_progress *progress);

/* The frames that are active in a hart, the newest first; up to max of them into frames, of size
 * sizeof(*frames) each. Where the hart is in frames[0] is its next pc; in frames[i] it is frames[i
 * - 1].call_pc.
 *
 * Returns how many there are, 1 or more, which may be more than max; EAR_E_UNSUPPORTED if the trace
 * has no opcodes or is not of RISC-V; EAR_E_CANCELLED, or an error as ear_moment_new.
 */
int64_t ear_moment_stack(struct ear_moment *moment, uint16_t hart, struct ear_call_frame *frames,
	size_t size, size_t max, const struct ear_progress *progress);

/* The moment for variables and unwinding (variable.h): of a hart, in its innermost frame. Valid
 * until the moment moves or is freed, or the view of another hart is made. Returns false if where
 * the hart is is not known: the view then knows registers and memory, but no pc; or if size of
 * *view is 0, which then is untouched. */
bool ear_moment_view(struct ear_moment *moment, uint16_t hart, struct ear_moment_view *view);

/* The last record before a position that wrote a byte of a span: ear_trace_find with that query.
 * Returns 1 and *position; 0: nothing wrote there before; or as ear_trace_find. */
int ear_trace_last_write(struct ear_trace *trace, struct ear_span span, uint64_t before,
	uint64_t *position, const struct ear_progress *progress);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
