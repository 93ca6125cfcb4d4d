/* What 'earshot state' prints, for people and as JSON: both go through the same list of items, so
 * that neither has something that the other one lacks.
 */
#include "cli/commands/state/state_show.h"

#include <earshot/address.h>
#include <earshot/infer.h>
#include <earshot/instruction.h>
#include <earshot/variable.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/state/state_stack.h"

#define NAME_MAX_SIZE 32
#define POINT_SIZE    64         /* bytes of memory shown from one address on */
#define MEMORY_SIZE   (1u << 20) /* bytes shown at most */
#define ROW_SIZE      16
#define CSR_COUNT     4096

/* ---- Where the moment is. ---- */

static const char *privilege_name(unsigned privilege)
{
	static const char *const names[] = {"U", "S", "reserved", "M", "VU", "VS", "debug"};

	return privilege < sizeof(names) / sizeof(names[0]) ? names[privilege] : "unknown";
}

static void print_pc(const struct state_shown *show, const char *label, bool known, uint64_t pc)
{
	char text[STATE_TEXT_MAX];

	if (!known) {
		printf("%-9s ?\n", label);
		return;
	}
	state_place_text(show, pc, text, sizeof(text));
	printf("%-9s 0x%0*" PRIx64 "%s%s\n", label, (int)show->digits, pc, text[0] ? "  " : "",
		text);
}

static void show_where(struct state_shown *show)
{
	uint64_t pc = 0, next = 0, ticks = 0;
	unsigned privilege = 0;
	bool has_pc = ear_moment_pc(show->moment, show->hart, &pc);
	bool has_next = ear_moment_next_pc(show->moment, show->hart, &next);
	bool has_privilege = ear_moment_privilege(show->moment, show->hart, &privilege);
	bool has_ticks = ear_moment_ticks(show->moment, &ticks);
	uint64_t number = ear_moment_number(show->moment);

	if (show->request->json) {
		json_number(&show->json, "position", ear_moment_position(show->moment));
		json_number(&show->json, "instructions", number);
		json_known(&show->json, "time", has_ticks, ticks);
		json_number(&show->json, "hart", show->hart);
		json_hex(&show->json, "pc", has_pc, pc);
		json_hex(&show->json, "next_pc", has_next, next);
		if (has_next)
			state_address_members(show, next);
		json_text(
			&show->json, "privilege", has_privilege ? privilege_name(privilege) : NULL);
		return;
	}
	printf("position  %" PRIu64 ", after %" PRIu64 " instruction%s; hart %u\n",
		ear_moment_position(show->moment), number, number == 1 ? "" : "s", show->hart);
	if (has_ticks)
		printf("time      %" PRIu64 "\n", ticks);
	print_pc(show, "last pc", has_pc, pc);
	print_pc(show, "next pc", has_next, next);
	printf("privilege %s\n", has_privilege ? privilege_name(privilege) : "?");
}

/* ---- Registers. ---- */

static void name_register(
	enum ear_register_class reg_class, unsigned number, char name[NAME_MAX_SIZE])
{
	ear_register_name(reg_class, number, name, NAME_MAX_SIZE);
}

static void show_vector(struct state_shown *show, unsigned number, const char *name)
{
	size_t size = 0;
	const uint8_t *bytes = ear_moment_vector(show->moment, show->hart, number, &size);

	if (show->request->json) {
		json_key(&show->json, name);
		printf(bytes ? "\"0x" : "null");
	} else {
		printf("%-9s %s", name, bytes ? "0x" : "?");
	}
	for (size_t i = size; bytes && i > 0; i--)
		printf("%02x", bytes[i - 1]);
	printf(!show->request->json ? "\n" : bytes ? "\"" : "");
}

/* May the register hold an address? A cause or a mode that happens to be one has no place in the
 * program. */
