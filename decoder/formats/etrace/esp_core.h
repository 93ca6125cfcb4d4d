#ifndef EAR_ESP_CORE_H
#define EAR_ESP_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Core files of esp-idf that hold trace buffers: an ELF file of 32 bits with a note of this name
 * and type, and a segment for each buffer (components/esp_riscv_trace). Pure functions; all sizes
 * are checked.
 */
#define EAR_ESP_NOTE_NAME  "ESP_RISCV_TRACE"
#define EAR_ESP_NOTE_TYPE  680u
#define EAR_ESP_CORES_MAX  8u
#define EAR_ESP_SHA_SIZE   32u
#define EAR_ESP_PARAMETERS 28u

enum ear_esp_packets { EAR_ESP_PACKETS_PT10 = 100, EAR_ESP_PACKETS_ET20 = 200 };

/* A core and its buffer. */
struct ear_esp_core {
	uint8_t core_id, state; /* 1 ready, 2 capturing, 3 stopped, 4 frozen */
	bool loop;              /* a ring; else it ends when it is full */
	uint8_t packets;        /* enum ear_esp_packets */
	bool full_address;
	uint8_t resync_mode; /* 1 off, 2 packets, 3 cycles */
	bool head_valid, fifo_empty, memory_full, fifo_overflow;
	uint32_t segment; /* program header of the buffer */
	uint32_t buffer_address, segment_size, capacity, head_offset, resync_threshold;
};

struct ear_esp_note {
	uint32_t write_sequence; /* odd: it was written while the file was */
	uint16_t target, revision;
	uint8_t capture_reason; /* 1 stop, 2 panic */
	uint8_t core_count;
	uint8_t app_sha256[EAR_ESP_SHA_SIZE]; /* of the ELF file of the program */
	uint8_t parameters[EAR_ESP_PARAMETERS];
	struct ear_esp_core cores[EAR_ESP_CORES_MAX];
};

/* Parse the note's contents, bytes[0 .. size-1]. Returns 0; EAR_E_UNSUPPORTED if it is of another
 * version; EAR_E_BAD_FILE. */
int ear_esp_note_parse(struct ear_esp_note *note, const uint8_t *bytes, size_t size);

/* Is this an ELF file? */
bool ear_esp_is_elf(const uint8_t *bytes, size_t size);

/* Find the note in a core file. Returns 0; EAR_E_UNSUPPORTED if it has none, or as above. */
int ear_esp_core_read(struct ear_esp_note *note, const uint8_t *bytes, size_t size);

/* The bytes of a core's buffer in the file: *count of them from *offset on, of which the oldest is
 * the one at *head. wrapped: all are valid; else those before *head, and *count is *head.
 * Returns 0 or EAR_E_BAD_FILE. */
int ear_esp_core_buffer(const struct ear_esp_core *core, const uint8_t *bytes, size_t size,
	size_t *offset, size_t *count, size_t *head, bool *wrapped);

#endif
