#ifndef FX2_PARTS_H
#define FX2_PARTS_H

#include "fx2_chip.h"
#include "mcs51.h"

/* What the files of the model share; fx2_chip.h is what others see. The registers have their
 * addresses here once more, apart from the firmware's: a slip in one of the two then shows.
 */

enum fx2_register {
	CPUCS = 0xE600,
	IFCONFIG = 0xE601,
	PINFLAGSAB = 0xE602,
	PINFLAGSCD = 0xE603,
	FIFORESET = 0xE604,
	FIFOPINPOLAR = 0xE609,
	REVID = 0xE60A,
	REVCTL = 0xE60B,
	EP1OUTCFG = 0xE610,
	EP1INCFG = 0xE611,
	EP2CFG = 0xE612,
	EP4CFG = 0xE613,
	EP6CFG = 0xE614,
	EP8CFG = 0xE615,
	EP2FIFOCFG = 0xE618,
	EP8FIFOCFG = 0xE61B,
	EP6FIFOCFG = 0xE61A,
	EP2AUTOINLENH = 0xE620,
	EP6AUTOINLENH = 0xE624,
	EP6AUTOINLENL = 0xE625,
	EP8AUTOINLENL = 0xE627,
	INPKTEND = 0xE648,
	OUTPKTEND = 0xE649,
	USBIE = 0xE65C,
	USBIRQ = 0xE65D,
	INTSETUP = 0xE668,
	PORTACFG = 0xE670,
	I2CS = 0xE678,
	I2DAT = 0xE679,
	I2CTL = 0xE67A,
	USBCS = 0xE680,
	SUSPEND = 0xE681,
	WAKEUPCS = 0xE682,
	TOGCTL = 0xE683,
	EP0BCH = 0xE68A,
	EP0BCL = 0xE68B,
	EP0CS = 0xE6A0,
	EP2CS = 0xE6A3,
	EP6CS = 0xE6A5,
	EP2FIFOFLGS = 0xE6A7,
	EP6FIFOFLGS = 0xE6A9,
	EP6FIFOBCH = 0xE6AF,
	EP6FIFOBCL = 0xE6B0,
	SETUPDAT = 0xE6B8,
	EP0BUF = 0xE740,
};

enum fx2_sfr {
	SFR_IOA = 0x80,
	SFR_PCON = 0x87,
	SFR_IOB = 0x90,
	SFR_EXIF = 0x91,
	SFR_IE = 0xA8,
	SFR_EP2468STAT = 0xAA,
	SFR_EP24FIFOFLGS = 0xAB,
	SFR_EP68FIFOFLGS = 0xAC,
	SFR_IOD = 0xB0,
	SFR_IOE = 0xB1,
	SFR_OEA = 0xB2,
	SFR_OEB = 0xB3,
	SFR_OEC = 0xB4,
	SFR_OED = 0xB5,
	SFR_OEE = 0xB6,
	SFR_IP = 0xB8,
	SFR_T2CON = 0xC8,
	SFR_RCAP2L = 0xCA,
	SFR_RCAP2H = 0xCB,
	SFR_TL2 = 0xCC,
	SFR_TH2 = 0xCD,
	SFR_EICON = 0xD8,
	SFR_EIE = 0xE8,
};

enum fx2_bits {
	CPUCS_RESET = 0x01,
	USBIRQ_SUDAV = 0x01,
	USBIRQ_SUTOK = 0x04,
	USBIRQ_SUSP = 0x08,
	USBIRQ_URES = 0x10,
	USBIRQ_HSGRANT = 0x20,
	USBCS_HSM = 0x80,
	USBCS_DISCON = 0x08,
	USBCS_RENUM = 0x02,
	EPCS_HSNAK = 0x80,
	EPCS_BUSY = 0x02,
	EPCS_STALL = 0x01,
	FIFOCFG_AUTOOUT = 0x10,
	FIFOCFG_AUTOIN = 0x08,
	FIFOCFG_ZEROLEN = 0x04,
	EPCFG_VALID = 0x80,
	EPCFG_IN = 0x40,
	IE_EA = 0x80,
	IE_ET2 = 0x20,
	EXIF_USBINT = 0x10,
	EICON_RESI = 0x10,
	EICON_ERESI = 0x20,
	T2CON_TF2 = 0x80,
	T2CON_TR2 = 0x04,
	PCON_IDLE = 0x01,
};

#define FX2_MEMORY_SIZE 0x4000
#define FX2_CLOCKS_US   48 /* the model's time counts clocks of 48 MHz */
#define FX2_BUFFERS_MAX 4
#define FX2_PACKET_MAX  512

