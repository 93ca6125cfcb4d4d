/* The server: libmicrohttpd without threads of its own, so that one thread has all, no lock is
 * needed and no client can hold anything but its own connection.
 *
 * An update is one text for all clients, with a count of who still sends it. Who has sent all of it
 * is suspended until there is a newer one; who is slow gets the newest one afterwards, and how many
 * were between. So memory is bounded by the number of clients, whatever they do.
 *
 * Before its stream begins a connection is a stranger. It has STRANGER_MS for a request and an
 * answer, and when there are more than STRANGERS_MAX the oldest is closed: those that say nothing
 * cannot keep out one who has the token. A stream that takes nothing for STREAM_SECONDS is closed.
 */
#include "cli/web/web.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/seconds.h"
#include "cli/report/report_bundle.h"
#include "cli/show/json.h"
#include "cli/web/web_http.h"
#include "cli/web/web_request.h"

#define STREAMS_MAX    16
#define STRANGERS_MAX  16
#define CONNECTIONS    64              /* libmicrohttpd's own limit, above both */
#define STRANGER_MS    10000           /* for a request and its answer */
#define STREAM_SECONDS 30u             /* without a byte taken */
#define MEMORY_MAX     ((size_t)16384) /* of a connection: its headers, for one */
#define BLOCK_SIZE     16384
#define SENT_MAX       65536 /* of a stream, in the kernel and not taken by the client */
#define FINISH_MS      1000
#define BACKLOG        64

struct update {
	unsigned users;
	uint64_t number;
	size_t size;
	char text[];
};

/* A connection, from its beginning to its end. */
struct peer {
	struct peer *next;
	struct MHD_Connection *connection;
	int fd;
	double begin;
	bool is_stream;
};

/* A stream of events. */
struct client {
	struct client *next;
	struct web_server *server;
	struct MHD_Connection *connection;
	struct update *update; /* is sent; NULL: none */
	uint64_t last;         /* number of the last one */
	uint64_t skipped;
	size_t head_size, at; /* at: of head and update's text together */
	bool waits, greeted;
	char head[512];
};

struct web_server {
	struct web_options options;
	struct MHD_Daemon *daemon;
	int epoll_fd;
	struct MHD_Response *page; /* NULL: this build has none */
	struct peer *peers;        /* the youngest first */
	struct client *clients;
	unsigned client_count;
	struct update *newest;
	uint64_t number;
	uint64_t skipped; /* updates, by all clients */
	char *hello;
	bool over;
};

bool web_is_there(void)
{
	return web_http_load();
}

bool web_has_page(void)
{
	return ear_live_script_size > 0;
}

/* ---- Updates. ---- */

static void release(struct update *update)
{
	if (update && --update->users == 0)
		free(update);
}

/* With what concerns this client alone before it. */
static void begin_update(struct client *client)
{
	struct web_server *server = client->server;
	struct update *update = server->newest;

	if (client->last > 0 && update->number - client->last > 1) {
		client->skipped += update->number - client->last - 1;
		server->skipped += update->number - client->last - 1;
	}
	client->update = update;
	update->users++;
	client->last = update->number;
	client->at = 0;
	const int length = snprintf(client->head, sizeof(client->head),
		"event: client\ndata: {\"clients\":%u,\"skipped\":%" PRIu64
		",\"skipped_by_all\":%" PRIu64 "}\n\n",
		server->client_count, client->skipped, server->skipped);
	client->head_size = (size_t)length;
}

static size_t take(char *to, size_t room, const char *text, size_t size, size_t at)
{
	const size_t left = at < size ? size - at : 0;
	const size_t taken = left < room ? left : room;

	if (taken > 0)
		memcpy(to, text + at, taken);
	return taken;
}

