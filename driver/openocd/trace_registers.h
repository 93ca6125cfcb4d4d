#ifndef EAR_TRACE_REGISTERS_H
#define EAR_TRACE_REGISTERS_H

/* Registers of RISC-V's Trace Control Interface 1.0 (ratified 2024-11-21): offsets from the base of
 * a component, which has 4 KiB. */

#define EAR_TR_PAGE 0x1000ull

/* Of every component. */
#define EAR_TR_CONTROL 0x000u
#define EAR_TR_IMPL    0x004u

#define EAR_TR_ACTIVE (1u << 0)
#define EAR_TR_ENABLE (1u << 1)
#define EAR_TR_EMPTY  (1u << 3)

#define EAR_TR_IMPL_MAJOR(impl) ((impl)&15)
#define EAR_TR_IMPL_MINOR(impl) ((impl) >> 4 & 15)
#define EAR_TR_IMPL_TYPE(impl)  ((impl) >> 8 & 15)

enum ear_tr_type { EAR_TR_ENCODER = 1, EAR_TR_FUNNEL = 8, EAR_TR_RAM = 9 };

/* Encoder. */
#define EAR_TR_TE_FEATURES     0x008u
#define EAR_TR_TE_FILTERS      0x00Cu
#define EAR_TR_TE_DATA_CONTROL 0x010u
#define EAR_TR_TE_TIME         0x040u
#define EAR_TR_TE_TRIGGERS     0x050u /* three words: debug, external in and out */

#define EAR_TR_TE_TRACING          (1u << 2)
#define EAR_TR_TE_MODE(mode)       ((unsigned)(mode) << 4)
#define EAR_TR_TE_MODE_OF(control) ((control) >> 4 & 7)
#define EAR_TR_TE_CONTEXT          (1u << 9)
#define EAR_TR_TE_OVERFLOW         (1u << 12)
#define EAR_TR_TE_STALL            (1u << 13)
#define EAR_TR_TE_INHIBIT_SRC      (1u << 15)
#define EAR_TR_TE_SYNC(mode, max)  ((unsigned)(mode) << 16 | (unsigned)(max) << 20)
#define EAR_TR_TE_SYNC_OF(control) ((control) >> 16 & 3)
#define EAR_TR_TE_FORMAT(control)  ((control) >> 24 & 7)

#define EAR_TR_TE_BTM 3u /* modes: branch messages */
#define EAR_TR_TE_HTM 6u /* history messages, or the best that there is */

#define EAR_TR_TE_SRC(id, bits)      ((unsigned)(id) << 16 | (unsigned)(bits) << 28)
#define EAR_TR_TE_SRC_ID(features)   ((features) >> 16 & 0xFFF)
#define EAR_TR_TE_SRC_BITS(features) ((features) >> 28)
#define EAR_TR_TE_SRC_BITS_MAX       12u

/* Time stamps, which are EAR_TR_TE_TIME of an encoder. */
#define EAR_TR_TIME_COUNT         (1u << 1)
#define EAR_TR_TIME_ENABLE        (1u << 15)
#define EAR_TR_TIME_MODE(mode)    ((unsigned)(mode) << 4)
#define EAR_TR_TIME_MODE_OF(time) ((time) >> 4 & 7)

/* Funnel. */
#define EAR_TR_FUNNEL_DISABLED 0x008u

/* RAM sink. Addresses have their upper half in the next word. */
#define EAR_TR_RAM_START 0x010u
#define EAR_TR_RAM_LIMIT 0x018u
#define EAR_TR_RAM_WP    0x020u
#define EAR_TR_RAM_RP    0x028u
#define EAR_TR_RAM_DATA  0x040u

#define EAR_TR_RAM_SYSTEM            (1u << 4)
#define EAR_TR_RAM_STOP_ON_WRAP      (1u << 8)
#define EAR_TR_RAM_FORMAT(control)   ((control) >> 9 & 3)
#define EAR_TR_RAM_ASYNC(frequency)  ((unsigned)(frequency) << 12)
#define EAR_TR_RAM_ASYNC_OF(control) ((control) >> 12 & 7)
#define EAR_TR_RAM_WRAP              1u

#define EAR_TR_RAM_HAS_SRAM   (1u << 12) /* of trRamImpl */
#define EAR_TR_RAM_HAS_SYSTEM (1u << 13)

#endif
