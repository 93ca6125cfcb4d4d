#ifndef EAR_CAPTURE_CONFIG_H
#define EAR_CAPTURE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/base/report.h"

/* A unit's identity, as its registers give it. docs/protocol.md, section 7.1. */
struct ear_identity {
	uint16_t protocol_major, protocol_minor;
	uint32_t unit_version;
	uint8_t xlen, nret, flen, csr_slots;
	uint32_t features; /* EAR_REG_FEATURES_* masks */
	uint32_t hart;
	uint32_t clock_hz;       /* 0 unknown */
	uint16_t buffer_records; /* record FIFO, entries */
	uint32_t buffer_payload; /* payload buffer, bytes */
};

/* What the unit does when its record FIFO is full. */
enum ear_policy {
	EAR_POLICY_AUTO, /* stall if the unit can, else drop */
	EAR_POLICY_STALL,
	EAR_POLICY_DROP,
};

/* One of the filter's four address ranges, both ends included. */
struct ear_filter_range {
	uint8_t mode; /* EAR_FILTER_RANGE_* */
	uint64_t first, last;
};

/* When a capture begins or ends. Members that have a meaning, by kind:
 * NONE, PIN none; PC, OPCODE value, mask; ADDRESS value (first) to mask (last), on_reads,
 * on_writes; ADDRESS_DATA also data, data_mask; CYCLES, RECORDS value.
 */
struct ear_trigger {
	uint8_t kind; /* EAR_TRIGGER_* */
	bool on_reads, on_writes;
	uint64_t value, mask;
	uint64_t data, data_mask;
};

#define EAR_FILTER_RANGE_COUNT 4

/* How to capture. */
struct ear_capture_config {
	enum ear_policy policy;
	uint8_t time_mode;      /* EAR_TIME_MODE_* */
	bool keep_core_running; /* true: join a running core; false: if the unit can, begin with
				 * the core's first instruction after reset */
	bool must_reset;        /* refuse a unit that cannot reset the core */
	uint32_t flush_cycles;  /* register FLUSH_CYCLES; EAR_FLUSH_CYCLES_KEEP: as it is */
	uint8_t modes;          /* bit m: records with privilege mode m pass; 0xF all */
	struct ear_filter_range ranges[EAR_FILTER_RANGE_COUNT];
	struct ear_trigger start, stop;
};

#define EAR_FLUSH_CYCLES_KEEP UINT32_MAX

/* The defaults: everything, from reset, policy AUTO, no time. */
void ear_capture_config_init(struct ear_capture_config *config);

/* Does a unit with this identity have what *config asks for?
 * Returns 0; EAR_E_UNSUPPORTED if a feature is missing; EAR_E_BAD_ARGUMENT if a value is invalid.
 */
int ear_capture_config_check(const struct ear_capture_config *config,
	const struct ear_identity *identity, struct ear_report *report);

/* One register and the value to write. */
struct ear_register_write {
	uint16_t address;
	uint32_t value;
};

#define EAR_CAPTURE_WRITE_MAX 48 /* more than any configuration takes */

/* The writes that prepare a unit for *config, which has been checked: FLUSH_CYCLES, filter,
 * triggers. CONTROL and CORE are not among them. Registers that the unit lacks are left out, as are
 * the values of a trigger or range that is off.
 * Returns how many there are.
 */
size_t ear_capture_config_writes(struct ear_register_write writes[EAR_CAPTURE_WRITE_MAX],
	const struct ear_capture_config *config, const struct ear_identity *identity);

/* The value of register CONTROL that enables this capture. */
uint32_t ear_capture_config_control(
	const struct ear_capture_config *config, const struct ear_identity *identity);

#endif
