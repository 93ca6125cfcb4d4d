/* Core files: the headers of segments, and the notes in them. Every offset is held against the size
 * before it is used; memory is where it is in the file.
 */
#include "library/infer/infer_core.h"

#include <earshot/error.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/protocol/bytes.h"

#define NOTE_HEADER 12u

/* Where things are in files of 32 and of 64 bits. */
struct layout {
	unsigned word;                                /* bytes of an address */
	unsigned header, table, entry_size, count;    /* of the file */
	unsigned segment, offset, address, file_size; /* of a segment */
	unsigned registers, status;                   /* in NT_PRSTATUS, and its size */
};

static const struct layout narrow = {4, 52, 28, 42, 44, 32, 4, 8, 16, 72, 204};
static const struct layout wide = {8, 64, 32, 54, 56, 56, 8, 16, 32, 112, 376};

struct parser {
	struct infer_core *core;
	const struct layout *layout;
	size_t size;
};

static uint64_t load(const struct parser *parser, const uint8_t *bytes)
{
	return parser->layout->word == 4 ? ear_load_le32(bytes) : ear_load_le64(bytes);
}

static uint64_t padded(uint32_t size)
{
	return ((uint64_t)size + 3) & ~(uint64_t)3;
}

/* The program counter, then x1 to x31. */
static int take_status(struct parser *parser, const uint8_t *status)
{
	struct infer_core *core = parser->core;
	const uint8_t *at = status + parser->layout->registers;
	size_t count = core->snapshot.held_count;
	struct ear_infer_held *held = realloc(core->held, (count + 1) * sizeof(*held));

	if (!held)
		return EAR_E_NO_MEMORY;
	core->held = held;
	held[count] = (struct ear_infer_held){.pc = load(parser, at)};
	for (unsigned i = 1; i < 32; i++)
		held[count].x[i] = load(parser, at + (size_t)i * parser->layout->word);
	core->snapshot.held = held;
	core->snapshot.held_count = count + 1;
	return 0;
}

static int take_notes(struct parser *parser, const uint8_t *notes, uint64_t left)
{
	while (left >= NOTE_HEADER) {
		uint64_t name = padded(ear_load_le32(notes));
		uint32_t size = ear_load_le32(notes + 4), type = ear_load_le32(notes + 8);
		bool core = ear_load_le32(notes) == sizeof("CORE");
		notes += NOTE_HEADER;
		left -= NOTE_HEADER;
		if (name > left || size > left - name)
			return EAR_E_BAD_FILE;
		core = core && memcmp(notes, "CORE", sizeof("CORE")) == 0;
		notes += name;
		left -= name;
		if (core && type == NT_PRSTATUS && size >= parser->layout->status) {
			int result = take_status(parser, notes);
			if (result)
				return result;
		}
		uint64_t all = padded(size) < left ? padded(size) : left;
		notes += all;
		left -= all;
	}
	return 0;
}

static int take_segment(struct parser *parser, const uint8_t *header)
{
	struct infer_core *core = parser->core;
	uint64_t offset = load(parser, header + parser->layout->offset);
	uint64_t size = load(parser, header + parser->layout->file_size);
	uint64_t address = load(parser, header + parser->layout->address);
	uint32_t type = ear_load_le32(header);

	if (type != PT_NOTE && type != PT_LOAD)
		return 0;
	if (offset > parser->size || size > parser->size - offset)
		return EAR_E_BAD_FILE;
	if (type == PT_NOTE)
		return take_notes(parser, core->bytes + offset, size);
	if (size > 0 && address + (size - 1) >= address)
		core->memory[core->snapshot.memory_count++] = (struct ear_memory_segment){
			.address = address, .size = size, .bytes = core->bytes + offset};
	return 0;
}

static int parse(struct parser *parser)
{
	struct infer_core *core = parser->core;
	const uint8_t *bytes = core->bytes;
	const bool is_wide = parser->size > EI_CLASS && bytes[EI_CLASS] == ELFCLASS64;
	const struct layout *layout = parser->layout = is_wide ? &wide : &narrow;

	if (parser->size < layout->header || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
		(!is_wide && bytes[EI_CLASS] != ELFCLASS32) || bytes[EI_DATA] != ELFDATA2LSB ||
		ear_load_le16(bytes + 16) != ET_CORE || ear_load_le16(bytes + 18) != EM_RISCV)
		return EAR_E_BAD_FILE;
	uint64_t table = load(parser, bytes + layout->table);
	uint32_t entry_size = ear_load_le16(bytes + layout->entry_size);
	uint32_t count = ear_load_le16(bytes + layout->count);
	if (count == 0 || entry_size < layout->segment || table > parser->size ||
		(uint64_t)count * entry_size > parser->size - table)
		return EAR_E_BAD_FILE;
	core->memory = calloc(count, sizeof(*core->memory));
	if (!core->memory)
		return EAR_E_NO_MEMORY;
	core->snapshot.memory = core->memory;
	int result = 0;
	for (uint32_t i = 0; i < count && result == 0; i++)
		result = take_segment(parser, bytes + table + (uint64_t)i * entry_size);
	if (result == 0 && core->snapshot.held_count + core->snapshot.memory_count == 0)
		result = EAR_E_BAD_FILE;
	return result;
}

int ear_infer_core_parse(struct infer_core *core, uint8_t *bytes, size_t size)
{
	struct parser parser = {.core = core, .size = size};

	*core = (struct infer_core){.bytes = bytes};
	int result = parse(&parser);
	if (result)
		ear_infer_core_fini(core);
	return result;
}

void ear_infer_core_fini(struct infer_core *core)
{
	free(core->held);
	free(core->memory);
	free(core->bytes);
	*core = (struct infer_core){.bytes = NULL};
}

/* All of a file of this size. Returns 0 or EAR_E_IO; EAR_E_BAD_FILE: it is shorter now. */
static int read_all(int fd, uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = read(fd, bytes, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? EAR_E_IO : EAR_E_BAD_FILE;
		bytes += got;
		size -= (size_t)got;
	}
	return 0;
}

int ear_infer_core_read(struct infer_core *core, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), result = fd < 0 ? EAR_E_IO : 0;
	struct stat status = {0};
	uint8_t *bytes = NULL;

	*core = (struct infer_core){.bytes = NULL};
	if (result == 0 && fstat(fd, &status) != 0)
		result = EAR_E_IO;
	if (result == 0 && !S_ISREG(status.st_mode))
		result = EAR_E_BAD_FILE;
	if (result == 0 && (uint64_t)status.st_size > EAR_INFER_CORE_MAX)
		result = EAR_E_FULL;
	if (result == 0 && !(bytes = malloc((size_t)status.st_size + 1)))
		result = EAR_E_NO_MEMORY;
	if (result == 0)
		result = read_all(fd, bytes, (size_t)status.st_size);
	int number = errno;
	if (fd >= 0)
		close(fd);
	if (result == 0)
		return ear_infer_core_parse(core, bytes, (size_t)status.st_size);
	free(bytes);
	errno = number;
	return result;
}
