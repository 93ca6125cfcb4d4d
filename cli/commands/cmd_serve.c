/* 'earshot serve': a device for others over the network (driver/tools/server.h). Here are its
 * token, which only this user can read, and its end by a signal.
 */
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/live/interrupt.h"
#include "cli/live/live_top.h"
#include "cli/live/server_view.h"
#include "cli/options/options.h"
#include "cli/top/top_options.h"
#include "cli/web/web.h"
#include "driver/stream/transport_sim.h"
#include "driver/stream/transport_tcp.h"
#include "driver/tools/server.h"
#include "driver/transports.h"

#define PORT_DEFAULT     "7737"
#define WEB_PORT_DEFAULT "7738"
#define WEB_ROWS         50

static const char *served_device;

static void stop_server(void *server)
{
	ear_server_stop(server);
}

struct serve {
	struct ear_server_options options;
	const char *device, *token_file;
	bool quiet;

	bool with_web;
	const char *web_port;
	struct top_options top;
	struct web_options web;
	struct symbol_file symbols;
	struct server_view *view; /* NULL: none */
};

static const struct command_option table[] = {
	{"device", 'd', "DEVICE", VALUES_DEVICES,
		.text = "The device, named as for `earshot capture`.", .detail = "See {DEVICES}.",
		OPTION_VALUE(struct serve, device)},
	{"listen", 0, "ADDRESS",
		.text = "Address to listen on (default 127.0.0.1: this machine only). Nothing is encrypted.",
		.detail = "An SSH tunnel is a good way to another machine.",
		OPTION_VALUE(struct serve, options.address)},
	{"port", 0, "PORT", .text = "Port to listen on, 0 for any (default " PORT_DEFAULT ").",
		OPTION_VALUE(struct serve, options.port)},
	{"token-file", 0, "FILE", VALUES_FILES,
		.text = "The token is the first line of FILE. If FILE does not exist, a new token is "
			"written to it (default: $EARSHOT_TOKEN).",
		.detail =
			"A new file is readable for you alone. A file that other users can read or write, "
			"or that belongs neither to you nor to root, is refused.",
		OPTION_VALUE(struct serve, token_file)},
	{"web", 0,
		.text = "Also show what runs, as `earshot top` does, to browsers on this machine "
			"that give the token.",
		.detail = "The page and its address are in docs/analyses/web.md.",
		OPTION_VALUE(struct serve, with_web)},
	{"web-port", 0, "PORT",
		.text = "Port of --web at 127.0.0.1, 0 for any (default " WEB_PORT_DEFAULT ").",
		OPTION_VALUE(struct serve, web_port)},
	OPTION_GROUP(symbol_file_options, struct serve, symbols),
	QUIET_OPTION(struct serve, quiet),
	{0},
};

static void print_line(void *context, const char *line)
{
	if (!*(const bool *)context)
		cli_error("%s", line);
}

