#ifndef FX2_CHIP_H
#define FX2_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A Cypress FX2LP that runs real firmware: the 8051, the USB engine around it, the slave FIFOs, an
 * I2C EEPROM, and the pins to which an FPGA is connected. No threads, no clocks, no sockets: the
 * caller is the bus on one side and the FPGA on the other.
 *
 *   host side                                  FPGA side
 *   fx2_chip_control()   +-----------------+   fx2_chip_fifo_write(), _pktend()
 *   fx2_chip_in(), _out()|  8051, EP0, I2C |   fx2_chip_fifo_read()
 *   fx2_chip_bus_reset() |  EP2, EP6 FIFOs |   struct fx2_fpga: PROG INIT DONE CCLK DIN
 *                        +-----------------+
 *
 * Time is the chip's. It passes only in fx2_chip_run(), in fx2_chip_bus_reset() (3 ms), and in
 * fx2_chip_control() until the firmware has answered; whoever emulates a bus calls fx2_chip_run()
 * as its own time passes, for instance 1000 us each millisecond. The data path (in, out, fifo)
 * takes no time.
 *
 * One caller at a time: an emulation with several threads holds a lock around each call.
 *
 * The model is strict. What the chip's manual (TRM) forbids or leaves undefined and what is not
 * modelled is a fault, kept by fx2_chip_fault(): too little time between writes to FIFO registers,
 * FIFORESET without NAKALL, an FPGA pin driven from both sides. A test wants it to be NULL.
 *
 * Not modelled: GPIF, autopointers, timers 0 and 1, serial ports, endpoints 1, 4 and 8, isochronous
 * and interrupt transfers, SUDPTR, interrupts other than timer 2, resume and INT2.
 */

struct fx2_chip;

/* Results below 0 of the calls of the host's side. */
enum fx2_result {
	FX2_STALL = -1,     /* the endpoint or the request is refused */
	FX2_NAK = -2,       /* not now: a host asks again */
	FX2_NO_DEVICE = -3, /* not on the bus, or suspended: no answer at all */
	FX2_TIMEOUT = -4,   /* control transfer: NAK until the time was over */
};

#define FX2_EEPROM_MAX 65536

/* A chip without power, and no EEPROM. NULL when there is no memory. */
struct fx2_chip *fx2_chip_new(void);
void fx2_chip_free(struct fx2_chip *chip);

/* An EEPROM of size bytes (a power of 2, 8192 to 65536), filled with FF; 0 takes it away. Its bytes
 * are returned, the caller may change them while the chip does not run. They survive power off.
 */
uint8_t *fx2_chip_set_eeprom(struct fx2_chip *chip, size_t size);

/* Power on: from the EEPROM if it begins with C2, else as 04b4:8613 without firmware. Memory that
 * nothing was loaded into holds A5.
 */
void fx2_chip_power_on(struct fx2_chip *chip);
void fx2_chip_power_off(struct fx2_chip *chip);

/* Let the chip run for some of its time. Nothing happens without power. */
void fx2_chip_run(struct fx2_chip *chip, uint32_t microseconds);

/* The processor jumps to an endless loop: what a bug or a spark would do. */
void fx2_chip_run_away(struct fx2_chip *chip);

/* The first thing that a real chip would not have done; NULL if there was none. */
const char *fx2_chip_fault(const struct fx2_chip *chip);

/* ---- The host's side ---- */

/* Does the device pull the bus up? And how often has it begun to since power on: another number
 * is another enumeration, and the host has to give a new address.
 */
bool fx2_chip_connected(const struct fx2_chip *chip);
unsigned fx2_chip_connections(const struct fx2_chip *chip);

/* A reset of the bus, as a host does before it gives an address. The data toggles of the host's
 * side go to 0, too.
 */
void fx2_chip_bus_reset(struct fx2_chip *chip, bool high_speed);

/* No traffic for 3 ms; traffic again. A device that has come to the bus is suspended by itself
 * after 3 ms, until it is reset.
 */
void fx2_chip_suspend(struct fx2_chip *chip);
void fx2_chip_resume(struct fx2_chip *chip);
bool fx2_chip_asleep(const struct fx2_chip *chip); /* has the firmware stopped the clock? */

