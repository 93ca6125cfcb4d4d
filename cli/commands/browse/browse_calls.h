#ifndef CLI_BROWSE_CALLS_H
#define CLI_BROWSE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/call_frame.h>
#include <earshot/history.h>
#include <earshot/trace.h>

/* The calls and loops of the records of a window of a history: a tree, whose nodes are a frame or
 * the rounds of a loop. Each record has the innermost node that it is in.
 */
enum browse_node_kind {
	BROWSE_NODE_ROOT, /* calls are not known there */
	BROWSE_NODE_FRAME,
	BROWSE_NODE_LOOP, /* the rounds of a loop, but for the first one */
};

#define BROWSE_NODE_OPEN UINT64_MAX

struct browse_node {
	uint8_t kind; /* enum browse_node_kind */
	uint16_t hart;
	uint32_t parent;             /* 0 is the root, and its own parent */
	uint32_t depth;              /* of the root 0 */
	uint64_t first;              /* its first record; of a frame the one after its call */
	uint64_t last;               /* BROWSE_NODE_OPEN: not in the window */
	uint64_t low, high;          /* LOOP: addresses */
	uint64_t rounds;             /* LOOP: in the window */
	struct ear_call_frame frame; /* FRAME */
};

struct browse_calls {
	uint64_t first, end; /* records of the window */
	uint32_t *nodes_of;  /* the node of each */
	size_t room;
	struct browse_node *nodes;
	size_t node_count, node_capacity;
	bool known; /* the trace shows calls there */
};

/* Those of the window of the history, which is in it. Returns 0, or an error as ear_moment_new: all
 * is in the root then, as it is where the trace shows no calls. */
int browse_calls_read(struct browse_calls *calls, struct ear_history *history,
	const struct ear_progress *progress);
void browse_calls_free(struct browse_calls *calls);

/* The node of a record; the root for one outside of the window. */
uint32_t browse_calls_node(const struct browse_calls *calls, uint64_t position);

/* The frame that a node is in, or is; 0: the root. */
uint32_t browse_calls_frame(const struct browse_calls *calls, uint32_t node);

/* Is node the other one, or inside of it? */
bool browse_calls_inside(const struct browse_calls *calls, uint32_t node, uint32_t other);

#endif
