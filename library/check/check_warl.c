/* Which bits of its CSRs a core has, learned from what it makes of writes. */
#include "library/check/check_warl.h"

#include <inttypes.h>

static const struct {
	uint16_t number;
	bool is_address;
} csrs[CHECK_WARL_CSRS] = {
	{0x302, false}, /* medeleg */
	{0x303, false}, /* mideleg */
	{0x304, false}, /* mie */
	{0x306, false}, /* mcounteren */
	{0x341, true},  /* mepc */
	{0x106, false}, /* scounteren */
	{0x141, true},  /* sepc */
};

/* Bits that do not depend on others. Of an address that is none of the virtual memory a core may
 * make another one, and its lowest bits go with the C extension. */
static uint64_t independent(const struct check_hart *hart, bool is_address, uint64_t written)
{
	if (!is_address)
		return check_word(hart, UINT64_MAX);
	if (hart->xlen == 32)
		return UINT32_MAX & ~UINT64_C(3);
	bool canonical = (uint64_t)((int64_t)(written << 25) >> 25) == written;
	return canonical ? ((UINT64_C(1) << 39) - 1) & ~UINT64_C(3) : 0;
}

void check_warl(struct ear_checker *checker, struct check_hart *hart, unsigned number,
	uint64_t written, uint64_t shown)
{
	size_t at = 0;

	while (at < CHECK_WARL_CSRS && csrs[at].number != number)
		at++;
	if (at == CHECK_WARL_CSRS)
		return;
	struct check_warl *warl = &hart->warl[at];
	uint64_t bits = independent(hart, csrs[at].is_address, written);
	uint64_t took[2] = {~written & ~shown & bits, written & shown & bits};
	uint64_t refused[2] = {~written & shown & bits, written & ~shown & bits};
	uint64_t wrong[2], seen = bits;
	for (unsigned value = 0; value < 2; value++) {
		wrong[value] =
			(took[value] & warl->refused[value]) | (refused[value] & warl->took[value]);
		seen &= ~((took[value] | refused[value]) &
			  ~(warl->took[value] | warl->refused[value]));
		warl->took[value] = (warl->took[value] & ~refused[value]) | took[value];
		warl->refused[value] = (warl->refused[value] & ~took[value]) | refused[value];
	}
	if (wrong[0] | wrong[1])
		check_violate(checker, EAR_CHECK_CSR, written & bits, shown & bits,
			"what was written was 0x%" PRIx64 ", and the CSR holds 0x%" PRIx64
			"; bits 0x%" PRIx64 " did otherwise before",
			written, shown, wrong[0] | wrong[1]);
	else if (seen == bits && bits)
		check_pass(checker, EAR_CHECK_CSR);
	else
		check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_UNKNOWN);
}
