// SPDX-License-Identifier: Apache-2.0
// The rules for the parameters of ear_predictor. Inside the module, which includes this.
  // A wrong parameter asks for a module that does not exist: its name is the message.
  generate
    if (CODE_WORDS_LOG2 < 5 || CODE_WORDS_LOG2 > 16) begin : gen_bad_code_words
      ear_predictor_CODE_WORDS_LOG2_must_be_5_to_16 u_error ();
    end
    if (CODE_WAYS_LOG2 < 0 || CODE_WAYS_LOG2 > 3 || CODE_LINE_LOG2 < 0 || CODE_LINE_LOG2 > 3)
    begin : gen_bad_code_line
      ear_predictor_CODE_WAYS_LOG2_and_CODE_LINE_LOG2_must_be_0_to_3 u_error ();
    end
    if (UNIFIED == 0 && (DATA_WORDS_LOG2 < 5 || DATA_WORDS_LOG2 > 16)) begin : gen_bad_data_words
      ear_predictor_DATA_WORDS_LOG2_must_be_5_to_16 u_error ();
    end
    if (UNIFIED == 0 &&
        (DATA_WAYS_LOG2 < 0 || DATA_WAYS_LOG2 > 3 || DATA_LINE_LOG2 < 0 || DATA_LINE_LOG2 > 3))
    begin : gen_bad_data_line
      ear_predictor_DATA_WAYS_LOG2_and_DATA_LINE_LOG2_must_be_0_to_3 u_error ();
    end
    if (CODE_SET_BITS < 0 || DATA_SET_BITS < 0) begin : gen_bad_set
      ear_predictor_has_a_cache_that_is_smaller_than_a_set u_error ();
    end
    if (BASE != 0 && (XLEN != 32 || MULTIPLY != 0 || DIVIDE != 0)) begin : gen_bad_base
      ear_predictor_BASE_is_for_XLEN_32_without_MULTIPLY_and_DIVIDE u_error ();
    end
    if (DICTIONARY_LOG2 != 0 && (DICTIONARY_LOG2 < 4 || DICTIONARY_LOG2 > 9))
    begin : gen_bad_dictionary
      ear_predictor_DICTIONARY_LOG2_must_be_0_or_4_to_9 u_error ();
    end
    if (CSR_LOG2 < 0 || CSR_LOG2 > 6) begin : gen_bad_csr
      ear_predictor_CSR_LOG2_must_be_0_to_6 u_error ();
    end
  endgenerate
