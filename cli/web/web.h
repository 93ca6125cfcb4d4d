#ifndef EAR_WEB_H
#define EAR_WEB_H

#include <stdbool.h>
#include <stddef.h>

/* A live view for browsers: one page, and a stream of events (docs/analyses/web.md). Nothing can be
 * changed over it. What is shown is text that the caller hands over.
 *
 *     web_listen      a socket; before rights are given up, and before a process is started
 *     web_start       in the process that serves, which has given up its rights
 *     web_publish     an update; the one before is forgotten
 *     web_run         answer requests for some time
 *     web_finish      the last update
 *
 * One thread. It never waits for a client: a client that is slow misses updates, and learns how
 * many. All that a client can take is bounded: see web.c.
 */
struct web_server;

struct web_options {
	int listen_fd;      /* of web_listen; the server's from now on */
	const char *token;  /* who has it may look */
	const char *device; /* its name, to be shown */
	double interval;    /* seconds between updates, to be shown */
};

/* Is the server in this build? If not, print what is missing. */
bool web_is_there(void);

/* Has this build the page, too? Without it there are only events. */
bool web_has_page(void);

/* Listen at the loopback address. port: a number, 0 for any. Returns the descriptor, or -1 after
 * printing why not. */
int web_listen(const char *port, unsigned *port_out);

/* Returns false after printing why not. */
bool web_start(struct web_server **server, const struct web_options *options);

/* text[0 .. size-1] are events as they are sent. Copied. Without memory for it the update is
 * skipped for all. */
void web_publish(struct web_server *server, const char *text, size_t size);

/* Answer requests for so long. */
void web_run(struct web_server *server, unsigned duration_ms);

/* text is the last update: hand it to those who take it in time, and end. NULL is fine. */
void web_finish(struct web_server *server, const char *text, size_t size);

#endif
