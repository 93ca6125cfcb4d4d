/* Every instruction of F and D on edge values, in all rounding modes: results must be symmetric,
 * ordered by rounding mode, and with the flags that inexactness asks for. */
#include "support.h"

#define FLAG_INEXACT 1
#define FLAG_INVALID 16

union single {
	uint32_t bits;
	float value;
};

union twice {
	uint64_t bits;
	double value;
};

static const uint32_t singles[] = {0, 1, 0x007fffff, 0x00800000, 0x33800001, 0x3f800000, 0x3f800001,
	0x40490fdb, 0x4b7fffff, 0x4effffff, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000};
static const uint64_t doubles[] = {0, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ca0000000000001,
	0x3ff0000000000000, 0x3ff0000000000001, 0x400921fb54442d18, 0x41dfffffffc00000,
	0x47efffffefffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001,
	0x7ff8000000000000};
#define COUNT 14

static uint32_t take_flags(void)
{
	xword flags;

	__asm__ volatile("fsflags %0, zero" : "=r"(flags));
	return (uint32_t)flags;
}

static void set_rounding(uint32_t mode)
{
	__asm__ volatile("fsrm %0" ::"r"((xword)mode));
}

static int is_nan(uint64_t bits)
{
	return (bits << 1) > UINT64_C(0xffe0000000000000);
}

/* The value of a double as an integer that is ordered as the doubles are. */
static int64_t rank(uint64_t bits)
{
	return bits >> 63 ? -(int64_t)(bits & INT64_MAX) : (int64_t)bits;
}

#define DOUBLE(name, text) \
	static uint64_t name(double x, double y, double z) \
	{ \
		union twice r; \
		__asm__ volatile(text : "=f"(r.value) : "f"(x), "f"(y), "f"(z)); \
		return r.bits; \
	}
#define SINGLE(name, text) \
	static uint32_t name(float x, float y, float z) \
	{ \
		union single r; \
		__asm__ volatile(text : "=f"(r.value) : "f"(x), "f"(y), "f"(z)); \
		return r.bits; \
	}

DOUBLE(add_d, "fadd.d %0, %1, %2")
DOUBLE(sub_d, "fsub.d %0, %1, %2")
DOUBLE(mul_d, "fmul.d %0, %1, %2")
DOUBLE(div_d, "fdiv.d %0, %1, %2")
DOUBLE(sqrt_d, "fsqrt.d %0, %1")
DOUBLE(madd_d, "fmadd.d %0, %1, %2, %3")
DOUBLE(msub_d, "fmsub.d %0, %1, %2, %3")
DOUBLE(nmadd_d, "fnmadd.d %0, %1, %2, %3")
DOUBLE(nmsub_d, "fnmsub.d %0, %1, %2, %3")
DOUBLE(min_d, "fmin.d %0, %1, %2")
DOUBLE(max_d, "fmax.d %0, %1, %2")
DOUBLE(sgnj_d, "fsgnj.d %0, %1, %2")
DOUBLE(sgnjn_d, "fsgnjn.d %0, %1, %2")
DOUBLE(sgnjx_d, "fsgnjx.d %0, %1, %2")
SINGLE(add_s, "fadd.s %0, %1, %2")
SINGLE(sub_s, "fsub.s %0, %1, %2")
SINGLE(mul_s, "fmul.s %0, %1, %2")
SINGLE(div_s, "fdiv.s %0, %1, %2")
SINGLE(sqrt_s, "fsqrt.s %0, %1")
SINGLE(madd_s, "fmadd.s %0, %1, %2, %3")
SINGLE(msub_s, "fmsub.s %0, %1, %2, %3")
SINGLE(nmadd_s, "fnmadd.s %0, %1, %2, %3")
SINGLE(nmsub_s, "fnmsub.s %0, %1, %2, %3")
SINGLE(min_s, "fmin.s %0, %1, %2")
SINGLE(max_s, "fmax.s %0, %1, %2")
SINGLE(sgnj_s, "fsgnj.s %0, %1, %2")
SINGLE(sgnjn_s, "fsgnjn.s %0, %1, %2")
SINGLE(sgnjx_s, "fsgnjx.s %0, %1, %2")

typedef uint64_t operation_d(double, double, double);
typedef uint32_t operation_s(float, float, float);

static operation_d *const operations_d[] = {
	add_d, sub_d, mul_d, div_d, sqrt_d, madd_d, msub_d, nmadd_d, nmsub_d};
static operation_s *const operations_s[] = {
	add_s, sub_s, mul_s, div_s, sqrt_s, madd_s, msub_s, nmadd_s, nmsub_s};

/* Up is down's neighbour when the result is inexact and the same when it is not; the other modes
 * give one of the two. */
