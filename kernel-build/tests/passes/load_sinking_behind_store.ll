; pass: load-sinking
; Loads behind the last store sink; the one above it stays.
declare void @fail(i64) noreturn
define i32 @last(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i, i64 %len) {
start:
  %x = load i32, ptr addrspace(1) %a
  store i32 7, ptr addrspace(1) %b
  %y = load i32, ptr addrspace(1) %a
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  %sum = add i32 %x, %y
  ret i32 %sum
bad:
  call void @fail(i64 %i)
  unreachable
}
; ir: start:
; ir-next: %x = load
; ir-next: store i32 7
; ir-next: %right = icmp
; ir: good:
; ir-next: %0 = load i32, ptr addrspace(1) %a
; ir-next: %sum = add i32 %x, %0
