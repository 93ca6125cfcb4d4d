/* Sets of extensions: what ISA strings mean, what extensions imply, and which instruction an opcode
 * is within a set.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <string.h>

#include "decoder/isa/inst.h"

static struct ear_inst_set set_of(const char *text)
{
	struct ear_inst_set set = {.xlen = 0};
	const char *at = "";
	size_t size = 0;

	if (ear_inst_set_parse(&set, text, &at, &size) != 0)
		fail_msg("%s: %.*s", text, (int)size, at);
	return set;
}

/* The mnemonic of an opcode within an ISA string. */
static const char *name_within(const char *text, uint32_t opcode)
{
	struct ear_inst_set set = set_of(text);
	struct ear_inst inst;

	ear_inst_decode_within(&inst, opcode, set.xlen, &set);
	assert_int_equal(inst.xlen, set.xlen);
	return ear_inst_name(inst.id);
}

static void assert_same_set(const char *a, const char *b)
{
	struct ear_inst_set first = set_of(a), second = set_of(b);

	if (memcmp(first.bits, second.bits, sizeof(first.bits)) != 0 || first.xlen != second.xlen)
		fail_msg("%s is not %s", a, b);
}

static void assert_refused(const char *text, const char *part)
{
	struct ear_inst_set set = {.xlen = 7};
	const char *at;
	size_t size;

	assert_int_equal(ear_inst_set_parse(&set, text, &at, &size), EAR_E_BAD_ARGUMENT);
	assert_int_equal(size, strlen(part));
	assert_memory_equal(at, part, size);
	assert_int_equal(set.xlen, 7);
}

static void strings_with_one_meaning_are_one_set(void **state)
{
	(void)state;
	assert_same_set("rv64gc", "rv64imafdc_zicsr_zifencei");
	assert_same_set("RV32IMAC_Zba", "rv32imac_zba");
	assert_same_set("rv64i2p1m2p0_zba1p0_zicsr2", "rv64im_zba_zicsr");
	assert_same_set("rv64i2_m", "rv64im");
	assert_same_set("rv64imzba", "rv64im_zba");
	assert_same_set("rv32e", "rv32i");
	assert_same_set("rv64id", "rv64ifd_zicsr");
	assert_same_set("rv64ib", "rv64ib_zba_zbb_zbs");
	assert_same_set("rv64ima", "rv64i_m_zaamo_zalrsc_a");
	assert_same_set("rv64i_zicntr_zihpm_sstc_sv39_zvl256b", "rv64i");
	assert_same_set("rv64i_zkn", "rv64i_zkn_zbkb_zbkc_zbkx_zkne_zknd_zknh");
	assert_same_set("rva20u64", "rv64imafdc");
	assert_same_set("rv64gcv", "rv64imafdcv_zicsr_zifencei_zve64d");
	assert_same_set("rv64gcv_zvkn", "rv64gcv_zvkned_zvknhb_zvkb_zvkt_zvkn");
	assert_same_set("rv64gcv_zvfh", "rv64gcv_zvfhmin_zfhmin_zvfh");
}

static void what_is_not_known_is_pointed_at(void **state)
{
	(void)state;
	assert_refused("rv64imac_zbogus_zba", "zbogus");
	assert_refused("rv64ij", "j");
	assert_refused("rv64i_xvendor", "xvendor");
	assert_refused("rv128i", "rv128i");
	assert_refused("rv64", "rv64");
	assert_refused("rv64mac", "rv64mac");
	assert_refused("", "");
	assert_refused("rv64i_z", "z");
	assert_refused("rv64i 2", " 2");
	assert_refused("rva99u64", "rva99u64");
}

static void every_name_of_the_table_can_be_given(void **state)
{
	static const char *const names[] = {
#define EXTENSION(id, name) name,
#define SILENT(name)        name,
#define IMPLIES(...)
#define BOTH(...)
#define BOTH_RV32(...)
#define PROFILE(...)
#include "decoder/isa/inst_extension.def"
	};
	static const char *const profiles[] = {
#undef EXTENSION
#undef SILENT
#undef PROFILE
#define EXTENSION(...)
#define SILENT(...)
#define PROFILE(name, text) name,
#include "decoder/isa/inst_extension.def"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char text[64];

		if (names[i][0] == '\0')
			continue;
		snprintf(text, sizeof(text), "rv64i_%s", names[i]);
		set_of(text);
		if (strchr("0123456789", names[i][strlen(names[i]) - 1]) != NULL)
			continue; /* "sv39" has no room for a version */
		strcat(text, "2p3");
		set_of(text);
	}
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		set_of(profiles[i]);
}

