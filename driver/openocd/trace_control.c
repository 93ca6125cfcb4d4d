/* Components are set up from the sink to the encoders and stopped the other way, as the interface's
 * specification says ("Enabling and Disabling"). Options of the encoders that a decoder has to know
 * stay off: with all of them off the parameters of a trace are few, and every encoder has these.
 */
#include "driver/openocd/trace_control.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>

#include "driver/base/clock.h"
#include "driver/openocd/trace_registers.h"

#define WAIT_MS         2000 /* for a bit */
#define PAGES_AFTER     15u  /* looked through for a sink */
#define WORD_MAX        64u  /* bytes of a word of a sink's memory */
#define CAPACITY_MIN    64u
#define SYNCS_IN_RING   8u  /* synchronisations that a buffer should hold */
#define MESSAGE_SIZE    8u  /* bytes: few messages are larger */
#define MESSAGE_PARCELS 32u /* half-words of code for a message: most have more */

static int refuse(const struct ear_trace_control *control, struct ear_report *report,
	const char *component, uint64_t base, const char *cause)
{
	return ear_report_set(report, EAR_E_UNSUPPORTED, "%s: the %s at 0x%" PRIx64 " %s",
		control->port->name, component, base, cause);
}

/* --- Registers --- */

static int read_register(struct ear_trace_control *control, uint32_t *value, uint64_t base,
	unsigned offset, struct ear_report *report)
{
	return ear_tcl_port_read(control->port, value, base + offset, 1, report);
}

static int write_register(struct ear_trace_control *control, uint64_t base, unsigned offset,
	uint32_t value, struct ear_report *report)
{
	return ear_tcl_port_write(control->port, base + offset, value, report);
}

/* Write, and read what was taken. */
static int try_register(struct ear_trace_control *control, uint32_t *value, uint64_t base,
	unsigned offset, struct ear_report *report)
{
	int error = write_register(control, base, offset, *value, report);

	return error ? error : read_register(control, value, base, offset, report);
}

/* An address: two words, of which the second may be missing. */
static int read_address(struct ear_trace_control *control, uint64_t *value, uint64_t base,
	unsigned offset, struct ear_report *report)
{
	uint32_t words[2];
	const int error = ear_tcl_port_read(control->port, words, base + offset, 2, report);

	if (!error)
		*value = words[0] | (uint64_t)words[1] << 32;
	return error;
}

static int write_address(struct ear_trace_control *control, uint64_t base, unsigned offset,
	uint64_t value, struct ear_report *report)
{
	int error = write_register(control, base, offset, (uint32_t)value, report);

	if (!error)
		error = write_register(control, base, offset + 4, (uint32_t)(value >> 32), report);
	return error;
}

/* Wait until the bits of the control register that are in mask are wanted. */
static int wait_for(struct ear_trace_control *control, uint64_t base, uint32_t mask,
	uint32_t wanted, struct ear_report *report)
{
	const uint64_t deadline_ms = ear_clock_ms() + control->wishes.wait_ms;
	uint32_t value;

	for (;;) {
		const int error = read_register(control, &value, base, EAR_TR_CONTROL, report);
		if (error || (value & mask) == wanted)
			return error;
		if (ear_clock_ms() > deadline_ms)
			return ear_report_set(report, EAR_E_TIMEOUT,
				"%s: the control register at 0x%" PRIx64 " stays 0x%" PRIx32
				": its bits 0x%" PRIx32 " do not become 0x%" PRIx32,
				control->port->name, base, value, mask, wanted);
		ear_clock_sleep_ms(5);
	}
}

/* Out of reset and in again, with all modes off. */
static int reset(struct ear_trace_control *control, uint64_t base, struct ear_report *report)
{
	int error = write_register(control, base, EAR_TR_CONTROL, 0, report);

	if (!error)
		error = wait_for(control, base, EAR_TR_ACTIVE, 0, report);
	if (!error)
		error = write_register(control, base, EAR_TR_CONTROL, EAR_TR_ACTIVE, report);
	return error ? error
		     : wait_for(
			       control, base, EAR_TR_ACTIVE | EAR_TR_ENABLE, EAR_TR_ACTIVE, report);
}

