; pass: local-atomics
; What the host passes, statics, and shared memory are left alone.
@count = addrspace(1) global i32 0
@tile = addrspace(3) global [4 x i32] undef
@plain = global i16 0
@place = constant ptr null
@ring = addrspace(1) externally_initialized global i64 0
define void @kernel(ptr %p, ptr addrspace(1) %g, i64 %i) {
  %q = getelementptr i32, ptr %p, i64 %i
  %a = atomicrmw add ptr %q, i32 1 monotonic, align 4
  %b = atomicrmw add ptr addrspace(1) %g, i32 1 seq_cst, align 4
  %c = atomicrmw add ptr addrspacecast (ptr addrspace(1) @count to ptr), i32 1 seq_cst, align 4
  %d = atomicrmw add ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 1 seq_cst, align 4
  %e = cmpxchg ptr @plain, i16 1, i16 2 seq_cst seq_cst, align 2
  %s = load ptr, ptr @place, align 8
  %f = atomicrmw nand ptr %s, i8 1 seq_cst, align 1
  %n = load i64, ptr addrspace(1) @ring, align 8
  %r = inttoptr i64 %n to ptr
  %k = getelementptr i8, ptr %r, i64 16
  %j = atomicrmw add ptr %k, i64 1 monotonic, align 8
  %h = load i32, ptr %p, align 4
  fence seq_cst
  ret void
}
; unchanged