/* A FIFO endpoint. Packets are in order, the oldest at first. IN: packets[0 .. count-1] wait for
 * the host, the next one is being filled. OUT: they wait for the FPGA, armed more are free for the
 * host.
 */
struct fx2_fifo {
	uint8_t packets[FX2_BUFFERS_MAX][FX2_PACKET_MAX];
	unsigned sizes[FX2_BUFFERS_MAX];
	unsigned first;   /* index of the oldest */
	unsigned count;   /* whole packets */
	unsigned filling; /* IN: bytes of the packet that is not ended */
	unsigned reading; /* OUT: bytes of the oldest packet that the FPGA has read */
	unsigned armed;   /* OUT */
	bool configured;  /* reset since EPxCFG was written */
	bool toggle;      /* data toggle of the chip's side */
	bool host_toggle;
};

struct fx2_i2c {
	uint8_t *eeprom;
	size_t eeprom_size;
	uint64_t eeprom_busy_until;
	uint64_t byte_done; /* when the byte on the wire is through */
	uint64_t stop_done;
	bool start, stop, last_read, ack;
	enum {
		I2C_IDLE,
		I2C_ADDRESS_HIGH,
		I2C_ADDRESS_LOW,
		I2C_WRITE,
		I2C_READ,
		I2C_LAST,
		I2C_DEAF
	} state;
	bool first_read; /* the next read of I2DAT only starts the transfer */
	bool written;    /* a write cycle follows the stop condition */
	uint16_t address;
	uint8_t data;
};

struct fx2_chip {
	struct mcs51 cpu;
	uint8_t memory[65536]; /* registers are in it at their addresses */
	uint8_t loaded[FX2_MEMORY_SIZE /
		       8]; /* bytes of the program: the processor must not write */
	char fault[160];
	uint64_t now; /* clocks of 48 MHz since power on */

	bool powered, held; /* held: the processor is in reset */
	bool in_interrupt;
	bool sleep_wanted, asleep; /* register SUSPEND was written; the oscillator has stopped */
	bool suspended;            /* the bus */
	uint64_t idle_until;    /* 0; or the bus is quiet, and counts as suspended from then on */
	unsigned timer2_cycles; /* not yet counted by timer 2 */
	unsigned connections;
	uint64_t fifo_write_time; /* of the last write to a register that wants a delay */
	bool fifo_written;

	/* Endpoint 0. */
	uint8_t setup[8];
	unsigned moved;     /* bytes of the data stage */
	bool data_finished; /* a short packet or all of them */
	bool setup_active;
	bool busy, hsnak, stall;

	bool nak_all;
	struct fx2_fifo ep2, ep6;
	struct fx2_i2c i2c;

	struct fx2_fpga fpga;
	bool prog_low, cclk;
	uint64_t prog_change; /* time of PROG's last edge */
};

/* fx2_chip.c */
void fx2_fault(struct fx2_chip *chip, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void fx2_hold_processor(struct fx2_chip *chip, bool hold);

/* fx2_fifo.c: the slave FIFOs; true when the register is one of theirs. */
void fx2_fifo_init(struct fx2_chip *chip);
bool fx2_fifo_register_read(struct fx2_chip *chip, uint16_t address, uint8_t *value);
bool fx2_fifo_register_write(struct fx2_chip *chip, uint16_t address, uint8_t value);
uint8_t fx2_fifo_flags(const struct fx2_chip *chip, unsigned endpoint); /* PF EF FF */
uint8_t fx2_fifo_status(const struct fx2_chip *chip);                   /* EP2468STAT */
bool fx2_is_slave_fifo(const struct fx2_chip *chip);
void fx2_fifo_host_toggles(struct fx2_chip *chip); /* of the host's side, to 0 */

/* fx2_usb.c: the USB engine. */
void fx2_usb_init(struct fx2_chip *chip);
bool fx2_usb_register_read(struct fx2_chip *chip, uint16_t address, uint8_t *value);
bool fx2_usb_register_write(struct fx2_chip *chip, uint16_t address, uint8_t value);

/* fx2_i2c.c: the I2C controller and the EEPROM. */
void fx2_i2c_init(struct fx2_chip *chip);
bool fx2_i2c_register_read(struct fx2_chip *chip, uint16_t address, uint8_t *value);
bool fx2_i2c_register_write(struct fx2_chip *chip, uint16_t address, uint8_t value);
bool fx2_i2c_boot(struct fx2_chip *chip);

/* fx2_pins.c: ports, and the FPGA's configuration. */
void fx2_pins_init(struct fx2_chip *chip);
uint8_t fx2_pins_read(struct fx2_chip *chip, uint8_t port);
void fx2_pins_changed(struct fx2_chip *chip);

#endif