/* value: of the control register, without the bit. */
static int enable(
	struct ear_trace_control *control, uint64_t base, uint32_t value, struct ear_report *report)
{
	const int error =
		write_register(control, base, EAR_TR_CONTROL, value | EAR_TR_ENABLE, report);

	return error ? error : wait_for(control, base, EAR_TR_ENABLE, EAR_TR_ENABLE, report);
}

/* --- Find --- */

static bool is_known(uint32_t impl)
{
	const unsigned type = EAR_TR_IMPL_TYPE(impl);

	return EAR_TR_IMPL_MAJOR(impl) == 1 &&
	       (type == EAR_TR_ENCODER || type == EAR_TR_FUNNEL || type == EAR_TR_RAM);
}

static void add(struct ear_trace_control *control, uint64_t base, uint32_t impl)
{
	struct ear_trace_component *component = &control->components[control->component_count++];

	*component = (struct ear_trace_component){base, impl};
	control->encoder_count += EAR_TR_IMPL_TYPE(impl) == EAR_TR_ENCODER;
	if (EAR_TR_IMPL_TYPE(impl) == EAR_TR_RAM)
		control->sink = component;
}

/* A component that the user has named. In reset it may not say what it is. */
static int find_named(struct ear_trace_control *control, uint64_t base, struct ear_report *report)
{
	uint32_t impl;
	int error = read_register(control, &impl, base, EAR_TR_IMPL, report);

	if (!error && !is_known(impl)) {
		error = write_register(control, base, EAR_TR_CONTROL, EAR_TR_ACTIVE, report);
		if (!error)
			error = wait_for(control, base, EAR_TR_ACTIVE, EAR_TR_ACTIVE, report);
		if (!error)
			error = read_register(control, &impl, base, EAR_TR_IMPL, report);
	}
	if (error)
		return error;
	if (!is_known(impl))
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: no trace encoder, funnel or RAM sink is at 0x%" PRIx64
			": its implementation register is 0x%08" PRIx32 " (version %" PRIu32
			".%" PRIu32 ", component type %" PRIu32 "; known are 1.0 and 1, 8, 9)",
			control->port->name, base, impl, EAR_TR_IMPL_MAJOR(impl),
			EAR_TR_IMPL_MINOR(impl), EAR_TR_IMPL_TYPE(impl));
	if (control->sink && EAR_TR_IMPL_TYPE(impl) == EAR_TR_RAM)
		return refuse(control, report, "RAM sink", base, "is the second one: give one");
	add(control, base, impl);
	return 0;
}

/* Where nothing is, a read may fail. Nothing is written there. */
static int look_for_sink(struct ear_trace_control *control, struct ear_report *report)
{
	for (unsigned page = 1; page <= PAGES_AFTER && !control->sink; page++) {
		const uint64_t base = control->wishes.bases[0] + page * EAR_TR_PAGE;
		uint32_t impl = 0;
		const int error = read_register(control, &impl, base, EAR_TR_IMPL, report);
		if (error && error != EAR_E_REFUSED)
			return error;
		if (!error && is_known(impl) && EAR_TR_IMPL_TYPE(impl) == EAR_TR_RAM)
			add(control, base, impl);
	}
	if (control->sink)
		return 0;
	return ear_report_set(report, EAR_E_UNSUPPORTED,
		"%s: no RAM sink is among the components, nor in the %u pages after 0x%" PRIx64
		": give its address too",
		control->port->name, PAGES_AFTER, control->wishes.bases[0]);
}

int ear_trace_control_find(struct ear_trace_control *control, struct ear_tcl_port *port,
	const struct ear_trace_wishes *wishes, struct ear_report *report)
{
	int error = 0;

	*control = (struct ear_trace_control){.port = port, .wishes = *wishes};
	if (control->wishes.wait_ms == 0)
		control->wishes.wait_ms = WAIT_MS;
	for (unsigned i = 0; i < wishes->base_count && !error; i++)
		error = find_named(control, wishes->bases[i], report);
	if (!error && control->encoder_count == 0)
		error = ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: no trace encoder is among the components", port->name);
	if (!error && !control->sink)
		error = look_for_sink(control, report);
	return error;
}

