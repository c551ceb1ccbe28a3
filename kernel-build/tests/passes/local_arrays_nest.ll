; pass: local-arrays
; An iterator that skips empty elements goes back from two places, of which LLVM makes a nest: as one loop it has three iterations, and the array goes into registers.
; ir: define ptx_kernel void @f
; ir-not: alloca
; ir-not: phi i64
; ir-count: 2 fmul
define ptx_kernel void @f(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %out) {
start:
  %array = alloca [3 x ptr addrspace(1)]
  %second = getelementptr i8, ptr %array, i64 8
  %third = getelementptr i8, ptr %array, i64 16
  store ptr addrspace(1) %a, ptr %array
  store ptr addrspace(1) %b, ptr %second
  store ptr addrspace(1) %c, ptr %third
  br label %outer
outer:
  %k = phi i64 [ 0, %start ], [ %j1, %body ]
  %sum = phi float [ 0.0, %start ], [ %sum2, %body ]
  br label %inner
inner:
  %j = phi i64 [ %k, %outer ], [ %j1, %some ]
  %over = icmp eq i64 %j, 3
  br i1 %over, label %done, label %some
some:
  %at = getelementptr ptr addrspace(1), ptr %array, i64 %j
  %element = load ptr addrspace(1), ptr %at
  %j1 = add nuw nsw i64 %j, 1
  %empty = icmp eq ptr addrspace(1) %element, null
  br i1 %empty, label %inner, label %body
body:
  %value = load float, ptr addrspace(1) %element
  %half = fmul float %sum, 0.5
  %sum2 = fadd float %half, %value
  br label %outer
done:
  store float %sum, ptr addrspace(1) %out
  ret void
}
