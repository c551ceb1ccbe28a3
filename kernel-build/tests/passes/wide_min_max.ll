; pass: wide-min-max
; What is extended once stays so up to the last operation.
declare i8 @llvm.umax.i8(i8, i8)
define i8 @largest(i8 %a, i8 %b, i8 %c) {
  %x = call i8 @llvm.umax.i8(i8 %a, i8 %b)
  %y = call i8 @llvm.umax.i8(i8 %c, i8 %x)
  ret i8 %y
}
; ir-count: 3 zext i8
; ir-count: 2 call i32 @llvm.umax.i32
; ir-not: call i8
