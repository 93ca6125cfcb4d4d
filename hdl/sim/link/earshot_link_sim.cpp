// SPDX-License-Identifier: Apache-2.0
// The other end of ear_link_sim.v: two functions for DPI, and for VPI the two system tasks that
// call them. The command line of the simulator's process says where the bytes go (earshot_link.h).
//
//     iverilog-vpi -DEAR_VPI --name=earshot_link_sim earshot_link_sim.cpp     for Icarus
//     verilator --binary -DEAR_DPI ... ear_link_sim.v earshot_link_sim.cpp    for Verilator
#include <fstream>
#include <iterator>

#include "earshot_link.h"

namespace
{

// The words of this process, from the first that names a simulation: a simulator has options of
// its own before them.
std::vector<std::string> own_words()
{
	std::ifstream file("/proc/self/cmdline", std::ios::binary);
	std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
	std::vector<std::string> words;

	for (size_t at = 0; at < all.size(); at += words.back().size() + 1)
		words.emplace_back(all.c_str() + at);
	return words;
}

// Made at the first call. What is left is sent when the process ends.
earshot::Link &link_of_process()
{
	struct Owner {
		earshot::Link link{own_words()};

		~Owner()
		{
			link.finish();
		}
	};
	static Owner owner;

	return owner.link;
}

} // namespace

extern "C" void earshot_word(int data)
{
	link_of_process().word(static_cast<uint32_t>(data));
}

extern "C" int earshot_byte()
{
	earshot::Link &link = link_of_process();

	link.prepare();
	if (!link.open())
		return -2;
	if (!link.has_byte())
		return -1;
	int byte = link.byte();
	link.take_byte();
	return byte;
}

#ifdef EAR_VPI
#include <vpi_user.h>

namespace
{

PLI_INT32 call_word(PLI_BYTE8 *)
{
	vpiHandle call = vpi_handle(vpiSysTfCall, nullptr);
	vpiHandle arguments = vpi_iterate(vpiArgument, call);
	s_vpi_value value = {};

	value.format = vpiVectorVal;
	vpi_get_value(vpi_scan(arguments), &value);
	vpi_free_object(arguments);
	// Bits that are X or Z are sent as 0: the frame's CRC tells.
	earshot_word(static_cast<int>(value.value.vector[0].aval & ~value.value.vector[0].bval));
	return 0;
}

PLI_INT32 call_byte(PLI_BYTE8 *)
{
	s_vpi_value value = {};

	value.format = vpiIntVal;
	value.value.integer = earshot_byte();
	vpi_put_value(vpi_handle(vpiSysTfCall, nullptr), &value, nullptr, vpiNoDelay);
	return 0;
}

PLI_INT32 check_word(PLI_BYTE8 *)
{
	if (!vpi_iterate(vpiArgument, vpi_handle(vpiSysTfCall, nullptr))) {
		vpi_printf(const_cast<PLI_BYTE8 *>("$earshot_word: which word?\n"));
		vpi_control(vpiFinish, 1);
	}
	return 0;
}

void add(PLI_INT32 type, const char *name, PLI_INT32 (*call)(PLI_BYTE8 *),
	PLI_INT32 (*check)(PLI_BYTE8 *))
{
	s_vpi_systf_data task = {};

	task.type = type;
	task.sysfunctype = vpiIntFunc;
	task.tfname = name;
	task.calltf = call;
	task.compiletf = check;
	vpi_register_systf(&task);
}

void add_tasks()
{
	add(vpiSysTask, "$earshot_word", call_word, check_word);
	add(vpiSysFunc, "$earshot_byte", call_byte, nullptr);
}

} // namespace

extern "C" void (*vlog_startup_routines[])() = {add_tasks, nullptr};
#endif