static bool may_point(enum ear_register_class reg_class, unsigned number)
{
	static const char *const names[] = {"mepc", "mtvec", "mtval", "mscratch", "sepc", "stvec",
		"stval", "sscratch", "vsepc", "vstvec", "vstval", "mnepc", "dpc", "jvt"};
	char name[NAME_MAX_SIZE];

	if (reg_class != EAR_REGISTER_CSR)
		return reg_class == EAR_REGISTER_X;
	name_register(reg_class, number, name);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Of the registers that are shown, those whose value is inferred. */
static void note_inferred(struct state_shown *show, enum ear_register_class reg_class,
	unsigned number, const char *name)
{
	uint8_t *noted = &show->noted[reg_class][number / 8];

	if (*noted >> number % 8 & 1 ||
		!ear_moment_inferred(show->moment, show->hart, reg_class, number) ||
		show->inferred_size + strlen(name) + 2 > sizeof(show->inferred))
		return;
	*noted |= (uint8_t)(1u << number % 8);
	show->inferred_size += (size_t)snprintf(show->inferred + show->inferred_size,
		sizeof(show->inferred) - show->inferred_size, "%s%s",
		show->inferred_size > 0 ? "\n" : "", name);
}

/* The names, and in text what the mark at memory and variables means. */
static void show_inferred(struct state_shown *show)
{
	char *next = NULL;

	if (!show->input->inferring)
		return;
	if (show->request->json)
		json_open(&show->json, "inferred", '[');
	else
		printf("\ninferred, not in the trace: bytes and variables with ~, the stack "
		       "pointers of frames, and");
	for (char *name = strtok_r(show->inferred, "\n", &next); name;
		name = strtok_r(NULL, "\n", &next))
		if (show->request->json)
			json_text(&show->json, NULL, name);
		else
			printf(" %s", name);
	if (show->request->json)
		json_close(&show->json, ']');
	else
		printf("%s\n", show->inferred_size > 0 ? "" : " no register");
}

/* A line with one register, its value also as an address with a name. */
static void show_register(
	struct state_shown *show, enum ear_register_class reg_class, unsigned number)
{
	char name[NAME_MAX_SIZE], text[STATE_TEXT_MAX];
	uint64_t value = 0;

	name_register(reg_class, number, name);
	if (reg_class == EAR_REGISTER_V) {
		show_vector(show, number, name);
		return;
	}
	bool known = ear_moment_register(show->moment, show->hart, reg_class, number, &value);
	note_inferred(show, reg_class, number, name);
	if (show->request->json) {
		json_hex(&show->json, name, known, value);
		return;
	}
	if (!known) {
		printf("%-9s ?\n", name);
		return;
	}
	text[0] = '\0';
	if (may_point(reg_class, number))
		state_place_text(show, value, text, sizeof(text));
	printf("%-9s 0x%0*" PRIx64 "%s%s\n", name, (int)show->digits, value, text[0] ? "  " : "",
		text);
}

/* Registers in columns. all: unknown ones too. Returns how many were printed. */
static unsigned show_table(
	struct state_shown *show, enum ear_register_class reg_class, unsigned count, bool all)
{
	unsigned columns = show->digits > 8 ? 3 : 4, printed = 0, digits = show->digits;
	char name[NAME_MAX_SIZE];
	uint64_t value;
	int gap = 2;

	if (reg_class == EAR_REGISTER_F)
		digits = 16;
	for (unsigned i = 0; i < count; i++) {
		bool known = ear_moment_register(show->moment, show->hart, reg_class, i, &value);
		if (!known && !all)
			continue;
		name_register(reg_class, i, name);
		note_inferred(show, reg_class, i, name);
		if (show->request->json) {
			json_hex(&show->json, name, known, known ? value : 0);
			printed++;
			continue;
		}
		/* What follows a column comes before the next one, so that no line ends in blanks.
		 */
		if (printed > 0)
			printf(printed % columns ? "%*s" : "\n", gap, "");
		gap = 2;
		if (known)
			printf("%-9s %0*" PRIx64, name, (int)digits, value);
		else
			gap += (int)digits - printf("%-9s ?", name) + 10;
		printed++;
	}
	if (!show->request->json && printed > 0)
		putchar('\n');
	return printed;
}

static bool knows_floats(const struct state_shown *show)
{
	uint64_t value;

	for (unsigned i = 0; i < 32; i++)
		if (ear_moment_register(show->moment, show->hart, EAR_REGISTER_F, i, &value))
			return true;
	return false;
}

static void show_vectors(struct state_shown *show)
{
	size_t size;

	for (unsigned i = 0; i < 32; i++)
		if (ear_moment_vector(show->moment, show->hart, i, &size))
			show_register(show, EAR_REGISTER_V, i);
}

static void show_overview(struct state_shown *show)
{
	show_table(show, EAR_REGISTER_X, 32, true);
	if (knows_floats(show))
		show_table(show, EAR_REGISTER_F, 32, true);
	show_vectors(show);
	show_table(show, EAR_REGISTER_CSR, CSR_COUNT, false);
}

/* A name of the list: all of a kind, or one register. Returns false if it is neither. */
static bool show_named(struct state_shown *show, const char *name)
{
	enum ear_register_class reg_class;
	unsigned number;
	uint64_t pc = 0;

	if (strcmp(name, "x") == 0 || strcmp(name, "f") == 0) {
		if (show)
			show_table(
				show, name[0] == 'x' ? EAR_REGISTER_X : EAR_REGISTER_F, 32, true);
	} else if (strcmp(name, "v") == 0) {
		if (show)
			show_vectors(show);
	} else if (strcmp(name, "csr") == 0) {
		if (show)
			show_table(show, EAR_REGISTER_CSR, CSR_COUNT, false);
	} else if (strcmp(name, "pc") == 0) {
		bool known = show && ear_moment_next_pc(show->moment, show->hart, &pc);
		if (show && show->request->json)
			json_hex(&show->json, "pc", known, pc);
		else if (show)
			print_pc(show, "pc", known, pc);
	} else if (ear_register_find(name, &reg_class, &number) == 0) {
		if (show)
			show_register(show, reg_class, number);
	} else {
		return false;
	}
	return true;
}

/* Each name of a list. show NULL: only whether it is one. wrong: the first that is none. */
static bool walk_names(struct state_shown *show, const char *list, char wrong[NAME_MAX_SIZE])
{
	for (const char *at = list;; at++) {
		size_t size = strcspn(at, ",");
		snprintf(wrong, NAME_MAX_SIZE, "%.*s", (int)(size < 31 ? size : 31), at);
		if (size == 0 || size >= NAME_MAX_SIZE || !show_named(show, wrong))
			return false;
		at += size;
		if (*at == '\0')
			return true;
	}
}

bool state_check_registers(const char *list, const struct command_option *option)
{
	char wrong[NAME_MAX_SIZE];

	if (walk_names(NULL, list, wrong))
		return true;
	cli_error("--%s: '%s' is not a register, nor x, f, v, csr or pc", option->name, wrong);
	return false;
}

/* ---- Memory. ---- */

static void print_row(const struct state_shown *show, uint64_t address, const uint8_t *bytes,
	const uint8_t *known, size_t size)
{
	printf("%0*" PRIx64 " ", (int)show->digits, address);
	for (size_t i = 0; i < ROW_SIZE; i++) {
		printf(i % 8 == 0 ? " " : "");
		if (i >= size)
			printf("   ");
		else if (known[i])
			printf("%02x%c", bytes[i], known[i] == EAR_BYTE_INFERRED ? '~' : ' ');
		else
			printf("?? ");
	}
	printf(" |");
	for (size_t i = 0; i < size; i++)
		putchar(!known[i] ? '?' : bytes[i] >= 0x20 && bytes[i] < 0x7F ? bytes[i] : '.');
	printf("|\n");
}

/* How many bytes are inferred, and for each whether it is. */
static void print_inferred_bytes(struct state_shown *show, const uint8_t *known, size_t size)
{
	if (!show->input->inferring)
		return;
	json_key(&show->json, "inferred");
	putchar('"');
	for (size_t i = 0; i < size; i++)
		printf(known[i] == EAR_BYTE_INFERRED ? "~~" : "..");
	putchar('"');
}

static void print_memory(struct state_shown *show, uint64_t address, const uint8_t *bytes,
	const uint8_t *known, size_t size, uint64_t count)
{
	char text[STATE_TEXT_MAX];

	if (!show->request->json) {
		state_place_text(show, address, text, sizeof(text));
		printf("%zu byte%s at 0x%0*" PRIx64 "%s%s%s, %" PRIu64 " known\n", size,
			size == 1 ? "" : "s", (int)show->digits, address, text[0] ? " (" : "", text,
			text[0] ? ")" : "", count);
		for (size_t at = 0; at < size; at += ROW_SIZE)
			print_row(show, address + at, bytes + at, known + at,
				size - at < ROW_SIZE ? size - at : ROW_SIZE);
		return;
	}
	json_open(&show->json, NULL, '{');
	json_hex(&show->json, "address", true, address);
	state_address_members(show, address);
	json_key(&show->json, "bytes");
	putchar('"');
	for (size_t i = 0; i < size; i++)
		printf(known[i] ? "%02x" : "??", bytes[i]);
	putchar('"');
	print_inferred_bytes(show, known, size);
	json_close(&show->json, '}');
}

/* Bytes to show: without a size some from there on, as far as addresses go. */
static uint64_t size_of(const struct ear_span *span, bool has_size)
{
	uint64_t left = UINT64_MAX - span->first;

	if (has_size)
		return span->last - span->first + 1;
	return left < POINT_SIZE ? left + 1 : POINT_SIZE;
}

static bool check_size(const struct ear_address *address)
{
	for (unsigned i = 0; i < address->count; i++) {
		uint64_t size = size_of(&address->ranges[i], address->has_size);
		if (size > 0 && size <= MEMORY_SIZE)
			continue;
		cli_error("--mem: more than %u bytes are not shown", MEMORY_SIZE);
		return false;
	}
	return true;
}

static bool show_range(struct state_shown *show, const struct ear_span *span, bool has_size)
{
	uint64_t size = size_of(span, has_size);
	uint8_t *bytes = malloc(2 * (size_t)size), *known = bytes + size;
	if (!bytes) {
		cli_error("out of memory");
		return false;
	}
	int64_t count = ear_moment_memory(
		show->moment, span->first, bytes, known, (size_t)size, &show->input->progress);
	cli_progress_clear();
	if (count >= 0)
		print_memory(show, span->first, bytes, known, (size_t)size, (uint64_t)count);
	else
		trace_input_fail(show->input);
	free(bytes);
	return count >= 0;
}

/* The ranges of an item. Returns false after printing why there are none. */
static bool find_address(struct state_shown *show, const char *text, struct ear_address *address)
{
	char message[EAR_ADDRESS_MESSAGE_MAX];
	struct ear_moment_view view = {.size = sizeof(view)};

	/* Registers may be known where the pc is not: no code is there. */
	if (!ear_moment_view(show->moment, show->hart, &view))
		view.pc = UINT64_MAX;
	int result =
		ear_address_parse(address, text, strlen(text), show->input->names, &view, message);
	cli_progress_clear();
	if (result)
		cli_error("--mem: %s", message);
	return result == 0;
}

static bool show_memory(struct state_shown *show, const char *text)
{
	struct ear_address address = {.size = sizeof(address)};
	bool good = find_address(show, text, &address);

	for (unsigned i = 0; i < address.count && good; i++)
		good = show_range(show, &address.ranges[i], address.has_size);
	return good;
}

/* ---- Variables. ---- */

static bool print_variable(
	struct state_shown *show, const char *text, const struct ear_variable *variable)
{
	char *value = show->request->json ? ear_variable_json(variable, show->input->names)
					  : ear_variable_text(variable, show->input->names, 4);

	if (!value) {
		cli_error("out of memory");
		return false;
	}
	if (show->request->json) {
		json_key(&show->json, text);
		printf("%s", value);
		if (show->used_inferred &&
			show->inferred_size + strlen(text) + 2 < sizeof(show->inferred))
			show->inferred_size +=
				(size_t)snprintf(show->inferred + show->inferred_size,
					sizeof(show->inferred) - show->inferred_size, "%s%s",
					show->inferred_size > 0 ? "\n" : "", text);
	} else {
		printf("%s = %s%s\n", text, value, show->used_inferred ? "  ~" : "");
		if (variable->why)
			printf("  (%s)\n", variable->why);
	}
	free(value);
	return true;
}

/* A view of the moment that notes in used_inferred whether something inferred was read. */
static bool read_register(void *context, unsigned number, uint64_t *value)
{
	struct state_shown *show = context;
	bool is_csr = number >= 4096;
	enum ear_register_class reg_class = number < 32   ? EAR_REGISTER_X
					    : number < 64 ? EAR_REGISTER_F
							  : EAR_REGISTER_CSR;

	if (!show->view.read_register(show->view.context, number, value))
		return false;
	show->used_inferred |= ear_moment_inferred(
		show->moment, show->hart, reg_class, is_csr ? number - 4096 : number % 32);
	return true;
}

static bool read_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	struct state_shown *show = context;

	if (size > EAR_MEMORY_MAX ||
		ear_moment_memory(show->moment, address, bytes, known, size, NULL) < 0)
		return false;
	for (size_t i = 0; i < size; i++) {
		show->used_inferred |= known[i] == EAR_BYTE_INFERRED;
		known[i] = known[i] != EAR_BYTE_UNKNOWN;
	}
	return true;
}