static void check_modes_d(operation_d *operation, double x, double y, double z)
{
	uint64_t results[5];
	uint32_t mode, flags[5];

	for (mode = 0; mode < 5; mode++) {
		set_rounding(mode);
		take_flags();
		results[mode] = operation(x, y, z);
		flags[mode] = take_flags();
	}
	set_rounding(0);
	if (is_nan(results[0])) {
		for (mode = 0; mode < 5; mode++)
			CHECK(results[mode] == 0x7ff8000000000000);
		return;
	}
	for (mode = 0; mode < 5; mode++) {
		CHECK(rank(results[mode]) >= rank(results[2]));
		CHECK(rank(results[mode]) <= rank(results[3]));
		CHECK((flags[mode] & FLAG_INEXACT) == (flags[0] & FLAG_INEXACT));
		CHECK(!(flags[mode] & FLAG_INVALID));
	}
	if (flags[0] & FLAG_INEXACT)
		CHECK(rank(results[3]) - rank(results[2]) == 1 || (flags[0] | flags[1]) & 4);
	else
		CHECK(rank(results[2]) == rank(results[3]));
}

static void check_modes_s(operation_s *operation, float x, float y, float z)
{
	uint32_t down, up, nearest, flags;

	set_rounding(2);
	take_flags();
	down = operation(x, y, z);
	set_rounding(3);
	up = operation(x, y, z);
	set_rounding(0);
	take_flags();
	nearest = operation(x, y, z);
	flags = take_flags();
	if ((nearest & 0x7fffffff) > 0x7f800000)
		CHECK(nearest == 0x7fc00000 && up == nearest && down == nearest);
	else
		CHECK(nearest == up || nearest == down);
	if (!(flags & FLAG_INEXACT))
		CHECK(up == down || !((up | down) & 0x7fffffff));
}

static void check_signs_and_order(double x, double y, float a, float b)
{
	union twice xs = {.value = x}, ys = {.value = y};
	union single as = {.value = a}, bs = {.value = b};
	xword less, equal, less_equal, class;

	CHECK(sgnj_d(x, y, 0) >> 63 == ys.bits >> 63 && sgnjn_d(x, x, 0) == (xs.bits ^ 1ull << 63));
	CHECK(sgnjx_d(x, x, 0) == (xs.bits & INT64_MAX));
	CHECK(sgnj_s(a, b, 0) >> 31 == bs.bits >> 31 && sgnjn_s(a, a, 0) == (as.bits ^ 1u << 31));
	CHECK(sgnjx_s(a, a, 0) == (as.bits & 0x7fffffff));
	__asm__("flt.d %0, %1, %2" : "=r"(less) : "f"(x), "f"(y));
	__asm__("feq.d %0, %1, %2" : "=r"(equal) : "f"(x), "f"(y));
	__asm__("fle.d %0, %1, %2" : "=r"(less_equal) : "f"(x), "f"(y));
	CHECK(less_equal == (less | equal));
	if (!is_nan(xs.bits) && !is_nan(ys.bits)) {
		CHECK(min_d(x, y, 0) == min_d(y, x, 0) && max_d(x, y, 0) == max_d(y, x, 0));
		CHECK(less == (rank(xs.bits) < rank(ys.bits)));
	}
	__asm__("flt.s %0, %1, %2" : "=r"(less) : "f"(a), "f"(b));
	__asm__("fle.s %0, %1, %2" : "=r"(less_equal) : "f"(b), "f"(a));
	CHECK(!(less && less_equal));
	if ((as.bits & 0x7fffffff) <= 0x7f800000 && (bs.bits & 0x7fffffff) <= 0x7f800000)
		CHECK(min_s(a, b, 0) == min_s(b, a, 0) && max_s(a, b, 0) == max_s(b, a, 0));
	__asm__("fclass.d %0, %1" : "=r"(class) : "f"(x));
	CHECK(class && !(class & (class - 1)));
	__asm__("fclass.s %0, %1" : "=r"(class) : "f"(a));
	CHECK(class && !(class & (class - 1)));
}

