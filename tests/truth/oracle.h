#ifndef TRUTH_ORACLE_H
#define TRUTH_ORACLE_H

#include <earshot/search.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole trace in memory, and the answer to any query by looking at each record. It reads with
 * library/source/source and shares nothing with library/api/ and library/index/, which it judges.
 */

struct oracle_access {
	uint64_t address, value, unknown;
	uint8_t size;
	bool write, has_value, masked;
};

struct oracle_register {
	uint64_t value;
	uint16_t number;
	uint8_t reg_class;
	bool unknown;
};

struct oracle_record {
	uint64_t pc, opcode, cause, ticks;
	size_t first_access, first_register;
	uint32_t flags, event_value;
	uint16_t hart;
	uint8_t kind, privilege, xlen, event_source;
	uint8_t access_count, register_count;
	bool privilege_changed;
};

struct oracle {
	struct oracle_record *records;
	struct oracle_access *accesses;
	struct oracle_register *registers;
	size_t count, record_room;
	size_t access_count, access_room, register_count, register_room;
	uint64_t instructions;
};

/* Returns false after a message on standard error. Accesses and registers beyond the 255th of a
 * record are left out: no trace of the tests has them. */
bool oracle_read(struct oracle *oracle, const char *path);
void oracle_free(struct oracle *oracle);

/* Does the record at this position meet the query? NAMED registers, vectors and names of events
 * are not looked at. */
bool oracle_meets(const struct oracle *oracle, const struct ear_query *query, size_t position);

/* As ear_trace_find. */
bool oracle_find(const struct oracle *oracle, const struct ear_query *query, uint64_t from,
	enum ear_direction direction, uint64_t *position);

/* As ear_trace_count_found. */
uint64_t oracle_count(
	const struct oracle *oracle, const struct ear_query *query, uint64_t from, uint64_t to);

#endif
