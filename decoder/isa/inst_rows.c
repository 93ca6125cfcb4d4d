/* The rows of the instruction table: inst_list.def as an array.
 *
 * A file of its own, since the program that makes the decoder's index (make_inst_index.c) is built
 * from it, too.
 */
#include "decoder/isa/inst_table.h"

#define FLAGS_0  0
#define FLAGS_U  EAR_INST_UNSIGNED
#define FLAGS_K  ROW_CHECKED
#define FLAGS_F  EAR_INST_FLOAT
#define FLAGS_RF (EAR_INST_ROUNDS | EAR_INST_FLOAT)

#define MASK_BOTH(mask) \
	{ \
		(mask), (mask) \
	}
#define MASK_RV32(mask) \
	{ \
		(mask), 0 \
	}
#define MASK_RV64(mask) \
	{ \
		0, (mask) \
	}
#define MASK_SHIFT(mask) \
	{ \
		(mask) | UINT32_C(1) << 25, (mask) \
	}
#define MASK_CSHIFT(mask) \
	{ \
		(mask) | UINT32_C(1) << 12, (mask) \
	}

/* Kinds and extensions, so that most rows are not open. */
#define OPEN(kind, extension) \
	((kind) == EAR_KIND_JUMP || (kind) == EAR_KIND_CSR || (kind) == EAR_KIND_FENCE || \
				(kind) == EAR_KIND_AMO || (kind) == EAR_KIND_LR || \
				(kind) == EAR_KIND_SC || (extension) == EAR_EXT_ZALASR || \
				(extension) == EAR_EXT_ZICFISS || \
				(extension) == EAR_EXT_C_ZICFISS || (extension) == EAR_EXT_ZCMP \
			? ROW_OPEN \
			: 0)

#define MASKABLE(kind, format) \
	((kind) >= EAR_KIND_VLOAD && (format) > FORMAT_VSETVL ? ROW_MASKABLE : 0)

const struct ear_inst_row ear_inst_rows[EAR_INST_COUNT] = {
	[EAR_INST_ILLEGAL] = {.match = 1, .kind = EAR_KIND_ILLEGAL, .name = "illegal"},
#define INST(id, mnemonic, bits, care, where, some, layout, what, bytes, set, ext) \
	[EAR_INST_##id] = { \
		.match = (bits), \
		.mask = MASK_##where(care), \
		.nonzero = (some), \
		.format = FORMAT_##layout, \
		.kind = EAR_KIND_##what, \
		.extension = EAR_EXT_##ext, \
		.access_size = (bytes), \
		.flags = FLAGS_##set | MASKABLE(EAR_KIND_##what, FORMAT_##layout) | \
			 OPEN(EAR_KIND_##what, EAR_EXT_##ext), \
		.name = (mnemonic), \
	},
#include "decoder/isa/inst_list.def"
#undef INST
};

const char *ear_inst_kind_name(unsigned kind)
{
	static const char *const names[] = {
		[EAR_KIND_ILLEGAL] = "illegal",
		[EAR_KIND_ALU] = "alu",
		[EAR_KIND_MUL] = "mul",
		[EAR_KIND_DIV] = "div",
		[EAR_KIND_LOAD] = "load",
		[EAR_KIND_STORE] = "store",
		[EAR_KIND_AMO] = "amo",
		[EAR_KIND_LR] = "lr",
		[EAR_KIND_SC] = "sc",
		[EAR_KIND_BRANCH] = "branch",
		[EAR_KIND_JUMP] = "jump",
		[EAR_KIND_CSR] = "csr",
		[EAR_KIND_FP] = "fp",
		[EAR_KIND_FENCE] = "fence",
		[EAR_KIND_CACHE] = "cache",
		[EAR_KIND_SYSTEM] = "system",
		[EAR_KIND_VLOAD] = "vload",
		[EAR_KIND_VSTORE] = "vstore",
		[EAR_KIND_VECTOR] = "vector",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

const char *ear_inst_name(unsigned id)
{
	return ear_inst_rows[id < EAR_INST_COUNT ? id : EAR_INST_ILLEGAL].name;
}
