#ifndef EAR_GDB_DIVERT_H
#define EAR_GDB_DIVERT_H

#include "cli/gdb/monitor_print.h"
#include "cli/gdb/session_state.h"

/* What if: a diversion of one hart from the present (earshot/diversion.h), where the client may
 * write registers and memory and run on. The recorded run stays at its present, and whatever moves
 * that ends the diversion.
 *
 * It begins with the first write, or by 'monitor diverge'.
 */

/* Take a packet that writes: G, P, M or X. Returns NULL; or the sentence for the client, valid
 * until the next call. */
const char *ear_gdb_divert_write(struct ear_gdb_session *session, const char *packet, size_t size);

/* Run on in the diversion: until a breakpoint, or with a range, to first > last one instruction,
 * else until pc is outside of first .. last. */
struct ear_gdb_stop ear_gdb_divert_continue(struct ear_gdb_session *session);
struct ear_gdb_stop ear_gdb_divert_step(
	struct ear_gdb_session *session, uint16_t hart, uint64_t first, uint64_t last);

/* Back to the recorded run. */
struct ear_gdb_stop ear_gdb_divert_return(struct ear_gdb_session *session);

/* Monitor commands. */
void ear_gdb_do_diverge(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_return(struct ear_gdb_monitor *monitor, const char *text);

/* "diverged at #12, 340 instructions ago\n", if it is. */
void ear_gdb_print_divert(struct ear_gdb_monitor *monitor);

#endif
