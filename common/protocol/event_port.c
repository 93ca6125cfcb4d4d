/* The registers of the event port, by name, number and place.
 *
 * The window has two pages of 4 KiB. Of the kernel page the first 112 words have numbers, of the
 * user page the first 16, so that a number fits into the 7 bits of an event's source.
 */
#include "common/protocol/event_port.h"

#include <string.h>

#define REGISTERS 128u
#define USER_PAGE 0x1000u
#define WINDOW    0x2000u

static const char *const names[REGISTERS] = {
	[EAR_PORT_SWITCH] = "switch",
	[EAR_PORT_FORK] = "fork",
	[EAR_PORT_EXECVE_VMSTART] = "execve-vmstart",
	[EAR_PORT_EXECVE_VMEND] = "execve-vmend",
	[EAR_PORT_EXECVE_OFFSET] = "execve-offset",
	[EAR_PORT_EXECVE_EXEPATH] = "execve-exepath",
	[EAR_PORT_EXIT] = "exit",
	[EAR_PORT_CMDLINE] = "cmdline",
	[EAR_PORT_CMDLINE_LEN] = "cmdline-len",
	[EAR_PORT_MMAP_EXEPATH] = "mmap-exepath",
	[EAR_PORT_INIT_PID] = "init-pid",
	[EAR_PORT_INIT_NAME] = "init-name",
	[EAR_PORT_CLONE] = "clone",
	[EAR_PORT_UNMAP_START] = "unmap-start",
	[EAR_PORT_UNMAP_END] = "unmap-end",
	[EAR_PORT_NAME] = "name",
	[EAR_PORT_TGID] = "tgid",
	[EAR_PORT_DYN_SYM] = "dyn-sym",
	[EAR_PORT_DYN_SYM_ADDR] = "dyn-sym-addr",
	[EAR_PORT_REMOVE_ADDR] = "remove-addr",
	[EAR_PORT_PRINT_STR] = "print-str",
	[EAR_PORT_PRINT_NUM_DEC] = "print-num-dec",
	[EAR_PORT_PRINT_NUM_HEX] = "print-num-hex",
	[EAR_PORT_STOP_EMU] = "stop-emu",
	[EAR_PORT_ENABLE] = "enable",
	[EAR_PORT_STRING] = "string",
	[EAR_PORT_STRING_BYTE] = "string-byte",
	[EAR_PORT_PHYSICAL] = "physical",
	[EAR_PORT_HIGH] = "high",
	[EAR_PORT_METHOD_ENTRY] = "method-entry",
	[EAR_PORT_METHOD_EXIT] = "method-exit",
	[EAR_PORT_METHOD_EXCEPTION] = "method-exception",
	[EAR_PORT_NATIVE_ENTRY] = "native-entry",
	[EAR_PORT_NATIVE_EXIT] = "native-exit",
	[EAR_PORT_NATIVE_EXCEPTION] = "native-exception",
	[EAR_PORT_MARK] = "mark",
	[EAR_PORT_COUNTER] = "counter",
	[EAR_PORT_COUNT] = "count",
	[EAR_PORT_USER_STRING] = "user-string",
	[EAR_PORT_USER_HIGH] = "user-high",
};

_Static_assert(EAR_EVENT_REGISTER == REGISTERS, "the source of an event has room for each number");

const char *ear_event_port_name(uint8_t source)
{
	return source >= EAR_EVENT_REGISTER ? names[source - EAR_EVENT_REGISTER] : NULL;
}

uint8_t ear_event_port_source(const char *name, size_t size)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		if (names[i] && strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
			return (uint8_t)(EAR_EVENT_REGISTER + i);
	return 0;
}

int ear_event_port_number(uint32_t offset)
{
	unsigned number = offset / 4;

	if (offset >= WINDOW)
		return -1;
	if (offset >= USER_PAGE)
		number = EAR_PORT_USER + (offset - USER_PAGE) / 4;
	else if (number >= EAR_PORT_USER)
		return -1;
	return number < REGISTERS && names[number] ? (int)number : -1;
}

bool ear_event_port_is_string(uint8_t source)
{
	switch (source - EAR_EVENT_REGISTER) {
	case EAR_PORT_EXECVE_EXEPATH:
	case EAR_PORT_CMDLINE:
	case EAR_PORT_MMAP_EXEPATH:
	case EAR_PORT_INIT_NAME:
	case EAR_PORT_NAME:
	case EAR_PORT_DYN_SYM:
	case EAR_PORT_PRINT_STR: return true;
	default: return false;
	}
}