/* The next bytes of a stream. */
static ssize_t read_stream(void *context, uint64_t position, char *to, size_t room)
{
	struct client *client = context;
	struct web_server *server = client->server;
	size_t size;

	(void)position;
	if (!client->greeted) {
		size = take(to, room, server->hello, strlen(server->hello), client->at);
		client->at += size;
		if (size > 0)
			return (ssize_t)size;
		client->greeted = true;
		client->at = 0;
	}
	if (client->update && client->at == client->head_size + client->update->size) {
		release(client->update);
		client->update = NULL;
	}
	if (!client->update && server->newest && server->newest->number > client->last)
		begin_update(client);
	if (!client->update) {
		if (server->over)
			return MHD_CONTENT_READER_END_OF_STREAM;
		client->waits = true;
		web_http.suspend_connection(client->connection);
		return 0;
	}
	size = take(to, room, client->head, client->head_size, client->at);
	if (size == 0)
		size = take(to, room, client->update->text, client->update->size,
			client->at - client->head_size);
	client->at += size;
	return (ssize_t)size;
}

static void wake_clients(struct web_server *server)
{
	for (struct client *client = server->clients; client; client = client->next) {
		if (client->waits)
			web_http.resume_connection(client->connection);
		client->waits = false;
	}
}

void web_publish(struct web_server *server, const char *text, size_t size)
{
	struct update *update = malloc(sizeof(*update) + size);

	server->number++;
	if (!update)
		return;
	*update = (struct update){.users = 1, .number = server->number, .size = size};
	memcpy(update->text, text, size);
	release(server->newest);
	server->newest = update;
	wake_clients(server);
}

/* ---- Answers. ---- */

static void free_client(void *context)
{
	struct client *client = context;
	struct client **link = &client->server->clients;

	while (*link && *link != client)
		link = &(*link)->next;
	if (*link)
		*link = client->next;
	client->server->client_count--;
	release(client->update);
	free(client);
}

/* No answer is kept by a browser or shown inside another page. */
static bool add_headers(struct MHD_Response *response, const char *type)
{
	const struct {
		const char *name, *value;
	} headers[] = {{"Content-Type", type}, {"Cache-Control", "no-store"},
		{"Connection", "close"}, {"Referrer-Policy", "no-referrer"},
		{"X-Content-Type-Options", "nosniff"}, {"X-Frame-Options", "DENY"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cross-Origin-Resource-Policy", "same-origin"}};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (web_http.add_response_header(response, headers[i].name, headers[i].value) !=
			MHD_YES)
			return false;
	return true;
}

static enum MHD_Result answer(
	struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
	const enum MHD_Result result = web_http.queue_response(connection, status, response);

	web_http.destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(
	struct MHD_Connection *connection, unsigned status, const char *reason)
{
	char text[256];
	const int length = snprintf(text, sizeof(text), "earshot: %s\n", reason);
	struct MHD_Response *response =
		web_http.create_response_from_buffer((size_t)length, text, MHD_RESPMEM_MUST_COPY);

	if (!response)
		return MHD_NO;
	if (!add_headers(response, "text/plain; charset=utf-8") ||
		(status == MHD_HTTP_METHOD_NOT_ALLOWED &&
			web_http.add_response_header(response, "Allow", "GET") != MHD_YES) ||
		(status == MHD_HTTP_UNAUTHORIZED &&
			web_http.add_response_header(response, "WWW-Authenticate", "Bearer") !=
				MHD_YES)) {
		web_http.destroy_response(response);
		return MHD_NO;
	}
	return answer(connection, status, response);
}

static struct peer *peer_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		web_http.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static enum MHD_Result answer_events(struct web_server *server, struct MHD_Connection *connection)
{
	static const int sent_max = SENT_MAX;
	struct peer *peer = peer_of(connection);
	struct client *client;

	if (server->client_count >= STREAMS_MAX)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			"too many look already: 16 is the limit");
	client = calloc(1, sizeof(*client));
	if (!client)
		return MHD_NO;
	*client = (struct client){
		.next = server->clients, .server = server, .connection = connection};
	struct MHD_Response *response = web_http.create_response_from_callback(
		MHD_SIZE_UNKNOWN, BLOCK_SIZE, read_stream, client, free_client);
	if (!response) {
		free(client);
		return MHD_NO;
	}
	server->clients = client;
	server->client_count++;
	if (peer) {
		peer->is_stream = true;
		setsockopt(peer->fd, SOL_SOCKET, SO_SNDBUF, &sent_max, sizeof(sent_max));
	}
	if (!add_headers(response, "text/event-stream; charset=utf-8")) {
		web_http.destroy_response(response);
		return MHD_NO;
	}
	return answer(connection, MHD_HTTP_OK, response);
}

static enum MHD_Result take_request(void *context, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version, const char *upload,
	size_t *upload_size, void **request)
{
	struct web_server *server = context;

	(void)version;
	(void)upload;
	(void)upload_size;
	(void)request;
	const struct web_answer judged = web_judge(connection, method, url, server->options.token);
	switch (judged.wish) {
	case WEB_REFUSED: return answer_text(connection, judged.status, judged.reason);
	case WEB_EVENTS: return answer_events(server, connection);
	case WEB_PAGE: break;
	}
	if (!server->page)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			"this earshot was built without the page (-DEAR_REPORT=ON); "
			"/events is there");
	return web_http.queue_response(connection, MHD_HTTP_OK, server->page);
}

