; pass: load-sinking
; A store to global memory stays above the check, with the loads that it depends on and those that it could change. So does a call.
declare void @fail(i64) noreturn
declare void @note() convergent
define i32 @store(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i, i64 %len) {
start:
  %x = load i32, ptr addrspace(1) %a
  store i32 7, ptr addrspace(1) %b
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret i32 %x
bad:
  call void @fail(i64 %i)
  unreachable
}
define void @copy(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i, i64 %len) {
start:
  %x = load i32, ptr addrspace(1) %a
  store i32 %x, ptr addrspace(1) %b
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret void
bad:
  call void @fail(i64 %i)
  unreachable
}
define i32 @call(ptr addrspace(1) %a, i64 %i, i64 %len) {
start:
  %x = load i32, ptr addrspace(1) %a
  call void @note()
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret i32 %x
bad:
  call void @fail(i64 %i)
  unreachable
}
; unchanged
