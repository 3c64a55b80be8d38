// erf by tables: a polynomial of degree 7 around each of 8 points, by least squares of our own over Chebyshev nodes.
// The points are the multiples of a step for which erf of each is next to a float32. Error bound: tests/math/bounds.h.
#pragma once

namespace vec {
inline namespace VEC_ISA {

constexpr int kErfDegree = 7;
constexpr f32 kErfStep = 0x1.0dbd9cp-1f;

// They begin with the lowest coefficient. Those of the first point, 0, are of erf(x) - x.
alignas(32) constexpr f32 kErfCoefficients[kErfDegree + 1][8] = {
    {0.f, 0.54376477f, 0.863807499f, 0.974594533f, 0.997119784f, 0.999804914f, 0.999992192f, 0.999999821f},
    {0.128379166f, 0.854896247f, 0.371782005f, 0.0928068385f, 0.0132980589f, 0.00109373778f, 5.16362306e-05f,
     1.39929966e-06f},
    {0.f, -0.450390995f, -0.391737431f, -0.146682084f, -0.0280232448f, -0.00288062007f, -0.000163288787f,
     -5.67965162e-06f},
    {-0.376125932f, -0.12678273f, 0.151247606f, 0.123619854f, 0.0349376686f, 0.00469497917f, 0.000326760783f,
     1.222224e-05f},
    {0.f, 0.183486804f, 0.0509229004f, -0.0487984605f, -0.0274884924f, -0.00523730647f, -0.000459801813f,
     -6.08637856e-06f},
    {0.11280565f, -0.000471873209f, -0.0668052956f, -0.00624532066f, 0.0126780318f, 0.00409651874f, 0.00048595824f,
     2.69701923e-05f},
    {0.f, -0.0476618893f, 0.00918522663f, 0.0161997937f, -0.0013143525f, -0.00208806293f, -0.000416431605f,
     -0.000147974351f},
    {-0.0261360519f, 0.00592136011f, 0.0126762036f, -0.00565596018f, -0.00210968242f, 0.000659412122f, 0.000239732617f,
     2.40064328e-05f},
};

// Degree: of the polynomials around the same points.
template <int Degree>
VEC_FN F32 erf_by_table(const f32 (&coefficients)[Degree + 1][8], F32 x) {
  const F32 a = min_raw(splat32(3.95f), abs(x)), magic = splat32(0x1.8p23f);  // adding it rounds to an integer
  const F32 shifted = fma(a, splat32(1 / kErfStep), magic);
  const V<u32> i = bits_as<u32>(shifted);
  const F32 t = fma(magic - shifted, splat32(kErfStep), a);  // exact
  F32 p = look_up(coefficients[Degree], i);
#pragma GCC unroll 8
  for (int k = Degree - 1; k > 0; k--) p = fma(p, t, look_up(coefficients[k], i));
  const F32 least = select(eq(i, bits_as<u32>(magic)), t, look_up(coefficients[0], i));
  return flip_sign(fma(p, t, least), x);
}

VEC_FN F32 erf(F32 x) { return erf_by_table<kErfDegree>(kErfCoefficients, x); }

}  // namespace VEC_ISA
}  // namespace vec
