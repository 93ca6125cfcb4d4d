/* From the conditions of a query to what the trace is asked for. The plan is a text with two
 * characters for each value that SQLite will hand over: the term of its column, from 'A' on, and
 * the comparison. SQLite compares every row again, so the trace may give too many, never too few.
 */
#include "library/sqlite/table_plan.h"

#include <stdlib.h>
#include <string.h>

/* What a scan of everything costs, in rows; and how much a condition leaves of it. */
#define ROWS_ALL    1e9
#define ROWS_RANGE  4.0
#define ROWS_EQUAL  1e4
#define ROWS_CHOICE 3.0

static char comparison_of(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ: return '=';
	case SQLITE_INDEX_CONSTRAINT_GT: return '>';
	case SQLITE_INDEX_CONSTRAINT_GE: return 'g';
	case SQLITE_INDEX_CONSTRAINT_LT: return '<';
	case SQLITE_INDEX_CONSTRAINT_LE: return 'l';
	default: return 0;
	}
}

/* How many times fewer rows come. */
static double worth_of(enum table_term term, char comparison)
{
	if (comparison != '=')
		return ROWS_RANGE;
	switch (term) {
	case TERM_POSITION:
	case TERM_NUMBER:
	case TERM_TICKS: return ROWS_ALL;
	case TERM_PC:
	case TERM_ADDRESS:
	case TERM_EVENT: return ROWS_EQUAL;
	default: return ROWS_CHOICE;
	}
}

static bool is_parameter(enum table_term term)
{
	return term >= TERM_FILE && term <= TERM_UNIT;
}

/* Terms that are asked by their spelling. */
static bool is_text(enum table_term term)
{
	return term == TERM_KIND || term == TERM_REGISTER || term == TERM_PRIVILEGE ||
	       term == TERM_EVENT;
}

int table_plan(const struct table *table, sqlite3_index_info *info)
{
	char *plan = sqlite3_malloc(2 * info->nConstraint + 1);
	double rows = ROWS_ALL;
	bool has_file = false;
	int length = 0;

	if (!plan)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *at = &info->aConstraint[i];
		char comparison = comparison_of(at->op);
		if (at->iColumn < 0 || !comparison)
			continue;
		enum table_term term = table->columns[at->iColumn].term;
		if (term == TERM_NONE ||
			(comparison != '=' && (term >= TERM_HART || is_parameter(term))))
			continue;
		if (is_text(term) && strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
			continue;
		/* A parameter that another table gives later: not in this order of the tables. */
		if (!at->usable && is_parameter(term)) {
			sqlite3_free(plan);
			return SQLITE_CONSTRAINT;
		}
		if (!at->usable)
			continue;
		plan[length++] = (char)('A' + term);
		plan[length++] = comparison;
		info->aConstraintUsage[i].argvIndex = length / 2;
		info->aConstraintUsage[i].omit = is_parameter(term);
		has_file |= table->columns[at->iColumn].term ==
			    table->columns[table->count - table->parameters].term;
		if (!is_parameter(term))
			rows /= worth_of(term, comparison);
	}
	plan[length] = '\0';
	info->idxStr = plan;
	info->needToFreeIdxStr = 1;
	info->idxNum = (int)(uint32_t)info->colUsed;
	info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
	/* Without a file it is an error that is said when the query runs, and never the cheaper
	 * way. */
	info->estimatedCost = has_file ? (rows < 1 ? 1 : rows) : 1e300;
	info->orderByConsumed = table->in_order && info->nOrderBy == 1 &&
				info->aOrderBy[0].iColumn == 0 && !info->aOrderBy[0].desc;
	return SQLITE_OK;
}

static void narrow(struct table_range *range, char comparison, int64_t value)
{
	int64_t low = INT64_MIN, high = INT64_MAX;

	if ((comparison == '>' && value == INT64_MAX) ||
		(comparison == '<' && value == INT64_MIN)) {
		*range = (struct table_range){1, 0};
		return;
	}
	switch (comparison) {
	case '=': low = high = value; break;
	case '>': low = value + 1; break;
	case 'g': low = value; break;
	case '<': high = value - 1; break;
	default: high = value; break;
	}
	if (range->low < low)
		range->low = low;
	if (range->high > high)
		range->high = high;
}

static void ask_kind(struct table_wanted *wanted, const char *text)
{
	unsigned kind = 0;

	while (kind <= EAR_RECORD_NOTE && strcmp(text, record_kind_name(kind)) != 0)
		kind++;
	wanted->nothing |= kind > EAR_RECORD_NOTE;
	wanted->query.kinds = kind > EAR_RECORD_NOTE ? 0 : 1u << kind;
	wanted->by_query = true;
}

static void ask_privilege(struct table_wanted *wanted, const char *text)
{
	unsigned privilege = 0;

	while (privilege <= EAR_PRIVILEGE_DEBUG &&
		strcmp(text, record_privilege_name(privilege)) != 0)
		privilege++;
	wanted->nothing |= privilege > EAR_PRIVILEGE_DEBUG;
	wanted->query.privileges = privilege > EAR_PRIVILEGE_DEBUG ? 0 : 1u << privilege;
	wanted->by_query = true;
}

/* The name stays in wanted, to which the query points. */
static const char *keep_name(struct table_wanted *wanted, const char *text)
{
	if (wanted->name[0] || !text[0] || strlen(text) >= sizeof(wanted->name))
		return NULL;
	return strcpy(wanted->name, text);
}

