/* Memory by the addresses that software passes to an event port.
 *
 * What is known of translations is kept as a TLB keeps it: in a table of fixed size, whose entries
 * are valid until anything happens that may change one. An entry that another one displaced makes a
 * string unknown, nothing worse.
 */
#include "library/tasks/port_memory.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "library/memory/memory_state.h"

#define PAGE_BITS 12
#define PAGE      (UINT64_C(1) << PAGE_BITS)
#define PAGES     4096u /* translations that are kept */

/* A page of a hart, in a guest or not, and where it is. */
struct page {
	uint64_t generation; /* in which it was seen; it counts in no other one */
	uint64_t virtual_page, physical_page;
	uint16_t hart;
	bool guest;
};

/* How a hart sees memory before its next instruction. */
struct view {
	uint16_t number;
	bool known; /* privilege is valid */
	uint8_t privilege;
	uint64_t next_index;
};

struct ear_port_memory {
	struct ear_memory_options options;
	struct ear_memory *memory;
	struct view *views;
	size_t view_count;
	uint64_t generation;
	struct page pages[PAGES];
};

int ear_port_memory_new(
	struct ear_port_memory **memory_out, const struct ear_memory_options *options)
{
	struct ear_port_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return EAR_E_NO_MEMORY;
	memory->options = *options;
	memory->generation = 1;
	int result = ear_memory_new(&memory->memory, options);
	if (result)
		ear_port_memory_free(memory);
	else
		*memory_out = memory;
	return result;
}

void ear_port_memory_free(struct ear_port_memory *memory)
{
	if (!memory)
		return;
	ear_memory_free(memory->memory);
	free(memory->views);
	free(memory);
}

/* Records -------------------------------------------------------------------------------------- */

static struct view *find_view(const struct ear_port_memory *memory, uint16_t number)
{
	for (size_t i = 0; i < memory->view_count; i++)
		if (memory->views[i].number == number)
			return &memory->views[i];
	return NULL;
}

static struct view *take_view(struct ear_port_memory *memory, uint16_t number)
{
	struct view *view = find_view(memory, number);

	if (view)
		return view;
	struct view *more = realloc(memory->views, (memory->view_count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	memory->views = more;
	view = &more[memory->view_count++];
	*view = (struct view){.number = number};
	return view;
}

static void forget_pages(struct ear_port_memory *memory)
{
	memory->generation++;
}

static bool is_guest(uint8_t privilege)
{
	return privilege == EAR_PRIVILEGE_VU || privilege == EAR_PRIVILEGE_VS;
}

static struct page *page_of(
	struct ear_port_memory *memory, uint16_t hart, bool guest, uint64_t virtual_page)
{
	uint64_t key = virtual_page ^ (uint64_t)hart << 40 ^ (uint64_t)guest << 39;

	return &memory->pages[ear_hash_index(key, PAGES)];
}

static void see_page(struct ear_port_memory *memory, const struct ear_record *record,
	uint64_t virtual, uint64_t physical)
{
	const bool guest = is_guest(record->privilege);

	if (((virtual ^ physical) & (PAGE - 1)) != 0)
		return;
	*page_of(memory, record->hart, guest, virtual >> PAGE_BITS) =
		(struct page){.generation = memory->generation,
			.virtual_page = virtual >> PAGE_BITS,
			.physical_page = physical >> PAGE_BITS,
			.hart = record->hart,
			.guest = guest};
}

static bool is_system(const struct ear_record *record)
{
	return ear_opcode_major(record->opcode) == EAR_OPCODE_SYSTEM && record->opcode_size == 4;
}

/* A record whose addresses its own address space translates. */
static bool is_translated(const struct ear_record *record)
{
	return record->isa == EAR_ISA_RISCV && record->privilege != EAR_PRIVILEGE_M &&
	       record->privilege != EAR_PRIVILEGE_DEBUG &&
	       !(record->flags & (EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_NO_OPCODE | EAR_RECORD_TRAP |
					 EAR_RECORD_INTERRUPT));
}

static void see_pages(struct ear_port_memory *memory, const struct ear_record *record)
{
	if (!is_translated(record))
		return;
	if (record->flags & EAR_RECORD_PC_PHYSICAL)
		see_page(memory, record, record->pc, record->pc_physical);
	/* hlv and hsv access the memory of a guest. */
	for (size_t i = 0; i < record->memory_count && !is_system(record); i++)
		if (record->memory[i].has_physical && !record->memory[i].aborted)
			see_page(memory, record, record->memory[i].address,
				record->memory[i].physical);
}

static bool is_space(unsigned csr)
{
	return csr == EAR_CSR_SATP || csr == EAR_CSR_VSATP || csr == EAR_CSR_HGATP;
}

/* May translations be others after the record? */
static bool changes_space(const struct ear_record *record)
{
	struct ear_inst inst;

	if (record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_OPCODE)
		return true;
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			is_space(record->registers[i].number))
			return true;
	if (!is_system(record))
		return false;
	ear_inst_decode_within(&inst, (uint32_t)record->opcode, record->xlen == 32 ? 32 : 64, NULL);
	return inst.kind == EAR_KIND_FENCE || (inst.kind == EAR_KIND_CSR && is_space(inst.csr));
}

/* What the hart's next instruction will see. */
static void follow_view(struct view *view, const struct ear_record *record)
{
	const bool leaves = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) ||
			    (is_system(record) && (record->opcode >> 12 & 7) == 0);

