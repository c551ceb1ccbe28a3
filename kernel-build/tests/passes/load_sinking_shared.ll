; pass: load-sinking
; A tile is filled: elements go from global to shared memory, each after its check. The stores go along with their loads, in their order.
declare void @fail(i64, i64, ptr) noreturn
@place = constant i64 0
define void @fill(ptr addrspace(1) %a, ptr addrspace(3) %tile, i64 %i, i64 %j, i64 %len) {
start:
  %at.i = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %at.i
  store float %x, ptr addrspace(3) %tile
  %right.j = icmp ult i64 %j, %len
  br i1 %right.j, label %good, label %bad
good:
  %at.j = getelementptr float, ptr addrspace(1) %a, i64 %j
  %y = load float, ptr addrspace(1) %at.j
  %next = getelementptr float, ptr addrspace(3) %tile, i64 1
  store float %y, ptr addrspace(3) %next
  ret void
bad:
  call void @fail(i64 %j, i64 %len, ptr @place)
  unreachable
}
; ir: start:
; ir-next: %at.i = getelementptr
; ir-next: %right.j = icmp
; ir-next: br i1 %right.j
; ir: good:
; ir-next: %0 = load float, ptr addrspace(1) %at.i
; ir-next: store float %0, ptr addrspace(3) %tile
; ir-next: %at.j = getelementptr
; ir-next: %y = load float
