// Samples of ai.onnx.ml's operators among ONNX's own.
#include "tests/differential/row.h"

namespace cppgen::differential {

void add_learner_rows(std::vector<Row>& t) {
  t.push_back({"FeatureRows", kExact, "T[7]; T[N,5]; T[3,19]; f64[3,4]|keep_double=1; T[0,3]", 1, "cppgen"});
  t.push_back({"NumberPositions", kExact,
               "T[33]@-4..8|keys=i64[4]=5,-1,0,7; T[N,3]@0..4|keys=i64[5]=0,1,2,3,3; f32[2,9]@0..4|keys=f64[3]=1,2,3;"
               "T[0]|keys=i64[1]=2",
               1, "cppgen"});
  // Two trees: x[0] <= 0.5 and, behind it, x[1] < 0; x[2] <= -1. Leaves 3, 4, 2 and 6, 7 vote for three targets.
  const char* trees =
      "thresholds=f64[8]=0.5,0,0,0,0,-1,0,0 strict=u8[8]=0,1,0,0,0,0,0,0 "
      "links=i32[8,4]=0,1,2,0,1,3,4,1,0,2,2,0,0,3,3,0,0,4,4,0,2,6,7,0,0,6,6,0,0,7,7,0 roots=i32[2]=0,5 "
      "votes=i32[9]=0,0,0,1,2,4,4,5,6 targets=i32[6]=0,1,0,2,2,1 weights=f64[6]=0.5,1.25,-2,4,0.125,3 depth=2 "
      "votes_of_leaf=2 targets_count=3";
  std::string cases;
  for (const char* combine : {"0", "1", "2"})
    for (const char* rows : {"T[17,3]", "T[N,4]"})
      cases += std::string(cases.empty() ? "" : "; ") + rows + "|" + trees + " combine=" + combine;
  t.push_back({"TreeScores", kExact, cases, 1, "cppgen"});
}

}  // namespace cppgen::differential