/* A file with a new token, for this user alone. Returns false after printing why not. */
static bool write_token(const char *path)
{
	uint8_t random[16];
	char token[2 * sizeof(random) + 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		cli_error("no random numbers: %s", strerror(errno));
		return false;
	}
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	strcat(token, "\n");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool written = fd >= 0 && write(fd, token, strlen(token)) == (ssize_t)strlen(token);
	if (!written)
		cli_error("%s: cannot write a token: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return written;
}

/* Returns 1 with a token, 0 without one, -1 after printing why not. */
static int find_token(char token[EAR_TCP_TOKEN_MAX + 1], const char *path)
{
	struct ear_report report;

	if (path && access(path, F_OK) != 0 && !write_token(path))
		return -1;
	int result = ear_tcp_read_token(token, path, &report);
	if (result < 0)
		cli_error("%s", report.text);
	return result < 0 ? -1 : result;
}

static int run_server(struct ear_server *server, bool quiet)
{
	struct ear_transport_end end;
	struct ear_report report;

	interrupt_stops(stop_server, server);
	if (cli_interrupted)
		ear_server_stop(server);
	if (ear_server_run(server, &end, &report) != 0) {
		cli_error("%s", report.text);
		return EAR_EXIT_FAILED;
	}
	if (end.reason == EAR_TRANSPORT_STOPPED || end.reason == EAR_TRANSPORT_END_OF_FILE) {
		if (!quiet)
			cli_error("ended");
		return EAR_EXIT_DONE;
	}
	cli_error("%s", end.report.text);
	return EAR_EXIT_FAILED;
}

/* The virtual board ends with its program; the next controller gets a new one. */
static int reopen(void *context, struct ear_transport **transport, struct ear_report *report)
{
	(void)context;
	return ear_transport_open(transport, served_device, report);
}

/* The view, in a process of its own. Returns false after printing why there is none. */
static bool start_view(struct serve *serve, const char *token)
{
	const struct live_top_options options = {.device = serve->device,
		.view = &serve->top,
		.symbols = &serve->symbols,
		.is_aside = true};
	unsigned port;

	if (!serve->with_web)
		return true;
	if (!token) {
		cli_error(
			"--web shows the trace to those who have the token, and there is none: give "
			"--token-file FILE or set EARSHOT_TOKEN");
		return false;
	}
	serve->web.listen_fd = web_listen(serve->web_port, &port);
	if (serve->web.listen_fd < 0)
		return false;
	serve->web.token = token;
	serve->top.web = &serve->web;
	live_top_find_program(serve->device, &serve->symbols);
	const bool started = server_view_start(&serve->view, &options);
	close(serve->web.listen_fd); /* it is the view's */
	if (!started)
		return false;
	serve->options.tap = server_view_tap(serve->view);
	if (!serve->quiet)
		cli_error(
			"what runs is at http://127.0.0.1:%u/, for those who have the token", port);
	if (!web_has_page())
		cli_warning(
			"this earshot was built without the page (-DEAR_REPORT=ON): there are only "
			"the events");
	return true;
}

static int serve_device(struct serve *serve)
{
	struct ear_server_options *options = &serve->options;
	const char *device = serve->device;
	const bool *quiet = options->context;
	char token[EAR_TCP_TOKEN_MAX + 1];
	struct ear_transport *transport;
	struct ear_server *server;
	struct ear_report report;
	int has_token = find_token(token, serve->token_file);

	if (has_token < 0)
		return EAR_EXIT_FAILED;
	options->token = has_token ? token : NULL;
	if (!start_view(serve, options->token))
		return EAR_EXIT_FAILED;
	served_device = device;
	options->reopen = reopen;
	interrupt_catch();
	ear_transport_sim_set_quiet(*quiet);
	if (ear_transport_open(&transport, device, &report) != 0 ||
		ear_server_open(&server, transport, options, &report) != 0) {
		cli_error("%s", report.text);
		return EAR_EXIT_FAILED;
	}
	if (!*quiet) {
		const char *address = options->address ? options->address : "127.0.0.1";
		bool colons = strchr(address, ':'); /* as in IPv6 */

		cli_error("%s at tcp:%s%s%s:%u; %s", device, colons ? "[" : "", address,
			colons ? "]" : "", ear_server_port(server),
			has_token ? "control with the token"
				  : "no token, so nobody may control it");
	}
	confine_server(device);
	int status = run_server(server, *quiet);
	interrupt_stops(NULL, NULL);
	ear_server_close(server);
	return status;
}

static int run(int argc, char **argv)
{
	static struct serve serve = {.options = {.port = PORT_DEFAULT, .report = print_line},
		.top = TOP_OPTIONS_DEFAULTS};
	int status;

	serve.options.context = &serve.quiet;
	int first = options_parse(&cmd_serve, argc, argv, &serve, &status);
	if (first < 0)
		return status;
	if (first != argc)
		return cli_usage("serve", "'%s' is not an option", argv[first]);
	if (!serve.device)
		return cli_usage("serve", "which device? Give -d DEVICE");
	if (!serve.with_web && (serve.web_port || serve.symbols.elf))
		return cli_usage(
			"serve", "%s is for --web", serve.web_port ? "--web-port" : "--elf");
	if ((serve.with_web && !web_is_there()) ||
		(serve.token_file && !files_read("--token-file", serve.token_file)) ||
		!files_device(serve.device))
		return EAR_EXIT_FAILED;
	serve.top.how = TOP_WEB;
	serve.top.rows = WEB_ROWS;
	if (!serve.web_port)
		serve.web_port = WEB_PORT_DEFAULT;
	status = serve_device(&serve);
	if (!server_view_finish(serve.view))
		status = EAR_EXIT_FAILED;
	symbol_file_close(&serve.symbols);
	return status;
}

const struct command cmd_serve = {
	.name = "serve",
	.arguments = "-d DEVICE [OPTION]...",
	.summary = "share a device over the network",
	.about =
		"Share a device: others capture from tcp:HOST:PORT. Everybody who connects receives "
		"what the device sends; one of them, who knows the token, may control it.",
	.options = table,
	.notes = "Without a token nobody may control the device: there are only listeners.",
	.exit_status =
		"0 ended by a signal, 2 it could not be done, or the device failed or vanished.",
	.opens_device = true,
	.run = run,
};