static void check_conversions(double x, float a)
{
	union twice wide, xs = {.value = x};
	union single narrow, as = {.value = a};
	int32_t up, down;
	xword bits;

	__asm__ volatile("fcvt.d.s %0, %1" : "=f"(wide.value) : "f"(a));
	__asm__ volatile("fcvt.s.d %0, %1, rtz" : "=f"(narrow.value) : "f"(wide.value));
	CHECK(narrow.bits == as.bits || narrow.bits == 0x7fc00000);
	__asm__ volatile("fcvt.w.d %0, %1, rup" : "=r"(up) : "f"(x));
	__asm__ volatile("fcvt.w.d %0, %1, rdn" : "=r"(down) : "f"(x));
	CHECK(up == down || up == down + 1);
	__asm__ volatile("fcvt.wu.s %0, %1, rmm" : "=r"(bits) : "f"(a));
	__asm__ volatile("fcvt.s.wu %0, %1, rne" : "=f"(narrow.value) : "r"(bits));
	CHECK(!(narrow.bits >> 31));
	__asm__ volatile("fcvt.d.w %0, %1" : "=f"(wide.value) : "r"(up));
	__asm__ volatile("fcvt.w.d %0, %1, rtz" : "=r"(down) : "f"(wide.value));
	CHECK(up == down);
	__asm__ volatile("fmv.x.w %0, %1" : "=r"(bits) : "f"(a));
	CHECK((uint32_t)bits == as.bits);
#if __riscv_xlen == 64
	__asm__ volatile("fmv.x.d %0, %1" : "=r"(bits) : "f"(x));
	CHECK(bits == xs.bits);
	__asm__ volatile("fcvt.lu.d %0, %1, rtz" : "=r"(bits) : "f"(x));
	__asm__ volatile("fcvt.d.lu %0, %1, rtz" : "=f"(wide.value) : "r"(bits));
	CHECK(!(wide.bits >> 63));
	__asm__ volatile("fcvt.l.s %0, %1, rne" : "=r"(bits) : "f"(a));
	__asm__ volatile("fcvt.s.l %0, %1, rup" : "=f"(narrow.value) : "r"(bits));
	CHECK(narrow.bits >> 31 == bits >> 63);
#endif
	(void)xs;
}

/* Compressed loads and stores of all widths; RV64 has none for single precision. */
static void check_compressed(double x, float a)
{
	double memory[4] = {x, 0, 0, 0};
	union twice xs = {.value = x}, ys;
	register double *base __asm__("a5") = memory;
#if __riscv_xlen == 32
	union single as = {.value = a}, bs;
	float *single = (float *)&memory[2];

	single[0] = a;
	__asm__ volatile("c.flw fa4, 16(%0)\n"
			 "c.fsw fa4, 20(%0)"
			 :
			 : "r"(base)
			 : "fa4", "memory");
	bs.value = single[1];
	CHECK(bs.bits == as.bits);
#endif
	__asm__ volatile("c.fld fa3, 0(%0)\n"
			 "c.fsd fa3, 8(%0)\n"
			 "addi sp, sp, -16\n"
			 "c.fsdsp fa3, 8(sp)\n"
			 "c.fldsp fa2, 8(sp)\n"
			 "addi sp, sp, 16\n"
			 "fsd fa2, 24(%0)"
			 :
			 : "r"(base)
			 : "fa2", "fa3", "memory");
	ys.value = memory[1];
	CHECK(ys.bits == xs.bits);
	ys.value = memory[3];
	CHECK(ys.bits == xs.bits);
	(void)a;
}

static volatile uint32_t refused;

void trap_handler(xword *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == 2);
	refused++;
	csr_write(mepc, csr_read(mepc) + 4);
}

/* Reserved rounding modes, and F registers that are switched off. */
static void check_refused(void)
{
	uint32_t before = refused;
	xword status = 0x6000;

	set_rounding(5);
	__asm__ volatile("fadd.d ft0, ft0, ft0, dyn");
	CHECK(refused == before + 1);
	set_rounding(0);
	__asm__ volatile(".word 0x02005053"); /* fadd.d ft0, ft0, ft0 with mode 5 */
	CHECK(refused == before + 2);
	__asm__ volatile("csrc mstatus, %0\n"
			 "fadd.s ft0, ft0, ft0\n"
			 "fsgnj.d ft0, ft0, ft0\n"
			 ".option push\n.option norvc\n"
			 "fld ft0, 0(sp)\n"
			 ".option pop\n"
			 "frflags zero\n"
			 "csrs mstatus, %0" ::"r"(status));
	CHECK(refused == before + 6);
}

int main(void)
{
	uint32_t state = 55, n, at = 0;
	int round;

	for (round = 0; round < REPEAT; round++) {
		for (n = 0; n < 4 * COUNT * COUNT; n++) {
			/* Every pair once, those that lie near each other far apart. */
			uint32_t i = at / (2 * COUNT), j = at % (2 * COUNT), k = n % 9;
			union twice x = {doubles[i / 2] | (uint64_t)(i & 1) << 63};
			union twice y = {doubles[j / 2] | (uint64_t)(j & 1) << 63};
			union twice z = {doubles[random_next(&state) % COUNT]};
			union single a = {singles[i / 2] | (uint32_t)(i & 1) << 31};
			union single b = {singles[j / 2] | (uint32_t)(j & 1) << 31};
			union single c = {random_next(&state)};

			at = (at + 523) % (4 * COUNT * COUNT);
			if (round) /* the first round is all edges */
				x.bits += random_next(&state) % 16;
			if (n % 16 == 0)
				check_refused();
			check_modes_d(operations_d[k], x.value, y.value, z.value);
			check_modes_s(operations_s[8 - k], a.value, b.value, c.value);
			check_signs_and_order(x.value, y.value, a.value, b.value);
			check_conversions(x.value, a.value);
			check_compressed(x.value, a.value);
		}
	}
	return 0;
}
