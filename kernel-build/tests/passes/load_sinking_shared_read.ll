; pass: load-sinking
; A store to shared memory stays where something that stays reads the memory: a load for the condition, or the panic, which makes its message of the
; element (with a load, or through a pointer).
declare void @fail(i64) noreturn
declare void @fail_with(ptr) noreturn
define void @condition(ptr addrspace(1) %a, ptr addrspace(3) %tile, ptr addrspace(3) %n, i64 %i) {
start:
  %x = load i64, ptr addrspace(1) %a
  store i64 %x, ptr addrspace(3) %tile
  %len = load i64, ptr addrspace(3) %n
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret void
bad:
  call void @fail(i64 %i)
  unreachable
}
define void @load(ptr addrspace(1) %a, ptr addrspace(3) %tile, i64 %i, i64 %len) {
start:
  %x = load i64, ptr addrspace(1) %a
  store i64 %x, ptr addrspace(3) %tile
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret void
bad:
  %said = load i64, ptr addrspace(3) %tile
  call void @fail(i64 %said)
  unreachable
}
define void @pointer(ptr addrspace(1) %a, ptr addrspace(3) %tile, i64 %i, i64 %len) {
start:
  %x = load i64, ptr addrspace(1) %a
  store i64 %x, ptr addrspace(3) %tile
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret void
bad:
  %generic = addrspacecast ptr addrspace(3) %tile to ptr
  call void @fail_with(ptr %generic)
  unreachable
}
define void @ptx(ptr addrspace(1) %a, ptr addrspace(3) %tile, i64 %i, i64 %len) {
start:
  %x = load i64, ptr addrspace(1) %a
  store i64 %x, ptr addrspace(3) %tile
  %right = icmp ult i64 %i, %len
  br i1 %right, label %good, label %bad
good:
  ret void
bad:
  call void asm sideeffect "exit;", ""()
  unreachable
}
; unchanged
