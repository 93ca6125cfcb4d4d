#ifndef EAR_ERROR_H
#define EAR_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Results of operations that could not be done.
 *
 * A function that returns int gives a useful number (>= 0) or one of these.
 * What happened *to the trace* (loss, damage, end) is never an error code: it is
 * a record (earshot/record.h).
 */
enum ear_error {
	EAR_E_MORE = -1,        /* the data ends here: call again with more */
	EAR_E_BAD_FRAME = -2,   /* no valid frame begins here: search for the next one */
	EAR_E_BAD_MESSAGE = -3, /* the message does not follow docs/protocol.md */
	EAR_E_BAD_FILE = -4,    /* a file's contents do not follow its format */
	EAR_E_BAD_ARGUMENT =
		-5,           /* the caller (a user, in the end) asked for something impossible */
	EAR_E_NO_MEMORY = -6, /* an allocation failed */
	EAR_E_IO = -7,        /* the operating system refused; errno has the reason */
	EAR_E_NO_DEVICE = -8, /* the device is not there, or went away */
	EAR_E_TIMEOUT = -9,   /* nothing came in time */
	EAR_E_VERSION = -10,  /* the other side speaks another protocol major */
	EAR_E_REFUSED = -11,  /* the unit answered a control word with an error status */
	EAR_E_FULL = -12,     /* no space is left in a fixed-size buffer */
	EAR_E_UNSUPPORTED = -13, /* valid, but this build or this device cannot do it */
	EAR_E_CANCELLED = -14,   /* the progress function asked for the end */
	EAR_E_NO_PROGRAM = -15,  /* a branch trace, and the program that ran is not given */
};

/* A short English sentence fragment for an error code, without a final full stop.
 * Never NULL; valid for the whole run. An unknown code gives "unknown error".
 */
const char *ear_error_text(int error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