static void only_what_the_string_has_is_legal(void **state)
{
	(void)state;
	assert_string_equal(name_within("rv32i", 0x023140b3), "illegal");
	assert_string_equal(name_within("rv32i", 0x003100b3), "add");
	assert_string_equal(name_within("rv32im", 0x023140b3), "div");
	assert_string_equal(name_within("rv32i_zmmul", 0x023100b3), "mul");
	assert_string_equal(name_within("rv32i_zmmul", 0x023140b3), "illegal");
	assert_string_equal(name_within("rv64i", 0x30529073), "illegal");
	assert_string_equal(name_within("rv64i_zicsr", 0x30529073), "csrrw");
	assert_string_equal(name_within("rv64i_zalrsc", 0x063130af), "illegal");
	assert_string_equal(name_within("rv64i_zaamo", 0x063130af), "amoadd.d");
	assert_string_equal(name_within("rv64i", 0x9002), "illegal");
	assert_string_equal(name_within("rv64i_zca", 0x9002), "c.ebreak");
	assert_string_equal(name_within("rv64i", 0x10500073), "wfi");
	assert_string_equal(name_within("rv64i", 0x12000073), "sfence.vma");
	assert_string_equal(name_within("rv64gc", 0x02c40257), "illegal");
	assert_string_equal(name_within("rv64gcv", 0x02c40257), "vadd.vv");
	assert_string_equal(name_within("rv32i_zve32x", 0x02c40257), "vadd.vv");
	assert_string_equal(name_within("rv32i_zve32x", 0x02c41257), "illegal");
	assert_string_equal(name_within("rv32i_zve32f", 0x02c41257), "vfadd.vv");
	assert_string_equal(name_within("rv64i_zve32x", 0x02057407), "illegal");
	assert_string_equal(name_within("rv64i_zve64x", 0x02057407), "vle64.v");
	assert_string_equal(name_within("rv64gcv", 0x5684b257), "illegal");
	assert_string_equal(name_within("rv64gcv_zvkn", 0x5684b257), "vror.vi");
	assert_string_equal(name_within("rv64gcv", 0x12050407), "illegal"); /* 128 bits */
}

static void one_of_two_extensions_is_enough(void **state)
{
	const uint32_t andn = 0x403170b3, clmul = 0x0a3110b3, clmulr = 0x0a3120b3;
	const uint32_t aes64ks2 = 0x7e3100b3;

	(void)state;
	assert_string_equal(name_within("rv64i", andn), "illegal");
	assert_string_equal(name_within("rv64i_zbb", andn), "andn");
	assert_string_equal(name_within("rv64i_zbkb", andn), "andn");
	assert_string_equal(name_within("rv64i_zbkc", clmul), "clmul");
	assert_string_equal(name_within("rv64i_zbkc", clmulr), "illegal");
	assert_string_equal(name_within("rv64i_zbc", clmulr), "clmulr");
	assert_string_equal(name_within("rv64i_zkne", aes64ks2), "aes64ks2");
	assert_string_equal(name_within("rv64i_zknd", aes64ks2), "aes64ks2");
}

static void two_extensions_give_what_needs_both(void **state)
{
	const uint32_t c_fld = 0x2000, c_flw = 0x6000, fli_d = 0xf2180053, amocas_b = 0x2831002f;

	(void)state;
	assert_string_equal(name_within("rv64ic", c_fld), "illegal");
	assert_string_equal(name_within("rv64icd", c_fld), "c.fld");
	assert_string_equal(name_within("rv32icf", c_flw), "c.flw");
	assert_string_equal(name_within("rv64icf", c_flw), "c.ld");
	assert_string_equal(name_within("rv32ic", c_flw), "illegal");
	assert_string_equal(name_within("rv64if_zfa", fli_d), "illegal");
	assert_string_equal(name_within("rv64id_zfa", fli_d), "fli.d");
	assert_string_equal(name_within("rv64i_zacas", amocas_b), "illegal");
	assert_string_equal(name_within("rv64i_zabha_zacas", amocas_b), "amocas.b");
	assert_string_equal(name_within("rv64i_zcb", 0x9c41), "illegal");
	assert_string_equal(name_within("rv64im_zcb", 0x9c41), "c.mul");
}

