/* The calling convention, backwards: from registers to values. The types of a function are asked
 * for once. The bytes of each value are put together from the registers in the order in which the
 * convention gives them out, and shown as those of a variable of that type.
 */
#include "analyses/calls/arguments.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/variable.h>

#include "analyses/base/numbering.h"

#define VALUE_MAX    16 /* bytes of a value in registers: two of 8 */
#define STRING_MAX_  200
#define RAW_COUNT    4 /* registers shown where nothing is known of the types */
#define LEAVES_MAX   2
#define FUNCTION_MAX 65536 /* whose types are kept */

struct function {
	uint64_t entry;
	bool typed;
	struct ear_variable variable; /* "()" */
};

struct ear_arguments {
	struct ear_names *names;
	struct ear_arguments_abi abi;
	bool untyped;
	struct function *functions;
	uint32_t count;
	struct ear_numbering numbers;
};

/* ---- Text. ---- */

struct text {
	char *bytes;
	size_t size, room;
	bool failed;
};

static void put(struct text *text, const char *form, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *form, ...)
{
	va_list list, again;

	va_start(list, form);
	va_copy(again, list);
	const int size = vsnprintf(NULL, 0, form, list);
	va_end(list);
	if (size >= 0 && !text->failed && text->size + (size_t)size + 1 > text->room) {
		const size_t room = 2 * (text->size + (size_t)size + 1);
		char *bytes = realloc(text->bytes, room);
		if (bytes) {
			text->bytes = bytes;
			text->room = room;
		}
		text->failed = !bytes;
	}
	if (size >= 0 && !text->failed) {
		vsnprintf(text->bytes + text->size, (size_t)size + 1, form, again);
		text->size += (size_t)size;
	}
	va_end(again);
}

static char *finish(struct text *text)
{
	put(text, "%s", "");
	if (text->failed) {
		free(text->bytes);
		return NULL;
	}
	return text->bytes;
}

/* ---- Types. ---- */

/* A copy that takes and returns other things than the source says. */
static bool is_changed(const char *name)
{
	return strstr(name, ".constprop.") || strstr(name, ".isra.") || strstr(name, ".part.");
}

static bool ask(struct ear_arguments *arguments, struct function *function)
{
	struct ear_moment_view view = {.size = sizeof(view), .pc = function->entry};
	struct ear_variable *variable = &function->variable;
	uint64_t offset;
	const struct ear_symbol *symbol =
		arguments->names ? ear_names_symbol_at(arguments->names, function->entry, &offset)
				 : NULL;

	*variable = (struct ear_variable){.size = sizeof(*variable)};
	if (!symbol || offset != 0 || is_changed(symbol->linked) ||
		ear_variable_find(variable, arguments->names, "()", 2, &view) != 0)
		return false;
	if (variable->types[0].kind == EAR_TYPE_STRUCT && variable->types[0].child_count > 0)
		return true;
	ear_variable_free(variable);
	return false;
}

static uint32_t *find(const struct ear_arguments *arguments, uint64_t entry)
{
	const struct ear_numbering *numbers = &arguments->numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(entry, 0));

	while (numbers->places[at] && arguments->functions[numbers->places[at] - 1].entry != entry)
		at = ear_numbering_next(numbers, at);
	return &numbers->places[at];
}

/* NULL if memory is short. */
static struct function *function_of(struct ear_arguments *arguments, uint64_t entry)
{
	bool again;
	struct function *functions = ear_numbering_grow(&arguments->numbers, arguments->functions,
		sizeof(*functions), arguments->count, &again);

	if (!functions)
		return NULL;
	arguments->functions = functions;
	for (uint32_t i = 0; i < arguments->count && again; i++)
		*find(arguments, functions[i].entry) = i + 1;
	uint32_t *slot = find(arguments, entry);
	if (*slot == 0 && arguments->count == FUNCTION_MAX)
		return NULL;
	if (*slot == 0) {
		struct function *function = &functions[arguments->count];
		*function = (struct function){.entry = entry};
		function->typed = ask(arguments, function);
		*slot = ++arguments->count;
	}
	arguments->untyped |= !functions[*slot - 1].typed;
	return &functions[*slot - 1];
}

