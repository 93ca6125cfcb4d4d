/* From the retire port to Whisper's text: each row is what a core offers for one instruction,
 * and the line that Whisper wrote for the same one. docs/text-formats.md, section 1.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode_run.h"
#include "decoder/codec/encoder.h"
#include "decoder/codec/reconstruct.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "decoder/formats/whisper/writer_whisper.h"
#include "sample_stream.h"

#define HEADER \
	"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, " \
	"disassembly, hartid\n"

struct row {
	const char *name, *line;
	struct ear_retire entry; /* mode 3 unless the row's name says otherwise */
};

#define RV32 .xlen = 32, .ixl = 1, .mode = 3
#define RV64 .xlen = 64, .ixl = 2, .mode = 3

/* Lines of real traces. */
static const struct row real_rows[] = {
	{"auipc", "80000000,1197,x3=80001000,i1000,,,m,,auipc    x3; 0x1,0",
		{RV32, .insn = 0x1197, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004, .rd_addr = 3,
			.rd_wdata = 0x80001000}},
	{"sw", "80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       x10; 0x0(x5),0",
		{RV32, .insn = 0xA2A023, .pc_rdata = 0x80000056, .pc_wdata = 0x8000005A,
			.rs1_addr = 5, .rs1_rdata = 0x80001040, .rs2_addr = 10, .rs2_rdata = 1,
			.mem_addr = 0x80001040, .mem_wmask = 0xF, .mem_wdata = 1}},
	{"fdiv.d raising a flag",
		"800000be,1af677d3,f15=3fd5555555555555;ff=1;c3=1,f12;f15;rm=0,,f,m,,"
		"fdiv.d   f15; f12; f15; dyn,0",
		{RV64, .insn = 0x1AF677D3, .pc_rdata = 0x800000BE, .pc_wdata = 0x800000C2,
			.frd_valid = true, .frd_addr = 15, .frd_wdata = 0x3FD5555555555555,
			.fflags = 1, .csr_count = 1, .csrs = {{3, 1}}}},
	{"amoadd.w", "8000011a,f727af,x15=1,x14;x15,80001018=2a,a,m,,amoadd.w x15; x15; (x14),0",
		{RV32, .insn = 0xF727AF, .pc_rdata = 0x8000011A, .pc_wdata = 0x8000011E,
			.rs1_addr = 14, .rs1_rdata = 0x80001018, .rs2_addr = 15, .rs2_rdata = 0x29,
			.rd_addr = 15, .rd_wdata = 1, .mem_addr = 0x80001018, .mem_rmask = 0xF,
			.mem_wmask = 0xF, .mem_rdata = 1, .mem_wdata = 0x2A}},
	{"sc.w that failed", "80000112,18f726af,x13=1,x14;x15,80001018,a,m,,sc.w x13; x15; (x14),0",
		{RV32, .insn = 0x18F726AF, .pc_rdata = 0x80000112, .pc_wdata = 0x80000116,
			.rs1_addr = 14, .rs1_rdata = 0x80001018, .rs2_addr = 15, .rs2_rdata = 7,
			.rd_addr = 13, .rd_wdata = 1, .mem_addr = 0x80001018}},
	{"jal", "80000048,140000ef,x1=8000004c;pc=80000188,i140,,c,m,,jal      x1; . + 0x140,0",
		{RV32, .insn = 0x140000EF, .pc_rdata = 0x80000048, .pc_wdata = 0x80000188,
			.rd_addr = 1, .rd_wdata = 0x8000004C}},
	{"c.sd through translation, S mode",
		"4000200a:8000100a,e298,,x14;x13;i0,40001000:80004000=0,s,s,,c.sd     x14; "
		"0x0(x13),0",
		{.xlen = 64,
			.ixl = 2,
			.mode = 1,
			.insn = 0xE298,
			.pc_rdata = 0x4000200A,
			.pc_wdata = 0x4000200C,
			.rs1_addr = 13,
			.rs1_rdata = 0x40001000,
			.rs2_addr = 14,
			.mem_addr = 0x40001000,
			.mem_wmask = 0xFF,
			.pc_paddr = 0x8000100A,
			.mem_paddr = 0x80004000}},
	{"ecall", "800001a0,73,c833=800001a0;c834=b;c835=0;c768=1800;c784=0,,,,m,b,ecall    ,0",
		{RV32, .insn = 0x73, .trap = true, .cause = 11, .pc_rdata = 0x800001A0,
			.pc_wdata = 0x80000010, .csr_count = 5,
			.csrs = {{833, 0x800001A0}, {834, 11}, {835, 0}, {768, 0x1800}, {784, 0}}}},
	{"lr.w that is misaligned",
		"800001b4,1007a7af,c833=800001b4;c834=5;c835=80001019;c768=1800;c784=0,x15,"
		"80001019,"
		"a,m,5,lr.w x15; (x15),0",
		{RV32, .insn = 0x1007A7AF, .trap = true, .cause = 5, .pc_rdata = 0x800001B4,
			.pc_wdata = 0x80000010, .rs1_addr = 15, .rs1_rdata = 0x80001019,
			.mem_addr = 0x80001019, .csr_count = 5,
			.csrs = {{833, 0x800001B4}, {834, 5}, {835, 0x80001019}, {768, 0x1800},
				{784, 0}}}},
	{"load page fault, S mode",
		"40002032:80001032,7b283,c833=40002032;c834=d;c835=30000000;c768=8000000a00006800,"
		"x15;i0,30000000,l,s,d,ld       x5; 0x0(x15),0",
		{.xlen = 64,
			.ixl = 2,
			.mode = 1,
			.insn = 0x7B283,
			.trap = true,
			.cause = 13,
			.pc_rdata = 0x40002032,
			.pc_wdata = 0x80000010,
			.pc_paddr = 0x80001032,
			.rs1_addr = 15,
			.rs1_rdata = 0x30000000,
			.mem_addr = 0x30000000,
			.csr_count = 4,
			.csrs = {{833, 0x40002032}, {834, 13}, {835, 0x30000000},
				{768, 0x8000000A00006800}}}},
	{"instruction page fault, S mode",
		"5000,0,c833=5000;c834=c;c835=5000;c768=8000000a00006e00,,,,s,c,illegal,0",
		{.xlen = 64,
			.ixl = 2,
			.mode = 1,
			.insn = 0,
			.trap = true,
			.cause = 12,
			.pc_rdata = 0x5000,
			.pc_wdata = 0x80000010,
			.csr_count = 4,
			.csrs = {{833, 0x5000}, {834, 12}, {835, 0x5000},
				{768, 0x8000000A00006E00}}}},
	{"interrupt in front of a branch",
		"8000010e,ffe5,c833=8000010e;c834=8000000000000007;c835=0;c768=a00001880,x15;x0;"
		"ifffffff8,,nt,m,8000000000000007,c.bnez   x15; . - 0x8,0",
		{RV64, .insn = 0xFFE5, .irq = true, .trap = true, .cause = 0x8000000000000007,
			.pc_rdata = 0x8000010E, .pc_wdata = 0x80000010, .csr_count = 4,
			.csrs = {{833, 0x8000010E}, {834, 0x8000000000000007}, {835, 0},
				{768, 0xA00001880}}}},
};

