; pass: index-narrowing
; The maximum of two thread indices is taken in 32 bits.
declare i64 @llvm.umax.i64(i64, i64)
define i64 @largest(i32 %a, i32 %b) {
  %wide.a = zext i32 %a to i64
  %wide.b = zext i32 %b to i64
  %m = call i64 @llvm.umax.i64(i64 %wide.a, i64 %wide.b)
  ret i64 %m
}
; ir: call i32 @llvm.umax.i32(i32 %a, i32 %b)
; ir: zext i32
