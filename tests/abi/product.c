/* Prints "done" if dgemm_ of the BLAS library computes a product, and loads and runs nothing of the cppgen runtime,
 * which is linked before it. */
#include <cppgen.h>
#include <stdio.h>
#include <stdlib.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);

int main(void) {
  const int n = 300;
  const double one = 1, zero = 0;
  double *a = malloc(sizeof(double) * n * n), *b = malloc(sizeof(double) * n * n), *c = calloc(n * n, sizeof(double));
  int i, j, k;
  if (!a || !b || !c || cppgen_version()[0] == '\0') return 1;
  for (i = 0; i < n * n; i++) a[i] = i % 7, b[i] = i % 5;
  dgemm_("T", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
  for (i = 0; i < n; i += 37)
    for (j = 0; j < n; j += 41) {
      double expected = 0;
      for (k = 0; k < n; k++) expected += a[i * n + k] * b[j * n + k];
      if (c[j * n + i] != expected) {
        printf("c[%d][%d] = %g, expected %g\n", i, j, c[j * n + i], expected);
        return 1;
      }
    }
  printf("done\n");
  return 0;
}
