#ifndef EAR_GDB_HARTS_H
#define EAR_GDB_HARTS_H

#include "cli/gdb/session_state.h"

/* The threads of GDB: harts, which are numbered from 1, and tasks from EAR_GDB_TASK_1 on. */
#define EAR_GDB_TASK_1 0x20001u

/* The harts of the records around the present become known. */
void ear_gdb_note_harts(struct ear_gdb_session *session);

/* Was the hart noted? */
bool ear_gdb_has_hart(const struct ear_gdb_session *session, uint16_t hart);

/* Read which task runs when: once, all of the trace, if it has events of tasks. Unless asked, not
 * of a trace of more than EAR_GDB_TASK_RECORDS. Returns 0, or an error of the trace; then there are
 * none. */
#define EAR_GDB_TASK_RECORDS (UINT64_C(200) << 20)
int ear_gdb_read_tasks(struct ear_gdb_session *session, bool asked);
void ear_gdb_tasks_fini(struct ear_gdb_tasks *tasks);

/* Tasks have numbers 1 .. count. */
uint32_t ear_gdb_task_count(const struct ear_gdb_session *session);

/* A task at the present. False: it has not run yet, or there is no such task. */
bool ear_gdb_find_task(
	struct ear_gdb_session *session, uint32_t task, struct ear_gdb_thread *thread);

/* The thread of this number. False: there is none. */
bool ear_gdb_find_thread(
	struct ear_gdb_session *session, uint64_t number, struct ear_gdb_thread *thread);

/* The task that ran the record of a hart, if tasks were read. False: it is not known. */
bool ear_gdb_task_at(struct ear_gdb_session *session, uint64_t position, uint16_t hart,
	struct ear_gdb_thread *thread);

/* "task left (1)". */
void ear_gdb_task_text(struct ear_gdb_session *session, uint32_t task, char *text, size_t size);

/* "hart 0, task left (1)", "task right (2), not running since #3119". */
void ear_gdb_thread_text(struct ear_gdb_session *session, const struct ear_gdb_thread *thread,
	char *text, size_t size);

/* What a thread holds, as ear_gdb_register and ear_gdb_pc. */
bool ear_gdb_thread_register(struct ear_gdb_session *session, const struct ear_gdb_thread *thread,
	unsigned number, uint64_t *value);

#endif
