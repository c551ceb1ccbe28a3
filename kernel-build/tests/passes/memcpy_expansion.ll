; pass: memcpy-expansion
; Sixteen aligned bytes are one access.
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @copy(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 16, i1 false)
  ret void
}
; ir: load <4 x i32>, ptr %from, align 16
; ir-next: store <4 x i32> %1, ptr %to, align 16
; ir-not: memcpy