/* --- Start --- */

/* Dedicated memory, whose size is the sink's; or system memory, which only the user can give. */
static int place_sink(struct ear_trace_control *control, struct ear_report *report)
{
	const uint64_t base = control->sink->base, wanted = control->wishes.buffer_size;
	uint64_t limit;
	int error = 0;

	control->system = wanted > 0;
	if (wanted == 0 && !(control->sink->impl & EAR_TR_RAM_HAS_SRAM))
		return refuse(control, report, "RAM sink", base,
			"writes to system memory: say to which (--trace-buffer ADDRESS+SIZE)");
	if (wanted > 0 && !(control->sink->impl & EAR_TR_RAM_HAS_SYSTEM))
		return refuse(control, report, "RAM sink", base,
			"has memory of its own, and cannot write to --trace-buffer");
	if (wanted > 0) {
		const uint64_t last = control->wishes.buffer + wanted - 4;
		error = write_address(
			control, base, EAR_TR_RAM_START, control->wishes.buffer, report);
		if (!error)
			error = write_address(control, base, EAR_TR_RAM_LIMIT, last, report);
	}
	if (!error)
		error = read_address(control, &control->start, base, EAR_TR_RAM_START, report);
	if (!error)
		error = read_address(control, &limit, base, EAR_TR_RAM_LIMIT, report);
	if (error)
		return error;
	control->start &= ~UINT64_C(3);
	limit &= ~UINT64_C(3);
	control->capacity = wanted ? wanted : limit - control->start + 4;
	if (limit < control->start || limit - control->start > UINT32_MAX ||
		control->capacity < CAPACITY_MIN)
		return refuse(control, report, "RAM sink", base,
			"names an impossible buffer (trRamStart, trRamLimit)");
	/* Its words may be wider than 4 bytes: then the last one begins before. */
	if (wanted > 0 &&
		(control->start != control->wishes.buffer || limit - control->start + 4 > wanted ||
			limit - control->start + WORD_MAX < wanted))
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: the RAM sink at 0x%" PRIx64
			" does not take --trace-buffer, but 0x%" PRIx64 " to 0x%" PRIx64,
			control->port->name, base, control->start, limit);
	return 0;
}

static int start_sink(struct ear_trace_control *control, struct ear_report *report)
{
	const uint64_t base = control->sink->base;
	uint32_t value = EAR_TR_ACTIVE | (control->wishes.buffer_size ? EAR_TR_RAM_SYSTEM : 0) |
			 (control->wishes.first ? EAR_TR_RAM_STOP_ON_WRAP : 0) |
			 EAR_TR_RAM_ASYNC(1);
	int error = reset(control, base, report);

	if (!error) /* the mode first: other registers depend on it */
		error = try_register(control, &value, base, EAR_TR_CONTROL, report);
	if (!error && EAR_TR_RAM_FORMAT(value) != 0)
		return refuse(control, report, "RAM sink", base,
			"has a memory format that is not plain bytes");
	if (!error && control->wishes.first && !(value & EAR_TR_RAM_STOP_ON_WRAP))
		return refuse(control, report, "RAM sink", base,
			"cannot stop when it is full (trRamStopOnWrap)");
	control->aligned = EAR_TR_RAM_ASYNC_OF(value) != 0;
	if (!error)
		error = place_sink(control, report);
	if (!error && !(value & EAR_TR_RAM_SYSTEM) != !control->system)
		return refuse(control, report, "RAM sink", base, "does not take its mode");
	if (!error)
		error = write_address(control, base, EAR_TR_RAM_WP, control->start, report);
	return error ? error : enable(control, base, value, report);
}

static int start_funnel(struct ear_trace_control *control, uint64_t base, struct ear_report *report)
{
	int error = reset(control, base, report);

	if (!error)
		error = write_register(control, base, EAR_TR_FUNNEL_DISABLED, 0, report);
	return error ? error : enable(control, base, EAR_TR_ACTIVE, report);
}

