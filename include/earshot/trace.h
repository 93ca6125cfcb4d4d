#ifndef EAR_TRACE_H
#define EAR_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/error.h>
#include <earshot/record.h>
#include <earshot/search.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* A trace: a capture file, a dump of the wire, or a text of any format that Earshot reads, plain or
 * compressed with gzip, zstd, xz, bzip2 or lz4.
 *
 *     struct ear_trace *trace;
 *     const struct ear_record *record;
 *     char error[EAR_TRACE_ERROR_MAX];
 *     struct ear_trace_options options = EAR_TRACE_DEFAULTS;
 *
 *     options.error = error;
 *     if (ear_trace_open(&trace, "run.shot", &options) != 0)
 *             ... error says why
 *     while (ear_trace_next(trace, &record) == 1)
 *             ... *record
 *     ear_trace_close(trace);
 *
 * Positions and numbers. The *position* of a record counts all records before it, of any kind and
 * any hart. The *number* of an instruction record counts the instruction records before it. Both
 * begin with 0, and are not the *index* that the hart itself gives its instructions.
 *
 * Threads. A handle (struct ear_trace, and every object made from one) is for one thread at a time.
 * Any number of handles of the same file work in parallel. The library writes no globals, handles
 * no signals and prints nothing.
 *
 * Errors. Functions that return int return 0 or a useful number, or an enum ear_error (error.h);
 * ear_trace_error then has a sentence. Damage and loss in a trace are records (EAR_RECORD_GAP), not
 * errors.
 *
 * Versions. Structs that a caller makes begin with their size, so that a program that was built
 * with an older header works with a newer library. Members that a program does not know are 0.
 * docs/library.md says which structs have none, and why they never grow.
 */
struct ear_trace;

/* Called about every 50 ms, by the thread of the caller, while a function works that may take
 * longer: done of total units of work, total 0 if that is unknown. what says what is done, in a few
 * words ("searching"). Returns 0 to go on; any other value ends the function, which returns
 * EAR_E_CANCELLED.
 */
struct ear_progress {
	size_t size; /* sizeof(struct ear_progress) */
	int (*call)(void *context, uint64_t done, uint64_t total, const char *what);
	void *context;
};

enum ear_index_use {
	EAR_INDEX_AUTO,     /* use the index; a function that needs one builds it */
	EAR_INDEX_EXISTING, /* use it if it is there, build none */
	EAR_INDEX_NONE,     /* leave none; what asks many questions keeps one in memory */
};

/* A line of a text that is no record. byte: offset of the line in the text. bad: it was to be a
 * record, and is skipped; else this is a note. Returns 0 to go on. Any other value ends the
 * function that reads, which returns it if it is negative, and EAR_E_CANCELLED if it is positive;
 * the next one reads on after that line.
 */
typedef int ear_trace_report(
	void *context, uint64_t line, uint64_t byte, const char *cause, bool bad);

#define EAR_TRACE_ERROR_MAX 512

struct ear_trace_options {
	size_t size;        /* sizeof(struct ear_trace_options) */
	const char *format; /* name of a text format, or "shot"; NULL: from the contents */
	unsigned xlen;      /* 32 or 64, for texts that do not show it; 0: as the text shows */
	const char *isa;    /* for texts that do not name it: "riscv", "arm", ...; NULL: as usual */
	/* Records of a capture shall have the registers that they read (extra->reads), as most
	 * texts do. It takes longer. */
	bool reads;

	/* A file that says what registers hold before the first record (docs/library.md, "Initial
	 * state"); NULL: nothing is known. */
	const char *initial_state;

	/* Addresses whose contents change by themselves: memory there is never known. */
	const struct ear_span *devices;
	size_t device_count;

	enum ear_index_use index;
	const char *index_file;  /* NULL: beside the trace, or in the cache */
	const char *index_cache; /* folder where the trace's own cannot be written; NULL: the
				  * user's; "": none */
	unsigned jobs;           /* threads that build an index, the caller's included; 0 is 1 */
	const struct ear_progress *progress; /* while the trace is opened */

	ear_trace_report *report; /* NULL: bad lines are skipped without a report */
	void *report_context;

	char *error; /* EAR_TRACE_ERROR_MAX bytes for why it could not be opened; may be NULL */

	/* Records of a text shall have their lines (extra->source), where its reader keeps them. */
	bool lines;

