; pass: participation
; A thread may have left the loop and returned.
; unchanged
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @f(ptr %x, i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %again
again:
  %k = phi i32 [ 0, %0 ], [ %next, %again ]
  %present = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store i32 %present, ptr %x
  %here = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
  store i32 %here, ptr %x
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %again, label %out
out:
  ret void
}
attributes #0 = { "nvvm.reqntid"="256,1,1" }
