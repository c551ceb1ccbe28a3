; pass: sincos-merging
; A sine and a cosine of one value in one block are one call.
declare float @sinf(float)
declare float @cosf(float)
define float @f(float %x) {
  %c = call float @cosf(float %x)
  %s = call float @sinf(float %x)
  %v = fadd float %s, %c
  ret float %v
}
; ir: call i64 @__warploom_math_sincos_f32(float %x)
; ir: call float @__warploom_math_sine_of_f32
; ir: call float @__warploom_math_cosine_of_f32
; ir-not: @sinf
; ir-not: @cosf
