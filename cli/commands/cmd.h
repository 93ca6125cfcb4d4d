#ifndef EAR_CMD_H
#define EAR_CMD_H

#include "cli/options/command.h"

/* The commands: cmd_<name>.c is one of them. cli/commands.c lists them. */
extern const struct command cmd_android;
extern const struct command cmd_archive;
extern const struct command cmd_branches;
extern const struct command cmd_browse;
extern const struct command cmd_calls;
extern const struct command cmd_capture;
extern const struct command cmd_check;
extern const struct command cmd_control;
extern const struct command cmd_convert;
extern const struct command cmd_cut;
extern const struct command cmd_decode;
extern const struct command cmd_diff;
extern const struct command cmd_doctor;
extern const struct command cmd_dump;
extern const struct command cmd_flash;
extern const struct command cmd_grep;
extern const struct command cmd_infer;
extern const struct command cmd_info;
extern const struct command cmd_join;
extern const struct command cmd_list;
extern const struct command cmd_load;
extern const struct command cmd_memory;
extern const struct command cmd_new_board;
extern const struct command cmd_selftest;
extern const struct command cmd_report;
extern const struct command cmd_restore;
extern const struct command cmd_serve;
extern const struct command cmd_show;
extern const struct command cmd_profile;
extern const struct command cmd_timeline;
extern const struct command cmd_top;
extern const struct command cmd_coverage;
extern const struct command cmd_stat;
extern const struct command cmd_state;
extern const struct command cmd_farm;
extern const struct command cmd_history;
extern const struct command cmd_trace_value;
extern const struct command cmd_gdb;
extern const struct command cmd_why;
extern const struct command cmd_index;

#endif