/* ---- Where values are. ---- */

/* What is left to give out. */
struct cursor {
	const struct ear_call_registers *registers;
	const struct ear_call_bytes *stack; /* what follows them; NULL: nothing is known */
	unsigned x, f;                      /* the next ones */
	unsigned at;                        /* on the stack */
	unsigned x_end, float_size, word;
};

static struct cursor begin(const struct ear_arguments *arguments,
	const struct ear_call_registers *registers, unsigned xlen)
{
	return (struct cursor){.registers = registers,
		.x_end = arguments->abi.embedded ? 6 : 8,
		.float_size = arguments->abi.float_size,
		.word = xlen == 64 ? 8 : 4};
}

struct value {
	uint8_t bytes[VALUE_MAX], known[VALUE_MAX];
	bool indirect; /* too large: the bytes are those of its address */
};

static void put_word(
	struct value *value, uint64_t offset, uint64_t size, uint64_t word, bool is_known)
{
	for (uint64_t i = 0; i < size && offset + i < VALUE_MAX; i++) {
		value->bytes[offset + i] = (uint8_t)(i < 8 ? word >> 8 * i : 0);
		value->known[offset + i] = is_known;
	}
}

/* The next word of the stack. */
static void take_stack(struct cursor *cursor, struct value *value, uint64_t offset, uint64_t size)
{
	const struct ear_call_bytes *stack = cursor->stack;

	for (uint64_t i = 0; i < size && offset + i < VALUE_MAX; i++) {
		const uint64_t at = cursor->at + i;
		const bool known = stack && at < EAR_RECENT_LINE && stack->known >> at & 1;
		value->bytes[offset + i] = known ? stack->bytes[at] : 0;
		value->known[offset + i] = known;
	}
	cursor->at += cursor->at < EAR_RECENT_LINE ? cursor->word : 0;
}

/* The next integer register; after the last one values are on the stack. */
static void take_x(struct cursor *cursor, struct value *value, uint64_t offset, uint64_t size)
{
	if (cursor->x == cursor->x_end) {
		take_stack(cursor, value, offset, size);
		return;
	}
	put_word(value, offset, size, cursor->registers->x[cursor->x],
		cursor->registers->known >> cursor->x & 1);
	cursor->x++;
}

static void take_f(struct cursor *cursor, struct value *value, uint64_t offset, uint64_t size)
{
	put_word(value, offset, size, cursor->registers->f[cursor->f],
		cursor->registers->known >> (8 + cursor->f) & 1);
	cursor->f++;
}

/* The scalars of a type. */
struct leaf {
	uint64_t offset, size;
	bool is_float;
};

struct leaves {
	struct leaf list[LEAVES_MAX];
	unsigned count; /* LEAVES_MAX + 1: more */
};

static void find_leaves(struct leaves *leaves, const struct ear_type *types,
	const struct ear_type *type, uint64_t offset, unsigned depth)
{
	if (leaves->count > LEAVES_MAX)
		return;
	if (depth > 8 || type->bit_size || strncmp(type->type_name, "union ", 6) == 0) {
		leaves->count = LEAVES_MAX + 1;
	} else if (type->kind == EAR_TYPE_STRUCT) {
		for (unsigned i = 0; i < type->child_count; i++) {
			const struct ear_type *member = &types[type->first_child + i];
			find_leaves(leaves, types, member, offset + member->offset, depth + 1);
		}
	} else if (type->kind == EAR_TYPE_ARRAY && type->child_count == 1) {
		const struct ear_type *element = &types[type->first_child];
		for (uint64_t i = 0; i < type->count && leaves->count <= LEAVES_MAX; i++)
			find_leaves(leaves, types, element, offset + i * element->size, depth + 1);
	} else if (leaves->count < LEAVES_MAX) {
		leaves->list[leaves->count++] =
			(struct leaf){offset, type->size, type->kind == EAR_TYPE_FLOAT};
	} else {
		leaves->count = LEAVES_MAX + 1;
	}
}

