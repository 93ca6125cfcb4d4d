/* The target description: all registers that have a name. GDB asks for CSRs one by one, when
 * somebody wants to see them.
 */
#include "cli/gdb/target.h"

#include <stdio.h>
#include <stdlib.h>

#include <earshot/instruction.h>

unsigned ear_gdb_register_size(unsigned number, unsigned xlen)
{
	if (number >= EAR_GDB_F0 && number < EAR_GDB_CSR0)
		return 8;
	return number == EAR_GDB_PRIV ? 1 : number < EAR_GDB_COUNT ? xlen / 8 : 0;
}

bool ear_gdb_register_of(unsigned number, enum ear_register_class *reg_class, unsigned *index)
{
	if (number < EAR_GDB_PC) {
		*reg_class = EAR_REGISTER_X;
		*index = number;
	} else if (number >= EAR_GDB_F0 && number < EAR_GDB_CSR0) {
		*reg_class = EAR_REGISTER_F;
		*index = number - EAR_GDB_F0;
	} else if (number >= EAR_GDB_CSR0 && number < EAR_GDB_PRIV) {
		*reg_class = EAR_REGISTER_CSR;
		*index = number - EAR_GDB_CSR0;
	} else {
		return false;
	}
	return true;
}

static const char *type_of_x(unsigned number)
{
	return number == 1 ? "code_ptr" : number >= 2 && number <= 4 ? "data_ptr" : "int";
}

static void print_integer(FILE *out, unsigned xlen)
{
	char name[16];

	fprintf(out, "<feature name=\"org.gnu.gdb.riscv.cpu\">\n");
	for (unsigned i = 0; i < 32; i++) {
		ear_register_name(EAR_REGISTER_X, i, name, sizeof(name));
		fprintf(out, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\" regnum=\"%u\"/>\n",
			i == 8 ? "fp" : name, xlen, type_of_x(i), i);
	}
	fprintf(out,
		"<reg name=\"pc\" bitsize=\"%u\" type=\"code_ptr\" regnum=\"%u\"/>\n</feature>\n",
		xlen, EAR_GDB_PC);
}

static void print_csr(FILE *out, unsigned number, const char *name, unsigned xlen)
{
	fprintf(out, "<reg name=\"%s\" bitsize=\"%u\" type=\"int\" group=\"csr\" regnum=\"%u\"/>\n",
		name, xlen, EAR_GDB_CSR0 + number);
}

static void print_float(FILE *out, unsigned xlen)
{
	static const char *const csrs[] = {"fflags", "frm", "fcsr"};
	char name[16];

	fprintf(out, "<feature name=\"org.gnu.gdb.riscv.fpu\">\n<union id=\"riscv_double\">"
		     "<field name=\"float\" type=\"ieee_single\"/>"
		     "<field name=\"double\" type=\"ieee_double\"/></union>\n");
	for (unsigned i = 0; i < 32; i++) {
		ear_register_name(EAR_REGISTER_F, i, name, sizeof(name));
		fprintf(out,
			"<reg name=\"%s\" bitsize=\"64\" type=\"riscv_double\" regnum=\"%u\"/>\n",
			name, EAR_GDB_F0 + i);
	}
	for (unsigned i = 0; i < 3; i++)
		print_csr(out, i + 1, csrs[i], xlen);
	fprintf(out, "</feature>\n");
}

static void print_csrs(FILE *out, unsigned xlen)
{
	char name[32];

	fprintf(out, "<feature name=\"org.gnu.gdb.riscv.csr\">\n");
	for (unsigned i = 4; i < 4096; i++) {
		ear_register_name(EAR_REGISTER_CSR, i, name, sizeof(name));
		if (!(name[0] == 'c' && name[1] >= '0' && name[1] <= '9'))
			print_csr(out, i, name, xlen);
	}
	fprintf(out,
		"</feature>\n<feature name=\"org.gnu.gdb.riscv.virtual\">\n"
		"<reg name=\"priv\" bitsize=\"8\" regnum=\"%u\"/>\n</feature>\n",
		EAR_GDB_PRIV);
}

/* Without an ABI GDB takes that of Linux, and then makes each step a breakpoint at what it believes
 * to be the next instruction. */
char *ear_gdb_target_xml(unsigned xlen, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	fprintf(out,
		"<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
		"<target version=\"1.0\">\n<architecture>riscv:rv%u</architecture>\n"
		"<osabi>none</osabi>\n",
		xlen);
	print_integer(out, xlen);
	print_float(out, xlen);
	print_csrs(out, xlen);
	fprintf(out, "</target>\n");
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

unsigned ear_gdb_signal(uint64_t cause, bool is_interrupt)
{
	static const uint8_t signals[16] = {
		[0] = 10, /* instruction address misaligned */
		[1] = 11, /* instruction access fault */
		[2] = 4,  /* illegal instruction */
		[3] = 5,  /* breakpoint */
		[4] = 10,
		[5] = 11,
		[6] = 10,
		[7] = 11, /* loads and stores, the same */
		[8] = 12,
		[9] = 12,
		[10] = 12,
		[11] = 12, /* environment calls */
		[12] = 11,
		[13] = 11,
		[15] = 11, /* page faults */
	};

	if (is_interrupt)
		return 0;
	return cause < 16 && signals[cause] ? signals[cause] : 5;
}