/* No option that a decoder has to know; a source for each encoder if there are several. */
static int set_features(struct ear_trace_control *control, uint64_t base, unsigned number,
	struct ear_report *report)
{
	static const unsigned off[] = {EAR_TR_TE_FILTERS, EAR_TR_TE_DATA_CONTROL, EAR_TR_TE_TIME,
		EAR_TR_TE_TRIGGERS, EAR_TR_TE_TRIGGERS + 4, EAR_TR_TE_TRIGGERS + 8};
	unsigned bits = 0;
	int error = 0;

	while (control->encoder_count > 1u << bits)
		bits++;
	uint32_t features = EAR_TR_TE_SRC(number, bits);
	for (unsigned i = 0; i < sizeof(off) / sizeof(off[0]) && !error; i++)
		error = write_register(control, base, off[i], 0, report);
	if (!error)
		error = try_register(control, &features, base, EAR_TR_TE_FEATURES, report);
	if (error)
		return error;
	const unsigned width = EAR_TR_TE_SRC_BITS(features), id = EAR_TR_TE_SRC_ID(features);
	if ((features & 0xFFFF) != 0)
		return refuse(control, report, "encoder", base,
			"does not switch off its options (trTeInstFeatures)");
	if (width > EAR_TR_TE_SRC_BITS_MAX || width < bits || (bits > 0 && id != number) ||
		(number > 0 && width != control->src_bits))
		return refuse(control, report, "encoder", base,
			"has no source of its own (trTeSrcID, trTeSrcBits)");
	control->src_bits = width;
	return 0;
}

/* Time stamps: of the system, else of the core, from outside, or of another encoder. */
static int set_time(struct ear_trace_control *control, uint64_t base, struct ear_report *report)
{
	static const uint8_t modes[] = {2, 3, 1, 4};
	uint32_t value = EAR_TR_ACTIVE;
	int error = try_register(control, &value, base, EAR_TR_TE_TIME, report);

	for (unsigned i = 0; i < sizeof(modes) && !error; i++) {
		value = EAR_TR_ACTIVE | EAR_TR_TIME_COUNT | EAR_TR_TIME_ENABLE |
			EAR_TR_TIME_MODE(modes[i]);
		error = try_register(control, &value, base, EAR_TR_TE_TIME, report);
		if (!error && value & EAR_TR_TIME_ENABLE && EAR_TR_TIME_MODE_OF(value) == modes[i])
			return 0;
	}
	return error ? error
		     : refuse(control, report, "encoder", base,
			       "has no time stamps (trTsControl): leave --time out");
}

static unsigned log2_of(uint64_t value)
{
	return value > 1 ? 63u - (unsigned)__builtin_clzll(value) : 0;
}

/* The exponent of trTeInstSyncMax, 2^(n + 4) units: so that a full buffer has some. */
static unsigned sync_max(const struct ear_trace_control *control, bool by_messages)
{
	const uint64_t messages = control->capacity / SYNCS_IN_RING / MESSAGE_SIZE;
	const unsigned power = log2_of(by_messages ? messages : messages * MESSAGE_PARCELS);

	return power < 4 ? 0 : power - 4 < 15 ? power - 4 : 15;
}

/* The control register of an encoder: what is asked for, and what it takes of that. */
static int set_mode(struct ear_trace_control *control, uint32_t *value, uint64_t base,
	struct ear_report *report)
{
	static const uint8_t modes[] = {1, 3, 2}; /* count messages, half-words, cycles */
	int error = read_register(control, value, base, EAR_TR_CONTROL, report);
	const uint32_t format = *value & (7u << 24);

	for (unsigned i = 0; i < sizeof(modes) && !error; i++) {
		*value = EAR_TR_ACTIVE | EAR_TR_TE_MODE(EAR_TR_TE_HTM) | EAR_TR_TE_CONTEXT |
			 (control->wishes.stall ? EAR_TR_TE_STALL : 0) | format |
			 EAR_TR_TE_SYNC(modes[i], sync_max(control, i == 0));
		error = try_register(control, value, base, EAR_TR_CONTROL, report);
		if (EAR_TR_TE_SYNC_OF(*value) == modes[i])
			break;
	}
	return error;
}

