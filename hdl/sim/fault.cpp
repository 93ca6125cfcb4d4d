// The text is cut at each ':' from the left; each part is checked against a table or as a number,
// and the first that is wrong gives the message. The numbers of operations are those that the core
// compares: funct3 and one bit of funct7.
#include "fault.h"

#include <cerrno>
#include <cstdlib>

namespace ear
{

namespace
{

constexpr uint32_t PERIOD_DEFAULT = 1000;
constexpr uint32_t MASK = 0x10;

// The core's numbers: {alternate, funct3} of the instruction.
struct {
	const char *name;
	uint8_t op;
} const operations[] = {
	{"add", 0},
	{"sub", 8},
	{"sll", 1},
	{"slt", 2},
	{"sltu", 3},
	{"xor", 4},
	{"srl", 5},
	{"sra", 13},
	{"or", 6},
	{"and", 7},
};

struct {
	const char *name;
	uint8_t kind;
} const kinds[] = {{"alu", 1}, {"store", 2}, {"reg", 3}};

// Cut the part before the next ':' off *text.
std::string next_part(std::string *text)
{
	size_t colon = text->find(':');
	std::string part = text->substr(0, colon);

	*text = colon == std::string::npos ? "" : text->substr(colon + 1);
	return part;
}

bool parse_period(const std::string &text, uint32_t *period)
{
	char *end;

	errno = 0;
	unsigned long long value = std::strtoull(text.c_str(), &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9' || value == 0 || value > UINT32_MAX)
		return false;
	*period = static_cast<uint32_t>(value);
	return true;
}

} // namespace

std::string fault_parse(const std::string &text, Fault *fault)
{
	Fault found = {};
	std::string rest = text;
	std::string kind = next_part(&rest);

	for (const auto &known : kinds)
		if (kind == known.name)
			found.kind = known.kind;
	if (found.kind == 0)
		return "unknown kind of fault '" + kind + "'; there are alu, store and reg";

	found.mask = MASK;
	found.period = PERIOD_DEFAULT;
	if (!rest.empty()) {
		std::string period = next_part(&rest);

		if (!parse_period(period, &found.period))
			return "'" + period + "' is not a number of instructions";
	}
	if (!rest.empty()) {
		if (kind != "alu")
			return "only alu faults have an operation";
		for (const auto &known : operations) {
			if (rest == known.name) {
				found.op_valid = true;
				found.op = known.op;
			}
		}
		if (!found.op_valid)
			return "unknown ALU operation '" + rest + "'";
	}
	*fault = found;
	return "";
}

} // namespace ear
