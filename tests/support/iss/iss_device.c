#include <string.h>

#include "iss_state.h"

/* The devices around the hart, and time. Addresses: hdl/soc/ear_demo_system.v and iss.h. */

#define EXIT_BASE    0x00100000u
#define EXIT_SIZE    0x1000u
#define EXIT_PASS    0x5555u
#define EXIT_FAIL    0x3333u
#define CLINT_BASE   0x02000000u
#define CLINT_SIZE   0x10000u
#define UART_BASE    0x10000000u
#define UART_SIZE    0x100u
#define PACKETS_BASE 0x10010000u
#define PACKETS_SIZE 0x20u

#define CLINT_MSIP     0x0000u
#define CLINT_MTIMECMP 0x4000u
#define CLINT_MTIME    0xbff8u

#define UART_LINE_STATUS 5u
#define UART_READY       0x60u /* transmitter empty and ready */

#define PACKET_SLOT_SIZE 256u
#define PACKET_WORDS_MAX 60u

static void set_pending(struct ear_iss *iss, uint32_t bit, bool on)
{
	iss->pending = on ? iss->pending | bit : iss->pending & ~bit;
	iss_irq_update(iss);
}

static void timer_update(struct ear_iss *iss)
{
	set_pending(iss, ISS_IRQ_TIMER, iss->mtime >= iss->mtimecmp);
}

/* The doubleword at the offset, as eight bytes of the device: parts of it are what accesses see. */
static uint64_t clint_read(const struct ear_iss *iss, uint32_t offset)
{
	switch (offset) {
	case CLINT_MSIP: return iss->pending & ISS_IRQ_SOFTWARE ? 1 : 0;
	case CLINT_MTIMECMP: return iss->mtimecmp;
	case CLINT_MTIME: return iss->mtime;
	default: return 0;
	}
}

static void clint_write(struct ear_iss *iss, uint32_t offset, uint64_t value)
{
	switch (offset) {
	case CLINT_MSIP: set_pending(iss, ISS_IRQ_SOFTWARE, value & 1); return;
	case CLINT_MTIMECMP: iss->mtimecmp = value; break;
	case CLINT_MTIME: iss->mtime = value; break;
	default: return;
	}
	timer_update(iss);
}

static uint64_t part_read(uint64_t whole, uint32_t offset, unsigned size)
{
	whole >>= 8 * (offset & 7);
	return size == 8 ? whole : whole & ((UINT64_C(1) << 8 * size) - 1);
}

static uint64_t part_write(uint64_t whole, uint32_t offset, unsigned size, uint64_t value)
{
	uint64_t mask = size == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * size) - 1;
	unsigned at = 8 * (offset & 7);

	return (whole & ~(mask << at)) | (value & mask) << at;
}

/* Packets ---------------------------------------------------------------------------------- */

static uint32_t packets_read_word(const struct ear_iss *iss, uint32_t offset)
{
	const struct iss_packets *packets = &iss->packets;

	switch (offset) {
	case 0x00: return (uint32_t)packets->ring;
	case 0x04: return (uint32_t)(packets->ring >> 32);
	case 0x08: return packets->slots;
	case 0x0c: return packets->on;
	case 0x10: return packets->sent;
	case 0x14: return packets->interrupt;
	default: return 0;
	}
}

static void packets_write_word(struct ear_iss *iss, uint32_t offset, uint32_t value)
{
	struct iss_packets *packets = &iss->packets;

	switch (offset) {
	case 0x00: packets->ring = (packets->ring & ~UINT64_C(0xffffffff)) | value; return;
	case 0x04: packets->ring = (uint32_t)packets->ring | (uint64_t)value << 32; return;
	case 0x08: packets->slots = value; return;
	case 0x0c:
		packets->on = value & 1;
		packets->sent = 0;
		packets->wait = 1;
		return;
	case 0x10: set_pending(iss, ISS_IRQ_EXTERNAL, false); return;
	case 0x14: packets->interrupt = value & 1; return;
	default: return;
	}
}

static void store_word(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void send_packet(struct ear_iss *iss)
{
	struct iss_packets *packets = &iss->packets;
	uint64_t address = packets->ring;
	uint32_t count = 1 + iss_random_below(iss, PACKET_WORDS_MAX), sum = 0;
	uint8_t *slot;

	if (packets->slots)
		address += (uint64_t)PACKET_SLOT_SIZE * (packets->sent % packets->slots);
	slot = ear_iss_memory(iss, address, PACKET_SLOT_SIZE);
	if (!slot) /* a ring outside the memory: nothing can be written */
		return;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t value = (uint32_t)iss_random(iss);

		store_word(slot + 12 + 4 * (size_t)k, value);
		sum += value;
	}
	store_word(slot + 8, sum);
	store_word(slot + 4, count);
	store_word(slot, ++packets->sent);
	if (packets->interrupt)
		set_pending(iss, ISS_IRQ_EXTERNAL, true);
}

/* Accesses --------------------------------------------------------------------------------- */

static bool within(uint64_t address, unsigned size, uint32_t base, uint32_t room)
{
	return address - base <= room - size;
}

