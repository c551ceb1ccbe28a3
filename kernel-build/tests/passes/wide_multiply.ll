; pass: wide-multiply
; The upper half of a factor is known to be zero: it is extended from 32 bits again, for `mul.wide.u32`.
define i64 @product(i64 %a, i32 %b) {
  %f = and i64 %a, 4294967295
  %wide = zext i32 %b to i64
  %p = mul i64 %f, %wide
  ret i64 %p
}
; ir: trunc i64 %a to i32
; ir: zext i32
; ir: mul i64