	view->known = record->isa == EAR_ISA_RISCV && !leaves &&
		      !(record->flags & (EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_NO_OPCODE));
	view->privilege = record->privilege;
	view->next_index = record->index + 1;
}

static int follow(struct ear_port_memory *memory, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_GAP) {
		forget_pages(memory);
		for (size_t i = 0; i < memory->view_count; i++)
			memory->views[i].known = false;
	}
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return 0;
	struct view *view = take_view(memory, record->hart);
	if (!view)
		return EAR_E_NO_MEMORY;
	if (record->index != view->next_index)
		forget_pages(memory);
	if (memory->options.key == EAR_MEMORY_PHYSICAL) {
		see_pages(memory, record);
		if (changes_space(record))
			forget_pages(memory);
	}
	follow_view(view, record);
	return 0;
}

/* The trace asks for another meaning of addresses: what is known by now may be wrong. */
static int change_key(struct ear_port_memory *memory, enum ear_memory_key key)
{
	struct ear_memory *other;

	memory->options.key = key;
	memory->options.image_count = 0; /* stores to it may have been taken elsewhere */
	int result = ear_memory_new(&other, &memory->options);
	if (result)
		return result;
	ear_memory_free(memory->memory);
	memory->memory = other;
	return 0;
}

int ear_port_memory_push(struct ear_port_memory *memory, const struct ear_record *record)
{
	int result = ear_memory_push(memory->memory, record);

	if (result == 0 && ear_memory_better_key(memory->memory) != memory->options.key)
		result = change_key(memory, ear_memory_better_key(memory->memory));
	return result ? result : follow(memory, record);
}

/* Reading -------------------------------------------------------------------------------------- */

/* The privilege of the instruction that passes the address. Returns false if it is not known. */
static bool find_privilege(const struct ear_port_memory *memory,
	const struct ear_port_pointer *pointer, uint8_t *privilege)
{
	const struct view *view = find_view(memory, pointer->hart);

	if (pointer->store) {
		*privilege = pointer->store->privilege;
		return pointer->store->isa == EAR_ISA_RISCV &&
		       !(pointer->store->flags & EAR_RECORD_NO_PRIVILEGE);
	}
	*privilege = view ? view->privilege : 0;
	return view && view->known;
}

/* The physical address of a virtual one. Returns false if it is not known. */
static bool translate(struct ear_port_memory *memory, const struct ear_port_pointer *pointer,
	uint64_t virtual, uint64_t *physical)
{
	uint8_t privilege;

	*physical = virtual;
	if (pointer->physical && !pointer->either)
		return true;
	if (!find_privilege(memory, pointer, &privilege) || privilege == EAR_PRIVILEGE_DEBUG)
		return false;
	if (privilege == EAR_PRIVILEGE_M)
		return true;
	if (pointer->either)
		return false;
	const bool guest = is_guest(privilege);
	const struct page *page = page_of(memory, pointer->hart, guest, virtual >> PAGE_BITS);
	*physical = page->physical_page << PAGE_BITS | (virtual & (PAGE - 1));
	return page->generation == memory->generation && page->hart == pointer->hart &&
	       page->guest == guest && page->virtual_page == virtual >> PAGE_BITS;
}

static int64_t read_nothing(uint8_t *bytes, bool *known, size_t size)
{
	memset(bytes, 0, size);
	memset(known, 0, size * sizeof(*known));
	return 0;
}

/* Page by page. */
static int64_t read_physical(struct ear_port_memory *memory, const struct ear_port_pointer *pointer,
	uint8_t *bytes, bool *known, size_t size)
{
	int64_t total = 0;

	for (size_t done = 0; done < size;) {
		const uint64_t address = pointer->address + done;
		const uint64_t rest = PAGE - (address & (PAGE - 1));
		const size_t part = size - done < rest ? size - done : (size_t)rest;
		uint64_t physical;
		bool found = translate(memory, pointer, address, &physical);
		int64_t got = found ? ear_memory_read(memory->memory, physical, bytes + done,
					      known + done, part)
				    : read_nothing(bytes + done, known + done, part);
		if (got < 0)
			return got;
		total += got;
		done += part;
	}
	return total;
}

int64_t ear_port_memory_read(struct ear_port_memory *memory, const struct ear_port_pointer *pointer,
	uint8_t *bytes, bool *known, size_t size)
{
	const struct view *view = find_view(memory, pointer->hart);

	/* What is missing before it may have changed anything. */
	if (view && pointer->index != view->next_index)
		return read_nothing(bytes, known, size);
	switch (memory->options.key) {
	case EAR_MEMORY_PHYSICAL: return read_physical(memory, pointer, bytes, known, size);
	case EAR_MEMORY_VIRTUAL:
		if (pointer->physical || pointer->either || memory->view_count != 1 ||
			memory->views[0].number != pointer->hart)
			return read_nothing(bytes, known, size);
		break;
	default: break;
	}
	return ear_memory_read(memory->memory, pointer->address, bytes, known, size);
}
