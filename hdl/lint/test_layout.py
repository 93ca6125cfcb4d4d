#!/usr/bin/env python3
"""scripts/check-hdl-layout accepts a file in the layout of hdl/README.md and names each deviation."""
import pathlib
import subprocess
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-hdl-layout"
GOOD = """\
// SPDX-License-Identifier: Apache-2.0
// Pass a byte on in the next clock, for the tests of the layout.
`default_nettype none
module ear_good #(
    parameter WIDTH = 8  // bits
) (
    input  wire             clk_i,
    input  wire [WIDTH-1:0] data_i,
    output reg  [WIDTH-1:0] data_o
);
  wire [WIDTH-1:0] inverted = ~data_i;

  generate
    if (WIDTH > 1) begin : gen_wide
      always @(posedge clk_i) begin
        case (inverted[1:0])
          2'd0: data_o <= data_i;
          default:
          if (data_i[0]) begin
            data_o <= inverted;
          end
        endcase
      end
    end else begin : gen_bit
      ear_bit u_bit (
          .clk_i (clk_i),
          .data_i(data_i[0])
      );
    end
  endgenerate
endmodule
`default_nettype wire
"""
# What is changed, into what, and what the check says about it.
DEVIATIONS = [
    ("// SPDX-License-Identifier: Apache-2.0", "// A licence.", "1: the first line is not"),
    ("// Pass a byte on in the next clock, for the tests of the layout.\n", "", "2: no comment says"),
    ("module ear_good", "module ear_other", "4: not the one module ear_good"),
    ("`default_nettype none", "// `default_nettype none", "4: `default_nettype none is not the line"),
    ("`default_nettype wire\n", "", "does not end with endmodule"),
    ("          .clk_i (clk_i),", "\t.clk_i (clk_i),", "26: a tab"),
    ("  generate", "  generate ", "13: space at the end"),
    ("~data_i;", "~data_i;" + " " * 60 + "// far", "11: 104 columns, 100 are the limit"),
    ("        case", "       case", "16: 7 spaces, not 8"),
    ("            data_o <= inverted;", "        data_o <= inverted;", "20: 8 spaces, not 12"),
    ("data_i,\n    output reg ", "data_i, output reg ", "8: more than one port in a line"),
    ("output reg  [", "output [", "9: a port without wire or reg"),
    ("data_o\n);", "data_i2\n);", "9: output data_i2 does not end with _o"),
    ("gen_wide", "wide", "14: block wide is not called gen_*"),
    ("u_bit (", "the_bit (", "25: instance the_bit is not called u_*"),
    ("  wire [WIDTH-1:0] inverted = ~data_i;\n", "  assign later = 1'b0;\n  wire later;\n",
     "11: later is used before it is declared, in line 12"),
]


class Layout(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ear_good.v"
            path.write_text(text)
            run = subprocess.run([CHECK, path], capture_output=True, text=True)
            return run.returncode, run.stderr.replace(f"{path}:", "")

    def test_a_good_file_is_accepted(self):
        self.assertEqual(self.check(GOOD), (0, ""))

    def test_each_deviation_is_named(self):
        for before, after, said in DEVIATIONS:
            with self.subTest(said=said):
                self.assertEqual(GOOD.count(before) > 0, True, "the example has changed")
                code, text = self.check(GOOD.replace(before, after, 1))
                self.assertEqual(code, 1)
                self.assertIn(said, text)


if __name__ == "__main__":
    unittest.main()
