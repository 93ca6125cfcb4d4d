/* The texts of the error codes, for messages that have nothing better. They are fragments: the
 * caller puts in front what was tried, and on what.
 */
#include <earshot/error.h>

const char *ear_error_text(int error)
{
	switch (error) {
	case EAR_E_MORE: return "the data ends too early";
	case EAR_E_BAD_FRAME: return "not a valid frame";
	case EAR_E_BAD_MESSAGE: return "not a valid message";
	case EAR_E_BAD_FILE: return "the file does not follow its format";
	case EAR_E_BAD_ARGUMENT: return "invalid argument";
	case EAR_E_NO_MEMORY: return "out of memory";
	case EAR_E_IO: return "input/output error";
	case EAR_E_NO_DEVICE: return "the device is not there";
	case EAR_E_TIMEOUT: return "no answer in time";
	case EAR_E_VERSION: return "unknown protocol version";
	case EAR_E_REFUSED: return "the unit refused";
	case EAR_E_FULL: return "no space left in a buffer";
	case EAR_E_UNSUPPORTED: return "not supported";
	case EAR_E_CANCELLED: return "cancelled";
	case EAR_E_NO_PROGRAM: return "a branch trace needs the program that ran";
	default: return error >= 0 ? "no error" : "unknown error";
	}
}
