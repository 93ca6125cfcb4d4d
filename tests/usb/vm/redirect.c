/* A USB model at the other end of QEMU's usbredir connection. Requests of the guest become calls of
 * the model; a bulk transfer waits in a list until the model can answer it. What is written is
 * bounded, so a guest that does not read stops the transfers and not this program's memory.
 */
#include "redirect.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <usbredirparser.h>

#define OUTPUT_MAX     (1u << 20) /* bytes that may wait to be sent before more are made */
#define REQUEST_LENGTH 65536

/* A bulk transfer of the guest. */
struct transfer {
	struct transfer *next;
	uint64_t id;
	struct usb_redir_bulk_packet_header header;
	size_t size, done;
	uint8_t bytes[];
};

struct redirect {
	struct usbredirparser *parser;
	struct usb_model *model;
	int fd;
	void (*deconfigured)(void);
	bool greeted, wanted, plugged, gone;
	struct transfer *first, **last; /* in order */
};

/* -- Transfers -- */

static int status_of(int error)
{
	switch (error) {
	case 0: return usb_redir_success;
	case -EPIPE: return usb_redir_stall;
	case -EOVERFLOW: return usb_redir_babble;
	case -ETIMEDOUT: return usb_redir_timeout;
	default: return usb_redir_ioerror;
	}
}

static void unlink_transfer(struct redirect *redirect, struct transfer **place)
{
	struct transfer *transfer = *place;

	*place = transfer->next;
	if (!*place)
		redirect->last = place;
}

/* Answer a transfer that is in the list no more, and free it. */
static void answer(struct redirect *redirect, struct transfer *transfer, int status)
{
	bool in = transfer->header.endpoint & 0x80;

	transfer->header.status = (uint8_t)status;
	transfer->header.length = (uint16_t)transfer->done;
	transfer->header.length_high = (uint16_t)(transfer->done >> 16);
	usbredirparser_send_bulk_packet(redirect->parser, transfer->id, &transfer->header,
		in ? transfer->bytes : NULL, in ? (int)transfer->done : 0);
	free(transfer);
}

/* Give one transfer a chance. Returns true if it was answered. */
static bool serve(struct redirect *redirect, struct transfer **place)
{
	struct transfer *transfer = *place;
	struct usb_model *model = redirect->model;
	uint8_t endpoint = transfer->header.endpoint, *bytes = transfer->bytes + transfer->done;
	size_t size = transfer->size - transfer->done;
	bool ends = false;
	int moved = endpoint & 0x80 ? model->in(model, endpoint, bytes, size, &ends)
				    : model->out(model, endpoint, bytes, size);

	if (moved > 0)
		transfer->done += (size_t)moved;
	if (moved >= 0 && !ends && transfer->done < transfer->size)
		return false;
	unlink_transfer(redirect, place);
	answer(redirect, transfer, status_of(moved < 0 ? moved : 0));
	return true;
}

/* The first transfer of each endpoint, as long as one is answered. */
static void serve_all(struct redirect *redirect)
{
	bool changed = true;

	while (changed && redirect->plugged &&
		usbredirparser_get_bufferered_output_size(redirect->parser) < OUTPUT_MAX) {
		uint32_t seen = 0;

		changed = false;
		for (struct transfer **place = &redirect->first; *place && !changed;
			place = &(*place)->next) {
			uint8_t endpoint = (*place)->header.endpoint;
			uint32_t bit = 1u << ((endpoint & 15) + (endpoint & 0x80 ? 16 : 0));

			if (!(seen & bit))
				changed = serve(redirect, place);
			seen |= bit;
			if (changed)
				break;
		}
	}
}

/* -- What the other side says -- */

static void on_bulk(void *context, uint64_t id, struct usb_redir_bulk_packet_header *header,
	uint8_t *data, int data_size)
{
	struct redirect *redirect = context;
	size_t size = header->length | (size_t)header->length_high << 16;

	if (redirect->plugged && (header->endpoint & 0x80 || (size_t)data_size == size)) {
		struct transfer *transfer = calloc(1, sizeof(*transfer) + size);

		if (!transfer)
			abort();
		transfer->id = id;
		transfer->header = *header;
		transfer->size = size;
		if (data_size > 0)
			memcpy(transfer->bytes, data, size);
		*redirect->last = transfer;
		redirect->last = &transfer->next;
	}
	usbredirparser_free_packet_data(redirect->parser, data);
}

