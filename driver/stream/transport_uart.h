#ifndef EAR_TRANSPORT_UART_H
#define EAR_TRANSPORT_UART_H

#include "driver/link/transport.h"

/* A serial port: any tty, such as channel B of an FT2232H (hdl/rtl/link/ear_link_uart.v).
 *
 * Device name: uart:PATH[,baud=N][,flow=none|rtscts], such as uart:/dev/ttyUSB1,baud=12000000. Any
 * rate from 300 to 12,000,000 baud that the port can make within 3 percent; default 3,000,000, 8N1,
 * no flow control.
 *
 * No other program can open the port while this one has it; its settings are restored at the end.
 * An overrun that the port's driver counts is a loss of unknown size.
 *
 * Controllable. Flow controlled with flow=rtscts, otherwise not. Results as ear_transport_open;
 * EAR_E_NO_DEVICE if the port cannot be opened, EAR_E_UNSUPPORTED if it cannot make the rate.
 */
int ear_transport_uart_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

#endif
