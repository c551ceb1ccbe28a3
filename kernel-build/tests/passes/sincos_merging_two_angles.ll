; pass: sincos-merging
declare float @sinf(float)
declare float @cosf(float)
define float @f(float %x, float %y) {
  %c = call float @cosf(float %x)
  %s = call float @sinf(float %y)
  %v = fadd float %s, %c
  ret float %v
}
; unchanged