static bool uart_is_ready(struct ear_iss *iss)
{
	return !iss->options.uart_busy || iss_random_below(iss, 1000) >= iss->options.uart_busy;
}

bool iss_device_load(struct ear_iss *iss, uint64_t address, unsigned size, uint64_t *value)
{
	uint32_t offset;
	uint64_t whole;

	if (within(address, size, CLINT_BASE, CLINT_SIZE)) {
		offset = (uint32_t)(address - CLINT_BASE);
		whole = clint_read(iss, offset & ~7u);
	} else if (within(address, size, UART_BASE, UART_SIZE)) {
		offset = (uint32_t)(address - UART_BASE);
		whole = 0;
		if (offset >> 3 == 0 && offset + size > UART_LINE_STATUS && uart_is_ready(iss))
			whole = (uint64_t)UART_READY << 8 * UART_LINE_STATUS;
	} else if (within(address, size, EXIT_BASE, EXIT_SIZE)) {
		offset = 0;
		whole = 0;
	} else if (iss->options.packets && within(address, size, PACKETS_BASE, PACKETS_SIZE)) {
		offset = (uint32_t)(address - PACKETS_BASE);
		whole = packets_read_word(iss, offset & ~7u) |
			(uint64_t)packets_read_word(iss, (offset & ~7u) + 4) << 32;
	} else {
		return false;
	}
	*value = part_read(whole, offset, size);
	if (iss->seen)
		*value = iss->seen->mem_rdata &
			 (size == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * size) - 1);
	return true;
}

static void exit_write(struct ear_iss *iss, unsigned size, uint64_t value)
{
	unsigned code = size >= 4 ? value >> 16 & 0xffff : 0;

	if (size < 2)
		return;
	if ((value & 0xffff) == EXIT_PASS)
		code = 0;
	else if ((value & 0xffff) != EXIT_FAIL)
		return;
	iss->ended = true;
	iss->end = EAR_ISS_EXITED;
	iss->exit_code = (int)code;
}

bool iss_device_store(struct ear_iss *iss, uint64_t address, unsigned size, uint64_t value)
{
	uint32_t offset;

	if (within(address, size, CLINT_BASE, CLINT_SIZE)) {
		offset = (uint32_t)(address - CLINT_BASE);
		clint_write(iss, offset & ~7u,
			part_write(clint_read(iss, offset & ~7u), offset, size, value));
	} else if (within(address, size, UART_BASE, UART_SIZE)) {
		if (address == UART_BASE && iss->options.uart)
			iss->options.uart(iss->options.context, (uint8_t)value);
	} else if (within(address, size, EXIT_BASE, EXIT_SIZE)) {
		if (address == EXIT_BASE)
			exit_write(iss, size, value);
	} else if (iss->options.packets && within(address, size, PACKETS_BASE, PACKETS_SIZE)) {
		offset = (uint32_t)(address - PACKETS_BASE);
		if (size < 4)
			return true;
		packets_write_word(iss, offset, (uint32_t)value);
		if (size == 8)
			packets_write_word(iss, offset + 4, (uint32_t)(value >> 32));
	} else {
		return false;
	}
	return true;
}

/* Time ------------------------------------------------------------------------------------- */

/* mean, or a random number from 1 to twice as much. */
static uint32_t draw(struct ear_iss *iss, uint32_t mean)
{
	return iss->options.time_random && mean > 1 ? 1 + iss_random_below(iss, 2 * mean - 1)
						    : mean;
}

void iss_advance(struct ear_iss *iss)
{
	struct iss_packets *packets = &iss->packets;

	iss->until_event = draw(iss, iss->options.time_interval);
	iss->mtime += draw(iss, iss->options.time_ticks);
	iss->extra_cycles += draw(iss, iss->options.time_interval);
	timer_update(iss);
	if (packets->on && --packets->wait == 0) {
		uint32_t mean = iss->options.packets / iss->options.time_interval;

		send_packet(iss);
		packets->wait = 1 + iss_random_below(iss, 2 * mean + 1);
	}
}

void iss_sleep(struct ear_iss *iss)
{
	if (iss->seen)
		return;
	if (!(iss->pending & iss->csr.mie) && (iss->csr.mie & ISS_IRQ_TIMER) &&
		!(iss->packets.on && iss->packets.interrupt) && iss->mtimecmp != ~UINT64_C(0)) {
		iss->extra_cycles += iss->mtimecmp - iss->mtime;
		iss->mtime = iss->mtimecmp;
		timer_update(iss);
	}
	while (!(iss->pending & iss->csr.mie)) {
		bool packet = (iss->csr.mie & ISS_IRQ_EXTERNAL) && iss->packets.on &&
			      iss->packets.interrupt;

		if (!packet) {
			iss->ended = true;
			iss->end = EAR_ISS_ASLEEP;
			return;
		}
		iss_advance(iss);
	}
}

void iss_device_reset(struct ear_iss *iss)
{
	iss->mtimecmp = ~UINT64_C(0);
	iss->until_event = iss->options.time_interval;
}
