; pass: local-atomics
; The argument of a function that is not a kernel may be the address of a caller's variable: it is asked, in front of each operation.
define i32 @bump(ptr %p, i32 %v) {
  %o = atomicrmw sub ptr %p, i32 %v syncscope("block") acq_rel, align 4
  %x = cmpxchg ptr %p, i32 1, i32 2 monotonic acquire, align 4
  ret i32 %o
}
; A choice among a variable and other memory.
define void @either(ptr addrspace(1) %g, i1 %c) {
  %a = alloca i64, align 8
  %q = addrspacecast ptr addrspace(1) %g to ptr
  %p = select i1 %c, ptr %a, ptr %q
  %o = atomicrmw or ptr %p, i64 5 seq_cst, align 8
  ret void
}
; ir: call i32 @__warploom_sub_i32_any_4_6_block_(ptr %p, i32 %v)
; ir: call void @__warploom_cas_i32_any_4_4___unused(ptr %p, i32 1, i32 2)
; ir: call void @__warploom_or_i64_any_8_7___unused(ptr %p, i64 5)
; ir-count: 3 call i1 @llvm.nvvm.isspacep.local(ptr %p)
; ir-count: 1 atomicrmw sub ptr %p, i32 %v syncscope("block") acq_rel, align 4
; ir-count: 1 cmpxchg ptr %p, i32 %e, i32 %v acquire acquire, align 4
; ir-count: 1 atomicrmw or ptr %p, i64 %v seq_cst, align 8
; ir-count: 3 addrspacecast ptr %p to ptr addrspace(5)