/* In floating-point registers: a number, a structure of one or two, or of one with an integer. */
static bool take_floats(struct cursor *cursor, struct value *value, const struct ear_type *types,
	const struct ear_type *type)
{
	struct leaves leaves = {.count = 0};
	unsigned floats = 0;

	if (cursor->float_size == 0)
		return false;
	find_leaves(&leaves, types, type, 0, 0);
	if (leaves.count == 0 || leaves.count > LEAVES_MAX)
		return false;
	for (unsigned i = 0; i < leaves.count; i++) {
		const struct leaf *leaf = &leaves.list[i];
		if (leaf->size > (leaf->is_float ? cursor->float_size : cursor->word) ||
			(i == 1 && leaf->offset < leaves.list[0].offset + leaves.list[0].size))
			return false;
		floats += leaf->is_float;
	}
	if (floats == 0 || cursor->f + floats > 8 ||
		(floats < leaves.count && cursor->x == cursor->x_end))
		return false;
	for (unsigned i = 0; i < leaves.count; i++) {
		const struct leaf *leaf = &leaves.list[i];
		if (leaf->is_float)
			take_f(cursor, value, leaf->offset, leaf->size);
		else
			take_x(cursor, value, leaf->offset, leaf->size);
	}
	return true;
}

/* On the stack values are aligned: that of a type, as its largest scalar. */
static uint64_t alignment_of(const struct ear_type *types, const struct ear_type *type, int depth)
{
	uint64_t most = 1;

	if (type->kind != EAR_TYPE_STRUCT && type->kind != EAR_TYPE_ARRAY)
		return type->size;
	for (unsigned i = 0; i < type->child_count && depth < 8; i++) {
		const uint64_t own = alignment_of(types, &types[type->first_child + i], depth + 1);
		most = own > most ? own : most;
	}
	return most;
}

static struct value take_value(
	struct cursor *cursor, const struct ear_type *types, const struct ear_type *type)
{
	struct value value = {.indirect = type->size > 2 * (uint64_t)cursor->word};

	if (value.indirect) {
		take_x(cursor, &value, 0, cursor->word);
		return value;
	}
	if (take_floats(cursor, &value, types, type))
		return value;
	if (cursor->x == cursor->x_end && cursor->at % (2 * cursor->word) != 0 &&
		alignment_of(types, type, 0) > cursor->word)
		cursor->at += cursor->word;
	for (uint64_t at = 0; at < type->size; at += cursor->word) {
		const uint64_t left = type->size - at;
		take_x(cursor, &value, at, left < cursor->word ? left : cursor->word);
	}
	return value;
}

/* ---- Values. ---- */

static bool is_known(const struct value *value, size_t size)
{
	return !memchr(value->known, 0, size);
}

static uint64_t number_in(const struct value *value, size_t size)
{
	uint64_t number = 0;

	for (size_t i = size; i > 0; i--)
		number = number << 8 | value->bytes[i - 1];
	return number;
}

static bool is_string(const struct ear_type *type)
{
	return type->kind == EAR_TYPE_POINTER && (strcmp(type->type_name, "const char *") == 0 ||
							 strcmp(type->type_name, "char *") == 0);
}

/* Bytes that do not change: of a section that the program cannot write. */
static size_t read_constant(struct ear_names *names, uint64_t address, char bytes[STRING_MAX_ + 1])
{
	for (size_t i = ear_names_file_count(names); i > 0; i--) {
		const struct ear_names_file *file = ear_names_file(names, i - 1);
		for (size_t j = 0; j < file->section_count; j++) {
			const struct ear_names_section *section = &file->sections[j];
			const uint64_t at = address - section->address;
			bool writable;
			if (at >= section->size || section->flags & EAR_NAMES_WRITE ||
				!(section->flags & EAR_NAMES_IN_FILE))
				continue;
			const uint64_t left = section->size - at;
			int64_t size = ear_names_image(names, i - 1, address, (uint8_t *)bytes,
				left < STRING_MAX_ ? (size_t)left : STRING_MAX_, &writable);
			return size > 0 ? (size_t)size : 0;
		}
	}
	return 0;
}