/* ---- Connections. ---- */

static void close_peer(struct peer *peer)
{
	shutdown(peer->fd, SHUT_RDWR);
}

/* Strangers that take too long, and the oldest of too many. */
static void judge_peers(struct web_server *server)
{
	const double now = cli_seconds();
	unsigned strangers = 0;

	for (struct peer *peer = server->peers; peer; peer = peer->next) {
		if (peer->is_stream)
			continue;
		strangers++;
		if (strangers > STRANGERS_MAX || (now - peer->begin) * 1000 >= STRANGER_MS)
			close_peer(peer);
	}
}

static void take_connection(void *context, struct MHD_Connection *connection, void **peer_context,
	enum MHD_ConnectionNotificationCode what)
{
	struct web_server *server = context;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		struct peer *peer = *peer_context;
		struct peer **link = &server->peers;
		while (*link && *link != peer)
			link = &(*link)->next;
		if (*link)
			*link = peer->next;
		free(peer);
		*peer_context = NULL;
		return;
	}
	const union MHD_ConnectionInfo *info =
		web_http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct peer *peer = info ? calloc(1, sizeof(*peer)) : NULL;
	*peer_context = peer;
	if (!peer) { /* nobody would watch it */
		if (info)
			shutdown(info->connect_fd, SHUT_RDWR);
		return;
	}
	*peer = (struct peer){.next = server->peers,
		.connection = connection,
		.fd = info->connect_fd,
		.begin = cli_seconds()};
	server->peers = peer;
	judge_peers(server);
}

/* ---- Begin and end. ---- */

int web_listen(const char *port, unsigned *port_out)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(own);
	char *end;
	const unsigned long number = strtoul(port, &end, 10);
	const int one = 1;

	if (port[0] < '0' || port[0] > '9' || *end || number > 65535) {
		cli_error("--web-port: '%s' is not a port number from 0 to 65535", port);
		return -1;
	}
	own.sin_port = htons((uint16_t)number);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
		bind(fd, (struct sockaddr *)&own, sizeof(own)) == 0 && listen(fd, BACKLOG) == 0 &&
		getsockname(fd, (struct sockaddr *)&own, &size) == 0) {
		*port_out = ntohs(own.sin_port);
		return fd;
	}
	cli_error("--web: cannot listen at 127.0.0.1 port %s: %s", port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* What libmicrohttpd has to say is about single connections of strangers. */
static void hear_nothing(void *context, const char *format, va_list arguments)
{
	(void)context;
	(void)format;
	(void)arguments;
}

static char *make_hello(const struct web_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	struct json json = json_to(file);
	fputs("event: hello\ndata: ", file);
	json_open(&json, NULL, '{');
	json_number(&json, "protocol", 1);
	json_text(&json, "earshot", cli_version);
	json_text(&json, "device", options->device);
	json_real(&json, "interval", options->interval, 3);
	json_close(&json, '}');
	fputs("\n\n", file);
	if (fclose(file) == 0)
		return text;
	free(text);
	return NULL;
}

/* The policy allows the one script and the one style, and requests to this server. */
static bool make_page(struct web_server *server)
{
	char policy[512], *text = NULL;
	size_t size;
	FILE *file;

	if (!web_has_page())
		return true;
	file = open_memstream(&text, &size);
	if (!file)
		return false;
	fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
	      "name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<link "
	      "rel=\"icon\" href=\"data:,\">\n<title>earshot, live</title>\n<style>",
		file);
	fwrite(ear_live_style, 1, ear_live_style_size, file);
	fputs("</style></head>\n<body>\n<noscript>This page needs JavaScript to show what runs."
	      "</noscript>\n<script>",
		file);
	fwrite(ear_live_script, 1, ear_live_script_size, file);
	fputs("</script>\n</body></html>\n", file);
	if (fclose(file) != 0) {
		free(text);
		return false;
	}
	snprintf(policy, sizeof(policy),
		"default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; "
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
		"require-trusted-types-for 'script'; trusted-types 'none'",
		ear_live_script_hash, ear_live_style_hash);
	server->page = web_http.create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
	if (!server->page) {
		free(text);
		return false;
	}
	return add_headers(server->page, "text/html; charset=utf-8") &&
	       web_http.add_response_header(server->page, "Content-Security-Policy", policy) ==
		       MHD_YES;
}

