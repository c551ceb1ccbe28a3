; pass: local-atomics
; A variable of the function itself: plain accesses.
define i32 @own(i32 %v, i64 %i) {
  %a = alloca [4 x i32], align 4
  %p = getelementptr i32, ptr %a, i64 %i
  store atomic i32 %v, ptr %p release, align 4
  %o = atomicrmw add ptr %p, i32 7 seq_cst, align 4
  %x = cmpxchg ptr %p, i32 1, i32 2 acq_rel acquire, align 4
  %s = extractvalue { i32, i1 } %x, 1
  %z = zext i1 %s to i32
  %n = load atomic i32, ptr %p syncscope("block") acquire, align 4
  %m = atomicrmw umax ptr %p, i32 9 monotonic, align 4
  %r1 = add i32 %o, %z
  %r2 = add i32 %r1, %n
  ret i32 %r2
}
; ir-not: atomicrmw
; ir-not: cmpxchg
; ir-not: atomic i32
; ir-not: isspacep
; ir: call void @__warploom_store_i32_own_4_
; ir: call i32 @__warploom_add_i32_own_4_(ptr %p, i32 7)
; ir: call { i32, i1 } @__warploom_cas_i32_own_4_(ptr %p, i32 1, i32 2)
; ir: call i32 @__warploom_load_i32_own_4_(ptr %p)
; ir: call void @__warploom_umax_i32_own_4__unused(ptr %p, i32 9)