static int start_encoder(struct ear_trace_control *control, uint64_t base, unsigned number,
	struct ear_report *report)
{
	uint32_t value = 0;
	int error = reset(control, base, report);

	if (!error)
		error = set_features(control, base, number, report);
	if (!error)
		error = set_mode(control, &value, base, report);
	if (error)
		return error;
	const unsigned mode = EAR_TR_TE_MODE_OF(value);
	const bool etrace = EAR_TR_TE_FORMAT(value) == 0;
	if (EAR_TR_TE_FORMAT(value) > 1)
		return refuse(control, report, "encoder", base,
			"has a format that is neither E-Trace nor N-Trace (trTeFormat)");
	if (control->wishes.time && etrace)
		return refuse(control, report, "encoder", base,
			"sends E-Trace, of which the place of the time is not known: leave --time "
			"out");
	if (mode != EAR_TR_TE_BTM && mode != EAR_TR_TE_HTM)
		return refuse(control, report, "encoder", base,
			"takes neither the mode 3 nor 6 (trTeInstMode)");
	if (value & EAR_TR_TE_INHIBIT_SRC)
		control->src_bits = 0;
	if (number > 0 &&
		(etrace != control->etrace || (mode == EAR_TR_TE_HTM) != control->history ||
			control->src_bits == 0))
		return refuse(
			control, report, "encoder", base, "cannot do what the first one does");
	control->etrace = etrace;
	control->history = mode == EAR_TR_TE_HTM;
	control->context = value & EAR_TR_TE_CONTEXT;
	control->periodic = EAR_TR_TE_SYNC_OF(value) != 0;
	if (control->wishes.time)
		error = set_time(control, base, report);
	if (error)
		return error;
	error = enable(control, base, value, report);
	return error ? error
		     : write_register(control, base, EAR_TR_CONTROL,
			       value | EAR_TR_ENABLE | EAR_TR_TE_TRACING, report);
}

int ear_trace_control_start(struct ear_trace_control *control, struct ear_report *report)
{
	int error = start_sink(control, report);
	unsigned number = 0;

	for (unsigned i = 0; i < control->component_count && !error; i++)
		if (EAR_TR_IMPL_TYPE(control->components[i].impl) == EAR_TR_FUNNEL)
			error = start_funnel(control, control->components[i].base, report);
	for (unsigned i = 0; i < control->component_count && !error; i++)
		if (EAR_TR_IMPL_TYPE(control->components[i].impl) == EAR_TR_ENCODER)
			error = start_encoder(
				control, control->components[i].base, number++, report);
	return error;
}

/* --- Stop --- */

/* Disabling flushes what is inside. A component that does not say so is reported later: what has
 * reached the memory is worth to be fetched. */
static int stop_component(
	struct ear_trace_control *control, uint64_t base, struct ear_report *report)
{
	uint32_t value;
	int error = read_register(control, &value, base, EAR_TR_CONTROL, report);

	if (error)
		return error;
	error = write_register(control, base, EAR_TR_CONTROL,
		value & ~(EAR_TR_ENABLE | EAR_TR_TE_TRACING | EAR_TR_EMPTY | EAR_TR_TE_OVERFLOW),
		report);
	if (!error)
		error = wait_for(control, base, EAR_TR_ENABLE | EAR_TR_EMPTY, EAR_TR_EMPTY, report);
	if (error == EAR_E_TIMEOUT && control->port->fd >= 0) {
		control->unflushed = true;
		error = 0;
	}
	return error;
}

static int stop_encoder(struct ear_trace_control *control, uint64_t base, struct ear_report *report)
{
	uint32_t value;
	int error = read_register(control, &value, base, EAR_TR_CONTROL, report);

	if (error)
		return error;
	control->lost |= (value & EAR_TR_TE_OVERFLOW) != 0;
	return stop_component(control, base, report);
}