	/* The form of the lines of a log of your own, one a line (docs/text-formats.md, "Logs of
	 * your own"): the trace is such a log. NULL: it is not. */
	const char *pattern;

	/* Of a branch trace (branch_trace.h): the text of the programs, which must stay as long as
	 * the trace; and its trace unit, by the name of one that is known ("esp32c6"), or its
	 * parameters as a JSON object (docs/branch-trace.md). unit NULL: nothing is known. */
	const struct ear_flow_code *code;
	const char *unit;
};

#define EAR_TRACE_DEFAULTS \
	{ \
		.size = sizeof(struct ear_trace_options) \
	}

/* Open a trace. path "-" is standard input. options NULL: defaults. What options points to is
 * copied, but for the contexts and the functions.
 *
 * Everything works for a plain file. Standard input, if it is a pipe, can be iterated (next,
 * batches, columns) and searched forward once; seek and moments return EAR_E_UNSUPPORTED.
 *
 * Returns 0 and the trace, to be closed. EAR_E_BAD_ARGUMENT (an option), EAR_E_UNSUPPORTED (the
 * contents are of no known format), EAR_E_BAD_FILE (damaged at its beginning), EAR_E_NO_PROGRAM (a
 * branch trace without options->code), EAR_E_IO (errno), EAR_E_NO_MEMORY, EAR_E_CANCELLED: *trace
 * is untouched.
 */
int ear_trace_open(
	struct ear_trace **trace, const char *path, const struct ear_trace_options *options);

/* The same from a file descriptor, which stays the caller's and must stay open. A plain file is
 * read from its beginning, at offsets: the descriptor's own position is neither used nor changed.
 * path is where its index belongs, and what messages say; NULL: there is no name, and no index.
 */
int ear_trace_open_fd(struct ear_trace **trace, int fd, const char *path,
	const struct ear_trace_options *options);

/* NULL is fine. Moments (moment.h) of the trace must be freed before. */
void ear_trace_close(struct ear_trace *trace);

/* What went wrong in the last call that returned an error: a sentence without a full stop; "" if
 * nothing did, or trace is NULL. Valid until the next call. */
const char *ear_trace_error(const struct ear_trace *trace);

/* Reading ----------------------------------------------------------------------------------- */

/* The next record, valid until the next call with this trace.
 *
 * Returns 1 and *record; 0 at the end; EAR_E_IO (errno), EAR_E_NO_MEMORY, EAR_E_BAD_FILE, or what
 * the report function returned.
 */
int ear_trace_next(struct ear_trace *trace, const struct ear_record **record);

/* Some consecutive records, as they come fastest: a run in compact form (record.h), or one record.
 *
 *     struct ear_batch batch = {.size = sizeof(batch)};
 *
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             for (size_t i = 0; i < batch.count; i++)
 *                     use(ear_batch_record(&batch, i), batch.position + i);
 *
 * Nothing is copied: the batch and all that it points to are valid until the next call with this
 * trace. All records of a run are instructions, so the number of record i is batch.number + i.
 */
struct ear_batch {
	size_t size;                     /* sizeof(struct ear_batch), filled in by the caller */
	size_t count;                    /* records, 1 or more */
	uint64_t position, number;       /* of the first one (number: of the next instruction) */
	const struct ear_record *record; /* the record if count is 1 and it is no run, else NULL */
	const struct ear_compact_run *run;         /* else the run, */
	const struct ear_compact_record *compacts; /* and its records */
	struct ear_expanded_record *expanded;      /* of the library: for ear_batch_record */
};

/* Record i of a batch, valid until the next call for the same trace. */
static inline const struct ear_record *ear_batch_record(const struct ear_batch *batch, size_t i)
{
	return batch->record
		       ? batch->record
		       : ear_compact_run_get(batch->expanded, batch->run, &batch->compacts[i], i);
}

/* Returns as ear_trace_next, with which it can be mixed; EAR_E_BAD_ARGUMENT if size is 0. */
int ear_trace_next_batch(struct ear_trace *trace, struct ear_batch *batch);

/* The same by two threads: one that is made for it reads and decodes the trace, from its place on,
 * some thousand records ahead of the caller, who takes them in order.
 *
 *     ear_ahead_new(&ahead, trace);
 *     while (ear_ahead_next_batch(ahead, &batch) == 1)
 *             ...
 *     ear_ahead_free(ahead);
 *
 * From the first call to the last one no other call may be made for the trace, whose report
 * function is called by that thread. Afterwards its place is behind what was read, not what was
 * taken.
 */
