#include "tests/differential/row.h"

namespace cppgen::differential {

void add_selection_rows(std::vector<Row>& t) {
  t.push_back({"TopK", kExact,
               "T[33] i64[1]=5 -> 2; T[9,7] i64[1]=9|axis=0 -> 2; T[4,19] i64[1]=1|largest=0 -> 2; T[5] i64[1]=0 -> 2;"
               "T[2,9,3] i64[1]=4|axis=-2 largest=0 -> 2; T[0,4] i64[1]=2 -> 2",
               11});
  t.push_back({"Compress", kExact,
               "T[5] bool[5]=1,0,1,1,0; T[3,19] bool[2]=0,1|axis=0; T[3,5] bool[5]=1,0,0,1,1|axis=-1; T[2,3] "
               "bool[4]=0,1,1,0; T[4] bool[2]=0,0"});
  t.push_back({"NonZero", kExact, "T[5,7]@1..1|declared=[2,35]; T[19]@1..1|declared=[1,19]; T[]@1..1|declared=[1,1]"});
  t.push_back({"NonMaxSuppression", kExact,
               "f32[1,6,4]@0..1 f32[1,2,6]@0..1 i64[]=2 f32[]=1.0 f32[]=-1.0|declared=[4,3];"
               "f32[2,9,4]@0..1 f32[2,1,9]@0..1 i64[]=3 f32[]=1.0 f32[]=-1.0|declared=[6,3] center_point_box=1"});
  t.push_back({"CumSum", sums(64),
               "T[33]@-3..3 i64[]=0; T[3,19]@0..3 i64[]=-1|exclusive=1; T[5,4]@0..3 i32[]=0|reverse=1;"
               "T[2,3,4]@0..2 i64[1]=1|reverse=1 exclusive=1; T[0,3] i64[]=0; T[N,3]@0..2 i64[]=0"});
  t.push_back({"CumProd", sums(64),
               "T[33]@-1..1 i64[]=0; T[3,19]@1..2 i64[]=-1|exclusive=1; T[5,4]@0..3 i32[]=0|reverse=1;"
               "T[2,3,4]@0..2 i64[1]=1|reverse=1 exclusive=1; T[0,3] i64[]=0; T[N,3]@0..2 i64[]=0",
               26});
  t.push_back(
      {"TfIdfVectorizer", ulps(1),
       "T[12]@2..8|mode='TF' min_gram_length=2 max_gram_length=2 max_skip_count=0 ngram_counts=[0,4] "
       "ngram_indexes=[0,1,2,3,4,5,6] pool_int64s=[2,3,5,4,5,6,7,8,6,7];"
       "T[3,12]@2..8|mode='TFIDF' min_gram_length=1 max_gram_length=2 max_skip_count=2 ngram_counts=[0,4] "
       "ngram_indexes=[0,1,2,3,4,5,6] pool_int64s=[2,3,5,4,5,6,7,8,6,7] weights=[0.5,1.0,2.0,0.25,3.0,1.5,0.1]"});
  t.push_back({"ArrayFeatureExtractor", kExact,
               "T[5,7] i64[1,4]=6,0,3,3; T[9] i64[3]=8,8,0; T[N,4] i64[2]=3,1; T[2,3,5] i64[]=4; T[0,3] i64[2]=0,2", 3,
               "ai.onnx.ml"});
  t.push_back({"Det", sums(512), "T[3,3]@-2..2; T[2,5,5]@-2..2; T[1,1]@-2..2; T[0,2,2]; T[2,3,1,4,4]@-1..1"});
  t.push_back({"Inverse", sums(512), "T[3,3]@-2..2; T[1,1]@1..2; T[0,2,2]; T[2,1,2,2]@-2..2", 1, "com.microsoft"});
  for (const char* op : {"HannWindow", "HammingWindow", "BlackmanWindow"})
    t.push_back({op, sums(8),
                 "i64[]=33; i32[]=10|periodic=0; i64[]=1; i64[]=16|output_datatype=11; i64[]=7|output_datatype=10"});
  t.push_back({"MelWeightMatrix", sums(8), "i64[]=8 i64[]=64 i64[]=8192 f32[]=10.0 f32[]=4000.0", 17});
}

}  // namespace cppgen::differential