/* Bytes that the trace showed before the call, or after it. */
static size_t read_recent(
	const struct ear_call_memory *memory, uint64_t address, char bytes[STRING_MAX_ + 1])
{
	const struct ear_call_bytes *found = NULL;
	size_t size = 0;

	for (size_t i = 0; i < 8 && memory; i++)
		if (memory->arguments[i].address == address)
			found = &memory->arguments[i];
	if (memory && !found && memory->result.address == address)
		found = &memory->result;
	while (found && size < EAR_RECENT_LINE && found->known >> size & 1) {
		bytes[size] = (char)found->bytes[size];
		size++;
	}
	return size;
}

/* A string with its quotes. Returns false if it is not known. */
static bool put_string(struct text *text, struct ear_arguments *arguments, uint64_t address,
	const struct ear_call_memory *memory, bool json)
{
	char bytes[STRING_MAX_ + 1];
	size_t size = read_constant(arguments->names, address, bytes);
	if (size == 0)
		size = read_recent(memory, address, bytes);
	const char *end = memchr(bytes, 0, size);

	if (size == 0 || (!end && size < EAR_RECENT_LINE))
		return false;
	const size_t length = end ? (size_t)(end - bytes) : size;
	put(text, "\"");
	for (size_t i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)bytes[i];
		if (c == '"' || c == '\\')
			put(text, "\\%c", c);
		else if (c == '\n' || c == '\t')
			put(text, c == '\n' ? "\\n" : "\\t");
		else if (c < ' ' || c >= 0x7f)
			put(text, json ? "\\u%04x" : "\\x%02x", c);
		else
			put(text, "%c", c);
	}
	put(text, end ? "\"" : (json ? "...\"" : "\"..."));
	return true;
}

static void put_typed(struct text *text, struct ear_arguments *arguments, struct function *function,
	const struct ear_type *type, struct value *value, bool json)
{
	struct ear_variable shown = function->variable;
	const struct ear_type root = shown.types[0];

	/* The type is to be the first one. Its parts come after all of these. */
	shown.types[0] = *type;
	shown.place = EAR_PLACE_VALUE;
	shown.value_size = type->size;
	shown.byte_count = (size_t)type->size;
	shown.bytes = value->bytes;
	shown.known = value->known;
	char *own = json ? ear_variable_json(&shown, arguments->names)
			 : ear_variable_text(&shown, arguments->names, 4);
	shown.types[0] = root;
	put(text, "%s", own ? own : "");
	text->failed |= !own;
	free(own);
}

static void put_value(struct text *text, struct ear_arguments *arguments, struct function *function,
	const struct ear_type *type, struct value *value, bool json, unsigned word,
	const struct ear_call_memory *memory)
{
	if (value->indirect) {
		if (!is_known(value, word))
			put(text, json ? "null" : "?");
		else
			put(text, json ? "{\"address\": %" PRIu64 "}" : "at 0x%" PRIx64,
				number_in(value, word));
		return;
	}
	if (type->size == 0) {
		put(text, json ? "null" : "{}");
		return;
	}
	if (!is_string(type) || !is_known(value, word) || number_in(value, word) == 0) {
		put_typed(text, arguments, function, type, value, json);
		return;
	}
	const uint64_t address = number_in(value, word);
	if (!json)
		put(text, "0x%" PRIx64 " ", address);
	if (!put_string(text, arguments, address, memory, json))
		put(text, json ? "%" PRIu64 : "<unknown>", address);
}

/* ---- Answers. ---- */

/* Registers as they are, where nothing else is known. */
static void put_raw(
	struct text *text, const struct ear_call_registers *registers, unsigned count, bool json)
{
	for (unsigned i = 0; i < count; i++) {
		put(text, json ? "%s\"a%u\": " : "%sa%u=", i > 0 ? ", " : "", i);
		if (registers->known >> i & 1)
			put(text, json ? "%" PRIu64 : "0x%" PRIx64, registers->x[i]);
		else
			put(text, json ? "null" : "?");
	}
}

