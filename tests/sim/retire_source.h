/* Entries for a capture unit in predict mode: what a retire port of a given shape could show.
 *
 * Three kinds of core, mixed at random or one alone:
 *   program   an ELF file on the instruction set simulator (tests/support/iss), begun anew when
 *             it ends
 *   imagined  a core that does what a predictor of its own expects, but for some fields, chosen at
 *             random; so every set of fields differs now and then, for any XLEN and shape
 *   noise     every field at random
 * On top of it flips: wrong fields in a program's entries.
 */
#ifndef EAR_RETIRE_SOURCE_H
#define EAR_RETIRE_SOURCE_H

#include <cstdint>
#include <string>

extern "C" {
#include "decoder/predict/predictor.h"
#include "iss/faults.h"
#include "iss/iss.h"
#include "random.h"
}

struct retire_shape {
	unsigned xlen, flen, csr_slots;
	bool paddr, operands;
};

struct retire_mix {
	std::string program;                    /* ELF file; empty: none */
	unsigned imagined = 0;                  /* of 1000 stretches of entries */
	unsigned noise = 0;                     /* of 1000 entries, in between */
	uint32_t flips = 0;                     /* of a million entries of the program */
	unsigned differs = 100;                 /* of 1000 imagined entries */
	const ear_geometry *geometry = nullptr; /* of the imagined core; needed if there is one */
};

class retire_source
{
      public:
	retire_source(const retire_shape &shape, const retire_mix &mix, uint64_t seed);
	~retire_source();
	retire_source(const retire_source &) = delete;
	retire_source &operator=(const retire_source &) = delete;

	/* The next entry. order continues by one; the caller may change it. */
	void next(ear_retire *entry);

      private:
	void from_program(ear_retire *entry);
	void imagine(ear_retire *entry);
	void begin_program();
	uint32_t some_insn();
	void fit(ear_retire *entry) const;

	retire_shape shape;
	retire_mix mix;
	struct random random;
	ear_iss *iss = nullptr;
	ear_faults faults;
	ear_predictor predictor;
	bool has_predictor = false;
	uint64_t order = 0;
	unsigned stretch = 0; /* entries left of the kind at hand */
	bool imagining = false;
};

#endif
