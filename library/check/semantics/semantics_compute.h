/* Results of operations on x registers, for one width: who includes this file defines XLEN as 32 or
 * 64 before, so that the compiler knows the width of everything.
 *
 * Registers are 64 bits wide in memory; those of RV32 have zeros above.
 */
#include <stdbool.h>
#include <stdint.h>

#include "library/check/semantics/semantics.h"

#if XLEN == 32
typedef uint32_t word;
typedef int32_t sword;
#else
typedef uint64_t word;
typedef int64_t sword;
#endif

#define SHIFT_MASK (XLEN - 1)
#define WORD_MIN   ((sword)((word)1 << (XLEN - 1)))

/* A 32-bit result in a register. */
static inline word from_32(uint32_t value)
{
	return (word)(sword)(int32_t)value;
}

static inline word multiply_high(word a, word b, bool a_signed, bool b_signed)
{
#if XLEN == 32
	int64_t x = a_signed ? (int32_t)a : (int64_t)a;
	int64_t y = b_signed ? (int32_t)b : (int64_t)b;

	return (word)((uint64_t)x * (uint64_t)y >> 32);
#else
	unsigned __int128 product = (unsigned __int128)a * b;
	word high = (word)(product >> 64);

	/* As unsigned, a negative number is too large by 2^64. */
	if (a_signed && (sword)a < 0)
		high -= b;
	if (b_signed && (sword)b < 0)
		high -= a;
	return high;
#endif
}

static inline word divide(word a, word b)
{
	if (b == 0)
		return (word)-1;
	if ((sword)a == WORD_MIN && (sword)b == -1)
		return a;
	return (word)((sword)a / (sword)b);
}

static inline word remainder_of(word a, word b)
{
	if (b == 0)
		return a;
	if ((sword)a == WORD_MIN && (sword)b == -1)
		return 0;
	return (word)((sword)a % (sword)b);
}

static inline uint32_t divide_32(uint32_t a, uint32_t b)
{
	if (b == 0)
		return 0xffffffff;
	if (a == 0x80000000 && b == 0xffffffff)
		return a;
	return (uint32_t)((int32_t)a / (int32_t)b);
}

static inline uint32_t remainder_32(uint32_t a, uint32_t b)
{
	if (b == 0)
		return a;
	if (a == 0x80000000 && b == 0xffffffff)
		return 0;
	return (uint32_t)((int32_t)a % (int32_t)b);
}

static inline unsigned leading_zeros(word a)
{
	if (a == 0)
		return XLEN;
	return (unsigned)__builtin_clzll(a) - (64 - XLEN);
}

static inline unsigned trailing_zeros(word a)
{
	return a == 0 ? XLEN : (unsigned)__builtin_ctzll(a);
}

static inline uint32_t rotate_right_32(uint32_t a, unsigned amount)
{
	amount &= 31;
	return amount == 0 ? a : a >> amount | a << (32 - amount);
}

static inline word rotate_right(word a, unsigned amount)
{
	amount &= SHIFT_MASK;
	return amount == 0 ? a : a >> amount | a << (XLEN - amount);
}

static inline word or_bytes(word a)
{
	word result = 0;

	for (unsigned at = 0; at < XLEN; at += 8)
		if (a >> at & 0xff)
			result |= (word)0xff << at;
	return result;
}

static inline word reverse_bytes(word a)
{
	return XLEN == 32 ? (word)__builtin_bswap32((uint32_t)a) : (word)__builtin_bswap64(a);
}

/* A product without carries: its low XLEN bits, or bits XLEN - 1 and up (those of clmulr). */
static inline word carryless(word a, word b, bool high)
{
	word result = 0;

	for (unsigned i = 0; i < XLEN; i++)
		if (b >> i & 1)
			result ^= high ? a >> (XLEN - 1 - i) : a << i;
	return result;
}

