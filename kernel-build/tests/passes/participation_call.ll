; pass: participation
; A thread may end in what is called.
; unchanged
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @g()
define ptx_kernel void @f(ptr %x, i32 %n) #0 {
  call void @g()
  %present = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store i32 %present, ptr %x
  %here = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
  store i32 %here, ptr %x
  ret void
}
attributes #0 = { "nvvm.reqntid"="256,1,1" }