static void ask_register(struct table_wanted *wanted, const char *text)
{
	enum ear_register_class reg_class;
	unsigned number;

	if (wanted->query.has_register || ear_register_find(text, &reg_class, &number) != 0)
		return;
	wanted->query.has_register = wanted->by_query = true;
	wanted->query.register_class = (uint8_t)reg_class;
	wanted->query.register_number = (uint16_t)number;
}

static void ask_text(struct table_wanted *wanted, enum table_term term, const char *text)
{
	const char *name;

	switch (term) {
	case TERM_KIND: ask_kind(wanted, text); break;
	case TERM_PRIVILEGE: ask_privilege(wanted, text); break;
	case TERM_REGISTER: ask_register(wanted, text); break;
	case TERM_EVENT:
		name = keep_name(wanted, text);
		if (name && ear_query_event(&wanted->query, name) == 0)
			wanted->by_query = true;
		break;
	default: break;
	}
}

static void ask_number(
	struct table_wanted *wanted, enum table_term term, char comparison, int64_t value)
{
	struct ear_query *query = &wanted->query;

	switch (term) {
	case TERM_POSITION: narrow(&wanted->position, comparison, value); return;
	case TERM_NUMBER: narrow(&wanted->number, comparison, value); return;
	case TERM_TICKS: narrow(&wanted->ticks, comparison, value); return;
	case TERM_PC: narrow(&wanted->pc, comparison, value); return;
	case TERM_ADDRESS: narrow(&wanted->address, comparison, value); return;
	case TERM_HART:
		wanted->nothing |= value < 0 || value > UINT16_MAX;
		query->hart = wanted->nothing ? -1 : (int)value;
		break;
	case TERM_TRAP:
	case TERM_INTERRUPT:
		if (value != 1)
			return;
		query->traps = term == TERM_TRAP ? EAR_QUERY_EXCEPTION : EAR_QUERY_INTERRUPT;
		break;
	case TERM_RD:
		if (value < 1 || value > 31 || query->has_register)
			return;
		query->has_register = true;
		query->register_class = EAR_REGISTER_X;
		query->register_number = (uint16_t)value;
		break;
	case TERM_WRITE:
		if (value != 0 && value != 1)
			return;
		query->accesses = value ? EAR_QUERY_WRITE : EAR_QUERY_READ;
		break;
	default: return;
	}
	wanted->by_query = true;
}

/* Addresses of a range with a sign, as one or two without. Returns how many. */
static size_t make_spans(const struct table_range *range, struct ear_span spans[2])
{
	size_t count = 0;

	if (range->low == INT64_MIN && range->high == INT64_MAX)
		return 0;
	if (range->high >= 0)
		spans[count++] = (struct ear_span){
			range->low > 0 ? (uint64_t)range->low : 0, (uint64_t)range->high};
	if (range->low < 0)
		spans[count++] = (struct ear_span){
			(uint64_t)range->low, range->high < 0 ? (uint64_t)range->high : UINT64_MAX};
	return count;
}

static void finish(struct table_wanted *wanted)
{
	const struct table_range *const ranges[] = {
		&wanted->position, &wanted->number, &wanted->ticks, &wanted->pc, &wanted->address};
	struct ear_query *query = &wanted->query;
	struct ear_span ticks[2] = {{0, 0}};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		wanted->nothing |= ranges[i]->low > ranges[i]->high;
	wanted->nothing |= wanted->position.high < 0 || wanted->number.high < 0;
	if (wanted->nothing)
		return;
	query->pc_count = make_spans(&wanted->pc, wanted->pcs);
	query->pcs = wanted->pcs;
	query->address_count = make_spans(&wanted->address, wanted->addresses);
	query->addresses = wanted->addresses;
	/* Of times in two spans nothing is asked. */
	query->has_ticks = make_spans(&wanted->ticks, ticks) == 1;
	query->first_ticks = ticks[0].first;
	query->last_ticks = ticks[0].last;
	wanted->by_query |= query->pc_count || query->address_count || query->has_ticks;
}

static void take_parameter(struct cursor *cursor, unsigned which, sqlite3_value *value)
{
	const unsigned char *text = sqlite3_value_text(value);

	cursor->next_parameters[which] = text ? sqlite3_mprintf("%s", text) : NULL;
	if (text && !cursor->next_parameters[which])
		cursor->no_memory = true;
}

void table_ask(struct cursor *cursor, const char *plan, int count, sqlite3_value **values)
{
	static const struct ear_query any = EAR_QUERY_ANY;
	const struct table_range all = {INT64_MIN, INT64_MAX};
	struct table_wanted *wanted = &cursor->wanted;

	*wanted = (struct table_wanted){.position = all,
		.number = all,
		.ticks = all,
		.pc = all,
		.address = all,
		.query = any};
	for (int i = 0; i < count && plan[0]; i++, plan += 2) {
		enum table_term term = (enum table_term)(plan[0] - 'A');
		int type = sqlite3_value_type(values[i]);
		if (is_parameter(term))
			take_parameter(cursor, (unsigned)(term - TERM_FILE), values[i]);
		else if (type == SQLITE_INTEGER)
			ask_number(wanted, term, plan[1], sqlite3_value_int64(values[i]));
		else if (type == SQLITE_TEXT)
			ask_text(wanted, term, (const char *)sqlite3_value_text(values[i]));
	}
	finish(wanted);
}
