; pass: participation
; Whole blocks return, by the number of the block and parameters, of which one lies in memory.
; ir: go:
; ir-next: store i32 -1
; ir: store i32 256
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @f(ptr %x, i32 %n, ptr byval({ i32, i32 }) readonly %p) #0 {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = shl i32 %b, 8
  %in = icmp ult i32 %start, %n
  br i1 %in, label %next, label %out
next:
  %at = getelementptr i8, ptr %p, i64 4
  %field = load i32, ptr %at
  %also = icmp ne i32 %field, 0
  br i1 %also, label %go, label %out
go:
  %present = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store i32 %present, ptr %x
  %here = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
  store i32 %here, ptr %x
  br label %out
out:
  ret void
}
attributes #0 = { "nvvm.reqntid"="256,1,1" }
