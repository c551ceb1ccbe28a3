; pass: saturating-casts
; PTX has no such integers and no such floats.
define i64 @f(float %x, half %y) {
  %a = call i24 @llvm.fptoui.sat.i24.f32(float %x)
  %b = call i64 @llvm.fptosi.sat.i64.f16(half %y)
  %aw = zext i24 %a to i64
  %g = add i64 %aw, %b
  ret i64 %g
}
; unchanged