static bool get_view(struct state_shown *show, struct ear_moment_view *view)
{
	show->view.size = sizeof(show->view);
	show->used_inferred = false;
	bool known = ear_moment_view(show->moment, show->hart, &show->view);
	*view = show->view;
	if (show->input->inferring) {
		view->read_register = read_register;
		view->read_memory = read_memory;
		view->context = show;
		view->read_named = NULL;
	}
	return known;
}

/* The variable, to be freed. Returns false after printing why there is none. */
static bool find_variable(struct state_shown *show, const char *text, struct ear_variable *variable)
{
	struct ear_moment_view view = {.size = sizeof(view)};

	if (!show->input->names) {
		cli_error("--var: '%s': no ELF given: use --elf FILE", text);
		return false;
	}
	bool has_view = get_view(show, &view);
	int result = ear_variable_find(
		variable, show->input->names, text, strlen(text), has_view ? &view : NULL);
	cli_progress_clear();
	if (result)
		cli_error("--var: %s", ear_names_message(show->input->names));
	return result == 0;
}

static bool show_variable(struct state_shown *show, const char *text)
{
	struct ear_variable variable = {.size = sizeof(variable)};

	if (!find_variable(show, text, &variable))
		return false;
	bool good = print_variable(show, text, &variable);
	ear_variable_free(&variable);
	return good;
}