struct ear_ahead;
int ear_ahead_new(struct ear_ahead **ahead, struct ear_trace *trace); /* 0, EAR_E_NO_MEMORY */
void ear_ahead_free(struct ear_ahead *ahead);                         /* NULL is fine */

/* Returns as ear_trace_next_batch; its error, if there is one, after all records before it, and
 * then again and again. ear_trace_error has its sentence once *ahead is freed. EAR_E_BAD_ARGUMENT
 * if size is another one than sizeof(struct ear_batch). */
int ear_ahead_next_batch(struct ear_ahead *ahead, struct ear_batch *batch);

/* Columns: members of many records, in arrays of the caller. Each has elements of one size, without
 * padding, so that other languages take them as they are.
 *
 * What a record does not have is 0; EAR_COLUMN_HAS says what it has.
 */
enum ear_column_id {
	EAR_COLUMN_POSITION,    /* uint64 */
	EAR_COLUMN_NUMBER,      /* uint64: of the next instruction, if this is none */
	EAR_COLUMN_INDEX,       /* uint64 */
	EAR_COLUMN_TICKS,       /* uint64 */
	EAR_COLUMN_PC,          /* uint64 */
	EAR_COLUMN_NEXT_PC,     /* uint64 */
	EAR_COLUMN_OPCODE,      /* uint64 */
	EAR_COLUMN_CAUSE,       /* uint64 */
	EAR_COLUMN_RD_VALUE,    /* uint64: the value of RD */
	EAR_COLUMN_ADDRESS,     /* uint64: of the first access */
	EAR_COLUMN_DATA,        /* uint64: loaded or stored by it */
	EAR_COLUMN_FLAGS,       /* uint32: enum ear_record_flag */
	EAR_COLUMN_HART,        /* uint16 */
	EAR_COLUMN_KIND,        /* uint8: enum ear_record_kind */
	EAR_COLUMN_PRIVILEGE,   /* uint8: enum ear_privilege */
	EAR_COLUMN_OPCODE_SIZE, /* uint8 */
	EAR_COLUMN_RD,          /* uint8: the first x register written, 1 .. 31; 0: none */
	EAR_COLUMN_ACCESS_SIZE, /* uint8: bytes of the first access; 0: unknown or none */
	EAR_COLUMN_IS_WRITE,    /* uint8: 1: the first access is a write */
	EAR_COLUMN_HAS,         /* uint8: set of enum ear_column_has */
	EAR_COLUMN_COUNT
};

enum ear_column_has {
	EAR_HAS_TICKS = 1 << 0,
	EAR_HAS_PC = 1 << 1, /* an instruction record */
	EAR_HAS_NEXT_PC = 1 << 2,
	EAR_HAS_OPCODE = 1 << 3,
	EAR_HAS_PRIVILEGE = 1 << 4,
	EAR_HAS_CAUSE = 1 << 5,
	EAR_HAS_ACCESS = 1 << 6,
	EAR_HAS_DATA = 1 << 7, /* of the access, every bit */
};

/* "rd_value"; NULL for a number that is no column. Static. */
const char *ear_column_name(unsigned id);
/* The column with a name, or EAR_E_BAD_ARGUMENT. */
int ear_column_find(const char *name);
/* Bytes of an element, 1, 2, 4 or 8; 0 for a number that is no column. */
size_t ear_column_size(unsigned id);

struct ear_column {
	unsigned id;  /* enum ear_column_id */
	void *values; /* rows elements of its size, aligned to it */
};

/* Read until rows records are in the columns. kinds: only records of these kinds become rows, a set
 * of 1 << enum ear_record_kind; 0: all.
 *
 * Returns the number of rows filled in: fewer than rows only at the end of the trace, 0 if it ended
 * before. Or an error as ear_trace_next, or EAR_E_CANCELLED: *filled has the rows that came before
 * it. filled may be NULL.
 */
int64_t ear_trace_columns(struct ear_trace *trace, const struct ear_column *columns, size_t count,
	size_t rows, unsigned kinds, size_t *filled, const struct ear_progress *progress);

/* Places ------------------------------------------------------------------------------------ */

