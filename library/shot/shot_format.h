#ifndef EAR_SHOT_FORMAT_H
#define EAR_SHOT_FORMAT_H

/* Numbers of docs/file-format.md that writer and reader share. */

#define EAR_SHOT_MAGIC            0x184D2A5Du /* Earshot's skippable frames */
#define EAR_SHOT_SEEK_MAGIC       0x184D2A5Eu /* the seek table's skippable frame */
#define EAR_SHOT_SEEK_FOOTER      0x8F92EAB1u
#define EAR_SHOT_SKIPPABLE_FIRST  0x184D2A50u /* RFC 8878, section 3.1.2: 16 of them */
#define EAR_SHOT_ZSTD_MAGIC       0xFD2FB528u
#define EAR_SHOT_TAG_SIZE         4
#define EAR_SHOT_TAG_FACTS        "EFCT"
#define EAR_SHOT_CHECK_KEY        "crc32: " /* the last line of facts */
#define EAR_SHOT_CHECK_SIZE       16u       /* its bytes */
#define EAR_SHOT_TAG_LOSS         "ELOS"
#define EAR_SHOT_TAG_LINE_DIFF    "ETXT"
#define EAR_SHOT_LINE_DIFF_HEADER 20u /* bytes of an ETXT frame between tag and line diff */
#define EAR_SHOT_TAG_STATE        "ESNP"
#define EAR_SHOT_STATE_HEADER     24u /* bytes of an ESNP frame between tag and state */
#define EAR_SHOT_TAG_DELTA        "EDLT"
#define EAR_SHOT_DELTA_HEADER     (4u + EAR_SHOT_STATE_HEADER) /* between tag and delta */
#define EAR_SHOT_TAG_REPAIR       "EREP"
#define EAR_SHOT_REPAIR_HEADER    12u /* bytes of an EREP frame between tag and parity */
#define EAR_SHOT_TAG_INDEX        "EIDX"
#define EAR_SHOT_INDEX_ENTRY      32u
#define EAR_SHOT_CHUNK_SIZE       ((size_t)1 << 20) /* bytes of stream in one zstd frame, about */

#endif