/* ---- All of it. ---- */

static bool show_item(struct state_shown *show, const struct state_item *item)
{
	char wrong[NAME_MAX_SIZE];

	switch (item->kind) {
	case STATE_OVERVIEW: show_overview(show); return true;
	case STATE_REGISTERS: return walk_names(show, item->text, wrong);
	case STATE_MEMORY: return show_memory(show, item->text);
	case STATE_VARIABLE: return show_variable(show, item->text);
	case STATE_STACK: return state_show_stack(show);
	}
	return false;
}

/* JSON: items of one kind are members of one object, or elements of one list. */
static bool show_kind(struct state_shown *show, const char *key, const char *brackets,
	enum state_item_kind kind, enum state_item_kind other)
{
	bool opened = false, good = true;

	for (unsigned i = 0; i < show->request->count && good; i++) {
		const struct state_item *item = &show->request->items[i];
		if (item->kind != kind && item->kind != other)
			continue;
		if (!opened)
			json_open(&show->json, key, brackets[0]);
		opened = true;
		good = show_item(show, item);
	}
	if (opened)
		json_close(&show->json, brackets[1]);
	return good;
}

/* Before anything is printed: can every name be found, and is no range too large? */
static bool check_items(struct state_shown *show)
{
	struct ear_address address = {.size = sizeof(address)};
	struct ear_variable variable = {.size = sizeof(variable)};

	for (unsigned i = 0; i < show->request->count; i++) {
		const struct state_item *item = &show->request->items[i];
		if (item->kind == STATE_MEMORY &&
			(!find_address(show, item->text, &address) || !check_size(&address)))
			return false;
		if (item->kind != STATE_VARIABLE)
			continue;
		if (!find_variable(show, item->text, &variable))
			return false;
		ear_variable_free(&variable);
	}
	return true;
}

