/* A program for QEMU's user mode: code, an ELF file around it, and a process that runs it. */
#define _GNU_SOURCE
#include "guest.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OP_IMM    0x13u
#define OP_LUI    0x37u
#define OP_BRANCH 0x63u
#define ECALL     0x00000073u
#define PAGE      0x1000u

bool guest_init(struct guest *guest, unsigned xlen)
{
	*guest = (struct guest){.xlen = xlen, .code = calloc(1, GUEST_CODE_SIZE)};
	return guest->code != NULL;
}

void guest_free(struct guest *guest)
{
	free(guest->code);
}

uint32_t guest_pc(const struct guest *guest)
{
	return GUEST_CODE + (uint32_t)guest->code_size;
}

void guest_place(struct guest *guest, uint32_t address, uint32_t insn)
{
	size_t size = (insn & 3) == 3 ? 4 : 2, at = address - GUEST_CODE;

	if (at > GUEST_CODE_SIZE - size) {
		fprintf(stderr, "guest: more than %u bytes of code\n", GUEST_CODE_SIZE);
		abort();
	}
	for (size_t i = 0; i < size; i++)
		guest->code[at + i] = (uint8_t)(insn >> 8 * i);
}

void guest_emit(struct guest *guest, uint32_t insn)
{
	guest_place(guest, guest_pc(guest), insn);
	guest->code_size += (insn & 3) == 3 ? 4 : 2;
}

uint32_t guest_i(uint32_t opcode, unsigned funct3, unsigned rd, unsigned rs1, int32_t imm)
{
	return ((uint32_t)imm & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

uint32_t guest_r(uint32_t match, unsigned rd, unsigned rs1, unsigned rs2)
{
	return match | rs2 << 20 | rs1 << 15 | rd << 7;
}

uint32_t guest_s(uint32_t opcode, unsigned funct3, unsigned rs1, unsigned rs2, int32_t imm)
{
	uint32_t bits = (uint32_t)imm & 0xfff;

	return bits >> 5 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 31) << 7 | opcode;
}

void guest_load_address(struct guest *guest, unsigned rd, uint32_t value)
{
	uint32_t high = value + 0x800;

	guest_emit(guest, (high & 0xfffff000) | rd << 7 | OP_LUI);
	guest_emit(guest, guest_i(OP_IMM, 0, rd, rd, (int32_t)(value & 0xfff)));
}

void guest_loop(struct guest *guest, uint32_t start, unsigned a, unsigned b)
{
	uint32_t to = start - guest_pc(guest);

	guest_emit(guest, (to >> 12 & 1) << 31 | (to >> 5 & 0x3f) << 25 | b << 20 | a << 15 |
				  1 << 12 | (to >> 1 & 15) << 8 | (to >> 11 & 1) << 7 | OP_BRANCH);
}

void guest_write(struct guest *guest, uint32_t address, uint32_t size)
{
	guest_load_address(guest, 10, 1);
	guest_load_address(guest, 11, address);
	guest_load_address(guest, 12, size);
	guest_load_address(guest, 17, 64);
	guest_emit(guest, ECALL);
}

void guest_exit(struct guest *guest)
{
	guest_load_address(guest, 10, 0);
	guest_load_address(guest, 17, 93);
	guest_emit(guest, ECALL);
}

/* The file -------------------------------------------------------------------------------------
 */

/* Code and data as two segments. Both headers have the same fields in other orders and widths. */
#define FILL_HEADER(header, bits) \
	do { \
		memcpy((header).e_ident, ELFMAG, SELFMAG); \
		(header).e_ident[EI_CLASS] = (bits) == 32 ? ELFCLASS32 : ELFCLASS64; \
		(header).e_ident[EI_DATA] = ELFDATA2LSB; \
		(header).e_ident[EI_VERSION] = EV_CURRENT; \
		(header).e_type = ET_EXEC; \
		(header).e_machine = EM_RISCV; \
		(header).e_version = EV_CURRENT; \
		(header).e_entry = GUEST_CODE; \
		(header).e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE; \
		(header).e_phoff = (header).e_ehsize = sizeof(header); \
		(header).e_phnum = 2; \
	} while (0)

#define FILL_SEGMENT(segment, access, at, where, bytes, zeros) \
	do { \
		(segment).p_type = PT_LOAD; \
		(segment).p_flags = (access); \
		(segment).p_offset = (at); \
		(segment).p_vaddr = (segment).p_paddr = (where); \
		(segment).p_filesz = (bytes); \
		(segment).p_memsz = (bytes) + (zeros); \
		(segment).p_align = PAGE; \
	} while (0)

static bool write_at(int file, const void *bytes, size_t size, size_t at)
{
	return pwrite(file, bytes, size, (off_t)at) == (ssize_t)size;
}

static bool write_elf(const struct guest *guest, int file)
{
	size_t data_at = PAGE + (guest->code_size + PAGE - 1) / PAGE * PAGE;
	struct {
		Elf32_Ehdr header;
		Elf32_Phdr segments[2];
	} narrow = {0};
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[2];
	} broad = {0};

	FILL_HEADER(narrow.header, 32);
	narrow.header.e_phentsize = sizeof(narrow.segments[0]);
	FILL_SEGMENT(
		narrow.segments[0], PF_R | PF_X, PAGE, GUEST_CODE, (Elf32_Word)guest->code_size, 0);
	FILL_SEGMENT(narrow.segments[1], PF_R | PF_W, (Elf32_Off)data_at, GUEST_DATA,
		(Elf32_Word)guest->data_size, (Elf32_Word)guest->zero_size);
	FILL_HEADER(broad.header, 64);
	broad.header.e_phentsize = sizeof(broad.segments[0]);
	FILL_SEGMENT(broad.segments[0], PF_R | PF_X, PAGE, GUEST_CODE, guest->code_size, 0);
	FILL_SEGMENT(broad.segments[1], PF_R | PF_W, data_at, GUEST_DATA, guest->data_size,
		guest->zero_size);
	return (guest->xlen == 32 ? write_at(file, &narrow, sizeof(narrow), 0)
				  : write_at(file, &broad, sizeof(broad), 0)) &&
	       write_at(file, guest->code, guest->code_size, PAGE) &&
	       write_at(file, guest->data, guest->data_size, data_at);
}

/* In the new process. */
static void start(const char *qemu, const char *cpu, const char *path, int output)
{
	dup2(output, STDOUT_FILENO);
	execlp(qemu, qemu, "-cpu", cpu, path, (char *)NULL);
	perror(qemu);
	_exit(127);
}

int guest_run(const struct guest *guest, const char *qemu, const char *cpu, FILE **output)
{
	char path[] = "guest-XXXXXX";
	int file = mkstemp(path), ends[2], process = -1;

	if (file < 0)
		return -1;
	if (!write_elf(guest, file) || fchmod(file, 0700) != 0 || pipe2(ends, O_CLOEXEC) != 0)
		goto out_remove;
	close(file);
	file = -1;
	process = fork();
	if (process == 0)
		start(qemu, cpu, path, ends[1]);
	close(ends[1]);
	*output = process < 0 ? NULL : fdopen(ends[0], "rb");
	/* It has opened the file when the first byte comes, or when it ends. */
	if (*output)
		ungetc(getc(*output), *output);
out_remove:
	if (file >= 0)
		close(file);
	unlink(path);
	return process;
}
