; pass: wide-min-max
; The distance of two numbers is the absolute difference of numbers of 32 bits; where the arms are of other numbers, it is none.
; ir: define i16 @distance
; ir: zext i16 %a to i32
; ir: zext i16 %b to i32
; ir: sub i32
; ir: call i32 @llvm.abs.i32
; ir: trunc i32
; ir: define i8 @of_signed
; ir: sext i8 %a to i32
; ir: call i32 @llvm.abs.i32
; ir: define i16 @other
; ir: select i1
; ir-count: 2 call i32 @llvm.abs.i32
define i16 @distance(i16 %a, i16 %b) {
  %less = icmp ult i16 %a, %b
  %up = sub nuw i16 %b, %a
  %down = sub nuw i16 %a, %b
  %d = select i1 %less, i16 %up, i16 %down
  ret i16 %d
}
define i8 @of_signed(i8 %a, i8 %b) {
  %more = icmp sgt i8 %a, %b
  %up = sub i8 %b, %a
  %down = sub i8 %a, %b
  %d = select i1 %more, i8 %down, i8 %up
  ret i8 %d
}
define i16 @other(i16 %a, i16 %b) {
  %less = icmp ult i16 %a, %b
  %up = sub i16 %b, %a
  %down = sub i16 %a, %b
  %d = select i1 %less, i16 %down, i16 %up
  ret i16 %d
}
