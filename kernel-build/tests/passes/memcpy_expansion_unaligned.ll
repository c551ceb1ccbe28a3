; pass: memcpy-expansion
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @copy(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 2 %to, ptr align 16 %from, i64 16, i1 false)
  ret void
}
; unchanged
