#ifndef EAR_SHOT_REPAIR_H
#define EAR_SHOT_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parity of a zstd frame, and what it makes good: docs/file-format.md, section 11.
 *
 * Byte j of the parity is the XOR of the bytes j, j + width, j + 2 width, ... So damage to
 * neighbouring bytes, half a width of them, is damage to different columns: the parity says what
 * is wrong in each, and the CRC-32 where.
 */

/* Bytes of parity for so many bytes. */
size_t ear_shot_repair_width(size_t size);

/* parity gets width bytes. */
void ear_shot_repair_parity(const uint8_t *bytes, size_t size, uint8_t *parity, size_t width);

enum ear_shot_repair {
	EAR_SHOT_REPAIR_NEEDLESS, /* the bytes have this CRC-32 */
	EAR_SHOT_REPAIR_DONE,     /* now they have */
	EAR_SHOT_REPAIR_FAILED,   /* they are as they were */
};

/* Make good what is damaged in the bytes. *wrong, if done: the first byte that was. The parity is
 * used up. */
enum ear_shot_repair ear_shot_repair(
	uint8_t *bytes, size_t size, uint8_t *parity, size_t width, uint32_t crc, size_t *wrong);

#endif