/* Position of the record that comes next, and number of the instruction that does. */
uint64_t ear_trace_position(const struct ear_trace *trace);
uint64_t ear_trace_number(const struct ear_trace *trace);

/* Let the record at this position be the next one. The position after the last record is the end.
 *
 * Returns 1; 0 if the trace ends before it, and is at its end then. EAR_E_CANCELLED,
 * EAR_E_UNSUPPORTED (a pipe), or an error as ear_trace_next: then the place may be any. Go to one.
 */
int ear_trace_seek(struct ear_trace *trace, uint64_t position, const struct ear_progress *progress);

/* The same for the instruction with this number; for the first record, from the beginning, whose
 * time is known and at least ticks; for the first event, at position from or after it, with this
 * name (of a text format: its own; of a capture: "start", "stop", "port", "held-lo", "held-hi",
 * "mismatch", "port-switch" and the others of docs/event-port.md) or number of its source ("3").
 */
int ear_trace_seek_number(
	struct ear_trace *trace, uint64_t number, const struct ear_progress *progress);
int ear_trace_seek_time(
	struct ear_trace *trace, uint64_t ticks, const struct ear_progress *progress);
int ear_trace_seek_event(struct ear_trace *trace, const char *event, uint64_t from,
	const struct ear_progress *progress);

/* An event's name or the number of its source into the conditions of a query, which keeps pointing
 * to name. Returns 0, or EAR_E_BAD_ARGUMENT for "". */
int ear_query_event(struct ear_query *query, const char *name);

/* The name of an event as ear_query_event takes it: of a text format its own; of a capture "port",
 * "port-switch", or in decimal the source that has no name. As snprintf: at most size bytes with a
 * NUL; returns the length of the whole. */
int ear_event_name(const struct ear_event *event, char *text, size_t size);

/* What is in the trace ---------------------------------------------------------------------- */

/* What is known without reading on. */
struct ear_trace_facts {
	size_t size;        /* sizeof(struct ear_trace_facts), filled in by the caller */
	const char *format; /* "shot" for captures and dumps, else the text format */
	const char *path;   /* as given; "" without one */
	bool seekable;      /* not a pipe */
	bool has_index;
	unsigned xlen;              /* 32 or 64; 0: not known before the first instruction */
	uint64_t file_size;         /* bytes; 0 for a pipe */
	const char *program;        /* the ELF file that the capture names; NULL: it names none */
	const char *program_sha256; /* 64 digits; NULL */
};

/* Returns 0 and *facts; the texts are the trace's. EAR_E_BAD_ARGUMENT if size is 0. */
int ear_trace_facts(struct ear_trace *trace, struct ear_trace_facts *facts);

/* What a capture says about itself under a key (docs/file-format.md, section 3), into text[0 ..
 * size-1], cut to fit. Returns its length, or EAR_E_BAD_ARGUMENT if it does not say that. */
int ear_trace_fact(struct ear_trace *trace, const char *key, char *text, size_t size);

/* Can records of the trace have a field, by its name in docs/text-formats.md: "trap cause",
 * "interrupt", "gap"? A trace without it shows none, however many there were. A text has what its
 * format can have, less what its first 64 KiB show that its tool leaves out: a log of `spike -l`
 * has no "integer register write". A capture has what its unit was built with, or, made of a text,
 * what that format could have. Of a pipe, ask before the first record: later the answer is for
 * the format. Returns 1 or 0; EAR_E_BAD_ARGUMENT: no field has that name. */
int ear_trace_carries(struct ear_trace *trace, const char *field);

/* Add the program that the capture names to names (names.h): a file whose SHA-256 is that in the
 * capture. It is looked for under its path, beside the capture, in the folders of EARSHOT_PATH and
 * by its build ID (docs/names.md, section 1). Returns its number there; EAR_E_UNSUPPORTED if the
 * trace names none, EAR_E_IO if it is not there, EAR_E_BAD_FILE if there is only another one, or an
 * error of ear_names_add. ear_trace_error has the sentence. */
struct ear_names;
int ear_trace_add_program(struct ear_trace *trace, struct ear_names *names);

/* What the whole trace has. */
struct ear_trace_counts {
	size_t size;      /* sizeof(struct ear_trace_counts), filled in by the caller */
	uint64_t records; /* of any kind: the position after the last one */
	uint64_t instructions, exceptions, interrupts, gaps, events;
	bool has_time;
	uint64_t first_ticks, last_ticks; /* lowest and highest, if has_time */
};

