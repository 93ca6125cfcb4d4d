/* An interval as events of a stream: docs/analyses/web.md, section 2. */
#include "cli/top/top_web.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/top/top_share.h"
#include "cli/web/web.h"

struct top_web {
	struct web_server *server;
	char *last; /* the last update, when it was made */
	size_t last_size;
};

struct top_web *top_web_start(const struct top_source *source, const struct top_options *options)
{
	struct top_web *web = calloc(1, sizeof(*web));
	struct web_options wanted = *options->web;

	if (!web) {
		cli_error("--web: no memory");
		return NULL;
	}
	wanted.device = source->name;
	wanted.interval = options->interval;
	if (web_start(&web->server, &wanted))
		return web;
	free(web);
	return NULL;
}

static void put_event(FILE *file, const char *name, const struct top_frame *frame, bool sum)
{
	struct json json = json_to(file);

	fprintf(file, "event: %s\ndata: ", name);
	top_put_json(&json, frame, sum);
	fputs("\n\n", file);
}

bool top_web_update(
	struct top_web *web, const struct top_frame *now, const struct top_frame *sum, bool is_end)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return false;
	put_event(file, "interval", now, false);
	put_event(file, "total", sum, true);
	if (is_end)
		fprintf(file, "event: end\ndata: {\"state\":\"%s\"}\n\n",
			top_state_word(now->state));
	if (fclose(file) != 0) {
		free(text);
		return false;
	}
	if (is_end) {
		web->last = text;
		web->last_size = size;
		return true;
	}
	web_publish(web->server, text, size);
	free(text);
	return true;
}

void top_web_run(struct top_web *web, unsigned duration_ms)
{
	web_run(web->server, duration_ms);
}

void top_web_finish(struct top_web *web)
{
	if (!web)
		return;
	web_finish(web->server, web->last ? web->last : "", web->last_size);
	free(web->last);
	free(web);
}