/* A whole control transfer. setup is as on the bus; data has wLength bytes and is read or filled.
 * Request A0 is answered by the chip; without firmware of its own (RENUM 0) also the standard
 * requests, with a device descriptor of 04b4:8613 and a configuration without endpoints.
 *
 * SET_CONFIGURATION, SET_INTERFACE and CLEAR_FEATURE(ENDPOINT_HALT) that succeed set the data
 * toggles of the host's side to 0, as they do in every host: a device that does not follow loses
 * packets here as there.
 *
 * Returns the bytes moved, FX2_STALL, FX2_NO_DEVICE (also when the device leaves the bus in the
 * middle), or FX2_TIMEOUT after timeout_us of the chip's time.
 */
int fx2_chip_control(
	struct fx2_chip *chip, const uint8_t setup[8], uint8_t *data, uint32_t timeout_us);

/* The same in steps, for a host that breaks off or sends packets that nobody wants. setup is always
 * accepted; the others return FX2_NAK until the firmware is ready. The status stage is an empty
 * packet in the other direction.
 */
int fx2_chip_setup(struct fx2_chip *chip, const uint8_t setup[8]);
int fx2_chip_ep0_in(struct fx2_chip *chip, uint8_t data[64]);
int fx2_chip_ep0_out(struct fx2_chip *chip, const uint8_t *data, unsigned size);

/* One packet of a bulk endpoint: address 86 or 02. In: data has 512 bytes, the packet's size is
 * returned. Out: size is at most the packet size of the speed. FX2_NAK, FX2_STALL, FX2_NO_DEVICE.
 *
 * A packet whose data toggle is not the one that the host wants is lost, as in a real host or chip:
 * in takes the next one, out is accepted and forgotten.
 */
int fx2_chip_in(struct fx2_chip *chip, uint8_t address, uint8_t *data);
int fx2_chip_out(struct fx2_chip *chip, uint8_t address, const uint8_t *data, unsigned size);

/* ---- The FPGA's side ---- */

/* Flag pins, true when the pin is high: FLAGA, FLAGB as PINFLAGSAB assigns them. Low without power
 * and while the pins are not those of the slave FIFO (the board's pull-downs).
 */
bool fx2_chip_flag_a(const struct fx2_chip *chip);
bool fx2_chip_flag_b(const struct fx2_chip *chip);

/* Strobes of SLWR with FIFOADR at EP6: bytes as they lie on FD, with a 16-bit FD two at a time.
 * Returns how many were taken; those after a full FIFO are lost, as in the chip.
 */
size_t fx2_chip_fifo_write(struct fx2_chip *chip, const uint8_t *data, size_t size);

/* A strobe of PKTEND with FIFOADR at EP6: what is in the buffer becomes a packet. */
void fx2_chip_fifo_pktend(struct fx2_chip *chip);

/* Strobes of SLRD with FIFOADR at EP2: at most size bytes. */
size_t fx2_chip_fifo_read(struct fx2_chip *chip, uint8_t *data, size_t size);

enum fx2_drives {
	FX2_DRIVES_PROG = 1,
	FX2_DRIVES_CCLK = 2,
	FX2_DRIVES_DIN = 4,
};

/* The configuration pins of the FPGA, which the model drives and looks at. The caller sets the
 * first group at any time, and reads the second.
 */
struct fx2_fpga {
	/* What kind of FPGA. */
	bool present;          /* without it, INIT and DONE stay high as pulled up */
	bool has_init;         /* INIT is connected */
	bool broken;           /* it ignores PROG: INIT stays high */
	uint32_t size;         /* bits until DONE goes high */
	uint32_t extra_clocks; /* more clocks until then */
	uint32_t error_at;     /* INIT goes low after so many bits; 0 never */
	uint32_t clear_us;     /* time that clearing takes after PROG went high */

	/* What it saw. */
	uint8_t *bits;        /* one byte a bit in the order of the clock, the chip's own */
	uint32_t bit_count;   /* since PROG went low; at most capacity are kept */
	uint32_t capacity;    /* 8 Mbit */
	uint32_t clocks;      /* rising edges of CCLK since PROG went low */
	uint32_t clocks_done; /* of these, after DONE */
	unsigned prog_pulses; /* falling edges of PROG */
	uint32_t prog_low_us; /* length of the last one */
	bool done;
	uint8_t driven; /* pins that the chip drives now: enum fx2_drives */
};
struct fx2_fpga *fx2_chip_fpga(struct fx2_chip *chip);

/* For tests that look inside: memory 0000..3FFF, what the firmware's variables are in. */
uint8_t *fx2_chip_memory(struct fx2_chip *chip);

#endif