/* A transfer that was cancelled is answered as well, with the bytes that it has. */
static void on_cancel(void *context, uint64_t id)
{
	struct redirect *redirect = context;

	for (struct transfer **place = &redirect->first; *place; place = &(*place)->next) {
		struct transfer *transfer = *place;

		if (transfer->id != id)
			continue;
		unlink_transfer(redirect, place);
		return answer(redirect, transfer, usb_redir_cancelled);
	}
}

static void on_control(void *context, uint64_t id, struct usb_redir_control_packet_header *header,
	uint8_t *data, int data_size)
{
	struct redirect *redirect = context;
	bool in = header->requesttype & 0x80;
	uint8_t bytes[REQUEST_LENGTH] = {0};
	const uint8_t setup[8] = {header->requesttype, header->request, (uint8_t)header->value,
		(uint8_t)(header->value >> 8), (uint8_t)header->index,
		(uint8_t)(header->index >> 8), (uint8_t)header->length,
		(uint8_t)(header->length >> 8)};

	if (data_size > 0)
		memcpy(bytes, data, (size_t)data_size);
	int result = usb_model_control(redirect->model, setup, bytes, header->length);
	header->status = (uint8_t)status_of(result < 0 ? result : 0);
	if (result < 0)
		header->length = 0;
	else if (in)
		header->length = (uint16_t)result;
	usbredirparser_send_control_packet(
		redirect->parser, id, header, in ? bytes : NULL, in ? header->length : 0);
	usbredirparser_free_packet_data(redirect->parser, data);
}

static void on_set_configuration(
	void *context, uint64_t id, struct usb_redir_set_configuration_header *header)
{
	struct redirect *redirect = context;
	struct usb_redir_configuration_status_header status = {
		usb_redir_success, header->configuration};

	if (header->configuration == 0)
		redirect->deconfigured();
	usbredirparser_send_configuration_status(redirect->parser, id, &status);
}

static void on_get_configuration(void *context, uint64_t id)
{
	struct redirect *redirect = context;
	struct usb_redir_configuration_status_header status = {usb_redir_success, 1};

	usbredirparser_send_configuration_status(redirect->parser, id, &status);
}

static void on_set_setting(
	void *context, uint64_t id, struct usb_redir_set_alt_setting_header *header)
{
	struct redirect *redirect = context;
	struct usb_redir_alt_setting_status_header status = {
		usb_redir_success, header->interface, header->alt};

	usbredirparser_send_alt_setting_status(redirect->parser, id, &status);
}

static void on_get_setting(
	void *context, uint64_t id, struct usb_redir_get_alt_setting_header *header)
{
	struct redirect *redirect = context;
	struct usb_redir_alt_setting_status_header status = {
		usb_redir_success, header->interface, 0};

	usbredirparser_send_alt_setting_status(redirect->parser, id, &status);
}

static void on_reset(void *context)
{
	(void)context; /* the models have no state that a reset of the bus would clear */
}

static void on_disconnect_ack(void *context)
{
	(void)context;
}

static void on_hello(void *context, struct usb_redir_hello_header *header)
{
	struct redirect *redirect = context;

	(void)header;
	redirect->greeted = true;
	if (redirect->wanted)
		redirect_plug(redirect);
}

/* -- Plugging -- */

static void describe(const struct usb_model *model,
	struct usb_redir_interface_info_header *interfaces,
	struct usb_redir_ep_info_header *endpoints)
{
	memset(interfaces, 0, sizeof(*interfaces));
	memset(endpoints, 0, sizeof(*endpoints));
	memset(endpoints->type, usb_redir_type_invalid, sizeof(endpoints->type));
	endpoints->type[0] = endpoints->type[16] = usb_redir_type_control;
	endpoints->max_packet_size[0] = endpoints->max_packet_size[16] = 64;
	for (size_t at = 0; at < model->config_size; at += model->config[at]) {
		const uint8_t *entry = model->config + at;

		if (entry[1] == 4) {
			uint32_t i = interfaces->interface_count++;

			interfaces->interface[i] = entry[2];
			interfaces->interface_class[i] = entry[5];
			interfaces->interface_subclass[i] = entry[6];
			interfaces->interface_protocol[i] = entry[7];
		} else if (entry[1] == 5) {
			int i = (entry[2] & 15) | (entry[2] & 0x80 ? 16 : 0);

			endpoints->type[i] = entry[3] & 3;
			endpoints->interval[i] = entry[6];
			endpoints->max_packet_size[i] = (uint16_t)(entry[4] | entry[5] << 8);
		}
	}
}