/* Kinds from EAR_SEM_ADD on. b is the second operand, a register or an immediate. */
static inline word compute(enum ear_semantics_kind kind, word a, word b)
{
	unsigned amount = (unsigned)(b & SHIFT_MASK);
	uint32_t a32 = (uint32_t)a, b32 = (uint32_t)b;
	word bit = (word)1 << amount;

	switch (kind) {
	case EAR_SEM_ADD: return a + b;
	case EAR_SEM_SUB: return a - b;
	case EAR_SEM_SLL: return a << amount;
	case EAR_SEM_SLT: return (sword)a < (sword)b;
	case EAR_SEM_SLTU: return a < b;
	case EAR_SEM_XOR: return a ^ b;
	case EAR_SEM_SRL: return a >> amount;
	case EAR_SEM_SRA: return (word)((sword)a >> amount);
	case EAR_SEM_OR: return a | b;
	case EAR_SEM_AND: return a & b;
	case EAR_SEM_ADDW: return from_32(a32 + b32);
	case EAR_SEM_SUBW: return from_32(a32 - b32);
	case EAR_SEM_SLLW: return from_32(a32 << (b32 & 31));
	case EAR_SEM_SRLW: return from_32(a32 >> (b32 & 31));
	case EAR_SEM_SRAW: return from_32((uint32_t)((int32_t)a32 >> (b32 & 31)));
	case EAR_SEM_MUL: return a * b;
	case EAR_SEM_MULH: return multiply_high(a, b, true, true);
	case EAR_SEM_MULHSU: return multiply_high(a, b, true, false);
	case EAR_SEM_MULHU: return multiply_high(a, b, false, false);
	case EAR_SEM_DIV: return divide(a, b);
	case EAR_SEM_DIVU: return b == 0 ? (word)-1 : a / b;
	case EAR_SEM_REM: return remainder_of(a, b);
	case EAR_SEM_REMU: return b == 0 ? a : a % b;
	case EAR_SEM_MULW: return from_32(a32 * b32);
	case EAR_SEM_DIVW: return from_32(divide_32(a32, b32));
	case EAR_SEM_DIVUW: return from_32(b32 == 0 ? 0xffffffff : a32 / b32);
	case EAR_SEM_REMW: return from_32(remainder_32(a32, b32));
	case EAR_SEM_REMUW: return from_32(b32 == 0 ? a32 : a32 % b32);
	case EAR_SEM_SH1ADD: return (a << 1) + b;
	case EAR_SEM_SH2ADD: return (a << 2) + b;
	case EAR_SEM_SH3ADD: return (a << 3) + b;
	case EAR_SEM_ADD_UW: return (word)a32 + b;
	case EAR_SEM_SH1ADD_UW: return ((word)a32 << 1) + b;
	case EAR_SEM_SH2ADD_UW: return ((word)a32 << 2) + b;
	case EAR_SEM_SH3ADD_UW: return ((word)a32 << 3) + b;
	case EAR_SEM_SLLI_UW: return (word)a32 << amount;
	case EAR_SEM_ANDN: return a & ~b;
	case EAR_SEM_ORN: return a | ~b;
	case EAR_SEM_XNOR: return ~(a ^ b);
	case EAR_SEM_CLZ: return leading_zeros(a);
	case EAR_SEM_CTZ: return trailing_zeros(a);
	case EAR_SEM_CPOP: return (word)__builtin_popcountll(a);
	case EAR_SEM_CLZW: return a32 == 0 ? 32 : (word)__builtin_clz(a32);
	case EAR_SEM_CTZW: return a32 == 0 ? 32 : (word)__builtin_ctz(a32);
	case EAR_SEM_CPOPW: return (word)__builtin_popcount(a32);
	case EAR_SEM_MAX: return (sword)a > (sword)b ? a : b;
	case EAR_SEM_MAXU: return a > b ? a : b;
	case EAR_SEM_MIN: return (sword)a < (sword)b ? a : b;
	case EAR_SEM_MINU: return a < b ? a : b;
	case EAR_SEM_SEXT_B: return (word)(sword)(int8_t)a;
	case EAR_SEM_SEXT_H: return (word)(sword)(int16_t)a;
	case EAR_SEM_ZEXT_H: return (uint16_t)a;
	case EAR_SEM_ROL: return rotate_right(a, XLEN - amount);
	case EAR_SEM_ROR: return rotate_right(a, amount);
	case EAR_SEM_ROLW: return from_32(rotate_right_32(a32, 32 - (b32 & 31)));
	case EAR_SEM_RORW: return from_32(rotate_right_32(a32, b32 & 31));
	case EAR_SEM_ORC_B: return or_bytes(a);
	case EAR_SEM_REV8: return reverse_bytes(a);
	case EAR_SEM_BCLR: return a & ~bit;
	case EAR_SEM_BEXT: return a >> amount & 1;
	case EAR_SEM_BINV: return a ^ bit;
	case EAR_SEM_BSET: return a | bit;
	case EAR_SEM_CLMUL: return carryless(a, b, false);
	case EAR_SEM_CLMULH: return carryless(a, b, true) >> 1;
	case EAR_SEM_CLMULR: return carryless(a, b, true);
	case EAR_SEM_CZERO_EQZ: return b == 0 ? 0 : a;
	case EAR_SEM_CZERO_NEZ: return b == 0 ? a : 0;
	default: return 0;
	}
}