static bool show_json(struct state_shown *show)
{
	const struct end_missing end =
		show->request->at_end ? trace_input_end(show->input->trace, &show->input->progress)
				      : (struct end_missing){0};

	show->json = json_compact();
	json_open(&show->json, NULL, '{');
	if (show->request->at_end)
		end_missing_json(&end, &show->json);
	show_where(show);
	bool good = show_kind(show, "registers", "{}", STATE_REGISTERS, STATE_OVERVIEW) &&
		    show_kind(show, "memory", "[]", STATE_MEMORY, STATE_MEMORY) &&
		    show_kind(show, "variables", "{}", STATE_VARIABLE, STATE_VARIABLE) &&
		    show_kind(show, "stack", "[]", STATE_STACK, STATE_STACK);
	show_inferred(show);
	trace_input_json_verdict(show->input, &show->json);
	json_close(&show->json, '}');
	putchar('\n');
	return good;
}

bool state_show(
	const struct state_request *request, struct trace_input *input, struct ear_moment *moment)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	const struct ear_record *first;
	uint64_t pc;
	static struct state_shown show;
	bool good = true;

	show = (struct state_shown){.request = request, .input = input, .moment = moment};
	cli_progress_clear();
	/* XLEN is known from the first instruction on. */
	if (ear_trace_seek_number(input->trace, 0, &input->progress) == 1)
		ear_trace_next(input->trace, &first);
	ear_trace_facts(input->trace, &facts);
	const struct ear_record *record = ear_moment_record(moment);
	unsigned xlen =
		record && record->kind == EAR_RECORD_INSTRUCTION ? record->xlen : facts.xlen;
	show.digits = xlen == 32 ? 8 : 16;
	show.hart = request->hart >= 0 ? (uint16_t)request->hart : ear_moment_hart(moment);
	if (!check_items(&show))
		return false;
	if (request->hart >= 0 && !ear_moment_pc(moment, show.hart, &pc) &&
		!ear_moment_next_pc(moment, show.hart, &pc))
		cli_warning(
			"%s: nothing is known of hart %u at this moment", input->path, show.hart);
	if (request->json)
		return show_json(&show);
	if (request->at_end) {
		const struct end_missing end = trace_input_end(input->trace, &input->progress);
		end_missing_print(&end);
	}
	show_where(&show);
	for (unsigned i = 0; i < request->count && good; i++) {
		printf("\n");
		good = show_item(&show, &request->items[i]);
	}
	show_inferred(&show);
	return good;
}