void redirect_plug(struct redirect *redirect)
{
	const uint8_t *device = redirect->model->device_descriptor;
	struct usb_redir_interface_info_header interfaces;
	struct usb_redir_ep_info_header endpoints;
	struct usb_redir_device_connect_header connect = {.speed = usb_redir_speed_high,
		.device_class = device[4],
		.device_subclass = device[5],
		.device_protocol = device[6],
		.vendor_id = (uint16_t)(device[8] | device[9] << 8),
		.product_id = (uint16_t)(device[10] | device[11] << 8),
		.device_version_bcd = (uint16_t)(device[12] | device[13] << 8)};

	redirect->wanted = true;
	if (!redirect->greeted || redirect->plugged)
		return;
	/* In this order: QEMU takes no device whose interfaces and endpoints it does not know. */
	describe(redirect->model, &interfaces, &endpoints);
	usbredirparser_send_interface_info(redirect->parser, &interfaces);
	usbredirparser_send_ep_info(redirect->parser, &endpoints);
	usbredirparser_send_device_connect(redirect->parser, &connect);
	redirect->plugged = true;
}

static void forget_transfers(struct redirect *redirect)
{
	while (redirect->first) {
		struct transfer *transfer = redirect->first;

		unlink_transfer(redirect, &redirect->first);
		free(transfer);
	}
}

void redirect_unplug(struct redirect *redirect)
{
	redirect->wanted = false;
	if (!redirect->plugged)
		return;
	usbredirparser_send_device_disconnect(redirect->parser);
	redirect->plugged = false;
	forget_transfers(redirect);
}

/* -- The connection -- */

static void log_message(void *context, int level, const char *message)
{
	(void)context;
	if (level <= usbredirparser_warning)
		fprintf(stderr, "redirect: %s\n", message);
}

static int read_some(void *context, uint8_t *bytes, int size)
{
	struct redirect *redirect = context;
	ssize_t count = read(redirect->fd, bytes, (size_t)size);

	if (count < 0 && errno == EAGAIN)
		return 0;
	if (count <= 0)
		redirect->gone = true;
	return count <= 0 ? -1 : (int)count;
}

static int write_some(void *context, uint8_t *bytes, int size)
{
	struct redirect *redirect = context;
	ssize_t count = write(redirect->fd, bytes, (size_t)size);

	if (count < 0 && errno == EAGAIN)
		return 0;
	if (count < 0)
		redirect->gone = true;
	return (int)count;
}

struct redirect *redirect_new(int fd, struct usb_model *model, void (*deconfigured)(void))
{
	/* Without bulk_receiving: with it, QEMU would buffer the packets of an FTDI chip itself. */
	static const int wanted[] = {usb_redir_cap_connect_device_version,
		usb_redir_cap_device_disconnect_ack, usb_redir_cap_ep_info_max_packet_size,
		usb_redir_cap_64bits_ids, usb_redir_cap_32bits_bulk_length};
	struct redirect *redirect = calloc(1, sizeof(*redirect));
	uint32_t caps[USB_REDIR_CAPS_SIZE] = {0};
	struct usbredirparser *parser = usbredirparser_create();

	if (!redirect || !parser)
		abort();
	redirect->parser = parser;
	redirect->model = model;
	redirect->fd = fd;
	redirect->deconfigured = deconfigured;
	redirect->last = &redirect->first;
	parser->priv = redirect;
	parser->log_func = log_message;
	parser->read_func = read_some;
	parser->write_func = write_some;
	parser->hello_func = on_hello;
	parser->reset_func = on_reset;
	parser->set_configuration_func = on_set_configuration;
	parser->get_configuration_func = on_get_configuration;
	parser->set_alt_setting_func = on_set_setting;
	parser->get_alt_setting_func = on_get_setting;
	parser->control_packet_func = on_control;
	parser->bulk_packet_func = on_bulk;
	parser->cancel_data_packet_func = on_cancel;
	parser->device_disconnect_ack_func = on_disconnect_ack;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		usbredirparser_caps_set_cap(caps, wanted[i]);
	usbredirparser_init(
		parser, "earshot", caps, USB_REDIR_CAPS_SIZE, usbredirparser_fl_usb_host);
	return redirect;
}

void redirect_free(struct redirect *redirect)
{
	forget_transfers(redirect);
	usbredirparser_destroy(redirect->parser);
	free(redirect);
}

bool redirect_run(struct redirect *redirect)
{
	usbredirparser_do_read(redirect->parser);
	serve_all(redirect);
	if (usbredirparser_has_data_to_write(redirect->parser) > 0)
		usbredirparser_do_write(redirect->parser);
	return !redirect->gone;
}

bool redirect_wants_to_send(const struct redirect *redirect)
{
	return usbredirparser_has_data_to_write(redirect->parser) > 0;
}

bool redirect_wants_data(const struct redirect *redirect)
{
	return redirect->first != NULL;
}
