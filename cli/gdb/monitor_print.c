/* Texts that several monitor commands print. */
#include "cli/gdb/monitor_print.h"

#include <inttypes.h>

#include "common/printable.h"

void ear_gdb_print_foreign(struct ear_gdb_monitor *monitor, const char *text)
{
	char safe[512];

	ear_printable_string(safe, sizeof(safe), text, EAR_PRINTABLE_LINE);
	fputs(safe, monitor->out);
}

void ear_gdb_print_error(struct ear_gdb_monitor *monitor)
{
	const char *error = ear_trace_error(monitor->trace);

	fputs("it could not be done: ", monitor->out);
	ear_gdb_print_foreign(monitor, error[0] ? error : "the trace cannot be read");
	fputs("\n", monitor->out);
}

void ear_gdb_print_place(struct ear_gdb_monitor *monitor, uint64_t pc)
{
	char text[256];

	fprintf(monitor->out, "0x%0*" PRIx64, (int)monitor->session->xlen / 4, pc);
	if (!monitor->names)
		return;
	if (ear_names_text(monitor->names, pc, text, sizeof(text)) > 0)
		fprintf(monitor->out, " <%s>", text);
	if (ear_names_line_text(monitor->names, pc, text, sizeof(text)) > 0)
		fprintf(monitor->out, " %s", text);
}
