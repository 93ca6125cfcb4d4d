// SPDX-License-Identifier: Apache-2.0
// A bench in C++ for Verilator: the clock, the reset and the link.
#include "Vown_unit.h"
#include "earshot_link.h"

int main(int argc, char **argv)
{
	earshot::Link link(argc, argv);
	Vown_unit top;

	for (uint64_t clock = 0; link.open() && !link.done(top.ended_o); clock++) {
		top.rst_ni = clock >= 8;
		link.drive(top);
		top.clk_i = 0;
		top.eval();
		link.sample(top);
		top.clk_i = 1;
		top.eval();
	}
	return link.finish();
}