static int stop_all(struct ear_trace_control *control, unsigned type, struct ear_report *report)
{
	int error = 0;

	for (unsigned i = 0; i < control->component_count && !error; i++) {
		const struct ear_trace_component *component = &control->components[i];
		if (EAR_TR_IMPL_TYPE(component->impl) == type)
			error = type == EAR_TR_ENCODER
					? stop_encoder(control, component->base, report)
					: stop_component(control, component->base, report);
	}
	return error;
}

int ear_trace_control_stop(struct ear_trace_control *control, struct ear_report *report)
{
	uint64_t pointer;
	int error = stop_all(control, EAR_TR_ENCODER, report);

	if (!error)
		error = stop_all(control, EAR_TR_FUNNEL, report);
	if (!error)
		error = stop_all(control, EAR_TR_RAM, report);
	if (!error)
		error = read_address(control, &pointer, control->sink->base, EAR_TR_RAM_WP, report);
	if (error)
		return error;
	const uint64_t next = pointer & ~UINT64_C(3);
	control->wrapped = pointer & EAR_TR_RAM_WRAP;
	control->head = next - control->start;
	if (next < control->start || control->head >= control->capacity)
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: the write pointer of the RAM sink is 0x%" PRIx64
			", outside of its buffer from 0x%" PRIx64 " on",
			control->port->name, next, control->start);
	if (control->wishes.first) {
		control->full = control->wrapped;
		control->wrapped = false;
	}
	control->size = control->wrapped || control->full ? control->capacity : control->head;
	return 0;
}

int ear_trace_control_is_full(
	struct ear_trace_control *control, bool *full, struct ear_report *report)
{
	uint32_t value = EAR_TR_ENABLE;
	const int error = control->wishes.first
				  ? read_register(control, &value, control->sink->base,
					    EAR_TR_CONTROL, report)
				  : 0;

	*full = !(value & EAR_TR_ENABLE);
	return error;
}

/* --- Fetch --- */

static int fetch_range(struct ear_trace_control *control, uint64_t offset, uint64_t size,
	int (*take)(void *context, const uint8_t *bytes, size_t size), void *context,
	struct ear_report *report)
{
	const uint64_t base = control->sink->base;
	uint32_t words[EAR_TCL_WORDS_MAX];
	uint8_t bytes[sizeof(words)];
	int error = 0;

	if (!control->system && size > 0) /* each read goes to the next word */
		error = write_register(
			control, base, EAR_TR_RAM_RP, (uint32_t)(control->start + offset), report);
	while (size > 0 && !error) {
		const uint64_t left = size / 4;
		const size_t count = left < EAR_TCL_WORDS_MAX ? (size_t)left : EAR_TCL_WORDS_MAX;
		error = control->system ? ear_tcl_port_read(control->port, words,
						  control->start + offset, count, report)
					: ear_tcl_port_read_again(control->port, words,
						  base + EAR_TR_RAM_DATA, count, report);
		for (size_t i = 0; i < count * 4 && !error; i++)
			bytes[i] = (uint8_t)(words[i / 4] >> i % 4 * 8);
		if (!error)
			error = take(context, bytes, count * 4);
		offset += count * 4;
		size -= count * 4;
	}
	return error;
}

int ear_trace_control_fetch(struct ear_trace_control *control,
	int (*take)(void *context, const uint8_t *bytes, size_t size), void *context,
	struct ear_report *report)
{
	int error = 0;

	if (control->wrapped)
		error = fetch_range(control, control->head, control->capacity - control->head, take,
			context, report);
	return error ? error
		     : fetch_range(control, 0, control->full ? control->size : control->head, take,
			       context, report);
}

void ear_trace_control_describe(const struct ear_trace_control *control, char *text, size_t size)
{
	if (control->etrace)
		snprintf(text, size, "\"srcid_bits\": %u, \"wrapped\": %u", control->src_bits,
			control->wrapped);
	else
		snprintf(text, size,
			"\"src_bits\": %u, \"htm\": %u, \"stack\": 0, \"tstamp\": %u, "
			"\"ownership\": %u, \"wrapped\": %u",
			control->src_bits, control->history, control->wishes.time, control->context,
			control->wrapped);
}
