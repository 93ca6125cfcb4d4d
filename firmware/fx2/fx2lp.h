#ifndef FX2LP_H
#define FX2LP_H

#include <stdint.h>

/* The chip's registers and bits that the firmware uses, with the names of Cypress's Technical
 * Reference Manual for the EZ-USB FX2LP (TRM), chapter 15.
 */

#define REGISTER(address) (*(volatile __xdata uint8_t *)(address))

#define CPUCS         REGISTER(0xE600)
#define IFCONFIG      REGISTER(0xE601)
#define PINFLAGSAB    REGISTER(0xE602)
#define PINFLAGSCD    REGISTER(0xE603)
#define FIFORESET     REGISTER(0xE604)
#define FIFOPINPOLAR  REGISTER(0xE609)
#define REVID         REGISTER(0xE60A)
#define REVCTL        REGISTER(0xE60B)
#define EP1OUTCFG     REGISTER(0xE610)
#define EP1INCFG      REGISTER(0xE611)
#define EP2CFG        REGISTER(0xE612)
#define EP4CFG        REGISTER(0xE613)
#define EP6CFG        REGISTER(0xE614)
#define EP8CFG        REGISTER(0xE615)
#define EP2FIFOCFG    REGISTER(0xE618)
#define EP4FIFOCFG    REGISTER(0xE619)
#define EP6FIFOCFG    REGISTER(0xE61A)
#define EP8FIFOCFG    REGISTER(0xE61B)
#define EP6AUTOINLENH REGISTER(0xE624)
#define EP6AUTOINLENL REGISTER(0xE625)
#define INPKTEND      REGISTER(0xE648)
#define OUTPKTEND     REGISTER(0xE649)
#define USBIE         REGISTER(0xE65C)
#define USBIRQ        REGISTER(0xE65D)
#define PORTACFG      REGISTER(0xE670)
#define I2CS          REGISTER(0xE678)
#define I2DAT         REGISTER(0xE679)
#define I2CTL         REGISTER(0xE67A)
#define USBCS         REGISTER(0xE680)
#define SUSPEND       REGISTER(0xE681)
#define WAKEUPCS      REGISTER(0xE682)
#define TOGCTL        REGISTER(0xE683)
#define EP0BCH        REGISTER(0xE68A)
#define EP0BCL        REGISTER(0xE68B)
#define EP0CS         REGISTER(0xE6A0)
#define EP2CS         REGISTER(0xE6A3)
#define EP6CS         REGISTER(0xE6A5)
#define EP6FIFOFLGS   REGISTER(0xE6A9)
#define EP6FIFOBCH    REGISTER(0xE6AF)
#define EP6FIFOBCL    REGISTER(0xE6B0)

#define SETUPDAT ((volatile __xdata uint8_t *)0xE6B8)
#define EP0BUF   ((volatile __xdata uint8_t *)0xE740)

__sfr __at(0x80) IOA;
__sfr __at(0x87) PCON;
__sfr __at(0x8E) CKCON;
__sfr __at(0x90) IOB;
__sfr __at(0xB2) OEA;
__sfr __at(0xB3) OEB;
__sfr __at(0xB5) OED;
__sfr __at(0xC8) T2CON;
__sfr __at(0xCA) RCAP2L;
__sfr __at(0xCB) RCAP2H;
__sfr __at(0xCC) TL2;
__sfr __at(0xCD) TH2;
__sfr __at(0xD8) EICON;
__sbit __at(0x80) PA0;
__sbit __at(0x81) PA1;
__sbit __at(0x83) PA3;
__sbit __at(0x87) PA7;
__sbit __at(0x90) PB0;
__sbit __at(0xAD) ET2;
__sbit __at(0xAF) EA;
__sbit __at(0xCF) TF2;

/* Interrupt numbers of sdcc: vector 2B and 33. */
#define INTERRUPT_TIMER2 5
#define INTERRUPT_RESUME 6

#define CPUCS_48MHZ 0x10

#define IFCONFIG_INTERNAL 0x80 /* IFCLKSRC: the chip makes IFCLK */
#define IFCONFIG_48MHZ    0x40
#define IFCONFIG_OUTPUT   0x20 /* IFCLKOE */
#define IFCONFIG_INVERTED 0x10 /* IFCLKPOL */
#define IFCONFIG_PORTS    0x00
#define IFCONFIG_SLAVE    0x03

#define FLAGS_EP2_EMPTY 0x08 /* FLAGA */
#define FLAGS_EP6_FULL  0xE0 /* FLAGB */

#define REVCTL_ENH_PKT 0x01
#define REVCTL_DYN_OUT 0x02

#define EPCFG_OFF        0x20
#define EPCFG_BULK_OUT_4 0xA0 /* valid, OUT, bulk, 512 bytes, 4 buffers */
#define EPCFG_BULK_IN_4  0xE0 /* valid, IN, bulk, 512 bytes, 4 buffers */

#define FIFOCFG_AUTOOUT 0x10
#define FIFOCFG_AUTOIN  0x08
#define FIFOCFG_ZEROLEN 0x04
#define FIFOCFG_WIDE    0x01

#define FIFORESET_NAKALL 0x80
#define OUTPKTEND_SKIP   0x80

#define USBIRQ_SUDAV 0x01
#define USBIRQ_SUSP  0x08
#define USBIRQ_URES  0x10
#define USBIRQ_ALL   0x7F

#define USBCS_HSM    0x80
#define USBCS_DISCON 0x08
#define USBCS_RENUM  0x02

#define WAKEUPCS_FLAGS 0xC0 /* cleared by writing ones */
#define WAKEUPCS_DPEN  0x04 /* the bus wakes the chip */

#define TOGCTL_RESET 0x20
#define TOGCTL_IN    0x10

#define EP0CS_HSNAK 0x80
#define EP0CS_BUSY  0x02
#define EPCS_STALL  0x01
#define EPCS_EMPTY  0x04

#define FIFOFLGS_FF 0x01

#define I2CS_START  0x80
#define I2CS_STOP   0x40
#define I2CS_LASTRD 0x20
#define I2CS_ACK    0x02
#define I2CS_DONE   0x01
#define I2CTL_400K  0x01

#define EICON_ERESI 0x20
#define EICON_RESI  0x10
#define T2CON_TR2   0x04
#define PCON_IDLE   0x01

#endif
