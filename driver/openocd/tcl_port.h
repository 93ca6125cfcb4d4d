#ifndef EAR_TCL_PORT_H
#define EAR_TCL_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/base/report.h"

/* The Tcl port of OpenOCD 0.12 (port 6666): a command and its answer, one at a time, each ends with
 * the byte 0x1a. OpenOCD does not say whether a command has failed, so each is sent inside of a
 * catch. The other side is not believed: answers have a bound, and a time in which they must come.
 *
 * Every failing function reports the command that failed. Results: EAR_E_REFUSED, OpenOCD could not
 * do it; EAR_E_TIMEOUT, no answer; EAR_E_NO_DEVICE, the connection has ended; EAR_E_BAD_MESSAGE,
 * the answer is none to this command. After all but the first the connection is not usable: the
 * next command fails with EAR_E_NO_DEVICE.
 */

#define EAR_TCL_COMMAND_MAX 512u        /* bytes of a command */
#define EAR_TCL_ANSWER_MAX  (64u << 10) /* bytes of an answer */

/* Words of one read: their answer has 11 bytes for each. */
#define EAR_TCL_WORDS_MAX 1024u

struct ear_tcl_port {
	int fd;              /* -1: not usable */
	const char *name;    /* of the device, for reports */
	unsigned timeout_ms; /* of an answer */
	char answer[EAR_TCL_ANSWER_MAX];
};

/* device: openocd:HOST:PORT; it must stay. Returns 0, or as ear_tcp_connect. */
int ear_tcl_port_open(struct ear_tcl_port *port, const char *device, struct ear_report *report);
void ear_tcl_port_close(struct ear_tcl_port *port);

/* Run a command. Returns 0 and its result in *result, valid until the next one. */
int ear_tcl_port_run(struct ear_tcl_port *port, const char **result, struct ear_report *report,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Read words of 32 bits, at most EAR_TCL_WORDS_MAX, from address on. */
int ear_tcl_port_read(struct ear_tcl_port *port, uint32_t *words, uint64_t address, size_t count,
	struct ear_report *report);

/* Read the word at address so many times. */
int ear_tcl_port_read_again(struct ear_tcl_port *port, uint32_t *words, uint64_t address,
	size_t count, struct ear_report *report);

int ear_tcl_port_write(
	struct ear_tcl_port *port, uint64_t address, uint32_t word, struct ear_report *report);

/* Is the text exactly count numbers of 32 bits, decimal or 0x, with blanks around them? Pure. */
bool ear_tcl_words(uint32_t *words, size_t count, const char *text);

#endif