static void free_all(struct web_server *server)
{
	if (server->daemon)
		web_http.stop_daemon(server->daemon);
	else
		close(server->options.listen_fd);
	if (server->page)
		web_http.destroy_response(server->page);
	release(server->newest);
	free(server->hello);
	free(server);
}

bool web_start(struct web_server **server_out, const struct web_options *options)
{
	struct web_server *server = calloc(1, sizeof(*server));

	*server_out = NULL;
	if (!server) {
		cli_error("--web: no memory");
		return false;
	}
	server->options = *options;
	server->hello = make_hello(options);
	if (!server->hello || !make_page(server)) {
		cli_error("--web: no memory");
		free_all(server);
		return false;
	}
	/* The logger comes first: options before it would be reported by libmicrohttpd itself. */
	server->daemon = web_http.start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
		NULL, take_request, server, MHD_OPTION_EXTERNAL_LOGGER, hear_nothing, NULL,
		MHD_OPTION_LISTEN_SOCKET, options->listen_fd, MHD_OPTION_NOTIFY_CONNECTION,
		take_connection, server, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, STREAM_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		MEMORY_MAX, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	const union MHD_DaemonInfo *info =
		server->daemon ? web_http.get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)
			       : NULL;
	if (!info) {
		cli_error("--web: the server cannot be started: %s", strerror(errno));
		free_all(server);
		return false;
	}
	server->epoll_fd = info->epoll_fd;
	*server_out = server;
	return true;
}

void web_run(struct web_server *server, unsigned duration_ms)
{
	const double end = cli_seconds() + duration_ms / 1000.0;
	double left = duration_ms;

	do {
		MHD_UNSIGNED_LONG_LONG wanted;
		struct pollfd in = {.fd = server->epoll_fd, .events = POLLIN};
		int wait_ms = (int)left + 1;

		if (web_http.get_timeout(server->daemon, &wanted) == MHD_YES &&
			wanted < (MHD_UNSIGNED_LONG_LONG)wait_ms)
			wait_ms = (int)wanted;
		poll(&in, 1, wait_ms);
		web_http.run(server->daemon);
		judge_peers(server);
		left = (end - cli_seconds()) * 1000;
	} while (left > 0 && !cli_interrupted);
}

void web_finish(struct web_server *server, const char *text, size_t size)
{
	if (!server)
		return;
	web_publish(server, text, size);
	server->over = true;
	wake_clients(server); /* without memory for the update, too */
	const double end = cli_seconds() + FINISH_MS / 1000.0;
	while (server->client_count > 0 && cli_seconds() < end) {
		struct pollfd in = {.fd = server->epoll_fd, .events = POLLIN};
		web_http.run(server->daemon);
		if (server->client_count > 0)
			poll(&in, 1, 10);
	}
	free_all(server);
}
