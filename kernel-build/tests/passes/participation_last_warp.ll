; pass: participation
; The second warp has 8 threads: the ballot is not the same in all warps.
; ir: vote.ballot
; ir: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; ir-next: store i32 40
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @f(ptr %x, i32 %n) #0 {
  %present = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store i32 %present, ptr %x
  %here = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
  store i32 %here, ptr %x
  ret void
}
attributes #0 = { "nvvm.reqntid"="40,1,1" }
