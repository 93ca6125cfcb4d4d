/* The lines that a server reports to its user, whose rate is limited so that strangers cannot flood
 * them, and how its thread is woken.
 */
#include "driver/tools/server_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "driver/base/clock.h"

void ear_server_report(struct ear_server *server, const char *format, ...)
{
	char line[256];
	va_list arguments;

	if (!server->options.report)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	server->options.report(server->options.context, line);
}

bool ear_server_may_report(struct ear_server *server)
{
	uint64_t now_ms = ear_clock_ms();
	uint64_t more = (now_ms - server->report_ms) / EAR_SERVER_REPORT_MS;

	if (more > 0) {
		server->report_ms += more * EAR_SERVER_REPORT_MS;
		server->report_room = more < EAR_SERVER_REPORT_BURST - server->report_room
					      ? server->report_room + (unsigned)more
					      : EAR_SERVER_REPORT_BURST;
	}
	if (server->report_room == 0) {
		server->suppressed++;
		return false;
	}
	server->report_room--;
	if (server->suppressed > 0)
		ear_server_report(server,
			"%llu messages about connections were suppressed: too many at once",
			(unsigned long long)server->suppressed);
	server->suppressed = 0;
	return true;
}

void ear_server_wake(struct ear_server *server)
{
	eventfd_write(server->wake_fd, 1);
}
