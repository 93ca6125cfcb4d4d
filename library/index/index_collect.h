#ifndef EAR_INDEX_COLLECT_H
#define EAR_INDEX_COLLECT_H

#include "library/index/file/index_sets.h"
#include "library/state/run_summary.h"
#include <earshot/record.h>

/* Collects the sets of a node: of level 0 from its records, of others from its children. */

#define EAR_INDEX_RECENT 64

struct ear_index_lines {
	struct ear_index_data *entries; /* hash table; code lines have halfwords in the words */
	size_t count, capacity;         /* capacity a power of two */
	unsigned bits;                  /* log2 of it */
	unsigned shift;
	bool words;
	/* Entries of lines touched lately, by the low bits of their key; NULL: none. */
	struct ear_index_recent {
		uint64_t key;
		struct ear_index_data *entry;
	} recent[EAR_INDEX_RECENT];
};

struct ear_index_collect_hart {
	uint16_t hart;
	uint8_t privilege;
	bool known;
};

struct ear_index_collect {
	unsigned child; /* records go to this one */
	ear_index_mask bit;
	struct ear_index_child children[EAR_INDEX_CHILDREN];
	struct ear_index_lines code, data;
	struct ear_index_few *csrs; /* 4096, by number */
	struct ear_index_few causes[EAR_INDEX_FEW_MAX], names[EAR_INDEX_FEW_MAX];
	size_t cause_count, name_count;
	ear_index_mask any_cause, any_name;
	struct ear_index_collect_hart *harts; /* what is known from earlier nodes, too */
	size_t hart_count;
	size_t last_hart;
	bool failed; /* memory was short */
};

/* Returns 0 or EAR_E_NO_MEMORY; fini is right in both cases. */
int ear_index_collect_init(struct ear_index_collect *collect);
void ear_index_collect_fini(struct ear_index_collect *collect);

/* A new node, whose first child is what comes next. */
void ear_index_collect_begin(struct ear_index_collect *collect);
/* The child ends; another one begins. There is room for EAR_INDEX_CHILDREN. */
void ear_index_collect_next_child(struct ear_index_collect *collect);

/* The next record, or run. collect->failed says if memory was short. */
void ear_index_collect_push(struct ear_index_collect *collect, const struct ear_record *record);
void ear_index_collect_push_run(struct ear_index_collect *collect,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts);
void ear_index_collect_push_summary(
	struct ear_index_collect *collect, const struct ear_run_summary *summary);

/* Memory of a line changed in this node (level 0, before it is taken). */
void ear_index_collect_changed(struct ear_index_collect *collect, uint64_t address);

/* The whole of a node of the level below is the next child; ear_index_collect_next_child goes
 * before all but the first. */
void ear_index_collect_add(struct ear_index_collect *collect, const struct ear_index_sets *sets);

/* The sets of the node with count children, to be freed by ear_index_sets_fini. Returns 0 or
 * EAR_E_NO_MEMORY. */
int ear_index_collect_take(
	struct ear_index_collect *collect, unsigned count, struct ear_index_sets *sets);

#endif
