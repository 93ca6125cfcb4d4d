#ifndef EAR_HELPER_MESSAGE_H
#define EAR_HELPER_MESSAGE_H

/* The messages between a process that wants names and earshot-names (library/names/README.md). All
 * numbers are little-endian; a string is the offset of its first byte in the block of strings that
 * ends the answer.
 *
 *   OPEN     u32 xlen, machine, flags, build id size; u64 entry; 64 bytes build id; u32 debug link,
 *            sections, segments, size of strings; sections; segments; strings
 *   SYMBOLS  u32 rows, size of strings; rows; strings
 *   LINES    u32 rows, sources, size of strings, 0; rows; sources (a string each); strings
 *   SCOPES   as SYMBOLS
 *   PLAN     u32 steps, types, ops, bytes, size of strings, 0; steps; types; ops; bytes; strings
 *   LOCALS   as SYMBOLS
 *   UNWIND   u32 ops, bytes; u64 first, last; ops; bytes: the CFA at these addresses
 */
enum ear_message_kind {
	EAR_MESSAGE_ERROR,
	EAR_MESSAGE_OPEN,
	EAR_MESSAGE_DEBUG,
	EAR_MESSAGE_SYMBOLS,
	EAR_MESSAGE_LINES,
	EAR_MESSAGE_SCOPES,
	EAR_MESSAGE_PLAN,
	EAR_MESSAGE_LOCALS,
	EAR_MESSAGE_UNWIND,
};

#define EAR_MESSAGE_HEADER      16
#define EAR_MESSAGE_REQUEST_MAX 65536u
#define EAR_MESSAGE_ANSWER_MAX  (512u << 20)
#define EAR_MESSAGE_FD          3  /* the helper's end of the socket pair */
#define EAR_MESSAGE_SECONDS     60 /* for one request */
#define EAR_MESSAGE_FILES_MAX   64

#define EAR_OPEN_HEAD        (24 + 64 + 16)
#define EAR_OPEN_HAS_SYMBOLS 1u
#define EAR_OPEN_HAS_LINES   2u
#define EAR_OPEN_HAS_DEBUG   4u

#define EAR_SECTION_ROW 24 /* u64 address, size; u32 name, flags */
#define EAR_SEGMENT_ROW 48 /* u64 address, load address, size, offset, file size; u32 flags, 0 */

/* u64 address, size; u32 name, linked name, section (index of OPEN's, UINT32_MAX none); u8 kind,
 * global; u16 0 */
#define EAR_SYMBOL_ROW 32

/* u64 first, last; u32 source, line, column, flags */
#define EAR_LINE_ROW       32
#define EAR_LINE_STATEMENT 1u

/* u64 first, last, entry; u32 name, parent (an earlier row, UINT32_MAX none), path and line of its
 * declaration, call path, call line, call column, flags */
#define EAR_SCOPE_ROW     56
#define EAR_SCOPE_INLINED 1u

/* Steps of a plan, u32 kind, size; u64 value:
 *   EXPRESSION  size ops of the list make the place: those after the frame's base, whose ops come
 *               first and are as many as value
 *   OFFSET      value is added to the address, or bytes of the value are skipped
 *   DEREFERENCE the size bytes here are the address of what comes next
 */
enum ear_plan_step {
	EAR_PLAN_EXPRESSION,
	EAR_PLAN_OFFSET,
	EAR_PLAN_DEREFERENCE,
};
#define EAR_PLAN_STEP 16

/* u32 kind, flags, type name, name; u64 size, offset, count, value; u32 bit size, bit offset, first
 * child (a later row), children */
#define EAR_TYPE_ROW      64
#define EAR_TYPE_SIGNED   1u
#define EAR_TYPE_FUNCTION 2u

/* An operation of a DWARF expression: u32 atom, byte offset in its expression; u64 two numbers. The
 * second of DW_OP_implicit_value is the offset of its bytes; that of DW_OP_convert and its like is
 * the size of the type, plus 256 if it is signed; 0 the generic type. Operations with an address
 * index have it resolved.
 */
#define EAR_OP_ROW 24

#define EAR_LOCAL_ROW       12 /* u32 name, type name, flags */
#define EAR_LOCAL_PARAMETER 1u

#define EAR_UNWIND_HEAD 24

#endif
