// SPDX-License-Identifier: Apache-2.0
// The rules for the parameters of ear_unit. Inside the module, which includes this.
  // A wrong parameter asks for a module that does not exist: its name is the message.
  generate
    if (PRESET < 0 || PRESET >= `EAR_PRESET_COUNT) begin : gen_bad_preset
      ear_unit_PRESET_must_be_an_EAR_PRESET u_error ();
    end
    if (SIZE < 0 || SIZE >= `EAR_SIZE_COUNT) begin : gen_bad_size
      ear_unit_SIZE_must_be_an_EAR_SIZE u_error ();
    end
    if (XLEN != 32 && XLEN != 64) begin : gen_bad_xlen
      ear_unit_XLEN_must_be_32_or_64 u_error ();
    end
    if (NRET != 1 && NRET != 2) begin : gen_bad_nret
      ear_unit_NRET_must_be_1_or_2 u_error ();
    end
    if (CSR_SLOTS < 0 || CSR_SLOTS > 8) begin : gen_bad_csr_slots
      ear_unit_CSR_SLOTS_must_be_0_to_8 u_error ();
    end
    if (FLEN != 0 && FLEN != 32 && FLEN != 64) begin : gen_bad_flen
      ear_unit_FLEN_must_be_0_32_or_64 u_error ();
    end
    if (ORDER_BITS < 32 || ORDER_BITS > 64) begin : gen_bad_order_bits
      ear_unit_ORDER_BITS_must_be_32_to_64 u_error ();
    end
    if (COUNTER_BITS < 32 || COUNTER_BITS > 64) begin : gen_bad_counter_bits
      ear_unit_COUNTER_BITS_must_be_32_to_64 u_error ();
    end
    if (DIRECT != 0 && (NRET != 1 || FILTER != 0 || TRIGGER != 0 || STALL_SLACK != 0 ||
        STALL == 0)) begin : gen_bad_register
      ear_unit_RECORD_FIFO_1_is_for_NRET_1_STALL_1_without_FILTER_TRIGGER_and_STALL_SLACK
          u_error ();
    end
    if (OPCODE_READS != 0 && NORMALIZE == 0) begin : gen_bad_reads
      ear_unit_OPCODE_READS_is_for_NORMALIZE u_error ();
    end
    if ((RESULTS == 0 || ACCESSES == 0) && PREDICT != 0) begin : gen_bad_results
      ear_unit_RESULTS_0_and_ACCESSES_0_are_for_PREDICT_0 u_error ();
    end
    if (COUNT_HELD != 0 && EVENTS == 0) begin : gen_bad_held
      ear_unit_HELD_is_for_EVENTS u_error ();
    end
    if (MISMATCH != 0 && (PREDICT == 0 || OPERANDS == 0)) begin : gen_bad_mismatch
      ear_unit_MISMATCH_is_for_PREDICT_and_OPERANDS u_error ();
    end
    if (EVENT_PORT < 0 || EVENT_PORT > 2) begin : gen_bad_event_port
      ear_unit_EVENT_PORT_must_be_0_to_2 u_error ();
    end
    if (EVENT_PORT != 0 && (EVENTS == 0 || DIRECT != 0)) begin : gen_bad_event_fifo
      ear_unit_EVENT_PORT_is_for_EVENTS_and_a_RECORD_FIFO u_error ();
    end
    if (EVENT_WAIT < 0 || EVENT_WAIT > 15) begin : gen_bad_event_wait
      ear_unit_EVENT_WAIT_must_be_0_to_15 u_error ();
    end
    if (ENDED_CLOCKS < 0 || (ENDED_CLOCKS & (ENDED_CLOCKS - 1)) != 0) begin : gen_bad_ended
      ear_unit_ENDED_CLOCKS_must_be_0_or_a_power_of_two u_error ();
    end
    if (OWN_ORDER != 0 && DIRECT == 0) begin : gen_bad_order
      ear_unit_OWN_ORDER_is_for_RECORD_FIFO_1 u_error ();
    end
    if (NARROW < 0 || NARROW > 2) begin : gen_bad_narrow
      ear_unit_NARROW_must_be_0_to_2 u_error ();
    end
    if (PREDICT != 0 && (PREDICT_GEOMETRY < 0 || PREDICT_GEOMETRY >= `EAR_GEOMETRY_COUNT))
    begin : gen_bad_geometry
      ear_unit_PREDICT_GEOMETRY_must_be_an_EAR_GEOMETRY u_error ();
    end
    if (PREDICT != 0 && PRESET != `EAR_PRESET_CUSTOM && (1'b0
        // generate: custom
        || PREDICT_UNIFIED != `EAR_PREDICT_UNIFIED(PREDICT_GEOMETRY)
        || PREDICT_MULTIPLY != `EAR_PREDICT_MULTIPLY(PREDICT_GEOMETRY)
        || PREDICT_DIVIDE != `EAR_PREDICT_DIVIDE(PREDICT_GEOMETRY)
        || PREDICT_CODE_WORDS_LOG2 != `EAR_PREDICT_CODE_WORDS_LOG2(PREDICT_GEOMETRY)
        || PREDICT_CODE_WAYS_LOG2 != `EAR_PREDICT_CODE_WAYS_LOG2(PREDICT_GEOMETRY)
        || PREDICT_CODE_LINE_LOG2 != `EAR_PREDICT_CODE_LINE_LOG2(PREDICT_GEOMETRY)
        || PREDICT_DATA_WORDS_LOG2 != `EAR_PREDICT_DATA_WORDS_LOG2(PREDICT_GEOMETRY)
        || PREDICT_DATA_WAYS_LOG2 != `EAR_PREDICT_DATA_WAYS_LOG2(PREDICT_GEOMETRY)
        || PREDICT_DATA_LINE_LOG2 != `EAR_PREDICT_DATA_LINE_LOG2(PREDICT_GEOMETRY)
        || PREDICT_DICTIONARY_LOG2 != `EAR_PREDICT_DICTIONARY_LOG2(PREDICT_GEOMETRY)
        || PREDICT_CSR_LOG2 != `EAR_PREDICT_CSR_LOG2(PREDICT_GEOMETRY)
        || PREDICT_BASE != `EAR_PREDICT_BASE(PREDICT_GEOMETRY)
        || PREDICT_SINGLE != `EAR_PREDICT_SINGLE(PREDICT_GEOMETRY)
        // generate: end
        )) begin : gen_bad_custom
      ear_unit_PREDICT_parameters_other_than_those_of_PRESET_must_be_with_EAR_PRESET_CUSTOM
          u_error ();
    end
    if (PREDICT != 0 && PREDICT_SINGLE != 0 && (PREDICT_BASE == 0 || CSR_SLOTS != 0 || FLEN != 0 ||
        PADDR != 0 || OPERANDS != 0 || PREDICT_DICTIONARY_LOG2 != 0)) begin : gen_bad_single
      ear_unit_PREDICT_SINGLE_is_for_BASE_without_groups_of_the_port_and_DICTIONARY u_error ();
    end
    if (STALL_SLACK < 0) begin : gen_bad_slack
      ear_unit_STALL_SLACK_must_be_0_or_more u_error ();
    end
    if (DIRECT == 0 && RECORD_FIFO <= 2 * (NRET * (LATENCY + 2) + STALL_SLACK + 1) + PORT_ROOM)
    begin : gen_bad_fifo
      ear_unit_RECORD_FIFO_is_too_small_for_NRET_and_STALL_SLACK u_error ();
    end
  endgenerate
