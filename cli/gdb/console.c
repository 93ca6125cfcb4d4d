/* Text to the console of the client, in packets of its own. */
#include "cli/gdb/console.h"

#include <string.h>

void ear_gdb_console(struct ear_gdb_session *session, const char *text)
{
	struct ear_gdb_reply *reply = &session->link.reply;

	for (size_t left = strlen(text); left > 0;) {
		size_t part = left < 1024 ? left : 1024;
		ear_gdb_reply_begin(reply);
		ear_gdb_reply_text(reply, "O");
		ear_gdb_reply_hex(reply, text, part);
		ear_gdb_link_send(&session->link);
		text += part;
		left -= part;
	}
}