/* Lines put together from the same rules. */
static const struct row more_rows[] = {
	{"lr.w", "80000100,100727af,x15=5,x14,80001018,a,m,,lr.w x15; (x14),0",
		{RV32, .insn = 0x100727AF, .pc_rdata = 0x80000100, .pc_wdata = 0x80000104,
			.rs1_addr = 14, .rs1_rdata = 0x80001018, .rd_addr = 15, .rd_wdata = 5,
			.mem_addr = 0x80001018, .mem_rmask = 0xF, .mem_rdata = 5}},
	{"sc.w that succeeded",
		"80000112,18f726af,x13=0,x14;x15,80001018=7,a,m,,sc.w x13; x15; (x14),0",
		{RV32, .insn = 0x18F726AF, .pc_rdata = 0x80000112, .pc_wdata = 0x80000116,
			.rs1_addr = 14, .rs1_rdata = 0x80001018, .rs2_addr = 15, .rs2_rdata = 7,
			.rd_addr = 13, .mem_addr = 0x80001018, .mem_wmask = 0xF, .mem_wdata = 7}},
	{"interrupt in front of a load, RV32",
		"80000020,5a503,c833=80000020;c834=80000007;c835=0;c768=1880;c784=0,x11;i0,,l,m,"
		"80000007,lw       x10; 0x0(x11),0",
		{RV32, .insn = 0x5A503, .irq = true, .trap = true, .cause = 0x80000007,
			.pc_rdata = 0x80000020, .pc_wdata = 0x80000010, .csr_count = 5,
			.csrs = {{833, 0x80000020}, {834, 0x80000007}, {835, 0}, {768, 0x1880},
				{784, 0}}}},
	{"interrupt when the core does not know the opcode",
		"80000020,0,c834=80000007,,,,m,80000007,illegal,0",
		{RV32, .irq = true, .trap = true, .cause = 0x80000007, .pc_rdata = 0x80000020,
			.pc_wdata = 0x80000010, .csr_count = 1, .csrs = {{834, 0x80000007}}}},
	{"first instruction of a handler",
		"80000010,34202573,x10=80000007,x0;c834,,,m,,csrrs    x10; mcause; x0,0",
		{RV32, .insn = 0x34202573, .intr = true, .pc_rdata = 0x80000010,
			.pc_wdata = 0x80000014, .rd_addr = 10, .rd_wdata = 0x80000007}},
	{"mret shows no target", "80000040,30200073,c768=88;c784=0,,,,m,,mret     ,0",
		{RV32, .insn = 0x30200073, .pc_rdata = 0x80000040, .pc_wdata = 0x80001000,
			.csr_count = 2, .csrs = {{768, 0x88}, {784, 0}}}},
	{"branch that is taken",
		"80000012,fe0697e3,pc=80000000,x13;x0;iffffffee,,t,m,,bne      x13; x0; . - 0x12,0",
		{RV32, .insn = 0xFE0697E3, .pc_rdata = 0x80000012, .pc_wdata = 0x80000000,
			.rs1_addr = 13, .rs1_rdata = 1}},
	{"branch that is not taken",
		"80000012,fe0697e3,,x13;x0;iffffffee,,nt,m,,bne      x13; x0; . - 0x12,0",
		{RV32, .insn = 0xFE0697E3, .pc_rdata = 0x80000012, .pc_wdata = 0x80000016,
			.rs1_addr = 13}},
	{"branch to the next instruction, taken",
		"80000000,69263,pc=80000004,x13;x0;i4,,t,m,,bne      x13; x0; . + 0x4,0",
		{RV32, .insn = 0x69263, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004,
			.rs1_addr = 13, .rs1_rdata = 1}},
	{"branch to the next instruction, not taken",
		"80000000,69263,,x13;x0;i4,,nt,m,,bne      x13; x0; . + 0x4,0",
		{RV32, .insn = 0x69263, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004,
			.rs1_addr = 13}},
	{"jump to the next instruction", "80000000,40006f,pc=80000004,i4,,j,m,,j        . + 0x4,0",
		{RV32, .insn = 0x0040006F, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004}},
	{"return", "80000000,8082,pc=80000004,x1;i0,,r,m,,c.jr     x1,0",
		{RV32, .insn = 0x8082, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004,
			.rs1_addr = 1, .rs1_rdata = 0x80000004}},
	{"store of a byte by a core with aligned addresses",
		"80000000,a58023,,x10;x11;i0,80001003=aa,s,m,,sb       x10; 0x0(x11),0",
		{RV32, .insn = 0xA58023, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004,
			.mem_addr = 0x80001000, .mem_wmask = 0x8, .mem_wdata = 0xAA000000}},
	{"store of a byte: the upper bytes of the data do not show",
		"80000000,a58023,,x10;x11;i0,80001003=aa,s,m,,sb       x10; 0x0(x11),0",
		{RV32, .insn = 0xA58023, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004,
			.mem_addr = 0x80001003, .mem_wmask = 0x1, .mem_wdata = 0xDDCCBBAA}},
	{"the same physical address is not shown twice",
		"80000000,1197,x3=80001000,i1000,,,m,,auipc    x3; 0x1,0",
		{RV32, .insn = 0x1197, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004, .rd_addr = 3,
			.rd_wdata = 0x80001000, .pc_paddr = 0x80000000}},
	{"U mode", "1000,13,,x0;i0,,,u,,addi     x0; x0; 0,0",
		{.xlen = 64, .ixl = 2, .insn = 0x13, .pc_rdata = 0x1000, .pc_wdata = 0x1004}},
	{"VU mode", "1000,13,,x0;i0,,,vu,,addi     x0; x0; 0,0",
		{.xlen = 64,
			.ixl = 2,
			.virt = true,
			.insn = 0x13,
			.pc_rdata = 0x1000,
			.pc_wdata = 0x1004}},
	{"VS mode", "1000,13,,x0;i0,,,vs,,addi     x0; x0; 0,0",
		{.xlen = 64,
			.ixl = 2,
			.mode = 1,
			.virt = true,
			.insn = 0x13,
			.pc_rdata = 0x1000,
			.pc_wdata = 0x1004}},
	{"debug mode", "2000,7b200073,,,,,d,,dret     ,0",
		{RV64, .debug = true, .insn = 0x7B200073, .pc_rdata = 0x2000, .pc_wdata = 0x3000}},
	{"flags without a register show nowhere",
		"80000000,a0f52553,x10=1,f10;f15,,f,m,,feq.s    x10; f10; f15,0",
		{RV32, .insn = 0xA0F52553, .pc_rdata = 0x80000000, .pc_wdata = 0x80000004,
			.rd_addr = 10, .rd_wdata = 1, .fflags = 0x10}},
};