static void put_name(struct text *text, const char *name, unsigned number, bool json)
{
	if (json)
		put(text, "\"");
	for (const char *c = name; *c; c++)
		put(text, "%c", *c >= ' ' && *c < 0x7f && *c != '"' && *c != '\\' ? *c : '_');
	if (!name[0])
		put(text, "argument%u", number);
	put(text, json ? "\": " : "=");
}

static void put_arguments(struct text *text, struct ear_arguments *arguments,
	struct function *function, const struct ear_call_log_call *call, bool json)
{
	struct cursor cursor = begin(arguments, call->before, call->xlen);
	cursor.stack = &call->memory->stack;
	const struct ear_type *types = function->variable.types;
	const struct ear_type *members = types + types[0].first_child;

	/* The result is too large: where it is to be written comes first. */
	if (members[0].size > 2 * (uint64_t)cursor.word)
		cursor.x++;
	for (unsigned i = 1; i < types[0].child_count; i++) {
		struct value value = take_value(&cursor, types, &members[i]);
		put(text, "%s", i > 1 ? ", " : "");
		put_name(text, members[i].name, i, json);
		put_value(text, arguments, function, &members[i], &value, json, cursor.word,
			call->memory);
	}
	if (types[0].type_name[0] && !json)
		put(text, "%s...", types[0].child_count > 1 ? ", " : "");
}

static bool is_handler(const struct ear_call_log_call *call)
{
	return call->kind == EAR_CALL_LOG_TRAP || call->kind == EAR_CALL_LOG_INTERRUPT;
}

char *ear_arguments_text(
	struct ear_arguments *arguments, const struct ear_call_log_call *call, bool json)
{
	struct text text = {.bytes = NULL};
	struct function *function = is_handler(call) ? NULL : function_of(arguments, call->entry);

	put(&text, json ? "{" : "(");
	if (function && function->typed)
		put_arguments(&text, arguments, function, call, json);
	else if (!is_handler(call))
		put_raw(&text, call->before, RAW_COUNT, json);
	put(&text, json ? "}" : ")");
	return finish(&text);
}

char *ear_arguments_result(
	struct ear_arguments *arguments, const struct ear_call_log_call *call, bool json)
{
	struct text text = {.bytes = NULL};
	struct function *function = is_handler(call) ? NULL : function_of(arguments, call->entry);
	const bool returned = call->end == EAR_CALL_LOG_RETURNED && !is_handler(call);

	if (returned && function && function->typed) {
		const struct ear_type *types = function->variable.types;
		const struct ear_type *type = &types[types[0].first_child];
		struct cursor cursor = begin(arguments, call->after, call->xlen);
		if (type->size > 2 * (uint64_t)cursor.word)
			cursor.registers = call->before;
		/* A string that is returned is that of now. */
		const struct ear_call_memory after = {.result = call->memory->result};
		struct value value = take_value(&cursor, types, type);
		if (type->kind != EAR_TYPE_VOID)
			put_value(&text, arguments, function, type, &value, json, cursor.word,
				&after);
	} else if (returned) {
		put(&text, json ? "{" : "");
		put_raw(&text, call->after, 1, json);
		put(&text, json ? "}" : "");
	}
	if (text.size == 0 && json)
		put(&text, "null");
	return finish(&text);
}

bool ear_arguments_untyped(const struct ear_arguments *arguments)
{
	return arguments->untyped;
}

int ear_arguments_new(struct ear_arguments **arguments_out, struct ear_names *names,
	const struct ear_arguments_abi *abi)
{
	struct ear_arguments *arguments = calloc(1, sizeof(*arguments));

	if (!arguments)
		return EAR_E_NO_MEMORY;
	arguments->names = names;
	arguments->abi = *abi;
	*arguments_out = arguments;
	return 0;
}

void ear_arguments_free(struct ear_arguments *arguments)
{
	if (!arguments)
		return;
	for (uint32_t i = 0; i < arguments->count; i++)
		if (arguments->functions[i].typed)
			ear_variable_free(&arguments->functions[i].variable);
	free(arguments->functions);
	ear_numbering_fini(&arguments->numbers);
	free(arguments);
}
