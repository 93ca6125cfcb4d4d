/* An entry as docs/retire-port.md, section 2, ear_normalize.v and ear_normalize_registers.v give
 * it, and as real cores give it. A plain model, to hold the unit against.
 */
#ifndef EAR_NORMAL_FORM_H
#define EAR_NORMAL_FORM_H

#include <cstdint>
#include <random>

extern "C" {
#include "common/protocol/retire.h"
}

/* What a unit with NORMALIZE makes of the entry. */
void normal_form(ear_retire *entry, bool opcode_reads, unsigned flen);

/* The habits of a core's port. The entry comes in as section 2 says, with the address of the first
 * byte and zeros beside the masks, and goes out as such a core would show it.
 */
struct core_port {
	std::mt19937_64 random{1};
	uint64_t last_store = 0; /* data on the bus of the last store */
	ear_retire last = {};    /* as SERV showed its last access */

	/* Every instruction that is no store reads a word at the ALU's result, and a load's data
	 * are what goes into the register. The address is that of the first byte. */
	void ibex(ear_retire *entry);

	/* Addresses of whole words; stores in their lanes, repeated in the others; loads read whole
	 * words, and the data of the last store stay. */
	void picorv32(ear_retire *entry);

	/* Addresses of whole words, data in their lanes, anything in the others; what is no access
	 * has no masks, and address and data of the last one. */
	void serv(ear_retire *entry);

	/* Accesses as SERV's; an operand that is not read is the register that the opcode's bits
	 * name, with its value. */
	void nerv(ear_retire *entry);

	uint64_t x[32] = {}; /* as the entries so far wrote them */

      private:
	void align(ear_retire *entry);
};

#endif