static void make_line(struct byte_buffer *text, const struct ear_retire *entry)
{
	struct ear_reconstruct reconstruct;
	struct ear_text_output output;
	struct ear_record record;
	int fd = memory_file();

	assert_int_equal(ear_text_output_init(&output, fd, EAR_TEXT_PLAIN), 0);
	struct ear_writer *writer = ear_writer_whisper_make(&output, NULL);
	ear_reconstruct_init(&reconstruct, 0);
	assert_int_equal(ear_reconstruct_entry(&reconstruct, &record, entry, true, 0), 1);
	assert_int_equal(ear_writer_push(writer, &record), 0);
	assert_int_equal(ear_text_output_flush(&output), 0);
	read_back_text(text, fd);
	ear_writer_free(writer);
	ear_text_output_fini(&output);
	close(fd);
}

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct byte_buffer text = {0};
		char expected[1024];

		snprintf(expected, sizeof(expected), HEADER "%s\n", rows[i].line);
		make_line(&text, &rows[i].entry);
		if (strcmp((char *)text.bytes, expected) != 0)
			fail_msg("%s:\n%snot\n%s", rows[i].name, (char *)text.bytes, expected);
		byte_buffer_free(&text);
	}
}

static void whispers_own_lines_come_out(void **state)
{
	(void)state;
	check_rows(real_rows, COUNT_OF(real_rows));
}

