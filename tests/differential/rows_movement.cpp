#include "tests/differential/row.h"

namespace cppgen::differential {

void add_movement_rows(std::vector<Row>& t) {
  t.push_back({"Transpose", kExact,
               "T[5,7]; T[33]; T[]; T[2,0,3]; T[17,33]|perm=[1,0]; T[2,3,19]|perm=[0,2,1]; T[3,2,5,4]|perm=[0,2,3,1];"
               "T[2,3,4,5,6]|perm=[4,0,3,1,2]; T[1,2,3,2,3,5]|perm=[5,1,4,0,3,2]; T[N,5]|perm=[1,0]"});
  t.push_back({"Concat", kExact,
               "T[3]|axis=0; T[3] T[0] T[30]|axis=-1; T[2,3] T[2,19] T[2,1]|axis=1; T[2,3,5] T[1,3,5]|axis=-3;"
               "T[2,1,2,1,2,3] T[2,1,2,1,2,4]|axis=5; T[N,3] T[2,3]|axis=0"});
  t.push_back({"Split", kExact,
               "T[9] i64[3]=2,3,4 -> 3; T[2,35] i64[2]=17,18|axis=-1 -> 2; T[7,3]|num_outputs=3 axis=0 -> 3;"
               "T[6,5]|num_outputs=2 -> 2; T[0,4] i64[2]=1,3|axis=1 -> 2; T[2,3,2,4] i64[3]=0,3,1|axis=3 -> 3"});
  t.push_back({"Split", kExact, "T[6,5]|split=[2,4] -> 2; T[4,6]|axis=1 -> 3", 11});
  t.push_back({"Expand", kExact,
               "T[] i64[2]=3,5; T[1] i64[1]=33; T[3,1] i64[2]=3,19; T[3,1] i64[3]=2,1,6; T[0,1] i64[2]=0,4;"
               "T[2,1,3,1,2,1] i64[6]=1,2,1,2,1,5; T[N,1] i64[1]=7"});
  t.push_back({"Tile", kExact,
               "T[3,9] i64[2]=2,3; T[5] i64[1]=3; T[3,7] i64[2]=2,3; T[2,19] i64[2]=1,4; T[2,3] i64[2]=0,1; T[1,2,1,3] "
               "i64[4]=2,1,3,6; T[0] i64[1]=4; T[N,3] "
               "i64[2]=2,2"});
  t.push_back(
      {"DepthToSpace", kExact,
       "T[1,8,3,5]|blocksize=2; T[2,9,2,3]|blocksize=3 mode='CRD'; T[0,4,2,2]|blocksize=2; T[1,4,1,17]|blocksize=2"});
  t.push_back(
      {"SpaceToDepth", kExact,
       "T[1,3,4,6]|blocksize=2 mode='CRD'; T[2,2,9,3]|blocksize=3 mode='CRD'; T[0,4,2,2]|blocksize=2 mode='DCR'", 28});
  t.push_back({"SpaceToDepth", kExact, "T[1,3,4,6]|blocksize=2; T[2,1,9,3]|blocksize=3; T[0,4,2,2]|blocksize=2"});
  t.push_back({"Reshape", kExact,
               "T[6,5] i64[1]=30; T[2,3,4] i64[2]=0,-1; T[] i64[1]=1; T[1] i64[0]=; T[0,3] i64[2]=3,0|allowzero=1;"
               "T[2,2,3,5] i64[6]=1,2,2,1,3,5; T[N,6] i64[3]=-1,2,3"});
  t.push_back({"Flatten", kExact, "T[2,3,4]; T[2,3,4]|axis=0; T[2,3,4,5]|axis=-1; T[33]; T[]|axis=0; T[0,3]|axis=1"});
  t.push_back({"Squeeze", kExact, "T[1,3,1,5]; T[1,3,1,5] i64[1]=-2; T[1]; T[1,33] i64[1]=0; T[1,0,1]"});
  t.push_back({"Squeeze", kExact, "T[1,3,1,5]|axes=[0,2]; T[1,1,2]|axes=[-3]", 11});
  t.push_back({"Unsqueeze", kExact, "T[33] i64[1]=0; T[3,5] i64[2]=-1,1; T[] i64[1]=0; T[0] i64[1]=1"});
  t.push_back({"Unsqueeze", kExact, "T[33]|axes=[0,2]; T[2,3]|axes=[-1]", 11});
  t.push_back(
      {"Slice", kExact,
       "T[33] i64[1]=2 i64[1]=30; T[5,7] i64[2]=1,0 i64[2]=4,-1 i64[2]=0,1 i64[2]=1,2; T[9] i64[1]=-1 i64[1]=-100 "
       "i64[1]=0 i64[1]=-1; T[3,40] i32[1]=38 i32[1]=0 i32[1]=-1 i32[1]=-3; T[4,5] i64[1]=3 i64[1]=1;"
       "T[2,3,2,3,2,5] i64[2]=1,1 i64[2]=9,4 i64[2]=-1,1; T[0,4] i64[1]=1 i64[1]=3 i64[1]=1;"
       "T[N,9] i64[1]=2 i64[1]=1000 i64[1]=1 i64[1]=3"});
  t.push_back({"Slice", kExact, "T[5,7]|starts=[1,0] ends=[4,-1]; T[20]|starts=[3] ends=[1000] axes=[0]", 1});
  t.push_back(
      {"Pad", kExact,
       "T[5] i64[2]=2,3; T[3,17] i64[4]=1,0,-1,2 T[]; T[4,5] i64[4]=2,1,1,3|mode='edge';"
       "T[4,6] i64[4]=2,1,3,4|mode='reflect'; T[4,6] i64[4]=2,1,3,9|mode='wrap'; T[0,3] i64[4]=1,0,2,1;"
       "T[2,3,4] i64[2]=1,2 - i64[1]=-2; T[2,1,2,3,2,5] i64[12]=0,1,0,0,1,2,0,0,0,0,1,3; T[N,5] i64[4]=1,2,1,0"});
  t.push_back({"Pad", kExact, "T[5,3]|pads=[1,2,0,3] value=1.5; T[4,5]|pads=[1,1,2,0] mode='reflect'", 2});
  t.push_back(
      {"Gather", kExact,
       "T[5,19] i32[2,4]@-5..4; T[7] i64[33]@-7..6; T[4,19] i64[5]@0..18|axis=-1; T[3,4,5] i64[]@-4..3|axis=1;"
       "T[3,5] i64[0]|axis=0; T[2,3,2,3,2] i64[2,2]@0..2|axis=3; T[N,5] i64[4]@-5..4|axis=1; T[9,4] i64[3]=8,-1,0"});
  t.push_back(
      {"GatherElements", kExact,
       "T[7] i64[33]@-7..6; T[5,19] i64[3,19]@-5..4; T[3,5] i32[3,40]@-5..4|axis=-1; T[2,3,4] i64[2,3,2]@0..3|axis=2;"
       "T[3,2] i64[0,2]"});
  t.push_back(
      {"GatherND", kExact,
       "T[5,7] i64[9,2]@-5..4; T[5,19] i64[3,1]@0..4; T[2,3,4] i64[2,5,1]@-3..2|batch_dims=1; T[3,4] i64[2]@0..2;"
       "T[2,3,2,5] i64[2,3,2]@0..1; T[4] i64[0,1]"});
  t.push_back({"Scatter", kExact, "T[5,7] i64[2,7]@0..0 T[2,7]; T[9] i64[1]@0..8 T[1]|axis=0", 9});
  t.push_back({"ScatterElements", kExact,
               "T[9] i64[1]@-9..8 T[1]; T[3,19] i64[1,19]@-3..2 T[1,19]; T[3,5] i64[3,1]@0..4 T[3,1]|axis=1;"
               "T[2,3] i64[0,3] T[0,3]; T[4,3] i64[2,3]=0,1,2,3,0,1 T[2,3]"});
  t.push_back({"ScatterElements", sums(16),
               "T[9] i64[20]@-9..8 T[20]@-4..4|reduction='add'; T[3,5] i64[4,5]@0..2 T[4,5]@-4..4|reduction='max';"
               "T[3,5] i64[3,9]@-5..4 T[3,9]@-4..4|reduction='min' axis=-1; T[6] i64[4]@0..5 T[4]@1..2|reduction='mul'",
               18});
  t.push_back(
      {"ScatterND", kExact,
       "T[9] i64[1,1]@0..8 T[1]; T[5,19] i64[2,1]=3,-5 T[2,19]; T[3,4] i64[3,2]=0,1,2,3,1,1 T[3]; T[4] i64[0,1] T[0]"});
  t.push_back(
      {"ScatterND", sums(16),
       "T[9]@-4..4 i64[20,1]@0..8 T[20]@-4..4|reduction='add'; T[3,5] i64[4,1]@-3..2 T[4,5]@-4..4|reduction='max';"
       "T[3,4] i64[5,2]@0..2 T[5]@-4..4|reduction='min'; T[6]@1..2 i64[4,1]@0..5 T[4]@1..2|reduction='mul'",
       18});
  t.push_back({"ReduceBags", sums(16),
               "T[9,19]@-4..4 i64[6]@-9..8 i64[3,4]=0,1,2,-1,-1,-1,-1,-1,3,4,5,0|mode='sum'; T[5,7]@-4..4 i32[4]@0..4 "
               "i64[2,3]=0,1,-1,3,2,1 T[4]@-2..2|mode='mean'; T[4]@-4..4 i64[5]@0..3 i64[2,2]=0,4,2,-1|mode='max';"
               "T[4,3]@-4..4 i64[0] i64[2,0]; T[4,2,5]@-4..4 i64[3]@0..3 i64[1,3]=2,1,0",
               1, "cppgen"});
  t.push_back({"CenterCropPad", kExact,
               "T[5,7] i64[2]=3,9; T[2,3,10] i64[1]=5|axes=[-1]; T[4] i64[1]=9; T[3,4] i64[2]=4,3|axes=[1,0]"});
  t.push_back({"ReverseSequence", kExact,
               "T[5,3] i64[3]@1..5; T[3,19] i64[3]@1..19|batch_axis=0 time_axis=1; T[4,3,5] i64[3]=1,4,2"});
  t.push_back({"Shape", kExact, "T[2,3,4]; T[]; T[0,5]; T[2,3,4,5]|start=1 end=-1; T[N,3]"});
  t.push_back({"Size", kExact, "T[2,3,4]; T[]; T[0,5]; T[N,3]"});
  t.push_back({"EyeLike", kExact, "T[4,7]; T[5,3]|k=1; T[3,19]|k=-2 dtype=1; T[0,3]; T[6,6]|dtype=7"});
  t.push_back({"Trilu", kExact,
               "T[5,7]; T[5,7]|upper=0; T[2,3,19] i64[]=1; T[4,4] i64[]=-2|upper=0; T[0,3]; T[2,1,3,4,5] i64[]=9;"
               "T[3,3] i64[]@-3..3; T[N,5]|upper=0"});
  t.push_back({"OneHot", kExact,
               "i64[5]@-7..6 i64[]=7 T[2]; T[3,4]@0..8 i64[1]=9 f32[2]|axis=0; i32[2,3]@0..20 i64[]=19 T[2]|axis=1;"
               "i64[0] i64[]=3 T[2]"});
  t.push_back(
      {"ConstantOfShape", kExact, "i64[2]=3,19|value=T[1]; i64[0]=|value=T[1]; i64[2]=0,3|value=T[1]; i64[1]=5"});
  t.push_back({"Constant", kExact, "|value=T[3,5]; |value=T[]; |value=T[0]; |value_float=1.5; |value_ints=[1,2,3]"});
  t.push_back(
      {"Range", ulps(2), "T[]=1 T[]=34 T[]=2; T[]=9 T[]=0 T[]=-2; T[]=3 T[]=3 T[]=1; T[]=0 T[]=5 T[]=0.25", 11});
}

}  // namespace cppgen::differential
