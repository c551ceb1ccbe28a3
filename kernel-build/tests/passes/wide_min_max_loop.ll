; pass: wide-min-max
; A phi of results has 32 bits too.
declare i8 @llvm.smin.i8(i8, i8)
define i8 @least(ptr %a, i64 %n, i8 %first) {
start:
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %least = phi i8 [ %first, %start ], [ %now, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  %x = load i8, ptr %p
  %now = call i8 @llvm.smin.i8(i8 %least, i8 %x)
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i8 %now
}
; ir: start:
; ir-next: sext i8 %first to i32
; ir: phi i32
; ir-count: 2 sext i8