static void the_other_situations_follow_the_same_rules(void **state)
{
	(void)state;
	check_rows(more_rows, COUNT_OF(more_rows));
}

/* The entry with the next index. */
static void take_next(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_retire *entry)
{
	struct ear_retire next = *entry;

	next.order = reconstruct->expected_order;
	assert_int_equal(ear_reconstruct_entry(reconstruct, record, &next, true, 0), 1);
}

static void the_rounding_mode_in_force_is_shown(void **state)
{
	static const struct ear_retire set_frm = {RV64, .insn = 0x00215073, .pc_rdata = 0x80000000,
		.pc_wdata = 0x80000004, .csr_count = 1, .csrs = {{2, 3}}};
	static const struct ear_retire set_fcsr = {RV64, .insn = 0x00315073, .pc_rdata = 0x80000000,
		.pc_wdata = 0x80000004, .csr_count = 1, .csrs = {{3, 0x25}}};
	struct ear_retire divide = real_rows[2].entry;
	struct ear_reconstruct reconstruct;
	struct ear_record record;

	(void)state;
	divide.csr_count = 0;
	ear_reconstruct_init(&reconstruct, 0);
	take_next(&reconstruct, &record, &divide);
	assert_int_equal(record.frm, 0);
	take_next(&reconstruct, &record, &set_frm);
	assert_int_equal(record.frm, 0); /* before the instruction */
	take_next(&reconstruct, &record, &divide);
	assert_int_equal(record.frm, 3);
	take_next(&reconstruct, &record, &set_fcsr);
	take_next(&reconstruct, &record, &divide);
	assert_int_equal(record.frm, 1);
}

static void a_text_that_cannot_be_written_is_an_error(void **state)
{
	struct ear_text_output output;
	struct ear_reconstruct reconstruct;
	struct ear_record record;
	int ends[2], result = 0;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	assert_int_equal(ear_text_output_init(&output, ends[0], EAR_TEXT_PLAIN), 0);
	struct ear_writer *writer = ear_writer_whisper_make(&output, NULL);
	ear_reconstruct_init(&reconstruct, 0);
	for (unsigned i = 0; i < 100000 && result == 0; i++) {
		ear_reconstruct_entry(&reconstruct, &record, &real_rows[0].entry, true, 0);
		result = ear_writer_push(writer, &record);
	}
	assert_int_equal(result, EAR_E_IO);
	assert_int_equal(ear_text_output_flush(&output), EAR_E_IO);
	assert_different(output.error_number, 0);
	ear_writer_free(writer);
	ear_text_output_fini(&output);
	close(ends[0]);
}

static void formats_are_found_by_name_and_by_extension(void **state)
{
	(void)state;
	assert_string_equal(ear_writer_find("whisper")->name, "whisper");
	assert_string_equal(ear_writer_find_by_path("a/b.csv")->name, "whisper");
	assert_null(ear_writer_find("whispe"));
	assert_null(ear_writer_find(""));
	assert_null(ear_writer_find_by_path("csv"));
	assert_null(ear_writer_find_by_path(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whispers_own_lines_come_out),
		cmocka_unit_test(the_other_situations_follow_the_same_rules),
		cmocka_unit_test(the_rounding_mode_in_force_is_shown),
		cmocka_unit_test(a_text_that_cannot_be_written_is_an_error),
		cmocka_unit_test(formats_are_found_by_name_and_by_extension),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
