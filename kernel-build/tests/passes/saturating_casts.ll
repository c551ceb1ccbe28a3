; pass: saturating-casts
; A conversion saturates by itself. NaN is replaced where one side has 64 bits.
; ir: call i32 asm "cvt.rzi.u8.f32 $0, $1;", "=r,f"(float %x)
; ir-next: trunc i32
; ir: call i32 asm "cvt.rzi.s32.f32 $0, $1;", "=r,f"(float %x)
; ir: freeze float %x
; ir-next: call i64 asm "cvt.rzi.s64.f32 $0, $1;", "=l,f"
; ir-next: fcmp ord float
; ir-next: select i1
; ir: freeze double %y
; ir-next: call i16 asm "cvt.rzi.u16.f64 $0, $1;", "=h,d"
; ir-next: fcmp ord double
; ir-next: select i1
; ir-not: @llvm.
define i64 @f(float %x, double %y) {
  %a = call i8 @llvm.fptoui.sat.i8.f32(float %x)
  %b = call i32 @llvm.fptosi.sat.i32.f32(float %x)
  %c = call i64 @llvm.fptosi.sat.i64.f32(float %x)
  %d = call i16 @llvm.fptoui.sat.i16.f64(double %y)
  %aw = zext i8 %a to i64
  %bw = zext i32 %b to i64
  %dw = zext i16 %d to i64
  %e = add i64 %aw, %bw
  %f = add i64 %e, %c
  %g = add i64 %f, %dw
  ret i64 %g
}