/* From the index if there is one, which is quick; else by reading the whole trace once: no index is
 * built for it. Returns 0 and *counts, EAR_E_BAD_ARGUMENT if size is 0, EAR_E_CANCELLED,
 * EAR_E_UNSUPPORTED (a pipe), or an error as ear_trace_next. */
int ear_trace_counts(struct ear_trace *trace, struct ear_trace_counts *counts,
	const struct ear_progress *progress);

/* Can records be missing (docs/verdict.md)? */
enum ear_completeness {
	EAR_WHOLE,   /* none is */
	EAR_UNKNOWN, /* of a text: every line was read, and nobody knows where it was to end */
	EAR_PART,    /* some are, as was asked for, or the unit counted them: a limit, a slice, a
		      * ring, or records that the unit dropped */
	EAR_DAMAGED, /* others are: cut off, killed, bytes lost, lines that cannot be read */
};

/* What the gaps of some records say. */
struct ear_missing {
	size_t size;      /* sizeof(struct ear_missing), filled in by the caller */
	uint64_t records; /* that are there: all that are no gap */
	uint64_t gaps;    /* of any reason */
	uint64_t lost;    /* records that the unit dropped, by its own count */
	uint64_t missing; /* records that are missing otherwise, where they are counted, */
	bool unknown;     /* and others, of unknown number */
	bool no_start;    /* the trace begins after the capture */
	bool no_end;      /* the end of a capture, or of a text, is missing, too */
	bool meant_end;   /* a capture has no STOP, because it was to end there: a slice, a limit */
	bool wrong;       /* records before a gap may be wrong: a check failed */
	uint64_t lines;   /* of a text, that could not be read */
	uint64_t bytes;   /* of the stream, or of these lines */
	uint64_t first;   /* instructions before the first gap of EAR_DAMAGED */
	unsigned verdict; /* enum ear_completeness */
	const char *fault;  /* as ear_trace_fault, if all was read; NULL: nothing. The trace's */
	uint64_t words;     /* lines of a text with words that were not understood */
	const char *mended; /* what was damaged in the file and made good by its parity, or NULL.
			     * The same as fault: nothing is missing for it */
	uint64_t unpaired;  /* lines of a text without the one that belongs to them, as a line of
			     * an instruction without its commit line. No damage */
};

/* What is missing from one position to before another; 0 and UINT64_MAX: in the whole trace. What
 * is wrong with the end is said if to is not before it, unless no record was asked for: to is from.
 * At once if it was read from its beginning, in whatever way; else by the index, or by reading it
 * again. Returns as ear_trace_counts; EAR_E_UNSUPPORTED: a pipe that was not read so far. */
int ear_trace_missing(struct ear_trace *trace, uint64_t from, uint64_t to,
	struct ear_missing *missing, const struct ear_progress *progress);

/* The same for records from elsewhere: what one gap adds, behind so many instructions. The size is
 * filled in; verdict becomes a capture's. */
void ear_missing_add(struct ear_missing *missing, const struct ear_gap *gap, uint64_t number);

/* What it says, as a phrase, into text[0 .. size-1], cut to fit: "its end is missing, with an
 * unknown number of records; 3 lines could not be read". "" if nothing is missing. Returns its
 * length. */
size_t ear_missing_text(const struct ear_missing *missing, char *text, size_t size);

/* What only a reading of the whole trace shows: is anything missing, and which harts are there. */
struct ear_trace_verdict {
	size_t size;          /* sizeof(struct ear_trace_verdict), filled in by the caller */
	bool complete;        /* nothing is missing: no gap, and a capture has its end */
	uint64_t missing;     /* records in gaps, where these are counted */
	bool missing_unknown; /* and others, of unknown number */
	size_t hart_count;
	uint16_t harts[64]; /* the first of them, in order of their first record */
	unsigned kind;      /* enum ear_completeness */
};

/* Reads the whole trace once, and knows its counts, too, afterwards. Returns as ear_trace_counts.
 */
int ear_trace_verdict(struct ear_trace *trace, struct ear_trace_verdict *verdict,
	const struct ear_progress *progress);

/* What is wrong with the file as far as it was read, a sentence; NULL: nothing. Valid until the
 * next call. */
const char *ear_trace_fault(struct ear_trace *trace);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
