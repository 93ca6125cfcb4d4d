#define _GNU_SOURCE /* memfd_create */
#include "iss_bare.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The header of a program without segments. */
static size_t make_header(void *bytes, unsigned xlen)
{
	static const unsigned char ident[EI_NIDENT] = {
		ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT};
	Elf32_Ehdr narrow = {.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_entry = EAR_ISS_MEMORY_BASE,
		.e_ehsize = sizeof(narrow)};
	Elf64_Ehdr wide = {.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_entry = EAR_ISS_MEMORY_BASE,
		.e_ehsize = sizeof(wide)};

	memcpy(narrow.e_ident, ident, sizeof(ident));
	memcpy(wide.e_ident, ident, sizeof(ident));
	wide.e_ident[EI_CLASS] = ELFCLASS64;
	memcpy(bytes, xlen == 32 ? (void *)&narrow : &wide,
		xlen == 32 ? sizeof(narrow) : sizeof(wide));
	return xlen == 32 ? sizeof(narrow) : sizeof(wide);
}

struct ear_iss *iss_bare_new(unsigned xlen, uint64_t seed)
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	size_t size = make_header(header, xlen);
	struct ear_iss_options options;
	struct ear_iss *iss;
	char path[64];
	int fd = memfd_create("bare", MFD_CLOEXEC);

	ear_iss_options_init(&options);
	options.xlen = xlen;
	options.seed = seed;
	options.memory_size = 1u << 20;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, header, size) != (ssize_t)size ||
		ear_iss_new(&iss, &options, path) < 0)
		abort();
	close(fd);
	return iss;
}
