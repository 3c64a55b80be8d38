// erf by tables: a polynomial of degree 6 around each of 16 points, by least squares of our own over Chebyshev nodes.
// The points are those near multiples of 1 / 3.8 where erf is next to a float32. Error bound: tests/math/bounds.h.
#pragma once

namespace vec {
inline namespace VEC_ISA {

constexpr int kErfDegree = 6;

alignas(64) constexpr f32 kErfPoints[16] = {0.f,        0.23152862f, 0.52281487f, 0.78582066f, 1.0486462f, 1.3128035f,
                                            1.5760349f, 1.8383621f,  2.1041875f,  2.365581f,   2.6313157f, 2.8972945f,
                                            3.1553638f, 3.421003f,   3.6882102f,  3.951368f};
// From the lowest coefficient. Those of the first point, 0, are of erf(x) - x.
alignas(64) constexpr f32 kErfCoefficients[kErfDegree + 1][16] = {
    {0.f, 0.25665802f, 0.5403188f, 0.7335686f, 0.86192816f, 0.9366297f, 0.9741761f, 0.9906732f, 0.99707747f,
     0.99917847f, 0.99980175f, 0.9999582f, 0.9999919f, 0.9999987f, 0.9999998f, 1.f},
    {0.12837917f, 1.0694845f, 0.8585133f, 0.60851616f, 0.37573296f, 0.201358f, 0.09412762f, 0.03843476f, 0.013476298f,
     0.0041894265f, 0.0011103947f, 0.00025518236f, 5.3515676e-05f, 9.328141e-06f, 1.3957156e-06f, 1.869303e-07f},
    {-3.6533407e-08f, -0.24761645f, -0.44884348f, -0.4781845f, -0.3940109f, -0.2643435f, -0.14834842f, -0.07065702f,
     -0.02835666f, -0.009910427f, -0.0029217978f, -0.0007393384f, -0.00016886079f, -3.1911477e-05f, -5.147708e-06f,
     -7.3862896e-07f},
    {-0.37612316f, -0.3182746f, -0.12973158f, 0.04766795f, 0.15020436f, 0.16423447f, 0.124493815f, 0.07378523f,
     0.03528694f, 0.014232786f, 0.0047551394f, 0.0013428602f, 0.00033731072f, 6.9647984e-05f, 1.2185867e-05f,
     1.8840137e-06f},
    {-0.00010530999f, 0.11943536f, 0.18352053f, 0.14065504f, 0.052575145f, -0.019688074f, -0.048650183f, -0.04426642f,
     -0.027672574f, -0.013531186f, -0.0052824686f, -0.0016988727f, -0.00047601952f, -0.000108518354f, -2.0750738e-05f,
     -3.472609e-06f},
    {0.114385545f, 0.084252544f, 0.0007547665f, -0.05795026f, -0.06672413f, -0.038903344f, -0.0068513067f, 0.010257783f,
     0.012641405f, 0.008535757f, 0.004153884f, 0.0015814148f, 0.0005068065f, 0.00013016113f, 2.7668557e-05f,
     4.7702806e-06f},
    {-0.010503927f, -0.041591763f, -0.0485642f, -0.02173537f, 0.009569939f, 0.022134135f, 0.016338924f, 0.005344854f,
     -0.0014979097f, -0.0030986886f, -0.0022147f, -0.0010718345f, -0.00039830816f, -0.00011811414f, -2.8695127e-05f,
     -7.395494e-06f},
};

VEC_FN F32 erf(F32 x) {
  const F32 a = min_raw(splat32(4), abs(x)), magic = splat32(0x1.8p23f);  // adding it rounds to an integer
  const V<u32> i = bits_as<u32>(fma(a, splat32(3.8f), magic));
  const F32 t = a - look_up(kErfPoints, i);
  F32 p = look_up(kErfCoefficients[kErfDegree], i);
#pragma GCC unroll 8
  for (int k = kErfDegree - 1; k > 0; k--) p = fma(p, t, look_up(kErfCoefficients[k], i));
  const F32 least = select(eq(i, bits_as<u32>(magic)), t, look_up(kErfCoefficients[0], i));
  return flip_sign(fma(p, t, least), x);
}

}  // namespace VEC_ISA
}  // namespace vec