/* The first row wins among those that the set has. */
static void an_opcode_is_what_the_set_makes_of_it(void **state)
{
	(void)state;
	assert_string_equal(name_within("rv64i", 0x00106013), "ori");
	assert_string_equal(name_within("rv64i_zicbop", 0x00106013), "prefetch.r");
	assert_string_equal(name_within("rv64i", 0x00200033), "add");
	assert_string_equal(name_within("rv64i_zihintntl", 0x00200033), "ntl.p1");
	assert_string_equal(name_within("rv64i", 0x0100000f), "fence");
	assert_string_equal(name_within("rv64i_zihintpause", 0x0100000f), "pause");
	assert_string_equal(name_within("rv32icd", 0xb842), "c.fsdsp");
	assert_string_equal(name_within("rv32ic_zcmp", 0xb842), "cm.push");
	assert_string_equal(name_within("rv32ic_zcmt", 0xa002), "cm.jt");
	assert_string_equal(name_within("rv32ic_zclsd", 0x6000), "c.ld");
	assert_string_equal(name_within("rv64i_zimop", 0xce104073), "mop.rr.7");
	assert_string_equal(name_within("rv64i_zicfiss", 0xce104073), "sspush");
	assert_string_equal(name_within("rv64ic_zcmop", 0x6081), "c.mop.1");
	assert_string_equal(name_within("rv64ic_zcmop_zicfiss", 0x6081), "c.sspush");
	assert_string_equal(name_within("rv64i_zbb", 0x080140bb), "zext.h");
	assert_string_equal(name_within("rv64i_zbkb", 0x080140bb), "packw");
}

/* Operands are those of the instruction that it is then. */
static void lists_of_registers_are_runs(void **state)
{
	struct ear_inst_set set = set_of("rv32imac_zcmp");
	struct ear_inst inst;

	(void)state;
	ear_inst_decode_within(&inst, 0xb8f6, 32, &set); /* cm.push {ra, s0-s11}, -80 */
	assert_int_equal(inst.kind, EAR_KIND_STORE);
	assert_int_equal(inst.access_size, 13 * 4);
	assert_int_equal(inst.imm, -80);
	assert_int_equal(inst.operand_count, 5);
	assert_int_equal(inst.operands[0].access, EAR_OPERAND_READ | EAR_OPERAND_WRITE);
	assert_int_equal(inst.operands[3].value, 18);
	assert_int_equal(inst.operands[3].count, 10);

	ear_inst_decode_within(&inst, 0xbc52, 32, &set); /* cm.popretz {ra, s0}, 16 */
	assert_int_equal(inst.kind, EAR_KIND_JUMP);
	assert_int_equal(inst.flags, EAR_INST_POPS | EAR_INST_RETURN | EAR_INST_INDIRECT);
	assert_int_equal(inst.access_size, 2 * 4);
	assert_int_equal(inst.imm, 16);
	assert_int_equal(inst.operand_count, 5);
	assert_int_equal(inst.operands[1].value, 10);
	assert_int_equal(inst.operands[3].count, 1);
	assert_int_equal(inst.operands[3].access, EAR_OPERAND_WRITE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_with_one_meaning_are_one_set),
		cmocka_unit_test(what_is_not_known_is_pointed_at),
		cmocka_unit_test(every_name_of_the_table_can_be_given),
		cmocka_unit_test(only_what_the_string_has_is_legal),
		cmocka_unit_test(one_of_two_extensions_is_enough),
		cmocka_unit_test(two_extensions_give_what_needs_both),
		cmocka_unit_test(an_opcode_is_what_the_set_makes_of_it),
		cmocka_unit_test(lists_of_registers_are_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
